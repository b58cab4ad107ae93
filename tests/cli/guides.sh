#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each C block of docs/adding-*.md appears verbatim in one of the tests that the guide names.
set -uo pipefail
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # check ROOT: prints how many blocks were compared; complains about those in no test
    local root=$1 guide name block test found count=0 bad=0
    for guide in "$root"/docs/adding-*.md; do
        rm -f "$work"/block*
        awk -v to="$work/block" '/^```c$/ { n++; file = to n; next } /^```/ { file = "" } file { print > file }' "$guide"
        mapfile -t tests < <(grep -o 'test_toy_[a-z_]*\.c' "$guide" | sort -u)
        for name in "$work"/block*; do
            [[ -e $name ]] || continue
            block=$(<"$name") found=""
            for test in "${tests[@]}"; do
                [[ $(<"$root/tests/contract/$test") == *"$block"* ]] && found=$test
            done
            [[ $found ]] || { echo "$(basename "$guide"): no test contains: $(head -n 1 "$name")" >&2; bad=1; }
            count=$((count + 1))
        done
    done
    echo "$count"
    return $bad
}

count=$(check "$source") || exit 1
((count >= 7)) || { echo "only $count blocks were found"; exit 1; }

mkdir -p "$work/tree/docs" "$work/tree/tests/contract"
printf 'int a;\nint b[] = {*};\n' >"$work/tree/tests/contract/test_toy_x.c"
printf $'`test_toy_x.c`\n```c\nint b[] = {*};\n```\n' >"$work/tree/docs/adding-x.md"
[[ $(check "$work/tree") == 1 ]] || { echo "a block that a test contains is not found"; exit 1; }
printf $'```c\nint b[] = {1};\n```\n' >>"$work/tree/docs/adding-x.md"
if check "$work/tree" >/dev/null 2>"$work/said"; then
    echo "a block that is in no test passes"
    exit 1
fi
[[ $(<"$work/said") == "adding-x.md: no test contains: int b[] = {1};" ]]
