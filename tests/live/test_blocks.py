# SPDX-License-Identifier: MIT
"""A run of which a sample of the blocks is analyzed: totals are exact, the ranges of rows
contain the exact counts, the bands of large caches are narrow, and the mark of an estimate
is everywhere."""
import os
import re

from live import NATIVE, PROGRAMS, check, deja, finish, load, named, native, need, profile, program, same, scratch

need("valgrind")
CACHES = ["--caches", "L1=32K,L2=512K,L3=4M"]
BLOCKS = ["--sample-by", "blocks"]
BY = ("objects", "lines", "functions", "loops")
alone = [program("reach"), "alone"]


def ratio(found, blocks):
    misses = sum(b["count"] for b in found["histogram"] if b["lo"] >= blocks) + found["cold"]
    return misses / found["accesses"]


def compare(exact, estimate):
    """For each row with a unique name: (name, count, low, estimate, high, exact)."""
    for by in BY:
        known, counts = {}, {}
        for row in exact[by]:
            known.setdefault(row["name"], []).append(row)
        for row in estimate[by]:
            counts[row["name"]] = counts.get(row["name"], 0) + 1
        for row in estimate[by]:
            if counts[row["name"]] > 1 or len(known.get(row["name"], [])) != 1:
                continue
            other, ranges = known[row["name"]][0], row["ranges"]
            low, high = ranges["accesses"]
            yield row["name"], "accesses", low, row["accesses"], high, other["accesses"]
            for cache, (low, high) in ranges["misses"].items():
                yield row["name"], cache, low, row["misses"][cache], high, other["misses"][cache]


def row_of(found, by, name):
    rows = named(found[by], name)
    return rows[0] if check(len(rows) == 1, f"{len(rows)} rows {name} in {by}") else None


exact = profile(alone, *CACHES, "--by", "all")
estimates = {}
for seed in ("2", "5"):
    estimates[seed] = estimate = profile(alone, *CACHES, "--by", "all", "--sample", "6.25%", *BLOCKS, "--sample-seed", seed)
    check(not estimate["provenance"]["exact"], "an estimate says that it is exact")
    same(estimate["sample"]["weight_log2"], 4, "log2 of the weight")
    # The loader does a little more or less if the number of a process has another digit.
    for name in ("accesses", "reads", "writes", "bytes"):
        check(abs(estimate[name] - exact[name]) <= exact[name] * 1e-4, f"{name}: {estimate[name]}, exactly {exact[name]}")
    rows = list(compare(exact, estimate))
    outside = [row for row in rows if not row[2] <= row[5] <= row[4]]
    check(len(rows) > 100 and len(outside) <= len(rows) / 20, f"seed {seed}: of {len(rows)} numbers, outside their range: {outside[:20]}")
    # The accesses of code are known, and misses that many blocks have.
    for name in ("sweep", "scatter", "follow", "count", "next"):
        got, known = row_of(estimate, "functions", name), row_of(exact, "functions", name)
        check(abs(got["accesses"] / known["accesses"] - 1) < 0.02, f"{name}: {got['accesses']} accesses, exactly {known['accesses']}")
    for name in ("heap swept", "heap table", "heap nodes"):
        got, known = row_of(estimate, "objects", name), row_of(exact, "objects", name)
        for cache in ("L2", "L3"):
            low, high = got["ranges"]["misses"][cache]
            check(abs(got["misses"][cache] / known["misses"][cache] - 1) < 0.25 and high - low < 0.8 * known["misses"][cache],
                  f"{name}, {cache}: {got['misses'][cache]}, from {low} to {high}, exactly {known['misses'][cache]}")
    worst = [sorted(found["lines"], key=lambda row: -row["misses"]["L3"])[:4] for found in (estimate, exact)]
    same(*({row["name"] for row in rows} for rows in worst), "the lines with the most misses in L3")

# --- a curve with a band ----------------------------------------------------------
saved = scratch("saved.json")
os.rename(scratch("profile.json"), saved)
curve = deja("mrc", "--json", "--sizes", "32768,131072", saved)
same(curve.returncode, 0, f"mrc of an estimate: {curve.stderr}")
with open(scratch("curve.json"), "wb") as file:
    file.write(curve.stdout)
for point in load(scratch("curve.json"))["points"]:
    known = ratio(exact, point["size"])
    check(point["low"] <= known <= point["high"], f"{point}, exactly {known}")
    check(point["high"] - point["low"] < 0.05, f"a wide band: {point}")

# --- marks ---------------------------------------------------------------------------
for words in (["report", saved], ["report", "--by", "object,line", saved], ["mrc", saved],
              ["report", "--export", "markdown", saved], ["report", "--export", "svg", saved]):
    text = deja(*words).stdout.decode()
    check("ESTIMATE" in text, f"{words}: no mark: {text[:600]}")
text = deja("report", "--by", "object", saved).stdout.decode()
check("≈" in text and "range" in text and "rank" in text, f"rows have no mark: {text[:900]}")
text = deja("report", "--by", "object", "--export", "csv", saved).stdout.decode()
check("misses_L3_low" in text.splitlines()[0] or "misses_L3_low" in text, f"csv has no ranges: {text[:300]}")

# --- the same seed, the same blocks; 100% is exact ----------------------------------
if not NATIVE:
    again = profile(alone, *CACHES, "--by", "all", "--sample", "6.25%", *BLOCKS, "--sample-seed", "2")
    for name in ("heap swept", "heap table", "heap nodes"):
        got = {seed: row_of(found, "objects", name) for seed, found in estimates.items()}
        same(row_of(again, "objects", name), got["2"], f"{name} with the same seed")
        check(got["2"]["misses"] != got["5"]["misses"], f"{name} with another seed")
    # A recording has the same accesses.
    deja("record", "-o", scratch("recorded.deja"), "--", *alone)
    ran = deja("analyze", *CACHES, "--by", "all", "--sample", "6.25%", "--sample-seed", "2", "--json", scratch("recorded.deja"),
               "-o", scratch("analyzed.json"))
    same(ran.returncode, 0, f"a recording: {ran.stderr}")
    for name in ("heap swept", "heap table", "heap nodes"):
        same(row_of(load(scratch("analyzed.json")), "objects", name), row_of(estimates["2"], "objects", name), f"{name} of a recording")
    # Caches with their sets are not simulated for samples.
    plain, whole = profile([program("known")], "--by", "all", "--no-simulate"), profile([program("known")], "--by", "all", "--sample", "100%", *BLOCKS)
    same(whole["provenance"]["exact"], True, "all blocks")
    check("sample" not in whole, "all blocks are a sample")
    for name in ("accesses", "cold", "distinct", "histogram", "objects", "lines", "functions", "contexts"):
        same(whole[name], plain[name], f"{name} of all blocks")

# --- threads and processes -----------------------------------------------------------
ran = native(program("reach"))
path = scratch("threads.json")
ours = deja("run", "--json", "-o", path, "--by", "thread,object", "--sample", "12.5%", *BLOCKS, "--", program("reach"))
same(ours.stdout, ran.stdout, "output")
threads = load(path)
check(len([row for row in threads["threads"] if row["accesses"] > 0.05 * threads["accesses"]]) == 2, f"threads: {threads['threads']}")
own = row_of(threads, "objects", "heap own")
check(own["accesses"] > 0.02 * threads["accesses"], f"data of the second thread: {own}")

# --- what it cannot do --------------------------------------------------------------
for option, why in ((["--within", "play"], b"place of every access"), (["--skip", "5"], b"place of every access"),
                    (["--statements"], b"place of every access"), (["--fresh-heap"], b"place of every access")):
    ran = deja("run", "--sample", "5%", *BLOCKS, *option, "--", "/bin/true")
    check(ran.returncode == 2 and b"--sample-by blocks" in ran.stderr and why in ran.stderr, f"{option} is not refused: {ran.stderr}")
ran = deja("run", *BLOCKS, "--", "/bin/true")
check(ran.returncode == 2 and b"--sample" in ran.stderr, f"--sample-by alone is not refused: {ran.stderr}")
if not NATIVE:
    ran = deja("run", "--sample", "5%", *BLOCKS, "--", os.path.join(PROGRAMS, "annotated"))
    check(ran.returncode != 0 and re.search(b"--sample", ran.stderr), f"an annotated program is not refused: {ran.stderr}")

# --- bursts say what to do instead -----------------------------------------------
if not NATIVE:
    report = scratch("report")
    deja("run", *CACHES, "--sample", "10%", "-o", report, "--", program("reach"))
    text = " ".join(open(report).read().split())
    check("use --sample-by blocks" in text, f"no way out: {text[:900]}")
finish()
