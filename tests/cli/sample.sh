#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --sample: what it accepts, refuses, prints and saves.
set -euo pipefail
deja=$(realpath "$1")
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
# shellcheck source=tests/support/refuses
source "$2/tests/support/refuses"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$deja" gen zipf --keys 100000 --accesses 300000 --seed 1 -o keys.u64le 2>/dev/null
for rate in 0 -1% abc 101% 1e-12 ''; do
    refuses 2 "is not a rate" mrc --sample "$rate" keys.u64le
done
refuses 2 "cannot be estimated from a sample" analyze --windows 1000 --sample 10% keys.u64le
refuses 2 "cannot be estimated from a sample" analyze --fingerprint --sample 10% keys.u64le

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
    "$deja" report "$profile" 2>/dev/null | shows ESTIMATE
done
# Files are untrusted.
sed 's/"weight_log2": 4/"weight_log2": 5/' saved.json >wrong.json
refuses 3 "sample: it does not fit" report wrong.json
sed 's/"weight_log2": 4/"weight_log2": 64/' saved.json >wrong.json
refuses 3 "weight_log2 must be" report wrong.json
"$deja" analyze --sample 5% --json -o bins.json keys.u64le 2>/dev/null
sed 's/"error_bound": 0/"error_bound": 1e308/' bins.json >wrong.json
refuses 3 "the error of miss ratios is 1e+308, not 0 to 1" report wrong.json
sed 's/"max": [0-9]*, "mean"/"max": 9223372036854775808, "mean"/' bins.json >wrong.json
"$deja" mrc --ways 4 --sizes 1000 wrong.json 2>/dev/null | shows ESTIMATE

# Parts join to the sample of the whole; different samples do not join. Each part has its own bursts, so small
# caches are known as well, but not from the same bursts.
part() { "$deja" analyze --summary --sample 5% --block "$block" --skip "$1" --stop-after "$2" "${@:3}" keys.u64le 2>/dev/null; }
large() { "$deja" mrc --json --sizes 20000,30000,50000,90000 "$1" 2>/dev/null | grep '"accesses"\|"distinct"\|"cold"\|"misses"'; }
head_of() { sed -n 's/^ *"head": \([0-9]*\),*$/\1/p' "$1" | head -n 1; }
for block in 64 8 1; do
    part 0 70000 -o 1.dejasum --part 1/3
    part 70000 130001 -o 2.dejasum --part 2/3
    part 200001 100000 -o 3.dejasum --part 3/3
    "$deja" join --json --bins exact -o joined.json 1.dejasum 2.dejasum 3.dejasum 2>/dev/null
    "$deja" analyze --json --bins exact --sample 5% --block "$block" -o whole.json keys.u64le 2>/dev/null
    large whole.json >whole.txt
    [[ $(wc -l <whole.txt) == 7 ]]
    large joined.json | diff - whole.txt
    (($(head_of joined.json) > 300 && $(head_of joined.json) < 15000 && $(head_of whole.json) < 15000))
    "$deja" join --summary -o 23.dejasum 2.dejasum 3.dejasum 2>/dev/null
    diff <("$deja" join --json --bins exact 1.dejasum 23.dejasum 2>/dev/null | grep -v '"command"') <(grep -v '"command"' joined.json)
done
"$deja" join 1.dejasum 2.dejasum 3.dejasum 2>/dev/null | shows ESTIMATE
part 70000 130001 -o seed.dejasum --part 2/3 --sample-seed 1
part 70000 130001 -o rate.dejasum --part 2/3 --sample 1%
refuses 3 "a sample of 1 in 16 blocks, seed 0 in the first, a sample of 1 in 16 blocks, seed 1" join 1.dejasum seed.dejasum 3.dejasum
refuses 3 "a sample of 1 in 16 blocks, seed 0 in the first, a sample of 1 in 128" join 1.dejasum rate.dejasum 3.dejasum

# Sizes in bytes: both curves have a band, in text, csv, JSON and charts; in profiles, too.
awk 'BEGIN { print "key,size"; for (i = 0; i < 60000; i++) { k = (i * 7919) % 20011 + int(i / 30000) * 5; print k "," 100 + k % 900 } }' >sized.csv
bytes() { "$deja" mrc --format csv --sample 10% "$@" sized.csv 2>/dev/null; }
bytes --json | shows '"byte_ratio": .*"low": .*"high": .*"byte_low": .*"byte_high": '
bytes --json | shows '"max_request_error": .*"max_byte_error": '
bytes --export csv | shows 'byte_low,byte_high'
[[ $(bytes | grep -c "at least, at most") == 2 ]]

# Statistics are estimates, with a mark; strides are those of all accesses. Lists of each address are refused.
"$deja" stats --sample 10% keys.u64le 2>/dev/null | shows ESTIMATE
"$deja" stats --json --sample 10% keys.u64le 2>/dev/null | shows '"sampling": {"rate": 0.125, .*"max_error": '
"$deja" stats --export csv --sample 10% keys.u64le 2>/dev/null | shows 'sampling,max_error'
strides() { "$deja" stats --json "$@" keys.u64le 2>/dev/null | grep '"stride'; }
diff <(strides) <(strides --sample 10%)
refuses 2 "key-lists (.*) cannot be estimated from a sample" stats --per-address --sample 10% keys.u64le

# Each file has an estimate and a band of its own, also in saved profiles.
"$deja" gen loop --keys 30000 --sweeps 5 -o loop.u64le 2>/dev/null
"$deja" mrc --each file --export csv --sample 5% keys.u64le loop.u64le 2>/dev/null | shows 'at_least,.*at_most'
for profile in each.json each.dejap; do
    form=()
    [[ $profile != *.json ]] || form=(--json)
    "$deja" analyze --bins exact --each file --sample 5% -o "$profile" --format u64le ${form[@]+"${form[@]}"} keys.u64le loop.u64le 2>/dev/null
    "$deja" report "$profile" 2>/dev/null | sed -n '/^by file/,/^$/p' >"$profile.txt"
done
grep -q "max error" each.json.txt
diff each.json.txt each.dejap.txt

# The curve has a band, and so has what follows from it.
"$deja" mrc --json --ways 8 --sample 5% loop.u64le 2>/dev/null >loop.json
grep -q '"full_low": .*"full_high": .*"low": .*"high": ' loop.json
grep -q '"drop_before": .*"smallest": .*"largest": .*"low": .*"high": ' loop.json
"$deja" mrc --sample 5% loop.u64le 2>/dev/null | tr -s ' \n' ' ' | shows "The exact curve drops probably"

# A limit is crossed if the exact miss ratio may be above it.
ratio=$("$deja" mrc --json --sample 5% --sizes 10000 keys.u64le 2>/dev/null | sed -n 's/.*"size": 10000.*"ratio": \([0-9.]*\).*/\1/p')
refuses 1 "may be exceeded" mrc --sample 5% --threshold "10000:$ratio" keys.u64le
# Whether it is crossed for sure depends on the low end of the band, not on the estimate.
band() { "$deja" mrc --json --sample 5% --sizes 10000 keys.u64le 2>/dev/null | sed -n "s/.*\"size\": 10000.*\"$1\": \([0-9.]*\).*/\1/p"; }
above=$(awk "BEGIN { print $(band low) + 0.0001 }")
below=$(awk "BEGIN { print $(band low) - 0.0001 }")
refuses 1 "may be exceeded: the miss ratio is probably between" mrc --sample 5% --threshold "10000:$above" keys.u64le
refuses 1 "probably exceeded: the miss ratio is between" mrc --sample 5% --threshold "10000:$below" keys.u64le
refuses 1 "exceeded by an estimate: .* its error is unknown" mrc --engine aet --threshold 10000:0.1 keys.u64le

# A sample without any of the keys knows nothing, and says so.
seq 5000 | sed "s/.*/7/" >same.txt
"$deja" mrc --sample 1% --format text --caches none same.txt 2>/dev/null | tr -s ' \n' ' ' >none.txt
grep -q "sample of only 0 keys" none.txt
grep -q "at most 100 percentage points, too wide to be useful at some sizes" none.txt
grep -q "no long reuses (distance 64 or more). The exact miss ratio of a cache of 64 keys is probably 0.0%–100.0%" none.txt
[[ $(grep -c "all reuses hit" none.txt) == 0 ]]
"$deja" stats --sample 1% --format text same.txt 2>/dev/null | shows "distinct keys  *0  *± 765"

# No trace has more distinct blocks than accesses, however many the sample has.
for seed in 0 1 2 3 4 5 6 7; do
    seq 2000 | "$deja" analyze --json --sample 10% --sample-seed $seed --format text - 2>/dev/null | sed -n 's/^ *"distinct": \([0-9]*\),$/\1/p'
done | awk '$1 > 2000 { exit 1 } $1 == 2000 { full++ } END { exit !(full > 0 && full < NR) }'

# Without a size in blocks there is no band in blocks.
seq 4000 | awk '{ print NR, $1 % 900, 100 }' >sized.txt
"$deja" mrc --json --sample 5% --format webcachesim --sizes 1000B sized.txt 2>/dev/null >sized.json
grep -q '"sampling": {"rate": 0.0625, "keys": [0-9]*, "max_request_error"' sized.json

# Each line of an exported estimate says that it is one; that of an exact result does not.
"$deja" analyze --export csv --sample 5% keys.u64le 2>/dev/null >marked.csv
head -n 1 marked.csv | shows ',mark$'
[[ $(tail -n +2 marked.csv | grep -vc ',"ESTIMATE"$') == 0 ]]
[[ $("$deja" analyze --export csv keys.u64le 2>/dev/null | grep -c mark) == 0 ]]

# A saved estimate whose counts do not fit into 64 bits is refused.
"$deja" analyze --json --sample 5% keys.u64le 2>/dev/null >estimate.json
sed 's/^  "cold": [0-9]*,/  "cold": 18446744073709551615,/' estimate.json >wrapped.json
if cmp -s estimate.json wrapped.json; then exit 1; fi
refuses 3 "do not add up" mrc wrapped.json
