#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every JSON profile among the golden files, and those that the verbs print, conforms to docs/profile.schema.json.
set -uo pipefail
deja=$1 source=$2
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trace=$source/examples/matmul.lackey.zst
"$deja" analyze --json "$trace" >"$work/plain.json" || exit 1
"$deja" analyze --json --bins exact --time --fingerprint --windows 10000 "$trace" >"$work/all.json" || exit 1
"$deja" spatial --json "$trace" >"$work/spatial.json" || exit 1
"$deja" gen zipf --accesses 3000 --keys 300 -o "$work/zipf.deja" || exit 1
"$deja" analyze --json "$work/zipf.deja" >"$work/keys.json" || exit 1
if "$deja" analyze --help | shows -e --each; then
    printf '1,0\n2,0\n1,1\n1,0\n2,1\n1,1\n' >"$work/devices.csv"
    "$deja" analyze --each device --format csv --columns address,device --json "$work/devices.csv" \
        >"$work/each.json" || exit 1
fi
mapfile -t golden < <(grep -rlE '"schema": ?"deja-profile"' "$source/tests/golden" "$source/examples")
((${#golden[@]} >= 3)) || { echo "only ${#golden[@]} golden profiles were found"; exit 1; }
whole=()
for file in "${golden[@]}"; do # some are truncated or of a future version on purpose
    case $file in */mrc-profile-cut/* | */mrc-profile-newer/* | */mrc-profile-simulate/* | */cmd) continue ;; esac
    whole+=("$file")
done
python3 "$source/tests/cli/validate.py" "$source/docs/profile.schema.json" "$work"/*.json "${whole[@]}"
