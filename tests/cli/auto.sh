#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which engine runs if none is named; the numbers are the same with every engine.
set -uo pipefail
deja=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$deja" gen zipf --keys 20000 --accesses 4300000 --as u64le -o "$work/long" || exit 1
head -c 8000000 "$work/long" >"$work/short"
bad=0
expect() { # expect ENGINE FILE [OPTIONS...]: checks the engine and, apart from command and engine, the output
    local wanted=$1 file=$2
    shift 2
    "$deja" analyze --json --format u64le "$@" "$file" >"$work/out" || { echo "$* fails"; bad=1; }
    local engine
    engine=$(sed -n 's/.*"engine": "\([a-z]*\)".*/\1/p' "$work/out")
    [[ $engine == "$wanted" ]] || { echo "analyze $* of $(basename "$file"): engine $engine, expected $wanted"; bad=1; }
    sed -e '/"engine_options":/d' -e 's/"engine": "[a-z]*"//' -e 's/"command": "[^"]*"//' -e 's/,$//' "$work/out" \
        >"$work/numbers"
    if [[ -f $file.numbers ]]; then
        cmp -s "$work/numbers" "$file.numbers" || { echo "$* changes the numbers"; bad=1; }
    else
        cp "$work/numbers" "$file.numbers"
    fi
}
long=fast
(($(nproc) >= 2)) && long=parallel
expect fast "$work/long" --engine fast
expect "$long" "$work/long"
expect "$long" "$work/long" --engine auto
expect fast "$work/long" -j 1
expect parallel "$work/long" -j 3
expect parallel "$work/long" -j 2 --chunk 100000
expect fast "$work/short"
expect parallel "$work/short" --threads 5 --chunk 1000
expect parallel "$work/short" --engine parallel -j 1
# The length of a pipe is unknown.
piped=$(head -c 34400000 "$work/long" | "$deja" analyze --json --format u64le - | sed -n 's/.*"engine": "\([a-z]*\)".*/\1/p')
[[ $piped == fast ]] || { echo "a pipe is analyzed by $piped"; bad=1; }
exit $bad
