#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja run and deja record as seen from a shell: statuses, streams, signals.
set -uo pipefail
deja=$1
build=$3
if ! command -v valgrind >/dev/null || [[ ! -x $build/tracer/deja-amd64-linux ]]; then
    echo "skipped: no tracer; the package valgrind has what is needed to build and run it"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -m 700 runtime
export XDG_RUNTIME_DIR=$work/runtime # other sessions do not use it
bad=0
complain() {
    echo "$*"
    bad=1
}

expect() { # expect STATUS ARGUMENTS...: runs deja, saves its output in out and err
    local expected=$1 status
    shift
    "$deja" "$@" >out 2>err
    status=$?
    [[ $status == "$expected" ]] || complain "deja $*: status $status, expected $expected: $(head -n 3 err)"
}

await_output() {
    for ((i = 0; i < 300; i++)); do
        [[ -s out ]] && break
        sleep 0.1
    done
}

expect 0 run -o report -- true
grep -q 'distinct blocks' report || complain "no report in the file"
if [[ -s out ]] || grep -qv '^deja: note: .* has no debug information' err; then
    complain "more than the report was printed: $(cat out err)"
fi
expect 1 run -- false
grep -q 'distinct blocks' err || complain "no report on standard error"
[[ ! -s out ]] || complain "the report is on standard output"
expect 0 run -o - -- true
grep -q 'distinct blocks' out || complain "no report on standard output with -o -"
echo old >kept.dejap
expect 1 run --paused -o kept.dejap -- false
grep -q 'no accesses were traced: counting was never resumed' err || complain "paused to the end: $(cat err)"
[[ $(cat kept.dejap) == old ]] || complain "a run without accesses replaced a file"
expect 1 run --paused --json -o paused.json -- false
[[ -s paused.json ]] || complain "no JSON of a run without accesses"
expect 7 run sh -c 'echo hello; exit 7' # options after the program belong to it
[[ $(cat out) == hello ]] || complain "output: $(cat out)"
expect 7 run -- sh -c 'exit 7'
[[ $(head -n 1 err) == "sh -c 'exit 7'" ]] || complain "the command lost its quotes: $(head -n 1 err)"
expect 0 run --json --bins exact --time --fingerprint -o details.json -- true
for key in '"bins": "exact"' '"time_histogram": \[' '"fingerprint": "[0-9a-f]\{16\}"' '"digest": "[0-9a-f]\{16\}"'; do
    grep -q "$key" details.json || complain "run --bins exact --time --fingerprint: no $key"
done
expect 2 run --bins few -- true
expect 2 run --time --sample 1% -- true
expect 137 run -- sh -c 'kill -9 $$'
grep -q 'PARTIAL .* was ended by signal 9 (Killed)' err || complain "the report does not say what ended it: $(cat err)"
expect 143 run -- sh -c 'kill $$'
expect 127 run -- ./missing
grep -q "missing" err || complain "the missing program is not named"
expect 127 run -- no-such-program-anywhere
echo text >plain
expect 126 run -- ./plain
expect 126 run -- .
printf '#!/no/such/interpreter\n' >script
chmod +x script
expect 127 run -- ./script
printf '#!/bin/sh\nexit 5\n' >script
expect 5 run -- ./script
expect 2 run
expect 2 run --no-such-option -- true
expect 2 run --engine parallel --threads 5000 -- touch ran
expect 125 run --engine hprda -- touch ran
expect 2 spatial --engine parallel --threads 5000 -- touch ran
[[ ! -e ran ]] || complain "the program runs although it cannot be measured"
expect 2 record
expect 125 run -o "$work/no/folder/report" -- true
expect 125 record -o "$work/no/folder/trace" -- true
DEJA_LIB=/nowhere expect 2 run -- true
grep -q DEJA_LIB err || complain "a wrong DEJA_LIB is not named"

# Closed streams stay closed for the program, and no file of Deja takes their place.
"$deja" run -o report -- sh -c 'echo lost' >&- 2>err
[[ -s report ]] || complain "no report with standard output closed"
"$deja" run -o report -- sh -c 'read -r line || exit 6' <&- >out 2>err
status=$?
[[ $status == 6 ]] || complain "standard input closed: status $status"
"$deja" run -- true 2>&-
status=$?
[[ $status == 125 ]] || complain "nowhere to report to: status $status"

# A terminal's Ctrl-C reaches both; the first one is left to the program, which may end as it likes.
rm -f out
env --default-signal=INT "$deja" run --json -o json -- \
    sh -c 'trap "exit 3" INT; echo ready; while :; do :; done' >out 2>err &
child=$!
await_output
kill -INT $child
wait $child
status=$?
[[ $status == 3 ]] || complain "a program that exits after Ctrl-C: status $status"
grep -q '"partial": false' json || complain "the profile of a program that exited normally is partial"

# shellcheck disable=SC2016
endless='i=0; while [ $i -lt 100000000 ]; do i=$((i + 1)); done'
# The second one ends the analysis, not the program.
rm -f out
env --default-signal=INT "$deja" run --json -o json -- \
    sh -c 'trap "" INT; echo $$; '"$endless" >out 2>err &
child=$!
await_output
kill -INT $child
sleep 0.3
kill -INT $child
wait $child
status=$?
[[ $status == 130 ]] || complain "after the second Ctrl-C: status $status"
grep -q '"partial": true' json || complain "an interrupted analysis is not marked partial"
kill -KILL "$(cat out)" 2>/dev/null || complain "the program did not survive"

# Recording: each process has its own file, and killing deja leaves what was written.
expect 4 record -o trace.deja -- sh -c '/bin/true; exit 4'
"$deja" analyze --json trace.deja >json 2>err || complain "the trace cannot be read: $(cat err)"
children=(trace.*.deja)
[[ -e ${children[0]} ]] || complain "no trace of the child"
for child in "${children[@]}"; do
    "$deja" analyze --json "$child" >json 2>err || complain "$child cannot be read: $(cat err)"
done
"$deja" record -o cut.deja -- sh -c "$endless" 2>err &
child=$!
for ((i = 0; i < 300; i++)); do
    [[ $(stat -c %s cut.deja 2>/dev/null || echo 0) -gt 200000 ]] && break
    sleep 0.1
done
program=$(pgrep -P $child | head -n 1)
kill -KILL $child
wait $child 2>/dev/null
kill -KILL "$program" 2>/dev/null
"$deja" analyze --json cut.deja >json 2>err
status=$?
[[ $status == 3 ]] || complain "an interrupted recording: status $status"
grep -q '"accesses": [1-9]' json || complain "an interrupted recording is empty"

# The next session removes the folder of a killed one.
"$deja" run -o report -- true
for folder in runtime/deja-rings-*; do
    [[ ! -e $folder ]] || complain "$folder was left behind"
done
exit $bad
