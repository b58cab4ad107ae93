# SPDX-License-Identifier: MIT
"""The programs of examples/spatial: the fixed ones compute the same, and scores follow from the loops."""
import json
import os

from live import PROGRAMS, check, deja, finish, native, need, same, scratch, skip

need("valgrind")
FOLDER = os.path.join(PROGRAMS, "..", "..", "examples", "spatial")


def command(name, *arguments):
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        skip(f"{name} was not built")
    return [path, *map(str, arguments)]


def spatial(words, *options):
    path = scratch("spatial.json")
    ran = deja("spatial", "--caches", "L1=32K,L2=1M", "--json", "-o", path, *options, "--", *words)
    if not check(ran.returncode == 0, f"{' '.join(words)}: {ran.stderr.decode()}"):
        finish()
    with open(path) as file:
        return json.load(file)["spatial"]


def line_of(name, text):
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "examples", "spatial", name)) as source:
        return next(number for number, line in enumerate(source, 1) if text in line)


def worst(found):
    return found["ranking"][0]


def rank_of(found, name, text):
    """The sum of the rows of a line."""
    rows = [row for row in found["ranking"] if row["name"].startswith(f"{name}:{line_of(name, text)} ")]
    check(rows, f"{name}: no rank of {text!r}")
    return {key: sum(row[key] for row in rows) for key in ("long_reuses", "long_effective", "fetched", "used")}


def walks(row, reuses, what):
    """One reuse of each block is long, and every second one finds the other half just used, except at the ends of an
    array that begins in the middle of a block."""
    same(row["long_reuses"], reuses, f"long reuses {what}")
    check(reuses / 2 - rounds <= row["long_effective"] <= reuses / 2, f"{row['long_effective']} of {reuses} {what} are effective")


rounds = 2
for name in ("interchange", "pad", "regroup", "reorder", "shrink", "sort", "split"):
    same(native(*command(name, 2)).stdout, native(*command(name + "_fixed", 2)).stdout, f"{name}, fixed")
plain, coarse = (float(native(*command(name, 50)).stdout.split()[-1]) for name in ("align", "align_fixed"))
check(abs(plain / coarse - 1) < 1e-4, f"align: {plain} with the large table, {coarse} with the small one")

# Each program demonstrates the advice that it is named after.
for name in ("pad", "regroup", "reorder", "shrink", "sort"):
    same(worst(spatial(command(name)))["advice"].split(" ")[0], name, f"advice for {name}")

# Down the columns of 1000 × 1000 ints: a block of 32 bytes is used in 8 columns, each time after the 999 others of
# the column, and its other half in the 8 columns before or after: 7 of 8 reuses have no partner. Every block was
# written before, so all its accesses are reuses. A row spans 125 blocks.
line = "sum += matrix[i][j];"
found = spatial(command("interchange", rounds))
same(worst(found)["name"].split(" ")[0], f"interchange.c:{line_of('interchange.c', line) + 4}", "the worst line of interchange")
same(worst(found)["advice"], "interchange", "advice for interchange")
same(worst(found)["long_reuses"], rounds * 1000 * 1000, "long reuses down the columns")
far = rounds * 125_000
check(0.9 * far / 2 <= worst(found)["long_effective"] <= far / 2, f"{worst(found)['long_effective']} are effective")
check(worst(found)["strides"][0]["stride"] == 4000, f"strides {worst(found)['strides']}")
row = rank_of(spatial(command("interchange_fixed", rounds)), "interchange.c", line)
walks(row, far, "along the rows")

# Consecutive particles: 16 of the 64 bytes of each are used, and never the other half.
found = spatial(command("split", rounds))
row = rank_of(found, "split.c", "MOVING(i).place += ")
same(worst(found)["name"].split(" ")[0], f"split.c:{line_of('split.c', 'MOVING(i).place += ')}", "the worst line of split")
same((row["long_reuses"], row["long_effective"]), (rounds * 20000, 0), "long reuses of complete particles")
same(worst(found)["advice"], "split", "advice for split")
same((row["fetched"], row["used"]), (rounds * 20000, rounds * 20000 * 16), "blocks fetched for particles, and bytes used of them")
row = rank_of(spatial(command("split_fixed", rounds)), "split.c", "MOVING(i).place += ")
walks(row, rounds * 10000, "of what moves")

# Shallow water, n × n. In each step, the next row reuses rows of seven arrays (p, u and v in fluxes; cu, cv, z and h
# in advance): 7 · 8/b blocks per point with score 1. The check reuses each block of three arrays in all of its
# columns but the first: 3 (1 - 8/b) per point with score 0. Together 56 / (3b + 32).
before = spatial(command("shallow", 128, 3), "--start-at", "simulate", "--blocks", "16..128")
after = spatial(command("shallow_regrouped", 128, 3), "--start-at", "simulate", "--blocks", "16..128")


def first_long(found, block):
    return next(part for part in found["components"] if part["block"] == block and part["kind"] == "peak"
                and not part["good_temporal"])


for block in (16, 32, 64):
    score = first_long(before, block)["score"]
    check(abs(score - 56 / (3 * block + 32)) < 0.03, f"first component of shallow at {block} bytes: {score}")
check(first_long(before, 32)["serious"], "the first component of shallow is not reported as serious")
check(first_long(after, 32)["score"] > 0.95, f"first component, regrouped: {first_long(after, 32)['score']}")
# The second component is reuse by the next loops: perfect in both.
for name, found in (("shallow", before), ("regrouped", after)):
    last = [part for part in found["components"] if part["block"] == 32 and part["kind"] == "peak" and part["size"] > 0.05][-1]
    check(last["score"] > 0.95, f"last component of {name}: {last['score']}")
finish()
