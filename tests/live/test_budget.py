# SPDX-License-Identifier: MIT
"""A budget for bursts: the run costs about as much as it may, the profile says how much
that was and at which rate, and the bands still contain the exact miss ratios."""
import os
import resource

from live import NATIVE, SOURCES, check, deja, finish, load, native, need, same, scratch

need("valgrind")
need("cc")
SOURCE = os.path.join(SOURCES, "../../bench/programs/stencil.c")
STENCIL = scratch("stencil")
built = (deja if NATIVE else native)("cc", "-O1", "-g", SOURCE, "-o", STENCIL)
same(built.returncode, 0, f"stencil.c: {built.stderr}")


def spent():
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def measure(rounds, *options):
    """The profile, and the processor time of all processes."""
    path, before = scratch("profile.json"), spent()
    ran = deja("run", "--json", *options, "-o", path, "--", STENCIL, str(rounds))
    same(ran.returncode, 0, f"{options}: {ran.stderr}")
    return load(path), spent() - before


def time_without_bursts(rounds):
    before = spent()
    native(*([] if NATIVE else ["valgrind", "-q", "--tool=none"]), STENCIL, str(rounds))
    return spent() - before


def ratio(found, blocks):
    misses = sum(b["count"] for b in found["histogram"] if b["lo"] >= blocks) + found["cold"]
    return misses / found["accesses"]


def band(found, size):
    return [row for row in found["tracing"]["bands"] if row[0] <= size][-1][1:]


# --- the factor -------------------------------------------------------------------
ROUNDS = 600
alone = time_without_bursts(ROUNDS)


def rate_for(budget):
    found, took = measure(ROUNDS, "--budget", f"{budget}x", "--by", "none")
    traced = found["tracing"]
    print(f"budget {budget}: cost {traced['cost']}, rate {traced['rate']}, all processes {took / alone:.2f}")
    same(traced["budget"], budget, "budget of the profile")
    check(1 < traced["cost"] < 2 * budget, f"a budget of {budget}: the run cost {traced['cost']}")
    # All bursts together are the part that was chosen, but for the first one and the end of the last interval.
    check(0.5 < traced["rate"] * traced["weight"] < 2, f"rate {traced['rate']}, weight {traced['weight']}")
    check(0 < traced["unsampled"] < 0.2, f"not sampled: {traced['unsampled']}")
    # The analysis and its start take time too, and the machine may be busy.
    check(took / alone < 3 * budget + 3, f"a budget of {budget}: all took {took / alone:.2f} times as long as alone")
    return traced["rate"]


# On a busy machine the program waits for the analyzer while a burst is measured, and the rate is low.
for attempt in range(4):
    rates = [rate_for(budget) for budget in (2, 6)]
    if rates[1] > 1.5 * rates[0]:
        break
check(rates[1] > 1.5 * rates[0], f"rates for budgets of 2 and 6: {rates}")

# --- the estimates ----------------------------------------------------------------
ROUNDS = 100
exact, _ = measure(ROUNDS, "--by", "none")
for seed in ("0", "1"):
    found, _ = measure(ROUNDS, "--budget", "8x", "--by", "none", "--sample-seed", seed)
    check(not found["provenance"]["exact"] and found["tracing"]["bursts"] >= 3, "the run was not traced in bursts")
    check(0.9 < found["accesses"] / exact["accesses"] < 1.1,
          f"{found['accesses']} accesses, exactly {exact['accesses']}")
    for log2 in range(0, 18):
        low, high = band(found, 1 << log2)
        known = ratio(exact, 1 << log2)
        # The number of all accesses, which the ratios are of, is not quite exact either.
        check(low - 1e-6 <= known <= high + 1e-6, f"seed {seed}: miss ratio {known} at {1 << log2} blocks is outside {low} to {high}")

# --- what is said of it --------------------------------------------------------------
saved = scratch("profile.json")
for form in (["report", saved], ["report", "--export", "markdown", saved]):
    ran = deja(*form)
    check(b"budget 8x" in ran.stdout and b"--sample" in ran.stdout and b"ESTIMATE" in ran.stdout,
          f"{form} does not name the budget: {ran.stdout[:400]}")
limited, _ = measure(ROUNDS, "--budget", "50x", "--sample", "0.5%", "--by", "none")
check(limited["tracing"]["rate"] <= 0.00501, f"--sample 0.5% limits the rate, which is {limited['tracing']['rate']}")
ran = deja("spatial", "--json", "--budget", "8x", "-o", saved, "--", STENCIL, str(ROUNDS))
same(ran.returncode, 0, f"spatial: {ran.stderr}")
same(load(saved)["tracing"]["budget"], 8, "budget of spatial")

# A run shorter than the first burst is exact, whatever the budget.
short, _ = measure(0, "--budget", "2x")
same(short["provenance"]["exact"], True, "a short run")

# One that ends before the rate is chosen says so.
rounds = 1
while short["provenance"]["exact"] and rounds < 1000:
    short, _ = measure(rounds, "--budget", "2x")
    rounds *= 2
ran = deja("run", "--budget", "2x", "--by", "none", "--", STENCIL, str(rounds // 2))
check(b"the run ended before it was measured" in ran.stderr and b"leave out --budget" in " ".join(ran.stderr.decode().split()).encode(),
      f"{rounds // 2} rounds: {ran.stderr}")

for factor in ("0.5x", "abc", "1x", "nan", "inf", "1e9x", "5xx", "5x ", "", "-3", "5%"):
    ran = deja("run", "--budget", factor, "--", "/bin/true")
    check(ran.returncode == 2 and b"--budget" in ran.stderr and b"1.01x to 1000x" in ran.stderr,
          f"a budget of '{factor}' is not refused: {ran.stderr}")
for option in (["--within", "play"], ["--skip", "5"], ["--only", "reads"], ["--statements"], ["--paused"]):
    ran = deja("run", "--budget", "5x", *option, "--", "/bin/true")
    check(ran.returncode == 2 and b"--budget" in ran.stderr, f"{option} is not refused: {ran.stderr}")
ran = deja("spatial", "--budget", "5x", SOURCE)
check(ran.returncode == 2 and b"--budget" in ran.stderr, f"a trace has no budget: {ran.stderr}")
finish()
