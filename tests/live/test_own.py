# SPDX-License-Identifier: MIT
"""Library and header code is charged to the lines of the user that call it: against the tree of calls, which counts
in another way, and a closed form."""
import os
import subprocess

from live import DEJA, check, deja, finish, load, need, same, scratch, skip

need("valgrind", "c++")

TEXT = """
#include <cstdlib>
#include <cstring>
#include <map>

static std::map<int, int> counts;
static int values[4096];
alignas(64) static char big[1 << 20];

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right; // [compare]
}

int main()
{
    unsigned seed = 1;
    for (int i = 0; i < 4096; i++)
        values[i] = (int)((seed = seed * 1664525 + 1013904223) >> 8);
    for (int i = 0; i < 8192; i++)
        counts[values[i % 4096]]++; // [map]
    qsort(values, 4096, sizeof *values, compare); // [qsort]
    memset(big, 1, sizeof big); // [memset]
    return 0;
}
"""
source = scratch("own.cpp")
with open(source, "w") as file:
    file.write(TEXT)
made = subprocess.run(["c++", "-g", "-O0", "-fno-builtin", "-o", scratch("own"), source], capture_output=True)
if made.returncode:
    skip("c++ cannot compile a program: " + made.stderr.decode()[-300:])
LINES = {line.split("[")[-1].rstrip("]"): number for number, line in enumerate(TEXT.split("\n"), 1) if "// [" in line}

deja("run", "--caches", "L1=4K,L2=32K", "--json", "-o", scratch("own.json"), "--", scratch("own"))
got = load(scratch("own.json"))
rows = {row["line"]: row for row in got["lines"] if row.get("file") == source and "line" in row}
contexts = got["contexts"]


def numbers(of):
    return [of["accesses"], of["misses"]["L1"], of["misses"]["L2"]]


def called(name, by):
    """What all calls of a function did, calls included. `by`: the caller; None: any."""
    found = [c for c in contexts if c["name"].startswith(name) and (
        by is None or c["parent"] is not None and contexts[c["parent"]]["name"] == by)]
    check(found, f"calls of {name}")
    return [sum(parts) for parts in zip(*(numbers(c["inclusive"]) for c in found))]


def expect(mark, *parts):
    row = rows[LINES[mark]]
    expected = [sum(column) for column in zip(numbers(row), *parts)]
    same(numbers(row["own"]), expected, f"what line [{mark}] causes")
    return row["own"]


check(all("own" in row for row in got["lines"]), "all lines say what they cause")
expect("map", called("std::map<", "main"))
# qsort calls compare, which is the user's.
compared = called("compare(", None)
check(compared[0] > 0, "compare was called")
expect("qsort", called("qsort", "main"), [-number for number in compared])
expect("compare")
written = expect("memset", called("__memset" if any(c["name"].startswith("__memset") for c in contexts) else "memset", "main"))
# 1 MiB in blocks of 64 bytes, all new, and a few beside them.
check(16384 <= written["misses"]["L2"] <= 16384 + 8, f"memset misses {written['misses']['L2']} times")
for row in got["lines"]:
    if row.get("file", "").startswith("/usr/include/"):
        same(numbers(row["own"]), [0, 0, 0], f"own of {row['name']}")

# --- text, and a folder ----------------------------------------------------------

text = " ".join(deja("report", "--by", "line", "--top", "3", "--width", "160", scratch("own.json")).stdout.decode().split())
check(f"own.cpp:{LINES['map']} " in text, "a line that only calls is among the worst")
check("; own: also those of library and header code" in text, "the legend")
check("are in no known context of such a line" in text, "the loader's misses are charged to nobody")

deja("report", "--own", "/usr/include", "--json", "-o", scratch("headers.json"), scratch("own.json"))
headers = load(scratch("headers.json"))["lines"]
check(all(row["own"]["accesses"] == 0 for row in headers if row.get("file") == source), "the program is not below /usr/include")
check(any(row["own"]["misses"]["L2"] > 1000 for row in headers if row.get("file", "").startswith("/usr/include")), "headers are")
folder = os.path.dirname(source)
deja("report", "--own", os.path.join(folder, "..", os.path.basename(folder)), "--json", "-o", scratch("folder.json"), scratch("own.json"))
same({row["name"]: row["own"] for row in load(scratch("folder.json"))["lines"]}, {row["name"]: row["own"] for row in got["lines"]},
     "--own with the folder of the source is the default here")
refused = subprocess.run([DEJA, "report", "--own", "/nowhere", scratch("own.json")], capture_output=True, text=True)
same(refused.returncode != 0, True, "a folder without sources is refused")
check("no code of the profile is in a file below '/nowhere'" in refused.stderr, refused.stderr)
finish()
