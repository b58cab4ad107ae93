#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja info machine --calibrate keeps costs that make sense, and says what is wrong with a file or folder.
set -uo pipefail
deja=$1 source=$2
# shellcheck source=tests/support/refuses
source "$source/tests/support/refuses"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
complain() {
    echo "$*"
    bad=1
}

unset DEJA_MACHINE
export HOME=$work/home XDG_CONFIG_HOME=$work/config
"$deja" info machine >out 2>&1 || complain "without costs: $(cat out)"
grep -q 'not calibrated: deja info machine --calibrate' out || complain "assumed costs are not marked: $(cat out)"
"$deja" info machine --calibrate >out 2>&1 || complain "it fails: $(cat out)"
grep -q 'Costs in nanoseconds, measured' out || complain "the measured costs are not shown: $(cat out)"
[[ -s $work/config/deja/machine.json ]] || complain "there is no file in XDG_CONFIG_HOME"
"$deja" info machine --json >costs.json 2>&1 || complain "it cannot be read again: $(cat costs.json)"
python3 - <<'END' || complain "the costs make no sense: $(cat costs.json)"
import json
costs = json.load(open("costs.json", encoding="utf-8"))["machine"]["costs"]
points = costs["points"]
assert costs["calibrated"] is True and 0.01 < costs["access_ns"] < 1000, costs
assert len(points) >= 10 and [p["bytes"] for p in points] == sorted(p["bytes"] for p in points)
for point in points:
    assert all(0.01 < point[name] < 1e6 for name in ("latency_ns", "random_ns", "update_ns", "read_ns", "write_ns")), point
# Memory takes longer than the first-level cache, and waiting longer than a sequence.
assert points[-1]["latency_ns"] > 3 * points[0]["latency_ns"], points
assert points[-1]["latency_ns"] > 3 * points[-1]["read_ns"], points
END

cp config/deja/machine.json good.json
export DEJA_MACHINE=$work/own/machine.json
"$deja" info machine 2>&1 | grep -q 'not calibrated' || complain "DEJA_MACHINE is ignored"
mkdir own
sed 's/"processor": "[^"]*"/"processor": "another one"/' good.json >own/machine.json
"$deja" info machine 2>&1 | grep -q 'not calibrated' || complain "costs of another processor are used"
check_bad() {
    refuses 3 "$1" info machine
}
echo '{"deja_machine": 1' >own/machine.json
check_bad "$DEJA_MACHINE"
sed 's/"deja_machine": 1/"deja_machine": 2/' good.json >own/machine.json
check_bad "measure again"
sed 's/"latency_ns": [0-9.]*/"latency_ns": 0/' good.json >own/machine.json
check_bad "takes no time"
echo '{"deja_machine": 1, "processor": "x", "access_ns": 1, "points": []}' >own/machine.json
check_bad "incomplete"
check_bad "info machine --calibrate"
rm own/machine.json
mkfifo own/machine.json
refuses 4 "regular file" info machine
refuses 2 "deja info machine --calibrate" info formats --calibrate
export DEJA_MACHINE=/dev/null/folder/machine.json
refuses 4 "cannot create the folder" info machine --calibrate
export DEJA_MACHINE=/dev/full
refuses 4 "/dev/full" info machine --calibrate
unset DEJA_MACHINE
printf '%s\n' 1 2 1 >trace.txt
refuses 2 "needs misses by code and data" analyze --sort time trace.txt
refuses 2 "cannot be combined" analyze --sort time --export folded trace.txt
exit $bad
