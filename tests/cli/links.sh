#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every relative link of the pages leads to a file, and to a heading if it names one; every path in a code span
# exists. The check itself detects violations.
set -uo pipefail
source=$2
here=$source/tests/cli/links.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$here" "$source" || exit 1

mkdir -p "$work/docs" "$work/tests"
printf $'# A heading, with `code`\n[a](#a-heading-with-code) [b](docs/b.md#one-two) [c](https://example.org/none)\n' >"$work/README.md"
printf $'## One two\n`[x](none.md)` [up](../README.md)\n```c\na[i](j);\n```\n' >"$work/docs/b.md"
python3 -B "$here" "$work" || { echo "good links are refused"; exit 1; }
# shellcheck disable=SC2016
printf '[none](none.md) [lost](b.md#three) ![picture](p.svg) `docs/b.md` `docs/NAME.md` `docs/c.md`\n' >>"$work/docs/b.md"
said=$(python3 -B "$here" "$work") && { echo "broken links pass"; exit 1; }
[[ $said == "docs/b.md:6: there is no docs/c.md
docs/b.md:6: there is no none.md
docs/b.md:6: b.md has no heading #three
docs/b.md:6: there is no p.svg" ]] || { echo "$said"; exit 1; }
