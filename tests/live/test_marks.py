# SPDX-License-Identifier: MIT
"""Regions, data names and thread names set by a program work with all three tools;
the counts follow from regions.c."""
import os
import subprocess

from live import DEJA, NATIVE, SOURCES, Tables, check, deja, finish, load, native, need, program, same, scratch, skip

if NATIVE:
    skip("this test runs all tools itself")
need("valgrind")
REGIONS = program("regions")
WITHIN = {"outer": 3 * (11 + 13 + 17), "inner": 3 * 13, "deep": 4 * 7, "labour": 10 + 20,
          "all": 10 + 20 + 2 * 5, "unended": 23}
ALL = 7 + 3 * (11 + 13 + 17 + 19) + 4 * 7 + 40 + 23
FROM = {"outer": ALL - 7, "inner": ALL - 7 - 11, "deep": 28 + 40 + 23, "labour": 40 + 23, "all": 40 + 23, "unended": 23}
THREADS = {"the first of the workers": (10, 5), "the second of the workers": (20, 5)}


def build(*compiler):
    path = scratch("_".join(os.path.basename(word) for word in compiler))
    made = subprocess.run([*compiler, "-D_GNU_SOURCE", "-g", "-pthread", "-I", os.path.join(SOURCES, "../../include"), "-o",
                           path, os.path.join(SOURCES, "regions.c")], capture_output=True, timeout=200)
    return path if made.returncode == 0 else skip(f"{compiler}: {made.stderr.decode()[-500:]}")


def measure(verb, *words):
    path = scratch("profile.json")
    ran = deja(verb, "--by", "all", "--json", "-o", path, *words)
    same(ran.returncode, 0, f"status of {words} ({ran.stderr.decode()[-500:]})")
    return Tables(load(path))


def touched(tables, **wanted):
    """Number of cells accessed, each read and written."""
    both = tables.count(object="the cells", **wanted), 2 * tables.count("writes", object="the cells", **wanted)
    return both[0] / 2 if both[0] == both[1] else both


def compare(what, *words, names=None):
    """`words` name a program or a stream."""
    whole = measure(*words)
    same(touched(whole), ALL, f"{what}: all")
    threads = {row["thread"]: whole.tables["threads"][row["thread"]] for row in whole.places}
    for name, counts in THREADS.items():
        index = [i for i, row in threads.items() if name in row]
        if check(len(index) == 1, f"{what}: threads {threads}"):
            same(touched(whole, thread=index[0]), sum(counts), f"{what}: accesses of {name}")
    merged = measure(words[0], "--statements", *words[1:])
    same((merged.count(object="the cells"), merged.count("writes", object="the cells")), (ALL, ALL),
         f"{what}: --statements")
    for option, expected in (("--within", WITHIN), ("--start-at", FROM)):
        for name, count in expected.items() if names is None else ((name, expected[name]) for name in names):
            same(touched(measure(words[0], option, name, *words[1:])), count, f"{what}: {option} {name}")


recompiled = build(DEJA, "cc", "-O1")
for tool, path in (("annotations", REGIONS), ("native", recompiled), ("valgrind", REGIONS)):
    compare(tool, "run", "--tool", tool, "--", path)
compare("valgrind, recompiled", "run", "--tool", "valgrind", "--", recompiled, names=["outer"])

# A stream contains them.
for tool, path in (("native", recompiled), ("valgrind", REGIONS)):
    stream = scratch("regions.deja")
    ran = deja("record", "--tool", tool, "-o", stream, "--", path)
    same(ran.returncode, 0, f"status of deja record ({ran.stderr.decode()[-500:]})")
    compare(f"recorded by {tool}", "analyze", stream, names=["inner", "deep", "all"])

# `--tool auto` chooses Valgrind if the program records only regions.
with open(scratch("alone.c"), "w") as file:
    file.write("""#include <deja/record.h>
static volatile long cells[8];
int main(void)
{
    cells[0] = 1;
    dj_region_begin("part");
    cells[1] = cells[0];
    dj_region_end("part");
    dj_region_begin(0);
    dj_region_begin((const char *)8);
    dj_region_end((const char *)~0ul);
    return 0;
}
""")
subprocess.run(["gcc", "-g", "-O1", "-I", os.path.join(SOURCES, "../../include"), "-o", scratch("alone"), scratch("alone.c")],
               check=True)
part = measure("run", "--within", "part", "--", scratch("alone"))
same(part.count(object="cells"), 2, "regions alone")
same(part.profile["provenance"]["format"], "valgrind", "the tool that auto chooses")
finish()
