#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja spatial --sample on traces: what it accepts, refuses, prints, saves and exports.
set -euo pipefail
deja=$(realpath "$1")
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
# shellcheck source=tests/support/refuses
source "$2/tests/support/refuses"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$deja" gen walk --keys 3000 --accesses 600000 --seed 1 -o walk.u64le 2>/dev/null
for rate in 0 -1% abc 101% 1e-12 ''; do
    refuses 2 "is not a rate" spatial --sample "$rate" walk.u64le
done
for option in "--skip 5" "--stop-after 9" "--only reads" "--within f" "--start-at f" "--statements" "--summary -o part.dejasum"; do
    # shellcheck disable=SC2086
    refuses 2 "--sample and ${option%% *} cannot be combined" spatial --sample 10% $option walk.u64le
done
for engine in scale aet hprda; do
    refuses 2 "which engine .$engine. cannot provide" spatial --sample 10% --engine "$engine" walk.u64le
done
printf 'address,device\n0,0\n64,1\n0,0\n' >devices.csv
refuses 2 "several devices cannot be analyzed in bursts" spatial --sample 10% devices.csv

# All of it is exact, bit for bit, whatever the seed.
values() { "$deja" spatial --json "$@" 2>/dev/null | grep -v '"command"\|"engine\|"inputs"'; }
values walk.u64le >exact.json
values --sample 100% --sample-seed 3 walk.u64le | cmp - exact.json

# The same seed, the same result: with every engine, any number of threads, and from a pipe.
values --sample 10% walk.u64le >estimate.json
for engine in tree count fast shadow "parallel --threads 1" "parallel --threads 3"; do
    # shellcheck disable=SC2086
    values --sample 10% --engine $engine walk.u64le | cmp - estimate.json
done
values --sample 10% --format u64le - < <(cat walk.u64le) | sed 's/^      "-"$/      "walk.u64le"/' | cmp - estimate.json
values --sample 10% --sample-seed 1 walk.u64le >other.json
[[ $(<other.json) != "$(<estimate.json)" ]]

# Reports say what it is, and what is known of the error.
joined() { "$deja" "$@" 2>/dev/null | tr '\n' ' '; }
joined spatial --sample 10% walk.u64le >report.txt
grep -q "ESTIMATE from [0-9,]* accesses in [0-9]* bursts" report.txt
grep -q "bursts: 1[01].*% of the trace" report.txt
grep -q "probably" report.txt
joined spatial --sample 0.01% walk.u64le >few.txt
grep -q "in only 2 bursts: the error is not reliable; use --sample [0-9.]*%" few.txt
# At the rate that it names, there are enough.
rate=$(grep -o "use --sample [0-9.]*%" few.txt | head -n 1 | grep -o "[0-9.]*%")
joined spatial --sample "$rate" walk.u64le >enough.txt
((20 <= $(grep -o "in [0-9]* bursts" enough.txt | grep -o "[0-9]*")))
grep -q "unknown" few.txt
grep -q "too wide to be useful" few.txt
"$deja" spatial --sample 10% --export csv walk.u64le >estimate.csv 2>messages
head -n 1 estimate.csv | shows "size_low,size_high,score_low,score_high,mark$"
grep -q "estimates" messages
"$deja" spatial --export csv walk.u64le >exact.csv
head -n 1 exact.csv | shows -v score_low

# Saved estimates stay estimates.
"$deja" spatial --sample 10% --json -o saved.json walk.u64le 2>/dev/null
"$deja" spatial --sample 10% -o saved.dejap walk.u64le 2>/dev/null
for profile in saved.json saved.dejap; do
    "$deja" report "$profile" 2>/dev/null | shows ESTIMATE
    "$deja" spatial "$profile" 2>/dev/null | shows ESTIMATE
    values "$profile" | sed -n '/"pairs"/,$p' | cmp - <(sed -n '/"pairs"/,$p' estimate.json)
    refuses 2 "--sample does not apply to a saved profile" spatial --sample 10% "$profile"
    refuses 3 "is not a summary" join "$profile" "$profile"
done
# Files are untrusted.
sed 's/"group_weight": [0-9.]*/"group_weight": -1/' saved.json >wrong.json
refuses 3 "groups of bursts are impossible" spatial wrong.json
