# SPDX-License-Identifier: MIT
"""The classes of misses of functions whose patterns follow from their sources, their estimated time, and reports by
time."""
import csv
import io
import json
import os

from live import NATIVE, check, deja, finish, need, program, same, scratch

need("valgrind")
os.environ["DEJA_MACHINE"] = scratch("none.json")  # costs are assumed
EXPECTED = {"triad": "streaming", "strided": "strided", "columns": "strided across pages", "gather": "irregular",
            "chase": "dependent", "chase_indexes": "dependent", "descend": "dependent", "visit": "dependent",
            "search": "guessed", "probe": "irregular"}

saved = scratch("patterns.dejap")
ran = deja("run", "-o", saved, "--", program("patterns"))
same(ran.returncode, 0, f"status ({ran.stderr.decode()[-500:]})")
profile = json.loads(deja("report", "--json", "--sort", "time", "--by", "function,line", saved).stdout)
rows = {row["name"]: row for row in profile["functions"]}
for name, expected in EXPECTED.items():
    classes = rows[name]["miss_classes"]
    whole = sum(classes.values())
    check(whole > 500, f"{name} has misses: {classes}")
    if expected == "guessed":  # a branch chooses the next address, and is guessed right half of the time
        check(0.35 * whole <= classes["dependent"] <= 0.65 * whole, f"{name} is half dependent: {classes}")
    else:
        check(classes[expected] >= 0.7 * whole, f"{name} is {expected}: {classes}")
    stall = rows[name]["stall_seconds"]
    check(0 < stall["low"] <= stall["estimate"] <= stall["high"], f"{name}: {stall}")

# Everything adds up, and the longest is first.
for part in ("functions", "lines"):
    for bound in ("low", "estimate", "high"):
        whole = sum(row["stall_seconds"][bound] for row in profile[part])
        check(abs(whole / profile["time"]["stall_seconds"][bound] - 1) < 1e-9, f"{part} add up to the {bound}")
    times = [row["stall_seconds"]["estimate"] for row in profile[part]]
    same(times, sorted(times, reverse=True), f"{part} are sorted by time")
check(profile["time"]["calibrated"] is False, "the costs are assumed")
check(abs(sum(row["stall_seconds"]["estimate"] for row in profile["time"]["classes"])
          / profile["time"]["stall_seconds"]["estimate"] - 1) < 1e-9, "the classes add up")

# A load that costs more than everything else makes the chains the worst.
costs = {"deja_machine": 1, "processor": "", "access_ns": 0.25, "points": [
    {"bytes": size, "latency_ns": latency, "random_ns": 1, "update_ns": 1, "read_ns": 1, "write_ns": 1}
    for size, latency in ((1 << 14, 1), (1 << 15, 1000))]}
with open("/proc/cpuinfo", encoding="utf-8") as file:
    costs["processor"] = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
os.environ["DEJA_MACHINE"] = scratch("machine.json")
with open(os.environ["DEJA_MACHINE"], "w", encoding="utf-8") as file:
    json.dump(costs, file)
profile = json.loads(deja("report", "--json", "--sort", "time", "--by", "function", saved).stdout)
check(profile["time"]["calibrated"] is True, "the costs are those of the file")
check(EXPECTED[profile["functions"][0]["name"]] == "dependent", f"the worst is {profile['functions'][0]['name']}")
dependent = rows["chase_indexes"]["miss_classes"]["dependent"]
row = next(row for row in profile["functions"] if row["name"] == "chase_indexes")
check(abs(row["stall_seconds"]["estimate"] / (dependent * 999e-9) - 1) < 0.1, f"999 ns for each miss: {row['stall_seconds']}")

# Text and csv say the same.
text = deja("report", "--sort", "time", "--by", "function", saved).stdout.decode()
check("functions by stall time" in text and "calibrated" in text, f"the text is sorted by time: {text[:2000]}")
table = list(csv.DictReader(io.StringIO(deja("report", "--export", "csv", "--sort", "time", "--by", "function", saved).stdout.decode())))
same(table[0]["name"], profile["functions"][0]["name"], "the first row of csv")
check(abs(float(table[0]["stall_seconds"]) - profile["functions"][0]["stall_seconds"]["estimate"]) < 1e-8, "its time")
check("stall" not in deja("report", "--by", "function", saved).stdout.decode(), "no time unless asked for")
if not NATIVE:
    sampled = deja("run", "--sample", "10%", "--sample-by", "blocks", "--sort", "time", "--by", "function", "--", program("patterns"))
    check(b"unknown" in sampled.stderr, f"a sample has no classes: {sampled.stderr.decode()[:2000]}")
finish()
