# SPDX-License-Identifier: MIT
"""C++ (virtual calls, exceptions), Fortran, pthreads, OpenMP: names, counts and
contexts match the source."""
import os
import re

from live import SOURCES, Tables, check, finish, has, marks, need, profile, program, same

need("valgrind")


def plain(name):
    """A name without its scope and parameters."""
    return re.sub(r"\(anonymous namespace\)::", "", name).split("(")[0].split("::")[-1]


# --- C++ ---------------------------------------------------------------------
SHAPES, THROWS, LINES = 300, 200, 50
mark = marks("objects.cpp")
tables = Tables(profile([program("objects")], "--by", "all"))
names = {p["function"] for p in tables.places}
for name in ("Square::area", "Circle::area", "after_catch"):
    check(any(name in (n or "") for n in names), f"no function {name}")
own = [p for p in tables.places if p["file"] == "objects.cpp"]


def at(line, name):
    return sum(p["accesses"] for p in own if p["line"] == mark[line] and plain(p["object"]) == name)


# In a constructor the block is `this`; the type it constructs is a better name.
line = next(n for n, text in enumerate(open(os.path.join(SOURCES, "objects.cpp")), 1) if "make_unique<Square>" in text)
same({p["object"] for p in tables.places if p["object"].endswith(f"(objects.cpp:{line})")},
     {f"heap Square (objects.cpp:{line})"}, "name of blocks that only a constructor accesses")
same(at("square", "squares"), SHAPES - SHAPES // 3, "writes of squares")
same(at("circle", "circles"), SHAPES // 3, "writes of circles")
same(at("guard", "ledger"), 2 * sum(i % 8 + 1 for i in range(THROWS)), "writes of destructors during unwinding")
same(at("after", "ledger"), THROWS * (LINES - 1), "writes after the catch")
for p in own:
    if p["line"] == mark["after"]:
        short = [plain(n) for n in p["path"]]
        same(short[short.index("main"):], ["main", "throw_and_catch", "after_catch"], "context after a catch")
    if p["line"] in (mark["square"], mark["circle"]):
        short = [plain(n) for n in p["path"]]
        same(short[short.index("main"):], ["main", "all_areas", "area"], "context of a virtual call")

# --- pthreads ----------------------------------------------------------------
THREADS, CELLS = 4, 2000
mark = marks("threads.c")
got = profile([program("threads")], "--by", "all")
tables = Tables(got)
sweeps = {}
for p in tables.where(file="threads.c", line=mark["sweep"], object="cells"):
    sweeps[p["thread"]] = sweeps.get(p["thread"], 0) + p["accesses"]
same(sorted(sweeps.values()), [CELLS * (t + 1) for t in range(THREADS)], "writes of each thread")
same(tables.count(file="threads.c", line=mark["finished"], object="finished"), 2 * THREADS, "count under the lock")
same(len(got["threads"]), THREADS + 1, "threads[]")
same(sum(row["accesses"] for row in got["threads"]), got["accesses"], "sum over threads[]")

# --- OpenMP ------------------------------------------------------------------
mark = marks("parallel.c")
tables = Tables(profile([program("parallel")], "--by", "all"))
parts = {}
for p in tables.where(object="cells"):
    parts.setdefault(p["thread"], []).append(p["accesses"])
same(sorted(map(sum, parts.values())), [3 * 2 * 2000] * 4, "accesses to the shared array, by thread")
same(tables.count(object="cells", line=mark["write"]), 3 * 8000, "writes at the line")

# --- Fortran -----------------------------------------------------------------
if has("gfortran"):
    mark = marks("fields.f90")
    tables = Tables(profile([program("fields")], "--by", "all"))
    for line, name, accesses in (("fill", "field", 2400), ("sum", "field", 2400), ("table", "table", 500),
                                 ("total", "total", 500)):
        found = [p for p in tables.where(file="fields.f90", line=mark[line])
                 if re.split("::| ", p["object"])[-1] == name]
        same(sum(p["accesses"] for p in found), accesses, f"accesses to {name} at [{line}]")
    found = tables.where(file="fields.f90", line=mark["values"], kind="heap")
    same(sum(p["accesses"] for p in found), 1000, "accesses to the allocated array")
    check("values" in found[0]["object"], f"the allocated array is called {found[0]['object']}")
    same({p["element"] for p in tables.where(file="fields.f90", line=mark["sum"]) if "field" in p["object"]},
         {"(*,*)"}, "elements of the module array")
finish()
