#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Files of every kind, damaged at random places, are read, or refused with a message that begins with the name of
# the file and says where.
#   damaged.sh DEJA SOURCES BUILD
set -euo pipefail
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$2/tests/cli/damaged.py" "$1" "$2" "$work"
