#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A second reader of the stream, written only from its specification, finds the same
# accesses as in the csv that deja writes of the same trace.
set -uo pipefail
deja=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
bad=0
complain() {
    echo "$*"
    bad=1
}
same() { # same FILE ARGUMENTS...: compares the accesses of a stream, as address size kind site
    "$deja" convert "${@:2}" -o t.csv 2>/dev/null || complain "convert $1 failed"
    python3 "$source/tests/cli/read_stream.py" t.deja >lines || complain "$1: the second reader refuses"
    grep '^A' lines | cut -d ' ' -f 3,4,6,10 | tr -d '-' >got
    python3 - t.csv <<'END' >expected
import csv, sys
kinds = {"R": 0, "W": 1, "M": 2, "I": 3, "O": 4}
for row in csv.DictReader(open(sys.argv[1])):
    target = row.get("key") or row.get("address") or row.get("offset")
    print(target, row.get("size", ""), row.get("site", ""), kinds.get(row.get("op"), ""))
END
    [[ -s got ]] || complain "$1: no accesses"
    cmp got expected || complain "$1 differs"
}

for kind in "stencil --keys 1000 --element-bytes 8" "zipf -n 20000" "uniform -n 3000 --scatter" "matmul --keys 20" \
    "walk -n 5000 --element-bytes 4"; do
    # shellcheck disable=SC2086 # the words of the command
    "$deja" gen $kind -o t.deja 2>/dev/null
    same "$kind" t.deja
done
"$deja" convert "$source/examples/matmul.lackey.zst" -o t.deja 2>/dev/null
same matmul.lackey "$source/examples/matmul.lackey.zst"
grep -q '^E 0 1 0 0 0 \[process\]$' lines || complain "no event names the module"
exit $bad
