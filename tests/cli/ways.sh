#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja analyze --caches with ways equals lists in Python, and deja mrc --simulate at the first level.
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
exec python3 "$2/tests/cli/ways.py" "$1"
