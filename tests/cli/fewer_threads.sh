#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# If not all threads of an analysis can be started, it uses fewer: the same result, with a note.
set -uo pipefail
deja=$1
shim=$3/tests/faults/fault_shim.so
[[ -e $shim ]] || { echo "skipped: failing threads are not built with a sanitizer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$*"
    bad=1
}

"$deja" gen zipf -n 40000 -o "$work/keys.txt" >/dev/null 2>&1 || complain "cannot make a trace"

# fewer OPTIONS…: from the Nth thread on, none can be started; all N are tried until all can.
fewer() {
    local noted=0 status
    "$deja" analyze "$@" --json "$work/keys.txt" -o "$work/whole.json" 2>"$work/err" || complain "$*: $(cat "$work/err")"
    for ((n = 1; n < 30; n++)); do
        rm -f "$work/fewer.json"
        LD_PRELOAD=$shim DEJA_FAULT=thread:all:$n DEJA_FAULT_PROGRAM=deja "$deja" analyze "$@" --json \
            "$work/keys.txt" -o "$work/fewer.json" 2>"$work/err"
        status=$?
        [[ $status == 0 ]] || complain "$*, thread $n: status $status: $(cat "$work/err")"
        # Both come from the same command but for the name of the output.
        cmp -s <(grep -v '"command"' "$work/whole.json") <(grep -v '"command"' "$work/fewer.json") ||
            complain "$*, thread $n: another result"
        grep -q "^deja: note: cannot start \(another thread\|thread [0-9]* of [0-9]*\) " "$work/err" || break
        noted=$((noted + 1))
    done
    ((noted > 0)) || complain "$*: no failure led to fewer threads"
    ((n < 30)) || complain "$*: more than 30 threads"
}

fewer --engine tree
fewer --engine parallel --threads 3
fewer --engine parallel --threads 4 --chunk 1000
fewer --engine hprda --threads 4
exit $bad
