#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --error: what it accepts and refuses, that it selects engine scale, that the exact curve is inside the band of
# the estimate, and that the error stays with the profile however it is saved.
set -uo pipefail
deja=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
fail() {
    echo "$*"
    bad=1
}
"$deja" gen phases --phases 'zipf keys=9000 accesses=60000; loop keys=4097 sweeps=5; uniform keys=3000 accesses=30000' \
    -o t.u64le || exit 1

accepts() { # accepts ERROR RECORDED
    "$deja" mrc --error "$1" --json t.u64le >out 2>/dev/null
    grep -q "\"engine_options\": \"error=$2\"" out ||
        fail "--error $1 is not recorded as $2"
}
accepts 0.1% 0.001
accepts 0.001 0.001
accepts 1% 0.01
accepts 49.9% 0.499

refuses() { # refuses MESSAGE ARGUMENT...
    local message=$1 status=0
    shift
    "$deja" "$@" >out 2>err || status=$?
    [[ $status -eq 2 ]] || fail "deja $*: status $status, not 2"
    grep -qF -- "$message" err || { fail "deja $*: does not say '$message':"; cat err; }
    [[ ! -s out ]] || fail "deja $*: prints a result"
}
refuses "cannot be exact" mrc --error 0 t.u64le
refuses "not a share such as" mrc --error -1% t.u64le
refuses "not a share such as" mrc --error much t.u64le
refuses "not a share such as" mrc --error= t.u64le
refuses "not a share such as" mrc --error 101% t.u64le
refuses "below 50%" mrc --error 50% t.u64le
refuses "below 50%" mrc --error 0.9 t.u64le
refuses "at least 0.0001%" mrc --error 1e-9 t.u64le
refuses "--error is an option of engine scale, but the engine is fast" mrc --engine fast --error 1% t.u64le
refuses "needs exact distances, which engine 'scale' cannot provide" analyze --error 1% --fingerprint t.u64le
refuses "needs exact distances, which engine 'scale' cannot provide" spatial --error 1% t.u64le
refuses "which engine 'scale' cannot provide" concurrent --error 1% t.u64le t.u64le
refuses "which engine 'scale' cannot provide" analyze --summary --error 1% -o part.dejasum t.u64le

# The curves, at sizes of the exact one.
"$deja" mrc --json --sizes log:16 t.u64le >exact.json 2>/dev/null || fail "mrc failed"
sizes=$(python3 -c 'import json; print(",".join(str(p["size"]) for p in json.load(open("exact.json"))["points"]))')
for error in 0.1% 5% 40%; do
    "$deja" mrc --json --error $error --sizes "$sizes" t.u64le >estimate.json 2>/dev/null || fail "mrc failed"
    "$deja" analyze --error $error -o saved.dejap t.u64le 2>/dev/null || fail "analyze failed"
    "$deja" analyze --error $error --json -o binned.json t.u64le 2>/dev/null || fail "analyze failed"
    "$deja" mrc --json --sizes "$sizes" saved.dejap >saved.json 2>/dev/null || fail "mrc failed"
    "$deja" mrc --json --sizes "$sizes" binned.json >from_bins.json 2>/dev/null || fail "mrc failed"
    python3 - <<'END' || bad=1
import json, sys
def load(name): return json.load(open(name + ".json"))
exact, estimate, saved, binned = load("exact"), load("estimate"), load("saved"), load("from_bins")
assert "sampling" not in exact and not any("low" in p or "high" in p for p in exact["points"])
assert "distance_error" not in exact["provenance"] and exact["provenance"]["exact"]
for curve in (estimate, saved, binned):
    assert curve["engine"] == "scale" and not curve["provenance"]["exact"]
    assert curve["provenance"]["distance_error"] > 0
    s = curve["sampling"]
    assert s["rate"] == 1 and s["certified"] is True and s["keys"] == exact["distinct"]
    assert s["max_error"] == max(p["high"] - p["low"] for p in curve["points"])
    for p, q in zip(exact["points"], curve["points"]):
        assert p["size"] == q["size"]
        assert q["low"] <= p["ratio"] <= q["high"], (p, q)
assert estimate["points"] == saved["points"]
END
done

# Every form of output carries the mark.
"$deja" analyze --error 1% t.u64le 2>/dev/null >report.txt
"$deja" report saved.dejap >again.txt
for file in report.txt again.txt; do
    grep -q '^ESTIMATE distances are too short by at most' "$file" || fail "$file has no mark"
    grep -q 'the exact curve is certainly in a band' "$file" || fail "$file has no band"
done
for format in text markdown svg; do
    "$deja" mrc --export $format --error 5% t.u64le >out 2>/dev/null
    grep -q 'ESTIMATE' out || fail "$format has no mark"
done
"$deja" mrc --export csv --error 5% t.u64le >out 2>err
grep -q ',ratio,low,high,' out || fail "csv has no band"
grep -q 'estimates by engine scale' err || fail "csv has no mark"
"$deja" mrc --export csv t.u64le >out 2>/dev/null
grep -q 'low' out && fail "an exact csv has a band"
"$deja" report saved.dejap --export csv 2>err >/dev/null
grep -q 'estimates by engine scale' err || fail "the csv of a saved profile has no mark"
"$deja" analyze -o exact.dejap t.u64le 2>/dev/null || fail "analyze failed"
"$deja" mrc exact.dejap saved.dejap --export csv >out 2>/dev/null
grep -q 't_u64le__estimate' out ||
    fail "an estimate among several curves has no mark"
refuses "--error does not apply to a saved profile" mrc --error 1% exact.dejap

# A threshold inside the band may be exceeded.
"$deja" mrc --error 40% --threshold 4097:20% t.u64le >/dev/null 2>err
[[ $? -eq 1 ]] || fail "a threshold inside the band is not reported"
grep -q 'may be exceeded' err || { fail "wrong message about the threshold:"; cat err; }
exit $bad
