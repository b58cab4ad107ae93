#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The progress line appears on a terminal after two seconds and is erased at the end;
# without a terminal nothing is printed.
set -uo pipefail
deja=$1 build=$3
if [[ $(script -qec "echo there" /dev/null </dev/null 2>&1) != there* ]]; then
    echo "skipped: no pseudo-terminals, or no script(1); the package bsdutils has it"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$*"
    bad=1
}
cat >"$work/slowly" <<END
{ seq 1 100000; sleep 2.5; seq 1 100000; } | "$deja" analyze --json --format text -o "$work/out" -
END
erase=$'\e[K'

script -qec "bash $work/slowly" /dev/null </dev/null >"$work/slow" 2>&1
grep -qE "[0-9.]+ M accesses, [0-9.]+ M accesses/s" "$work/slow" || complain "no progress after two seconds"
[[ $(tail -c 4 "$work/slow") == $'\r'"$erase" ]] || complain "the line was not erased at the end"

bash "$work/slowly" >"$work/plain" 2>&1 </dev/null
[[ -s $work/plain ]] && complain "progress without a terminal: $(cat "$work/plain")"

printf '1\n2\n1\n' >"$work/tiny"
script -qec "'$deja' analyze --json -o '$work/out' '$work/tiny'" /dev/null </dev/null >"$work/quick" 2>&1
[[ -s $work/quick ]] && complain "a quick run printed: $(cat -v "$work/quick")"

# A program that runs.
if ! command -v valgrind >/dev/null || [[ ! -x $build/tracer/deja-amd64-linux ]]; then
    echo "left out: progress of programs; the package valgrind has what is needed to build and run the tracer"
    exit $bad
fi
script -qec "'$deja' run --json -o '$work/out' -- sh -c 'sleep 3; :'" /dev/null </dev/null >"$work/program" 2>&1
grep -qE "[0-9.]+ M accesses, [0-9.]+ M accesses/s, process [0-9]+ and 1 other"  "$work/program" ||
    complain "no progress of a program: $(cat -v "$work/program")"
grep -qF $'\r'"$erase" <(tail -n 1 "$work/program") || complain "the program's line was not erased: $(cat -v "$work/program")"
"$deja" run --json -o "$work/out" -- sh -c 'sleep 3; :' >"$work/plain" 2>&1 </dev/null
grep -q 'accesses/s' "$work/plain" && complain "progress of a program without a terminal: $(cat "$work/plain")"
exit $bad
