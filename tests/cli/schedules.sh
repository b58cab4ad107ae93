#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `deja concurrent --schedules` against a scheduler that is simulated step by step.
#   schedules.sh DEJA SOURCES BUILD
set -euo pipefail
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
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
