#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With every vector instruction set of this processor, engine fast computes the same
# distances as engine tree, which uses none.
set -uo pipefail
deja=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 ran=0
fingerprint() {
    "$deja" analyze --json --fingerprint --time "$@" >"$work/profile.json" || return
    grep -E '"(fingerprint|digest)"' "$work/profile.json"
}
for kind in "uniform --keys 3000" "zipf --keys 5000" "stencil --keys 999 --sweeps 3" "hotcold --keys 2000" "walk --keys 70"; do
    # shellcheck disable=SC2086
    "$deja" gen $kind --accesses 50000 --scatter -o "$work/t.deja" 2>/dev/null || exit 1
    right=$(fingerprint --engine tree "$work/t.deja")
    for simd in portable avx2 avx512; do
        found=$(fingerprint --engine fast --fast-simd "$simd" "$work/t.deja" 2>"$work/err")
        status=$?
        ((status == 2)) && [[ $simd != portable ]] && continue # not supported by this processor
        ran=$((ran + 1))
        [[ -n $right && $found == "$right" ]] || { echo "$kind, $simd: $found, expected $right $(cat "$work/err")"; bad=1; }
    done
done
((ran >= 5)) || { echo "only $ran runs"; bad=1; }
exit "$bad"
