#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ctrl-C prints the profile of what was read, marked partial.
set -uo pipefail
deja=$1
work=$(mktemp -d)
trap 'rm -rf "$work"; kill "$feeder" 2>/dev/null' EXIT
bad=0
complain() {
    echo "$*"
    bad=1
}

# A trace that never ends: some accesses, then silence with the pipe kept open.
mkfifo "$work/pipe"
{
    seq 1 200000
    touch "$work/fed" # everything but the pipe's buffer has been read
    exec sleep 60
} >"$work/pipe" &
feeder=$!

interrupted() { # interrupted ARGUMENTS...: runs, sends SIGINT, sets status
    local child
    # A script's background job starts with SIGINT ignored; env undoes that.
    env --default-signal=INT "$deja" "$@" <"$work/pipe" >"$work/out" 2>"$work/err" &
    child=$!
    for ((tries = 0; tries < 600; tries++)); do
        [[ -e $work/fed ]] && break
        sleep 0.1
    done
    sleep 0.5
    kill -INT $child
    wait $child
    status=$?
}

interrupted analyze --json --format text -
[[ $status == 130 ]] || complain "status $status, expected 130"
grep -q '"partial": true' "$work/out" || complain "the profile is not marked partial"
grep -q '"accesses": [1-9]' "$work/out" || complain "nothing was counted"
grep -q '^deja: ' "$work/err" || complain "no message"
((bad)) && { head -n 20 "$work/out"; cat "$work/err"; }
exit $bad
