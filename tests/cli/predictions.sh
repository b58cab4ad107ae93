#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Predictions of `deja concurrent` for orders that were recorded, and what it calls not predictable.
#   predictions.sh DEJA SOURCES BUILD
set -euo pipefail
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
deja=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - <<'END'
import random
random.seed(1)

# Two threads, each with 300 keys and 40 common ones, take turns of very different lengths.
def key(thread):
    at = random.randrange(300)
    return at if at % 8 == 0 else 1000 * thread + at
with open("turns.csv", "w") as out:
    out.write("thread,key\n")
    accesses = 0
    while accesses < 300000:
        for thread in (1, 2):
            turn = random.choice((3, 30, 300, 3000))
            accesses += turn
            out.writelines(f"{thread},{key(thread)}\n" for _ in range(turn))

# Both use one common key, such as a lock, for two thirds of their accesses, in step.
with open("lock.csv", "w") as out:
    out.write("thread,key\n")
    for i in range(30000):
        for word in ("lock", None, "lock"):
            for thread in (1, 2):
                out.write(f"{thread},{word or thread * 1000 + random.randrange(300)}\n")
END
"$deja" concurrent --by-thread --json turns.csv >turns.json 2>/dev/null
"$deja" concurrent --by-thread --json --order speeds turns.csv >speeds.json 2>/dev/null
python3 - <<'END'
import json
for path, least in (("turns.json", 0.93), ("speeds.json", 0.93)):
    for sharer in json.load(open(path))["sharers"]:
        prediction = sharer["predicted"][0]
        reuses = sharer["standalone"]["accesses"] - sharer["standalone"]["cold"]
        assert prediction["accuracy"] > least, (path, prediction["accuracy"])
        assert abs(prediction["broken"] - sharer["broken"]) < 0.05 * reuses, (path, prediction["broken"], sharer["broken"])
END
"$deja" concurrent --by-thread turns.csv >out 2>/dev/null
if grep -q "Not predictable" out; then exit 1; fi
"$deja" concurrent --by-thread lock.csv >out 2>/dev/null
grep -q "Not predictable" out
