#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Reports of a saved profile equal those of the original run: to the last digit from columns and from
# JSON with exact bins, and with every number that is not marked "from bins" from JSON by default.
set -uo pipefail
deja=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
# The command line differs: it is that of the run that saved the profile.
strip() { grep -v '^deja [0-9]' "$1"; }
same() { # same WHAT LIVE SAVED
    diff <(strip "$2") <(strip "$3") >difference || { echo "$1 differs from the live report:"; cat difference; bad=1; }
}
# In a report from bins, only curves and the lines that mention bins may differ.
same_but_curves() {
    local marked='[│┤╮]|from bins|estimate'
    diff <(strip "$2" | grep -vE "$marked") <(strip "$3" | sed 's/, computed from bins$//' | grep -vE "$marked") >difference ||
        { echo "$1 differs from the live report:"; cat difference; bad=1; }
    grep -q 'from bins' "$3" || { echo "$1 does not say that it is from bins"; bad=1; }
}

check() { # check TRACE
    local trace=$1 name
    name=$(basename "$trace")
    "$deja" analyze --json -o log2.json "$trace" && "$deja" analyze --json --bins exact -o exact.json "$trace" &&
        "$deja" analyze -o columns.dejap "$trace" || exit 1
    "$deja" analyze "$trace" >live
    for saved in exact.json columns.dejap log2.json; do
        "$deja" report "$saved" >printed || exit 1
        if [[ $saved == log2.json ]]; then same_but_curves "analyze $name, $saved" live printed; else
            same "analyze $name, $saved" live printed
        fi
    done
    "$deja" mrc --caches 1K:4,16K:8 "$trace" >live 2>/dev/null || "$deja" mrc "$trace" >live || exit 1
    for saved in exact.json columns.dejap log2.json; do
        "$deja" mrc --caches 1K:4,16K:8 "$saved" >printed 2>/dev/null || "$deja" mrc "$saved" >printed || exit 1
        if [[ $saved == log2.json ]]; then
            grep -v -e '%.*%' live >live_sizes # set-associative caches are estimated from bins
            grep -v -e '%.*%' printed >report_sizes
            same_but_curves "mrc $name, $saved" live_sizes report_sizes
        else
            same "mrc $name, $saved" live printed
        fi
    done
}

"$deja" gen zipf --accesses 30000 --keys 5000 -o zipf.deja 2>/dev/null || exit 1
check "$source/examples/matmul.lackey.zst"
check zipf.deja

"$deja" spatial "$source/examples/matmul.lackey.zst" >live || exit 1
"$deja" spatial --json -o spatial.json "$source/examples/matmul.lackey.zst" || exit 1
"$deja" spatial -o spatial.dejap "$source/examples/matmul.lackey.zst" || exit 1
for saved in spatial.json spatial.dejap; do
    "$deja" spatial "$saved" >printed || exit 1
    same "spatial, $saved" live printed
done
# Saving a saved profile does not change it.
"$deja" report -o again.dejap columns.dejap && cmp columns.dejap again.dejap || bad=1
"$deja" report - <columns.dejap >printed && "$deja" report columns.dejap >live && same "standard input" live printed
"$deja" mrc -o curve.dejap columns.dejap 2>message && bad=1
grep -q 'does not produce' message || { echo "mrc -o curve.dejap: $(cat message)"; bad=1; }
"$deja" report --json -o both.dejap columns.dejap 2>message && bad=1
grep -q 'cannot be combined' message || { echo "--json -o both.dejap: $(cat message)"; bad=1; }
exit $bad
