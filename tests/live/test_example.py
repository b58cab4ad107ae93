# SPDX-License-Identifier: MIT
"""What the tutorial says of the bundled example: its worst data and lines, and
that mending them helps."""
import os
import re

from live import Tables, check, finish, native, need, profile, program, same

need("valgrind")
CACHES = ["--caches", "L1=32K,L2=1M"]
SIDE, STEPS = 1024, 4


def line_of(pattern):
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "examples", "plate.c")) as source:
        return next(number for number, line in enumerate(source, 1) if re.search(pattern, line))


slow, mended = program("plate"), program("plate_mended")
same(native(mended).stdout, native(slow).stdout, "result of the mended program")
before = profile([slow], "--by", "all", *CACHES)
after = profile([mended], "--by", "all", *CACHES)


def misses(told, name):
    tables = Tables(told)
    cut = tables.bin(tables.cuts[name])
    return sum(p["cold"] + sum(n for i, n in p["bins"].items() if i >= cut) for p in tables.places)


tables = Tables(before)
sweep = line_of(r"cooler\[i\]\[j\] = 0\.25")
# Five accesses to each inner element, and of those that go down a column nearly
# all miss a cache of 512 blocks: a column has 1024.
inner = (SIDE - 2) ** 2 * STEPS
check(tables.count(line=sweep, file="plate.c") >= 4 * inner, "accesses of the sweep")
worst = max(before["lines"], key=lambda row: row["misses"]["L1"])
check(worst["name"].endswith(f"plate.c:{sweep}"), f"the worst line is {worst['name']}, not {sweep}")
check(before["objects"][0]["name"] in ("plate", "cooler"), f"the worst object is {before['objects'][0]['name']}")
check(misses(after, "L1") * 5 < misses(before, "L1"),
      f"misses of L1: {misses(before, 'L1')} before, {misses(after, 'L1')} after")
finish()
