# SPDX-License-Identifier: MIT
"""One program built in several ways, and a shared object opened at run time."""
from live import Tables, check, deja, finish, marks, need, profile, program, same

need("valgrind")
CELLS = 5000
mark = marks("plain.c")
for name in ("plain_static", "plain_static_pie", "plain_pie", "plain_fixed"):
    built = profile([program(name)], "--by", "all")
    tables = Tables(built)
    same(tables.count(object="numbers"), 2 * CELLS, f"{name}: numbers")
    same(tables.count(object="squares"), 2 * CELLS, f"{name}: squares")
    same(tables.count(file="plain.c", line=mark["block"], kind="heap"), CELLS, f"{name}: heap block")
    same(tables.count("writes", object="numbers"), CELLS, f"{name}: writes of numbers")
    same({p["path"][p["path"].index("main"):] for p in tables.where(object="squares")}, {("main", "work")},
         f"{name}: context")

# Without debug information there are still functions and symbols, and deja reports what is missing.
bare = profile([program("plain_bare")], "--by", "all")
tables = Tables(bare)
same(tables.count(object="numbers"), 2 * CELLS, "without -g: numbers")
same(tables.count(object="numbers", function="work"), 2 * CELLS, "without -g: numbers in work")
ran = deja("run", "--by", "line", "--", program("plain_bare"))
check(b"compile with -g" in ran.stderr, f"without -g, deja does not suggest compiling with -g: {ran.stderr.decode()}")

# A stripped program has the functions of its unwind tables and the same accesses.
stripped = profile([program("plain_stripped")], "--by", "all")
functions = {p["function"] for p in Tables(stripped).places if "plain_stripped" in (p["function"] or "")}
check(len(functions) >= 2, f"stripped: functions {functions}")
check(abs(stripped["accesses"] - bare["accesses"]) < 0.01 * bare["accesses"],
      f"stripped: {stripped['accesses']} accesses, unstripped: {bare['accesses']}")

mark = marks("plugin.c")
plugin = program("plugin.so")
tables = Tables(profile([program("loader"), plugin], "--by", "all"))
# The dynamic loader also accesses the array, when it clears the rest of a page.
same(tables.count(object="plugin_table", file="plugin.c", line=mark["plugin"]), 3 * 1000,
     "array of a shared object that was opened three times")
finish()
