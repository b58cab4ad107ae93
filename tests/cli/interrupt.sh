#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ctrl-C gives the profile of what was read, marked partial; a second one ends
# at once and leaves no temporary file.
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
    exec sleep 60
} >"$work/pipe" &
feeder=$!

interrupted() { # interrupted TIMES ARGUMENTS...: runs, sends SIGINT, sets status
    local times=$1 child
    shift
    # A background job of a script ignores SIGINT from birth; env undoes that.
    env --default-signal=INT "$deja" "$@" <"$work/pipe" >"$work/out" 2>"$work/err" &
    child=$!
    sleep 1.5
    for ((; times > 0; times--)); do
        kill -INT $child
        sleep 0.5
    done
    wait $child
    status=$?
}

interrupted 1 analyze --json --format text -
[[ $status == 130 ]] || complain "status $status, not 130"
grep -q '"partial": true' "$work/out" || complain "the profile is not marked partial"
grep -q '"accesses": [1-9]' "$work/out" || complain "nothing was counted"
grep -q '^deja: ' "$work/err" || complain "no message"
((bad)) && { head -n 20 "$work/out"; cat "$work/err"; }
exit $bad
