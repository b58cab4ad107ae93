#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --sample: what it accepts, refuses, prints and saves.
set -euo pipefail
deja=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

refuses() {
    local status=0 expected=$1 words=$2
    shift 2
    "$deja" "$@" >output 2>messages || status=$?
    [[ $status == "$expected" ]] && grep -q -- "$words" messages && return
    echo "deja $*: status $status instead of $expected, or without '$words':"
    cat messages
    exit 1
}

"$deja" gen zipf --keys 100000 --accesses 300000 --seed 1 -o keys.u64le 2>/dev/null
for rate in 0 -1% abc 101% 1e-12 ''; do
    refuses 2 "is not a rate" mrc --sample "$rate" keys.u64le
done
refuses 2 "cannot be estimated from a sample" analyze --windows 1000 --sample 10% keys.u64le
refuses 2 "cannot be estimated from a sample" analyze --fingerprint --sample 10% keys.u64le
refuses 2 "cannot be estimated from a sample" spatial --sample 10% keys.u64le
refuses 2 "complete trace" analyze --summary -o part.dejasum --sample 10% keys.u64le

# All blocks are everything, whatever the seed. 2% is 1 in 64.
same() { diff <("$deja" "$@" --json keys.u64le 2>/dev/null | grep -v '"command"') all.json; }
"$deja" analyze --bins exact --json keys.u64le | grep -v '"command"' >all.json
same analyze --bins exact --sample 100% --sample-seed 3
"$deja" analyze --sample 2% keys.u64le 2>/dev/null | tr '\n' ' ' >report.txt
grep -q "1 in 64 blocks, seed 0" report.txt
grep -q "ESTIMATE from a sample of" report.txt

# The same seed, the same result, with every engine and after saving.
estimate() { "$deja" mrc --json --sample 5% --sizes 1000,10000,50000 "$@" keys.u64le 2>/dev/null | sed -n '/"points"/,/"certified"/p'; }
estimate >fast.json
grep -q '"low": ' fast.json
grep -q '"rate": 0.0625,.*"certified": false' fast.json
for engine in tree count parallel; do
    estimate --engine "$engine" | cmp - fast.json
done
[[ $(estimate --sample-seed 1) != "$(<fast.json)" ]]
"$deja" analyze --sample 5% -o saved.dejap keys.u64le 2>/dev/null
"$deja" analyze --bins exact --sample 5% --json -o saved.json keys.u64le 2>/dev/null
for profile in saved.json saved.dejap; do
    "$deja" mrc --json --sizes 1000,10000,50000 "$profile" 2>/dev/null | sed -n '/"points"/,/"certified"/p' | cmp - fast.json
    "$deja" report "$profile" 2>/dev/null | grep -q ESTIMATE
done
# Files are untrusted.
sed 's/"weight_log2": 4/"weight_log2": 5/' saved.json >wrong.json
refuses 3 "sample: it does not fit" report wrong.json
sed 's/"weight_log2": 4/"weight_log2": 64/' saved.json >wrong.json
refuses 3 "weight_log2 must be" report wrong.json

# A limit is crossed if the exact miss ratio may be above it.
ratio=$("$deja" mrc --json --sample 5% --sizes 10000 keys.u64le 2>/dev/null | sed -n 's/.*"size": 10000.*"ratio": \([0-9.]*\).*/\1/p')
refuses 1 "may be exceeded" mrc --sample 5% --threshold "10000:$ratio" keys.u64le
