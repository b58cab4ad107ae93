#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `deja mrc --follow` on pipes and files that grow while it reads.
#   follow.sh DEJA SOURCES BUILD
set -euo pipefail
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$(dirname "$0")/follow.py" "$1" "$work"
