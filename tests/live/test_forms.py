# SPDX-License-Identifier: MIT
"""A saved profile printed as callgrind, folded stacks, CSV, JSON and annotated source:
each agrees with the program's known behaviour and with the profile."""
import csv
import io
import json
import re

from live import check, deja, finish, marks, named, need, profile, program, same, scratch
from live import native, SOURCES

need("valgrind", "callgrind_annotate")
ROWS, COLUMNS, SWEEPS = 24, 40, 10
saved = profile([program("known")], "--by", "all", "--caches", "L1=4K,L2=64K")
path, mark = scratch("profile.json"), marks("known.c")


def report(*options):
    ran = deja("report", *options, path)
    same(ran.returncode, 0, f"status of deja report {' '.join(options)} ({ran.stderr.decode()[-500:]})")
    return ran.stdout.decode()


def costs(text):
    """Self costs by file and line, inclusive costs by callee, and totals of a callgrind profile."""
    names, lines, calls, totals = {}, {}, {}, None
    file = callee = None
    for line in text.splitlines():
        if found := re.match(r"(c?)(fl|fi|fe|fn|ob)=(?:\((\d+)\))?(?: ?(.*))?$", line):
            kind = "fl" if found[2] in ("fl", "fi", "fe") else found[2]
            name = names[kind, found[3]] if found[3] and not found[4] else found[4]
            names[kind, found[3]] = name
            if kind == "fl" and not found[1]:
                file = name
            elif kind == "fn" and found[1]:
                callee = name
        elif line.startswith("totals:"):
            totals = [int(word) for word in line.split()[1:]]
        elif line[:1].isdigit():
            at, *numbers = (int(word) for word in line.split())
            to, key = (calls, callee) if callee else (lines, (file, at))
            to[key] = [a + b for a, b in zip(to.get(key, [0] * len(numbers)), numbers)]
            callee = None
    return lines, calls, totals


text = report("--export", "callgrind")
lines, calls, totals = costs(text)
misses = [sum(row["misses"][cut] for row in saved["objects"]) for cut in ("L1", "L2")]
same(totals[:5], [saved["accesses"], sum(row["writes"] for row in saved["objects"]), saved["cold"], *misses],
     "totals of the callgrind profile")
same([sum(column) for column in zip(*lines.values())], totals, "sum of self costs")
own = {at: numbers for (file, at), numbers in lines.items() if file.endswith("/known.c")}
same(own[mark["fill"]][1], SWEEPS * ROWS * COLUMNS, "writes of the line [fill]")
for row in saved["lines"]:
    if row.get("file", "").endswith("/known.c") and row["line"] in own:
        same(own[row["line"]][0], row["accesses"], f"accesses of line {row['line']}")
same([row["calls"] for row in named(saved["contexts"], "fill_grid")], [SWEEPS], "calls of fill_grid")
for name in ("main", "fill_grid", "descend"):
    row = named(saved["functions"], name)[0]
    same(calls[name][0], row["inclusive"]["accesses"], f"accesses in {name} and below")

with open(scratch("callgrind.out"), "w") as file:
    file.write(text)
seen = native("callgrind_annotate", "--threshold=100", "--auto=no", scratch("callgrind.out"))
same((seen.returncode, seen.stderr), (0, b""), "callgrind_annotate")
check(re.search(rf"^\s*{totals[0]:,} .*PROGRAM TOTALS$", seen.stdout.decode(), re.M), "totals of callgrind_annotate")

for weight, total in ("accesses", saved["accesses"]), ("cold", saved["cold"]), ("L1", misses[0]):
    stacks = report("--export", "folded", "--weight", weight).splitlines()
    same(sum(int(line.rsplit(" ", 1)[1]) for line in stacks), total, f"folded stacks by {weight}")
    check(any(";main;" in line for line in stacks), f"folded stacks by {weight} do not pass through main")

rows = list(csv.DictReader(io.StringIO(report("--export", "csv", "--by", "line,object"))))
for by in "line", "object":
    same(sum(int(row["accesses"]) for row in rows if row["by"] == by), saved["accesses"], f"CSV by {by}")

again = json.loads(report("--json"))
same(again["attribution"], saved["attribution"], "attribution after loading and saving")
same(again["reuse_pairs"], saved["reuse_pairs"], "reuse pairs of the loaded profile")

shown = deja("annotate", "--json", "--source", SOURCES, path, "known.c")
listed = json.loads(shown.stdout)["files"][0]
same(listed["found"], True, "whether the source is found")
fill = next(line for line in listed["lines"] if line["line"] == mark["fill"])
same(fill["writes"], SWEEPS * ROWS * COLUMNS, "writes of [fill] in the source")
check("grid[i][j] = i + j;" in fill["text"], f"text of [fill]: {fill['text']}")
shown = deja("annotate", path, SOURCES + "/known.c").stdout.decode()
check(re.search(r"\d+ . *%d  .*grid\[i\]\[j\] = i \+ j;" % mark["fill"], shown), "the line [fill] with its costs")
finish()
