#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `deja concurrent --schedules` against a scheduler that is simulated step by step.
#   schedules.sh DEJA SOURCES BUILD
set -euo pipefail
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$2/tests/cli/schedules.py" "$1" "$work" 60


# What precedes a damaged line is measured, and the result says that it is partial.
python3 -c '
import random
for i in range(500):
    print(i % 2 + 1, random.randrange(40) * 64, 4, random.choice("RW"), sep=",")' >"$work/good.csv"
{
    cat "$work/good.csv"
    echo "1,here,4,R"
} >"$work/bad.csv"
measure() { "$1" concurrent --by-thread --schedules 1 --caches L1=1K --json --format csv --columns thread,address,size,op "$2"; }
measure "$1" "$work/good.csv" >"$work/good.json"
status=0
measure "$1" "$work/bad.csv" >"$work/bad.json" 2>/dev/null || status=$?
python3 - "$status" "$work/good.json" "$work/bad.json" <<'END'
import json
import sys
good, bad = (json.load(open(path, encoding="utf-8")) for path in sys.argv[2:])
assert sys.argv[1] == "3", f"status {sys.argv[1]}"
assert not good["partial"] and bad["partial"] and "bad.csv:501" in bad["partial_reason"], bad["partial_reason"]
assert good["accesses"] == bad["accesses"] == 500
for one, other in zip(good["sharers"], bad["sharers"]):
    for cache in "standalone", "concurrent", "private":
        assert one[cache] == other[cache], cache
END

# After Ctrl-C, the schedules measured so far count, and the result says how many of them.
seq 1 4000 | awk '{ print $1 % 2 "," $1 % 97 * 64 ",4,W" }' >"$work/long.csv"
measured=("--by-thread" --schedules 9000 --caches none --model none --format csv --columns "thread,address,size,op")
for form in --json text; do
    options=("${measured[@]}")
    [[ $form == --json ]] && options+=(--json)
    env --default-signal=INT "$1" concurrent "${options[@]}" "$work/long.csv" >"$work/out" 2>/dev/null &
    child=$!
    sleep 3
    kill -INT $child
    status=0
    wait $child || status=$?
    [[ $status == 130 ]] || {
        echo "status $status after Ctrl-C"
        exit 1
    }
    tr -s '\n ' '  ' <"$work/out" | shows -E "interrupted after [0-9]+ of 9000 schedules" || {
        echo "$form: the result is not marked:"
        head -n 20 "$work/out"
        exit 1
    }
    [[ $form != --json ]] || grep -q '"partial": true' "$work/out" || {
        echo "the profile is not marked as partial"
        exit 1
    }
done

# Threads that pass one value on and on have no choice, those without common data always have one.
awk 'BEGIN { for (i = 0; i < 2000; i++) print int(i / 10) % 2 ",64,4," (i % 10 ? "W" : "R") }' >"$work/forced.csv"
awk 'BEGIN { for (i = 0; i < 2000; i++) print int(i / 1000) "," int(i / 1000) * 64 ",4,W" }' >"$work/free.csv"
for kind in forced free; do
    "$1" concurrent --by-thread --schedules 3 --caches L1=4K --model none --format csv --columns thread,address,size,op \
        "$work/$kind.csv" | tr -s '\n ' '  ' >"$work/$kind"
    "$1" concurrent --by-thread --schedules 3 --caches L1=4K --model none --format csv --columns thread,address,size,op \
        --json "$work/$kind.csv" >"$work/$kind.json"
done
grep -q "leaves almost no other order than the recorded one: only 0.0% of the accesses had a choice" "$work/forced"
grep -q "misses of all threads: [0-9]* in all 3 schedules" "$work/free"
if grep -q "almost no other order" "$work/free"; then
    echo "threads without common data are called forced"
    exit 1
fi
python3 - "$work/forced.json" "$work/free.json" <<'END'
import json
import sys
forced, free = (json.load(open(path, encoding="utf-8"))["schedules"]["forced"] for path in sys.argv[1:])
assert forced == 1, forced
assert 0 <= free < 0.4, free  # only what is left when one of them has ended
END
# One thread has no schedules.
awk 'BEGIN { for (i = 0; i < 100; i++) print "1," i ",4,W" }' >"$work/one.csv"
"$1" concurrent --by-thread --schedules 3 --caches L1=4K --format csv --columns thread,address,size,op "$work/one.csv" >"$work/one"
if grep -q "schedules" <(grep -v "^deja\|order:" "$work/one"); then
    echo "schedules of one thread:"
    cat "$work/one"
    exit 1
fi
