#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Files that are shortened while they are read.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$(dirname "$0")/shrinking.py" "$1" "$work"
