#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The scripts that guard our own rules: they pass on these sources, and each
# catches what it is there for.
set -uo pipefail
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
expect() { # expect STATUS WORDS COMMAND...
    local status=$1 words=$2 got=0 output
    shift 2
    output=$("$@" 2>&1) || got=1
    if [[ $got != "$status" || $output != *"$words"* ]]; then
        echo "expected status $status and '$words' of: $*"
        echo "$output"
        bad=1
    fi
}

expect 0 "" bash "$source/cmake/check-includes" "$source"
expect 0 "" bash "$source/cmake/check-files" "$source"

tree() { # tree FILE TEXT: a repository with this one file
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src/base" "$work/tree/src/engine" "$work/tree/include/deja" "$work/tree/$(dirname "$1")"
    touch "$work/tree/src/engine/own.h" "$work/tree/include/deja/a.h" "$work/tree/src/base/b.h"
    printf '%s\n' "$2" >"$work/tree/$1"
}
includes() { expect "$1" "$2" bash "$source/cmake/check-includes" "$work/tree"; }
files() { expect "$1" "$2" bash "$source/cmake/check-files" "$work/tree"; }

tree src/engine/x.c '#include "base/b.h"'
includes 0 ""
tree src/engine/x.c '#include "own.h"'
includes 0 ""
tree src/engine/x.c '#include <deja/a.h>'
includes 0 ""
tree src/engine/x.c '#include "trace/input.h"'
includes 1 "src/engine/x.c:1: src/engine may not include \"trace/input.h\""
tree src/engine/x.h '  #  include   "pipeline/lane.h"'
includes 1 "src/engine may not include"
tree src/base/x.c '#include "engine/own.h"'
includes 1 "src/base may not include"
tree src/model/x.c '#include "observe/x.h"'
includes 1 "src/model may not include"
tree src/cli/x.c '#include "report/text.h"'
includes 0 ""
tree src/engine/x.c '#include "../trace/input.h"'
includes 1 "climbs out"
tree src/engine/x.c '#include "missing.h"'
includes 1 "is not in src/engine"
tree src/novel/x.c '#include "base/b.h"'
includes 1 "has no rule"
tree include/deja/x.h '#include "base/b.h"'
includes 1 "a public header may not"

tree src/engine/x.c '// SPDX-License-Identifier: MIT'
find "$work/tree" -name '*.h' -delete
files 0 ""
tree src/engine/x.c 'int x;'
files 1 "src/engine/x.c: no line"
tree src/engine/x.c '// SPDX-License-Identifier: MIT'
yes '' | head -n 460 >>"$work/tree/src/engine/x.c"
files 1 "two ideas share a room"
exit $bad
