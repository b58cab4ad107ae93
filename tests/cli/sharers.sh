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
cd "$work"
# refuses STATUS TEXT ARGUMENTS...
refuses() {
    local status=0
    "$deja" "${@:3}" >out 2>err </dev/null || status=$?
    [[ $status == "$1" ]] && grep -q -- "$2" err && return
    echo "deja ${*:3}: status $status instead of $1, or not '$2':"
    cat err
    exit 1
}
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
"$deja" report --export csv bins.json | grep -q 'L1.*,"upper bounds"$'
"$deja" report --export csv exact.dejap | grep -q 'L1.*,"exact"$'
"$deja" report bins.json | grep -q "saved in bins"
"$deja" report exact.dejap | grep -q "saved in bins" && exit 1

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
    "$deja" report --caches L1=256,L2=8K "$profile" | tr '\n' ' ' | grep -q "they were not measured"
    "$deja" report --caches L1=256,L2=8K --json -o again.json "$profile"
    "$deja" report again.json | tr '\n' ' ' | grep -q "they were not measured"
done
"$deja" report --caches L1=64 schedules.json >same.txt
"$deja" report schedules.json | cmp - same.txt
refuses 2 "two caches have the name L1" report --caches L1=64,L1=128 exact.dejap

# The narrowest page, and what csv has of sharing.
"$deja" concurrent --width 60 --caches L1=64,L2=128 a.csv b.csv >narrow.txt
python3 - <<'END'
for line in open("narrow.txt", encoding="utf-8"):
    assert len(line.rstrip("\n")) <= 60 or line.startswith("deja "), line
END
"$deja" concurrent --export csv --caches none a.csv b.csv | head -n 1 | grep -q "true_sharing,false_sharing"
