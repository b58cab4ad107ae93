#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `--limit N` reads the first N accesses of a trace and no more: within a line that stands for 2^32 of them, over
# several files, with --from, and from a pipe that never ends.
set -uo pipefail
deja=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
bad=0
complain() {
    echo "$*"
    bad=1
}

# accesses N ARGUMENTS...: the trace as read has N accesses.
accesses() {
    local expected=$1 found
    shift
    found=$(timeout 20 "$deja" analyze --json "$@" 2>error | grep -oE '"accesses": ?[0-9]+' | head -1 | grep -oE '[0-9]+$')
    [[ $found == "$expected" ]] || complain "analyze $*: ${found:-no} accesses instead of $expected: $(cat error)"
}

# refused WORDS ARGUMENTS...
refused() {
    local words=$1 status
    shift
    "$deja" analyze "$@" >/dev/null 2>error
    status=$?
    if ((status != 2)) || ! grep -qF -- "$words" error; then
        complain "analyze $*: status $status, $(cat error)"
    fi
}

seq 1 1000 >a.txt
seq 1 500 >b.txt
accesses 700 --limit 700 a.txt
accesses 1200 --limit 1200 a.txt b.txt
accesses 1000 --limit 5000 a.txt
accesses 300 --from 900 --limit 1200 a.txt b.txt
accesses 1 --limit 1 a.txt
accesses 90000 --format text --limit 90000 - < <(yes 7)

printf 'op_time,key,key_size,op,op_count,size\n0,a,1,GET,10,4\n1,b,1,GET,4294967295,4\n2,c,1,GET,5,4\n' >kv.csv
accesses 1000000 --limit 1000000 kv.csv
accesses 100 --from 999900 --limit 1000000 kv.csv

# What lies behind the limit is not checked.
{ seq 1 200000; printf '\0\0\n'; } >broken.txt
accesses 1000 --format text --limit 1000 broken.txt

for verb in mrc stats spatial; do
    timeout 20 "$deja" $verb --limit 700 a.txt >out 2>error || complain "$verb: status $?, $(cat error)"
    grep -q "until access 700 (700 of 700 accesses)" out || complain "$verb does not say that it stopped: $(head -3 out)"
done

refused "not a number of accesses" --limit 0 a.txt
refused "not a number of accesses" --limit 10s a.txt
refused "not a number of accesses" --limit 1e6 a.txt
refused "cannot be combined" --limit 10 --until 20 a.txt
refused "--limit 10 is not after --from 10" --limit 10 --from 10 a.txt
exit $bad
