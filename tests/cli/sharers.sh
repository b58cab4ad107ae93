#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `deja concurrent` against caches that are simulated one by one.
#   sharers.sh DEJA SOURCES BUILD
set -euo pipefail
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$2/tests/cli/sharers.py" "$1" "$work" 120

deja=$1
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
cd "$work"
# shellcheck source=tests/support/refuses
source "$2/tests/support/refuses"
printf 'address,size,op\n0,4,w\n64,4,r\n0,4,r\n' >a.csv
printf 'address,size,op\n4,4,w\n64,4,r\n4,4,r\n' >b.csv
printf 'key\n1\n2\n' >keys.csv
printf 'device,offset\n3,0\n4,4096\n' >devices.csv
printf 'thread,address\n1,0\n,64\n' >gap.csv
refuses 2 "sharers would have no accesses" gen sharers -n 0 -o g.deja
refuses 2 "numbered from 1" gen sharers --sharer 0 -o g.deja
refuses 2 "seed needs --order random" concurrent --seed 3 a.csv b.csv
refuses 2 "states twice" concurrent --caches L1=64,L2=128 --share L2=1,L2=2 a.csv b.csv
refuses 2 "two caches have the name L1" concurrent --caches L1=64,L1=128 a.csv b.csv
refuses 3 "expected a thread" concurrent --by-thread --format csv --header gap.csv
refuses 2 "can be read only once" concurrent - -
refuses 3 "numbers devices as they appear" concurrent devices.csv devices.csv
refuses 3 "contains keys and" concurrent keys.csv a.csv
for ((i = 0; i < 1025; i++)); do echo "$i,$((64 * i))"; done >many.csv
mapfile -t crowd < <(for ((i = 0; i < 1025; i++)); do echo a.csv; done)
refuses 2 "at most 1024 sharers" concurrent "${crowd[@]}"
refuses 2 "measure fewer" concurrent --by-thread --format csv --columns thread,address many.csv
refuses 2 "put '--' before it" concurrent "$deja"

# The threads of one trace are the sharers; without threads it is one sharer, unless --by-thread asks for them.
printf 'thread,address\n7,0\n9,64\n7,0\n' >threads.csv
"$deja" convert -o plain.deja a.csv 2>/dev/null
"$deja" concurrent --caches none threads.csv >one.txt
grep -q "order: as recorded" one.txt
grep -q "^  7 " one.txt
grep -q "^  9 " one.txt
for plain in a.csv plain.deja; do
    "$deja" concurrent --caches none "$plain" >one.txt
    grep -q "only one sharer" one.txt
    grep -q "^  $plain " one.txt
done
"$deja" convert -o threads.deja --format csv --columns thread,address --header threads.csv 2>/dev/null
"$deja" concurrent --by-thread --order schedule --caches none --export csv plain.deja threads.deja >one.txt 2>/dev/null
grep -q '"plain.deja",3,2' one.txt
grep -q '"7",2,1' one.txt
grep -q '"9",1,1' one.txt
refuses 3 "does not record the threads" concurrent --by-thread a.csv
refuses 2 "separate needs several traces" concurrent --separate a.csv

# A saved profile in bins: upper bounds are marked, also in csv.
"$deja" gen sharers --element-bytes 64 -n 5000 --sharer 1 -o 1.deja 2>/dev/null
"$deja" gen sharers --element-bytes 64 -n 5000 --sharer 2 -o 2.deja 2>/dev/null
"$deja" concurrent --json --caches L1=3200 --share L1=1 --model none -o bins.json 1.deja 2.deja 2>/dev/null
"$deja" concurrent --caches L1=3200 --share L1=1 --model none -o exact.dejap 1.deja 2.deja 2>/dev/null
"$deja" report --export csv bins.json | shows 'L1.*,"upper bounds"$'
"$deja" report bins.json | shows '≈: an upper bound'
"$deja" report --export csv exact.dejap | shows 'L1.*,"exact"$'
"$deja" report bins.json | shows "saved in bins"
"$deja" report exact.dejap | shows "saved in bins" && exit 1

# Other caches have the misses of a new measurement; a cache of the same name has as many sharers.
others=(--caches 'L1=1600,L2=6400,L3=25600')
"$deja" concurrent "${others[@]}" --model none --export csv 1.deja 2.deja >measured.csv 2>/dev/null
"$deja" report "${others[@]}" --export csv exact.dejap >computed.csv
cmp measured.csv computed.csv
"$deja" concurrent --caches L2=3200 --share L2=1 --model none --export csv 1.deja 2.deja >measured.csv 2>/dev/null
"$deja" concurrent --caches L2=6400 --share L2=1 --model none -o private.dejap 1.deja 2.deja 2>/dev/null
"$deja" report --caches L2=3200 --export csv private.dejap >computed.csv
cmp measured.csv computed.csv
# What only the measured caches have is left out, also after saving; the same caches leave out nothing.
"$deja" concurrent --schedules 2 --caches L1=64 --json -o schedules.json --format csv --header --columns thread,address threads.csv 2>/dev/null
for profile in schedules.json "$2/tests/support/counters/profile.json"; do
    "$deja" report --caches L1=256,L2=8K "$profile" | tr '\n' ' ' | shows "they were not measured"
    "$deja" report --caches L1=256,L2=8K --json -o again.json "$profile"
    "$deja" report again.json | tr '\n' ' ' | shows "they were not measured"
done
"$deja" report --caches L1=64 schedules.json >same.txt
"$deja" report schedules.json | cmp - same.txt
refuses 2 "two caches have the name L1" report --caches L1=64,L1=128 exact.dejap
# A size at which a bin ends is exact: the report is that of all distances.
"$deja" concurrent --json --caches L1=4096 --model none -o bins.json 1.deja 2.deja 2>/dev/null
"$deja" concurrent --caches L1=4096 --model none -o exact.dejap 1.deja 2.deja 2>/dev/null
misses() { "$deja" report "$1" | sed -n '/^misses/,/^what/p'; }
[[ $(misses bins.json) == "$(misses exact.dejap)" ]]
misses bins.json | shows '≈' && exit 1
# So it is with linear bins only if these are known, which they are not.
"$deja" concurrent --json --bins linear:1000 --caches L1=4096 --model none -o linear.json 1.deja 2.deja 2>/dev/null
misses linear.json | shows '≈'

# The narrowest page, and what csv has of sharing.
"$deja" concurrent --width 60 --caches L1=64,L2=128 a.csv b.csv >narrow.txt
python3 - <<'END'
for line in open("narrow.txt", encoding="utf-8"):
    assert len(line.rstrip("\n")) <= 60 or line.startswith("deja "), line
END
"$deja" concurrent --export csv --caches none a.csv b.csv | shows "true_sharing,false_sharing"
# Counts have the same names in every table and in JSON; shares say that they are.
"$deja" concurrent --export csv --caches L1=64 a.csv b.csv >table.csv
"$deja" concurrent --json --caches L1=64 --share L1=1 a.csv b.csv >counts.json
"$deja" concurrent --json --caches L1=64 a.csv b.csv >all.json
python3 - <<'END'
import csv, json
rows = list(csv.reader(open("table.csv")))
at = next(i for i, row in enumerate(rows) if "broken" in row)
table = [dict(zip(rows[at], row)) for row in rows[at + 1:at + 3]]
saved = json.load(open("counts.json"))["sharers"]
for row, sharer in zip(table, saved):
    assert row["sharer"] == sharer["name"]
    for name in ("broken", "shortened", "stretched", "found", "true_sharing", "false_sharing", "shared_accesses"):
        assert int(row[name]) == sharer[name], (name, row)
    assert int(row["shared_blocks"]) == sharer["shared"]
    reuses = sharer["standalone"]["accesses"] - sharer["standalone"]["cold"]
    assert float(row["broken_share"]) == sharer["broken"] / reuses
misses = next(i for i, row in enumerate(rows) if "alone_ratio" in row)
for row, sharer in zip((dict(zip(rows[misses], row)) for row in rows[misses + 1:misses + 3]), saved):
    assert abs(int(row["alone"]) / sharer["standalone"]["accesses"] - float(row["alone_ratio"])) < 1e-6, row
# A cache that all share has no number of sharers; older files have 2^32 - 1.
assert json.load(open("counts.json"))["shared_caches"] == [{"name": "L1", "bytes": 64, "sharers": 1}]
profile = json.load(open("all.json"))
assert profile["shared_caches"] == [{"name": "L1", "bytes": 64}]
profile["shared_caches"][0]["sharers"] = 2**32 - 1
json.dump(profile, open("old.json", "w"))
END
diff <("$deja" report all.json) <("$deja" report old.json)

# The verdict names the largest harm in any cache: here two sharers write to adjacent words of a block in turn.
for ((i = 0; i < 50; i++)); do echo 0,4,w; done | sed '1i address,size,op' >left.csv
for ((i = 0; i < 50; i++)); do echo 4,4,w; done | sed '1i address,size,op' >right.csv
# verdict TEXT ARGUMENTS...
verdict() {
    "$deja" concurrent --model none "${@:2}" | tr '\n' ' ' >verdict.txt
    grep -q "$1" verdict.txt && return
    echo "$1 is not in:"
    cat verdict.txt
    exit 1
}
verdict "  Sharing costs left.csv most: 50 misses in its private L1 (100.00%), instead of 1 alone (2.00%). \
49 of the 50 follow writes of others: 0 true and 49 false sharing.  " --caches L1=64,L2=128 left.csv right.csv
# In one cache for all, each finds what the other has loaded.
verdict "  Sharing costs no sharer a miss in these caches. It saves right.csv most: 0 misses in the shared L2 \
(0.00%), instead of 1 alone (2.00%).  " --caches L2=128 left.csv right.csv
# In a cache of one block, each evicts that of the other.
sed 's/^4,/64,/' right.csv >other.csv
verdict "  Sharing costs left.csv most: 50 misses in the shared L2 (100.00%), instead of 1 alone (2.00%).  " \
    --caches L2=64 left.csv other.csv
verdict "of no sharer by as much" --caches L2=128 left.csv other.csv

# The same trace twice; a trace without sizes; what is not a trace.
"$deja" concurrent --caches none a.csv a.csv >twice.txt
grep -q '^  a.csv ' twice.txt
grep -q '^  a.csv (2) ' twice.txt
printf 'address,op\n0,w\n' >unsized.csv
"$deja" concurrent --caches none a.csv unsized.csv 2>&1 >/dev/null | shows "unsized.csv states no sizes"
"$deja" analyze -o saved.dejap a.csv
"$deja" analyze --json -o saved.json a.csv
refuses 3 "this is a saved profile" concurrent saved.dejap
refuses 3 "this is a saved profile" analyze saved.json
refuses 2 "as in 'deja concurrent -- ./program'" concurrent
refuses 2 "threads of one program share" concurrent --separate -- true
refuses 125 "it records no data with <deja/record.h>" concurrent --tool annotations -- true
# The report must not replace the recording.
refuses 2 "are the same file" concurrent --record k.deja -o ./k.deja -- true
[[ ! -e k.deja ]]
echo old >k.deja
ln -s k.deja link.deja
refuses 2 "are the same file" concurrent --record link.deja -o k.deja -- true
[[ $(cat k.deja) == old ]]

# Keys are not called blocks, and order is said once. Words are quoted as a shell needs them.
"$deja" concurrent --caches none keys.csv keys.csv | shows "accesses     keys shared"
[[ $("$deja" concurrent --caches none threads.csv | grep -c "order: as recorded") == 1 ]]
cp a.csv "a b.csv"
"$deja" concurrent --caches none "a b.csv" b.csv | shows "^deja [0-9.]*: .* 'a b.csv' b.csv$"
