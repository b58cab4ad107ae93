# SPDX-License-Identifier: MIT
"""Spatial locality of a run that is traced in bursts: the ranges contain the scores of
the complete run, the estimates are close to them, and the report says that they are
estimates."""
import os

from live import SOURCES, check, deja, finish, load, native, need, program, same, scratch
from spatial_rows import WIDEST, check_rows

need("valgrind")
need("cc")


def measure(command, *options):
    path = scratch("profile.json")
    ran = deja("spatial", "--json", *options, "-o", path, "--", *command)
    same(ran.returncode, 0, f"{options}: {ran.stderr}")
    return load(path)


# A run of 60 bursts, and one of 6, of which one is so long that the others say little of the error.
stencil = scratch("stencil")
built = native("cc", "-O1", "-g", os.path.join(SOURCES, "../../bench/programs/stencil.c"), "-o", stencil)
same(built.returncode, 0, f"stencil.c: {built.stderr}")
for command, enough in (([stencil, "100"], True), ([program("bursts")], False)):
    complete, rate = measure(command), "20%"
    exact = complete["spatial"]
    found = measure(command, "--sample", rate)
    check(not found["provenance"]["exact"], "an estimate says that it is exact")
    for pair in found["spatial"]["pairs"]:
        width = pair["score_high"] - pair["score_low"]
        check((width < WIDEST) == enough, f"{command}, block {pair['block']}: a range of {width:.4f}")
    for known, pair in zip(exact["pairs"], found["spatial"]["pairs"]):
        what = f"{rate}, block {pair['block']}: score {pair['score']:.4f}, exactly {known['score']:.4f}"
        check(pair["score_low"] <= known["score"] <= pair["score_high"], f"{what}, outside the range")
        check(abs(pair["score"] - known["score"]) < 0.05, what)
    low, high = (found["spatial"][f"all_block_score_{end}"] for end in ("low", "high"))
    check(low <= exact["all_block_score"] <= high, f"{rate}: all blocks are outside {low} to {high}")
    # The estimate is of all of the run.
    reuses = [sum(p["reuses"] for p in s["pairs"]) for s in (exact, found["spatial"])]
    check(0.8 < reuses[1] / reuses[0] < 1.25, f"{rate}: {reuses[1]} reuses, exactly {reuses[0]}")

    if enough:
        check_rows(complete, found, "valgrind")

saved = scratch("profile.json")
for form in (["report", saved], ["spatial", saved], ["spatial", "--by", "object", saved]):
    ran = deja(*form)
    same(ran.returncode, 0, f"{form}: {ran.stderr}")
    check(b"ESTIMATE" in ran.stdout, f"{form} does not say that it is an estimate")
check("≈".encode() in deja("spatial", "--by", "object", saved).stdout, "rows of objects have no mark")
for part in ("poor, range", "rank", "probably", "?"):
    check(part.encode() in deja("spatial", "--by", "object", saved).stdout, f"rows have no '{part}'")
columns = deja("spatial", "--by", "object", "--export", "csv", saved).stdout.split(b"\n")[0].split(b",")
for name in (b"accesses_low", b"score_low_32", b"long_reuses_high_32", b"poor_low_64", b"weak_64"):
    check(name in columns, f"csv has no column {name}")

# All of the run is no sample.
whole = scratch("whole.json")
same(deja("spatial", "--json", "--sample", "100%", "-o", whole, "--", program("known")).returncode, 0, "100%")
same(load(whole)["provenance"]["exact"], True, "a sample of everything")

for option in (["--within", "play"], ["--skip", "5"], ["--statements"], ["--paused"]):
    ran = deja("spatial", "--sample", "5%", *option, "--", "/bin/true")
    check(ran.returncode == 2 and b"--sample" in ran.stderr, f"{option} is not refused: {ran.stderr}")
finish()
