# SPDX-License-Identifier: MIT
"""The compiler's clones of a function or loop body are attributed to the original
function and line."""
from live import Tables, finish, marks, need, profile, program, same, the

need("valgrind")
DEPTH, ROWS, CELLS = 6, 12, 20
NODES = 2 ** (DEPTH + 1) - 1
mark = marks("copies.c")
got = profile([program("copies")], "--within", "main", "--by", "all")
tables = Tables(got)

build = the(got["contexts"], "build")  # one context
same((build["calls"], build["recursive"]), (NODES, True), "calls of build, and whether it is recursive")
for line, kind, accesses, blocks in (("node", "heap n", 3 * NODES + 1, NODES), ("row", "heap rows[*]", ROWS * CELLS, ROWS)):
    row = the(got["objects"], f"{kind} (copies.c:{mark[line]})")  # one object
    own = sum(p["accesses"] for p in tables.where(file="copies.c", object=row["name"]))
    same((own, row["blocks"]), (accesses, blocks), f"accesses to {kind}, and its blocks")
finish()
