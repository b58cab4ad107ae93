# SPDX-License-Identifier: MIT
"""Analyzing a recording yields the same profile as deja run, and regions select
the same accesses."""
from live import Tables, check, deja, finish, load, need, program, profile, same, scratch

need("valgrind")
known = program("known")
stream = scratch("known.deja")
ran = deja("record", "-o", stream, "--", known)
same(ran.returncode, 0, f"status of record ({ran.stderr.decode()[-500:]})")
check(b"grid 0x" in ran.stdout, "the program's output")


def analyzed(*options):
    path = scratch("analyzed.json")
    ran = deja("analyze", "--json", "-o", path, *options, stream)
    same(ran.returncode, 0, f"status of analyze {options} ({ran.stderr.decode()[-500:]})")
    return load(path)


def rows(document):
    tables = Tables(document)
    return sorted((p["file"] or "", p["line"], p["path"], p["object"], p["element"], p["accesses"], p["cold"],
                   p["sum"], p["max"]) for p in tables.places)


for options in ([], ["--start-at", "kernel"], ["--within", "sum_columns"], ["--skip", "20000"],
                ["--stop-after", "5000"], ["--within", "kernel", "--skip", "100", "--stop-after", "700"],
                ["--fresh-heap"]):
    live = profile([known], "--by", "all", *options)
    kept = analyzed("--by", "all", *options)
    same(kept["accesses"], live["accesses"], f"accesses with {options}")
    same(rows(kept), rows(live), f"places with {options}")
    if "--stop-after" in options:
        same(live["accesses"], int(options[-1]), f"accesses with {options}")
one = profile([known], "--within", "sum_columns", "--by", "all")
same({p["function"] for p in Tables(one).places}, {"sum_columns"}, "functions in the region sum_columns")
finish()
