#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja view --serve: what it answers, what it refuses, hostile and slow clients, and how it ends; see serve.py.
#   serve.sh DEJA SOURCES BUILD
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed; the package python3 has it"
    exit 77
}
exec python3 -B "$2/tests/cli/serve.py" "$1"
