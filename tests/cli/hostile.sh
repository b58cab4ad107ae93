#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Hostile strings in profiles, options, file names and sources: every output is harmless text; see hostile.py.
#   hostile.sh DEJA SOURCES BUILD
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed; the package python3 has it"
    exit 77
}
exec python3 "$2/tests/cli/hostile.py" "$1" "$2"
