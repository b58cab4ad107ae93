#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh READER PROGRAM TRACER-FOLDER: runs the program in many ways under the tracer
# and checks the records that the reader finds in the ring.
set -uo pipefail
reader=$1 program=$2 tracer=$3
export VALGRIND_LIB=$tracer
if ! command -v valgrind >/dev/null || [[ ! -x $tracer/deja-amd64-linux ]]; then
    echo "skipped: no tracer; the package valgrind has what is needed to build and run it"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/rings"
failures=0

bad() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# trace [--MODE] [-oOPTION…] COMMAND…
trace() {
    local mode=() options=()
    [[ $1 == --* ]] && mode=("$1") && shift
    while [[ $1 == -o* ]]; do options+=("${1#-o}") && shift; done
    "$reader" "$work/rings" "${mode[@]}" valgrind --tool=deja --deja-dir="$work/rings" "${options[@]}" "$@" \
        >"$work/output" 2>"$work/errors" || bad "$*: $(grep -a ERROR "$work/rings/report")"
    [[ ! -s $work/errors ]] || bad "$*: standard error contains: $(head -c 300 "$work/errors")"
}

# field NAME [RING-LINE]: prints a number of the report
field() { grep -a '^ring' "$work/rings/report" | sed -n "${2:-1}p" | grep -ao " $1=[0-9]*" | cut -d= -f2; }
is() { [[ $2 == "$3" ]] || bad "$1: $2 instead of $3"; }
least() { (($2 >= $3)) || bad "$1: $2 is less than $3"; }

# grows WHAT FIELD PER: FIELD grows by PER for each of 1000 more rounds of WHAT
grows() {
    local before
    trace "$program" "$1" 1000
    before=$(field "$2")
    trace "$program" "$1" 2000
    is "$2 of 1000 more rounds of $1" $(($(field "$2") - before)) $(($3 * 1000))
}

counts() {
    grows reads reads 1
    grows writes writes 1
    grows modifies modifies 1
    grows modifies accesses 1
    grows calls calls 2
    grows calls matched 2
    grows allocations frees 2
    grows allocations blocks 3
    if grep -q avx2 /proc/cpuinfo; then grows wide accesses 2; fi
}

strings() {
    trace "$program" strings 1
    is "status of strings" "$(field status)" 0
    local before
    before=$(field strings)
    trace "$program" strings 2
    is "steps of string instructions" $(($(field strings) - before)) $((2000 + 2 * 1000 + 2 * 500))
}

threads() {
    trace "$program" threads 100
    is "threads" "$(field threads)" 101
    least "switches" "$(field switches)" 101
    trace "$program" threads-in-turn 10000
    is "threads in turn" "$(field threads)" 10001
    is "status with threads in turn" "$(field status)" 0
}

family() {
    trace "$program" forks 3
    is "rings of forks" "$(grep -ac '^ring' "$work/rings/report")" 4
    is "forks" "$(field forks)" 3
    for ring in 2 3 4; do
        is "status of a child" "$(field status "$ring")" $((3 << 8))
        least "accesses of a child" "$(field accesses "$ring")" 1000
    done
    trace "$program" exec 2
    is "rings of execs" "$(grep -ac '^ring' "$work/rings/report")" 3
    is "states" "$(field state 1) $(field state 2) $(field state 3)" "2 2 1"
    grep -aq '^ring\.[0-9]*\.2 ' "$work/rings/report" || bad "no third ring of one process"
    trace -o--trace-children=no "$program" forks 1
    is "rings if children are not followed" "$(grep -ac '^ring' "$work/rings/report")" 1
}

endings() {
    trace "$program" exit 7
    is "status" "$(field status) $(grep -a '^status' "$work/rings/report" | cut -d' ' -f2)" "1792 1792"
    trace "$program" kill 100000
    is "end record of a killed program" "$(field ended)" 0
    least "reads before the kill" "$(field reads)" 100000
    is "status of a killed program" "$(grep -a '^status' "$work/rings/report" | cut -d' ' -f2)" 9
    (
        ulimit -c 0
        trace "$program" crash 100000
        is "status of a crash" "$(field status)" 11
        least "reads before the crash" "$(field reads)" 100000
        least "messages about the crash" "$(field messages)" 1
        trace "$program" abort
        is "status of abort" "$(field status)" 6
        exit $failures
    ) || failures=$?
    trace "$program" closes 1000
    is "all descriptors closed" "$(field status) $(field ended)" "0 1"
    trace "$program" resumes
    is "status after a repaired fault" "$(field status)" 0
}

# The reader is slow, stops or dies: the program is unaffected.
readers() {
    trace "$program" reads 300000
    local all
    all=$(field accesses)
    trace --slow -o--deja-frames=2 "$program" reads 300000
    is "accesses with a slow reader" "$(field accesses)" "$all"
    trace --leave "$program" writes 3000000
    is "status if the reader detaches" "$(grep -a '^status' "$work/rings/report" | cut -d' ' -f2)" 0
    "$reader" "$work/rings" --slow bash -c \
        "valgrind --tool=deja --deja-dir='$work/rings' --deja-frames=2 '$program' reads 3000000; echo \$? >'$work/done'" &
    local pid=$!
    sleep 1.5
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    for ((i = 0; i < 100; i++)); do
        [[ -s $work/done ]] && break
        sleep 0.2
    done
    is "status if the reader was killed" "$(cat "$work/done" 2>/dev/null)" 0
}

# The number of accesses is within 1% of cachegrind's.
against_cachegrind() {
    local name=$1 counted expected
    shift
    command -v "$1" >/dev/null || return 0
    trace "$@"
    counted=$(field accesses)
    expected=$(env -u VALGRIND_LIB valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null "$@" \
        2>&1 >/dev/null | sed -n 's/.*D *refs: *\([0-9,]*\).*/\1/p' | tr -d ,)
    echo "$name: $counted accesses, cachegrind counts $expected"
    ((counted * 100 >= expected * 99 && counted * 100 <= expected * 101)) ||
        bad "$name: $counted accesses, cachegrind counts $expected"
}

counts
strings
threads
family
endings
readers
seq 1 40000 >"$work/text"
against_cachegrind gzip gzip -c "$work/text"
against_cachegrind bzip2 bzip2 -c "$work/text"
against_cachegrind sqlite3 sqlite3 :memory: \
    "create table t(a integer primary key, b); with recursive c(x) as (select 1 union all select x+1 from c where x<3000)
     insert into t select x, hex(x*x) from c; select count(*), sum(length(b)) from t where b like '%3%';"
exit $((failures > 0))
