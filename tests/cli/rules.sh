#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The scripts that check the project's rules pass on these sources, and each detects
# violations.
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
        echo "expected status $status and '$words' from: $*"
        echo "$output"
        bad=1
    fi
}

expect 0 "" bash "$source/cmake/check-includes" "$source"
expect 0 "" bash "$source/cmake/check-files" "$source"
expect 0 "" bash "$source/cmake/check-names" "$source"

tree() { # tree FILE TEXT: a repository with this one file
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src/base" "$work/tree/src/engine" "$work/tree/include/deja" "$work/tree/$(dirname "$1")"
    touch "$work/tree/src/engine/own.h" "$work/tree/include/deja/error.h" "$work/tree/src/base/b.h"
    printf '%s\n' "$2" >"$work/tree/$1"
}
includes() { expect "$1" "$2" bash "$source/cmake/check-includes" "$work/tree"; }
names() { expect "$1" "$2" bash "$source/cmake/check-names" "$work/tree"; }
files() { expect "$1" "$2" bash "$source/cmake/check-files" "$work/tree"; }

tree src/engine/x.c '#include "base/b.h"'
includes 0 ""
tree src/engine/x.c '#include "own.h"'
includes 0 ""
tree src/engine/x.c '#include <deja/error.h>'
includes 0 ""
tree src/engine/x.c '#include "trace/input/input.h"'
includes 1 "src/engine/x.c:1: src/engine may not include \"trace/input/input.h\""
tree src/engine/x.h '  #  include   "pipeline/lanes/lane.h"'
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
# Subfolders may include their folder, what it may include, and the siblings that their rule names.
for target in own.h engine/own.h base/b.h base/json/c.h engine/fast/t.h; do
    tree src/engine/parallel/x.c "#include \"$target\""
    mkdir -p "$work/tree/src/engine/parallel"
    touch "$work/tree/src/engine/parallel/own.h"
    includes 0 ""
done
tree src/engine/parallel/x.c '#include "engine/gpu/queue.h"'
includes 1 "src/engine/parallel may not include \"engine/gpu/queue.h\" (allowed: fast)"
tree src/engine/parallel/x.c '#include "trace/input/input.h"'
includes 1 "src/engine/parallel may not include"
tree src/engine/x.c '#include "engine/gpu/queue.h"'
includes 0 ""
tree src/engine/novel/x.c '#include "base/b.h"'
includes 1 "the folder src/engine/novel has no rule"

tree include/deja/batch.h '#include "base/b.h"'
includes 1 "a public header may not"
public() { # public FILE TEXT...: a tree with these public headers
    tree src/base/x.c ''
    rm "$work/tree/include/deja/error.h"
    while (($#)); do
        printf '%s\n' "$2" >"$work/tree/include/deja/$1"
        shift 2
    done
}
public error.h '' batch.h '#include <deja/error.h>'
includes 0 ""
public model.h '' batch.h '#include <deja/model.h>'
includes 1 "include/deja/batch.h:1: batch.h (values) may not include <deja/model.h> (models); allowed: basics"
public batch.h '#include <deja/none.h>'
includes 1 "there is no <deja/none.h>"
public novel.h ''
includes 1 "include/deja/novel.h: the header is in no group"
public batch.h '#include <deja/place.h>' place.h '#include <deja/batch.h>'
includes 1 "include each other in a circle: batch.h place.h"

# The page contains the rules.
tree docs/architecture.md "<!-- written by cmake/check-includes -->"
bash "$source/cmake/check-includes" --table >>"$work/tree/docs/architecture.md"
echo "<!-- end of these tables -->" >>"$work/tree/docs/architecture.md"
includes 0 ""
sed -i 's/CUDA kernels/kernels/' "$work/tree/docs/architecture.md"
includes 1 "docs/architecture.md: its tables are not those of cmake/check-includes"

tree src/engine/x.c '// SPDX-License-Identifier: MIT'
find "$work/tree" -name '*.h' -delete
files 0 ""
tree src/engine/x.c 'int x;'
files 1 "src/engine/x.c: no line"
tree src/engine/x.c '// SPDX-License-Identifier: MIT'
yes '' | head -n 460 >>"$work/tree/src/engine/x.c"
files 1 "450 at most; split it by idea"

# Names: the first file of a pair, then the second in the same tree.
second() { printf '%s\n' "$2" >"$work/tree/$1"; }
tree src/base/x.h $'typedef struct dj_thing {\n    int a;\n} dj_thing;\ntypedef struct dj_other dj_other;'
names 0 ""
second src/engine/x.h $'struct dj_thing {\n    int b;\n};'
names 1 "type dj_thing is defined twice, in src/base/x.h:1 and src/engine/x.h:1"
second src/engine/x.h $'struct dj_other {\n    int b;\n};\nstatic struct dj_thing *dj_thing_find(void);'
names 0 ""
second src/engine/x.cu $'enum dj_other { DJ_A };'
names 1 "type dj_other is defined twice"
tree src/base/x.h $'typedef struct {\n    int a;\n} dj_thing;'
second src/engine/x.h 'typedef int (*dj_thing)(int);'
names 1 "type dj_thing is defined twice"
tree src/base/x.c $'int dj_do(int a,\n          int b)\n{\n    return a;\n}'
names 0 ""
second src/base/x.h 'int dj_do(int a, int b);'
names 0 ""
second src/engine/x.h $'static inline int dj_do(void)\n{\n    return 0;\n}'
names 1 "function dj_do is defined twice, in src/base/x.c:1 and src/engine/x.h:1"
# Two definitions of one declaration count as one.
tree src/base/x.h $'int dj_do(int a,\n          int b);'
second src/base/x.c $'int dj_do(int a, int b)\n{\n    return a;\n}'
second src/base/x_absent.c $'int dj_do(int a, int b)\n{\n    return b;\n}'
names 0 ""
second src/engine/x.h 'int dj_do(void);'
names 1 "function dj_do is defined twice"
tree src/base/x.h $'#if A\nstatic int dj_do(void)\n{\n}\n#else\nstatic int dj_do(void)\n{\n}\n#endif'
names 0 ""
# Calls, forward declarations and names local to a file are not definitions.
tree src/base/x.c $'static int local(void)\n{\n    return dj_do();\n}\nstatic const int dj_a = 1;'
second src/engine/x.c $'static int local(void)\n{\n    if (dj_do()) {\n    }\n}\nstatic const int dj_a = 1;'
names 0 ""
exit $bad
