# SPDX-License-Identifier: MIT
"""The tutorial's claims about the bundled example: its worst data and lines, and
that the fixes help."""
import os
import re

from live import Tables, check, finish, native, need, profile, program, same, the

need("valgrind")
CACHES = ["--caches", "L1=32K,L2=1M"]

def line_of(pattern):
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "examples", "plate.c")) as source:
        return next(number for number, line in enumerate(source, 1) if re.search(pattern, line))


slow, fixed = program("plate"), program("plate_fixed")
same(native(fixed).stdout, native(slow).stdout, "result of the fixed program")
before = profile([slow], "--by", "all", *CACHES)
after = profile([fixed], "--by", "all", *CACHES)


def misses(got, name):
    tables = Tables(got)
    cut = tables.bin(tables.cuts[name])
    return sum(p["cold"] + sum(n for i, n in p["bins"].items() if i >= cut) for p in tables.places)


sweep = line_of(r"cooler\[i\]\[j\] = 0\.25")
# A column spans 1024 blocks, twice the capacity of the smaller cache, and uses no block
# of cooler twice: all accesses to cooler miss.
cooler = the(before["objects"], "cooler")
check(cooler["misses"]["L1"] >= 0.99 * cooler["accesses"], f"{cooler['misses']} of {cooler['accesses']} miss")
worst = max(before["lines"], key=lambda row: row["misses"]["L1"])
check(worst["name"].endswith(f"plate.c:{sweep}"), f"the worst line is {worst['name']}, not {sweep}")
check(before["objects"][0]["name"] == "plate", f"the worst object is {before['objects'][0]['name']}")
# The loops of an inlined function, outer ones included, are attributed to that function,
# even if the compiler moved instructions of other functions into them.
for first in (line_of(r"for \(int j = 1"), line_of(r"for \(int j = 1") + 1):
    the(before["loops"], f"plate.c:{first}-{sweep} in cool")
advice = " ".join(row["advice"] for row in before["reuse_pairs"][:5])
check("interchange" in advice, f"the advice is {advice}")
check(misses(after, "L1") * 4 < misses(before, "L1"),
      f"misses of L1: {misses(before, 'L1')} before, {misses(after, 'L1')} after")
finish()
