#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja report --caches on a saved profile equals an analysis for those caches, or is refused with the reason.
set -uo pipefail
deja=$1 source=$2 build=$3
# shellcheck source=tests/support/refuses
source "$source/tests/support/refuses"
if ! command -v valgrind >/dev/null || [[ ! -x $build/tracer/deja-amd64-linux ]]; then
    echo "skipped: no tracer; the package valgrind has what is needed to build and run it"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
complain() {
    echo "$*"
    bad=1
}

"$deja" record -o program.deja -- true 2>/dev/null || exit 1
"$deja" analyze --by all --caches L1=8K/8,L2=64K --json -o saved.json program.deja 2>/dev/null || exit 1
for caches in L1=16K,L2=112K tiny=512,8K,L2=48K none L1=8K/8,L2=64K; do
    "$deja" analyze --by object,line,context --caches "$caches" --export csv program.deja >live 2>/dev/null || exit 1
    "$deja" report --by object,line,context --caches "$caches" --export csv saved.json >printed 2>err || complain "$caches: $(cat err)"
    diff live printed >difference || complain "--caches $caches: the profile has other misses: $(head -n 8 difference)"
    [[ $(grep -c 'long reuses are left out' err) == $([[ $caches == tiny* ]] && echo 1 || echo 0) ]] ||
        complain "--caches $caches: the note on long reuses: $(cat err)"
done
"$deja" report --caches L1=16K --json saved.json 2>/dev/null | tr -d " \n" | grep -q '\["L1",256\]' || complain "the JSON has the old caches"

refuses 2 "17 KiB (L1) are not known exactly: the profile counts them at 16 KiB and 18 KiB" report --caches L1=17K saved.json
refuses 2 "cannot be simulated without the accesses" report --caches L1=8K/4,L2=64K saved.json
"$deja" report --caches L1=8K,L2=64K saved.json 2>&1 >plain | grep -q "simulated caches are left out" || complain "no note that simulated caches are left out"
grep -q "caches with their sets" plain && complain "caches that were not asked for are shown as simulated"
refuses 2 "is not a size" report --caches foo saved.json
"$deja" run --sample 10% --sample-by blocks --json -o sampled.json -- true 2>/dev/null || exit 1
refuses 2 "ranges of its rows only for the caches that it was measured with" report --caches 16K sampled.json
exit $bad
