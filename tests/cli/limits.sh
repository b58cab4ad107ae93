#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja works within 4 GiB of address space; with less it prints a message instead of crashing.
set -uo pipefail
deja=$1 source=$2
trace=$source/examples/matmul.lackey.zst
if grep -qE 'CMAKE_C_FLAGS:.*-fsanitize=' "$3/CMakeCache.txt"; then
    echo "skipped: sanitizers reserve terabytes of address space"
    exit 77
fi
# Without GPU engines: GPU drivers reserve more.
for engine in $("$deja" info engines --json | sed -n '/"needs_gpu": false/s/.*{"name": "\([a-z0-9]*\)".*/\1/p'); do
    distinct=$(ulimit -v 4194304 && "$deja" analyze --json --engine "$engine" "$trace" | sed -n 's/.*"distinct": \([0-9]*\).*/\1/p')
    if [[ $distinct != 1856 ]]; then
        echo "engine $engine under 4 GiB: distinct is '$distinct', expected 1856"
        exit 1
    fi
done
# From the least in which the system can start it, doubled until it works: each step ends with a message and status 4, or the result.
for ((kib = 8192; kib <= 4194304; kib *= 2)); do
    # The kernel kills what does not fit with a signal, and the dynamic loader ends with 127.
    (ulimit -v $kib && "$deja" --version) >/dev/null 2>&1 || continue
    message=$(ulimit -v $kib && "$deja" analyze --json "$trace" 2>&1 >/dev/null)
    status=$?
    case $status in
    0) continue ;;
    4) [[ $message == "deja: "* ]] && continue ;;
    esac
    echo "with $kib KiB: status $status, message '$message'"
    exit 1
done
