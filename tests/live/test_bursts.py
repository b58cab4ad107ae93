# SPDX-License-Identifier: MIT
"""A run that is traced in bursts has the same calling contexts and data objects as one
that is traced completely, in about the same proportions, and its bands contain the
exact miss ratios. The program does not notice."""
import os

import re

from live import DEJA, NATIVE, SOURCES, check, deja, finish, load, native, need, profile, program, same, scratch

need("valgrind")
WALKED = "bursts"
with open(os.path.join(SOURCES, "bursts.c")) as source:
    OWN = set(re.findall(r"^\w[\w *]*?(\w+)\(", source.read(), re.MULTILINE))


def paths(found):
    """The accesses of each calling context, by the program's own functions on its path."""
    rows, counts = found["contexts"], {}
    for row in rows:
        path, at = [], row
        while at["parent"] is not None:
            path.append(at["name"])
            at = rows[at["parent"]]
        key = tuple(name for name in reversed(path) if name in OWN)
        if key and row["accesses"]:
            counts[key] = counts.get(key, 0) + row["accesses"]
    return counts


def objects(found):
    counts = {}
    for row in found["objects"]:
        counts[row["name"]] = counts.get(row["name"], 0) + row["accesses"]
    return counts


def compare(exact, estimate, what, least, tolerance):
    """Everything with a share of at least `least` is in both, with nearly the same share."""
    all_exact, all_estimate = sum(exact.values()), sum(estimate.values())
    for key in set(exact) | set(estimate):
        known, found = exact.get(key, 0) / all_exact, estimate.get(key, 0) / all_estimate
        if max(known, found) >= least:
            check(known and found, f"{what} {key} is in only one of the runs: {known:.4f}, {found:.4f}")
            check(abs(known - found) <= tolerance, f"{what} {key}: share {found:.4f}, exactly {known:.4f}")


def band(estimate, size):
    rows = [row for row in estimate["tracing"]["bands"] if row[0] <= size]
    return rows[-1][1:]


def ratio(found, blocks):
    misses = sum(b["count"] for b in found["histogram"] if b["lo"] >= blocks) + found["cold"]
    return misses / found["accesses"]


def inside(exact, estimate):
    """Which of the rows with 1% of the accesses have an exact number in their range."""
    found = []
    for by in ("objects", "lines", "functions"):
        known = {}
        for row in exact[by]:
            known.setdefault(row["name"], []).append(row)
        for row in estimate[by]:
            if row["accesses"] < 0.01 * estimate["accesses"] or len(known.get(row["name"], [])) != 1:
                continue
            other, ranges = known[row["name"]][0], row["ranges"]
            found.append((row["name"], "accesses", ranges["accesses"][0] <= other["accesses"] <= ranges["accesses"][1]))
            for cache, (low, high) in ranges["misses"].items():
                found.append((row["name"], cache, low <= other["misses"][cache] <= high))
    return found


alone = native(program(WALKED))
exact = profile([program(WALKED)], "--by", "all")
for seed in (0, 1):
    estimate = profile([program(WALKED)], "--by", "all", "--sample", "10%", "--sample-seed", str(seed))
    traced = estimate["tracing"]
    check(not estimate["provenance"]["exact"], "an estimate says that it is exact")
    check(traced["bursts"] >= 3, f"only {traced['bursts']} bursts")
    check(0.01 < traced["share"] < 0.3, f"a share of {traced['share']} was traced")
    check(0.8 < estimate["accesses"] / exact["accesses"] < 1.25,
          f"{estimate['accesses']} accesses, exactly {exact['accesses']}")
    # Bursts see a part of the rounds: what each round does in a few blocks of code varies more.
    compare(paths(exact), paths(estimate), "context", 0.01, 0.1)
    compare(objects(exact), objects(estimate), "object", 0.02, 0.1)
    # Threads that really run at the same time make every run another sample, and a band is not a guarantee.
    tolerance = 0.02 if NATIVE else 0
    for log2 in range(0, 18):
        low, high = band(estimate, 1 << log2)
        check(low - tolerance <= ratio(exact, 1 << log2) <= high + tolerance,
              f"seed {seed}: miss ratio {ratio(exact, 1 << log2)} at {1 << log2} blocks is outside {low} to {high}")

# The order of threads changes distances. One thread always does the same.
exact = profile([program(WALKED), "alone"], "--by", "all")
first, again, other = (profile([program(WALKED), "alone"], "--by", "all", "--sample", "10%", "--sample-seed", seed)
                       for seed in ("1", "1", "2"))
for estimate in (first, other):
    rows = inside(exact, estimate)
    outside = [row[:2] for row in rows if not row[2]]
    check(len(rows) >= 20 and len(outside) <= len(rows) / 20, f"of {len(rows)} numbers, outside their range: {outside}")
if not NATIVE:
    same(again["tracing"]["bursts"], first["tracing"]["bursts"], "bursts of the same seed")
    # The loader does a little more or less if the number of a process has another digit.
    check(abs(again["tracing"]["share"] / first["tracing"]["share"] - 1) < 1e-4,
          f"shares of the same seed: {first['tracing']['share']}, {again['tracing']['share']}")

# --- 100% is exact ---------------------------------------------------------------
whole = profile([program("known")], "--sample", "100%")
same(whole["provenance"]["exact"], True, "a sample of everything")
check("tracing" not in whole, "a sample of everything has bursts")

# A run shorter than the first burst is traced completely.
short, plain = profile([program("known")], "--sample", "1%"), profile([program("known")])
for name in ("cold", "distinct"):
    same(short[name], plain[name], f"{name} of a short run")
# Steps of a string instruction are joined, unless a description of other code comes between.
same(short["accesses"] + short["process"]["joined_steps"], plain["accesses"] + plain["process"]["joined_steps"],
     "accesses of a short run")
same(short["provenance"]["exact"], True, "a short run")

# --- the program does not notice -----------------------------------------------
ran = deja("run", "--sample", "5%", "-o", scratch("report"), "--", program(WALKED))
same(ran.stdout, alone.stdout, "output")
same(ran.returncode, 0, "status")
text = open(scratch("report")).read()
check("ESTIMATE" in text and "burst" in text and "≈" in text and "range" in text and "rank" in text, f"the report has no mark: {text[:600]}")

# --- what it cannot do ------------------------------------------------------------
for option in (["--within", "play"], ["--skip", "5"], ["--only", "reads"], ["--statements"]):
    ran = deja("run", "--sample", "5%", *option, "--", "/bin/true")
    check(ran.returncode == 2 and b"--sample" in ran.stderr, f"{option} is not refused: {ran.stderr}")
for rate in ("0", "2", "x", "-1%"):
    ran = deja("run", "--sample", rate, "--", "/bin/true")
    check(ran.returncode == 2 and b"rate" in ran.stderr, f"rate {rate} is not refused: {ran.stderr}")

# --- a saved estimate stays one ----------------------------------------------------
saved = scratch("saved.json")
deja("run", "--sample", "10%", "--json", "-o", saved, "--", program(WALKED))
curve = deja("mrc", "--json", saved)
found = load(saved)
same(curve.returncode, 0, f"mrc of an estimate: {curve.stderr}")
check(b'"low"' in curve.stdout and b'"sampling"' in curve.stdout, "the curve has no band")
check("ESTIMATE" in deja("report", saved).stdout.decode(), "a report of a saved estimate has no mark")
check(os.path.exists(DEJA) and found["tracing"]["bursts"] > 1, "no bursts are saved")
finish()
