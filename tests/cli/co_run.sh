#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `deja co-run` from profiles that were made separately, against `deja concurrent` of the traces; what it refuses.
#   co_run.sh DEJA SOURCES BUILD
set -euo pipefail
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
deja=$1
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for i in 1 2 3 4; do
    "$deja" gen sharers --distinct 200,150,200,100 --sharing 0.2 --distribution random,exponential,normal,random \
        -n 50000 --sharer $i --seed 3 -o $i.csv 2>/dev/null
    "$deja" analyze --joint -o $i.dejap $i.csv >/dev/null
done
"$deja" co-run --size 150 --most 4 --json 1.dejap 2.dejap 3.dejap 4.dejap >predicted.json
for group in "1 2" "1 3" "2 4" "3 4" "1 2 3" "1 2 3 4"; do
    files=()
    for i in $group; do files+=("$i.csv"); done
    "$deja" concurrent --model none --bins exact --json "${files[@]}" 2>/dev/null >"measured ${group// /}.json"
done
python3 - <<'END'
import glob, json
predicted = {}
for row in json.load(open("predicted.json"))["groups"]:
    predicted[row["sharer"][0], "".join(sorted(name[0] for name in row["with"]))] = row["miss_ratio"]
assert len(predicted) == 4 + 2 * 6 + 3 * 4 + 4, len(predicted)
for path in glob.glob("measured *.json"):
    members = path.split()[1].split(".")[0]
    for own, sharer in zip(members, json.load(open(path))["sharers"]):
        shared = sharer["concurrent"]
        misses = shared["cold"] + sum(bin["count"] for bin in shared["histogram"] if bin["lo"] >= 150)
        ratio = misses / shared["accesses"]
        others = members.replace(own, "")
        assert abs(predicted[own, others] - ratio) < 0.015, (own, others, predicted[own, others], ratio)

# The best pairs have the fewest misses of the three ways to pair four.
def misses(a, b):
    return predicted[a, b] + predicted[b, a]
ways = [("12", "34"), ("13", "24"), ("14", "23")]
best = min(ways, key=lambda way: sum(misses(*pair) for pair in way))
pairs = json.load(open("predicted.json"))["pairs"]
assert sorted("".join(name[0] for name in pair) for pair in pairs) == sorted(best), (pairs, best)
END
"$deja" co-run --size 150 1.dejap 2.dejap 3.dejap | shows "Best pairs: "

# Speeds that fit the miss ratios, the slowdown, and the pairs that lose the least time.
"$deja" co-run --size 150 --cycles 2,1,2,3 --penalty 40 --pair-by slowdown --json [1234].dejap >slow.json
"$deja" co-run --size 150 --cycles 2,1,2,3 --penalty 40 --pair-by slowdown [1234].dejap | shows "mean slowdown"
"$deja" co-run --size 150 --threads 3 --shared 0.2 --cycles 2 --penalty 40 --json 1.dejap >threads.json
"$deja" co-run --size 150 --threads 3 --scaling strong --cycles 2 --penalty 40 --cores 2 1.dejap >strong.txt
grep -q "predicted from one thread, not measured" strong.txt
grep -q "strong scaling: the threads divide the data" strong.txt
python3 - <<'END'
import json
base = {"1": 2, "2": 1, "3": 2, "4": 3}
slow, alone, sums = json.load(open("slow.json")), {}, {}
assert slow["bandwidth"] == "unlimited"
for row in slow["groups"]:
    own, others = row["sharer"][0], "".join(name[0] for name in row["with"])
    assert abs(row["cycles"] - base[own] - 40 * row["miss_ratio"]) < 1e-3, row  # they fit each other
    alone[own] = row["cycles"] if not others else alone[own]
    assert abs(row["slowdown"] - row["cycles"] / alone[own]) < 1e-9, row
    if len(others) == 1:
        key = "".join(sorted(own + others)), row["solution"]
        sums[key] = sums.get(key, 0) + row["slowdown"]
def cost(pair):
    return max(sums[pair, 1], sums.get((pair, 2), 0))
best = min([("12", "34"), ("13", "24"), ("14", "23")], key=lambda way: cost(way[0]) + cost(way[1]))
assert sorted("".join(name[0] for name in pair) for pair in slow["pairs"]) == sorted(best), (slow["pairs"], best)
threads = json.load(open("threads.json"))
assert threads["scaling"] == "weak" and threads["shared"] == 0.2
for made in (slow, threads):  # what the text says too
    assert made["method"] == "predicted" and made["order"] == "speeds" and made["again"] is True, made
    assert made["cache"] == "fully associative LRU" and made["cache_blocks"] == 150, made
rows = threads["threads"]
assert [row["threads"] for row in rows] == [1, 2, 3]
assert rows[0]["miss_ratio"] < rows[1]["miss_ratio"] < rows[2]["miss_ratio"]
for row in rows:  # a core for each thread
    assert abs(row["throughput"] - row["threads"] / (2 + 40 * row["miss_ratio"])) < 1e-9, row
END

# shellcheck source=tests/support/refuses
source "$2/tests/support/refuses"
"$deja" analyze -o plain.dejap 1.csv >/dev/null
"$deja" analyze --joint --block 4 -o wide.dejap 1.csv >/dev/null
refuses 2 "name 2 to 64 profiles" co-run --size 10 1.dejap
refuses 2 "is unknown; state it with" co-run 1.dejap 2.dejap
refuses 2 "groups have 2 to 4" co-run --size 10 --most 5 1.dejap 2.dejap
refuses 2 "gives 1 number for 2 profiles" co-run --size 10 --speeds 1 1.dejap 2.dejap
refuses 2 "positive numbers" co-run --size 10 --speeds 1,0 1.dejap 2.dejap
refuses 2 "needed together" co-run --size 10 --cycles 2 1.dejap 2.dejap
refuses 2 "use one of them" co-run --size 10 --cycles 2 --penalty 3 --speeds 1,1 1.dejap 2.dejap
refuses 2 "gives 3 numbers for 2 profiles" co-run --size 10 --cycles 1,2,3 --penalty 3 1.dejap 2.dejap
refuses 2 "positive numbers" co-run --size 10 --cycles 0 --penalty 3 1.dejap 2.dejap
refuses 2 "slowdown needs --cycles" co-run --size 10 --pair-by slowdown 1.dejap 2.dejap
refuses 2 "need --threads" co-run --size 10 --scaling strong 1.dejap 2.dejap
refuses 2 "profile of one thread, not 2" co-run --size 10 --threads 2 1.dejap 2.dejap
refuses 2 "do not apply" co-run --size 10 --threads 2 --speeds 1 1.dejap
refuses 2 "threads 65: the number must be from 1 to 64" co-run --size 10 --threads 65 1.dejap
refuses 2 "threads 0: the number must be from 1 to 64" co-run --size 10 --threads 0 1.dejap
refuses 2 "so --most, " co-run --size 10 --threads 2 --most 2 1.dejap
refuses 2 "from 0 to 1" co-run --size 10 --threads 2 --shared 2 1.dejap
refuses 2 "none are shared" co-run --size 10 --threads 2 --shared 0.5 --scaling strong 1.dejap
printf 'thread,key\n' >empty.csv
if "$deja" analyze --joint -o empty.dejap empty.csv >/dev/null 2>err; then exit 1; fi
grep -q "no accesses in the trace" err
refuses 3 "lacks section joint" co-run --size 10 1.dejap plain.dejap
refuses 3 "with the same --block" co-run --size 10 1.dejap wide.dejap
printf 'address\n0\n64\n0\n' >memory.csv
"$deja" analyze --joint --block 1 -o memory.dejap memory.csv >/dev/null
refuses 3 "1.dejap counts keys" co-run --size 10 memory.dejap 1.dejap
refuses 2 "at least 1 block" co-run --size 0 1.dejap 2.dejap
refuses 2 "more than 2^40" co-run --size 10 --speeds 1e9,1e-9 1.dejap 2.dejap

# Numbers as in other reports, and where they come from.
"$deja" co-run --size 1500 1.dejap 2.dejap 3.dejap >named.txt
"$deja" co-run --size 15 1.dejap 2.dejap 3.dejap | tr "\n" " " | shows -E "They have [0-9]{2,3},[0-9]{3} misses together"
grep -q "a shared cache of 1,500 keys" named.txt
grep -q "^deja .*: .*co-run --size 1500 1.dejap" named.txt

# The same profile twice, and the narrowest page.
"$deja" co-run --width 60 --size 10 --cycles 1 --penalty 40 1.dejap 1.dejap >narrow.txt
grep -q "^  1.dejap (2) " narrow.txt
"$deja" co-run --width 60 --size 10 --threads 2 --cycles 1 --penalty 40 1.dejap >>narrow.txt
grep -q "^1 cycle per access" narrow.txt
if grep -v "^deja " narrow.txt | LC_ALL=C.UTF-8 grep -E '^.{61}'; then exit 1; fi

# One SIGTERM ends a prediction of 635376 groups of four.
many=()
for i in {1..16}; do many+=(1.dejap 2.dejap 3.dejap 4.dejap); done
"$deja" co-run --size 150 --most 4 "${many[@]}" >out 2>err &
child=$!
sleep 1
kill -TERM $child
for ((tries = 0; tries < 100; tries++)); do
    kill -0 $child 2>/dev/null || break
    sleep 0.1
done
((tries < 100)) || {
    echo "co-run runs 10 seconds after SIGTERM"
    kill -KILL $child
    exit 1
}
status=0
wait $child || status=$?
if ! { [[ $status == 130 ]] && grep -q "interrupted" err && [[ ! -s out ]]; }; then
    echo "co-run after SIGTERM: status $status"
    cat err
    exit 1
fi
