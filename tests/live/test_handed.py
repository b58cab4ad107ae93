# SPDX-License-Identifier: MIT
"""Lazy binding of library functions does not appear in calling contexts; mapped memory
is named after the call that mapped it; a thread's stack variables keep their names
when other threads access them."""
import os

from live import Tables, check, finish, marks, need, profile, program, same

need("valgrind")
CELLS, THREADS, WORDS, TEXT = 300, 3, 2048, 1000
mark = marks("handed.c")
tables = Tables(profile([program("handed"), os.path.abspath(__file__)], "--by", "all"))

# --- a callback --------------------------------------------------------------
own = ("main", "sort", "compare")
compares = tables.where(file="handed.c", line=mark["compared"], object="compared")
same(sum(p["accesses"] for p in compares) > 0, True, "calls of compare")
for p in compares:
    same(tuple(n for n in p["path"] if n in own), own, "context of compare")
for p in tables.places:
    inside = p["path"][p["path"].index("main"):] if "main" in p["path"] else ()
    check(not any("_dl_runtime_resolve" in name for name in inside), f"the dynamic linker in a context: {inside}")
    if "strcoll" in (p["function"] or "") and "compare" not in inside:
        check(False, f"strcoll outside of compare: {inside}")

# --- mapped memory -----------------------------------------------------------
pages = tables.where(file="handed.c", line=mark["mapped"], kind="mapped")
same(sum(p["accesses"] for p in pages), WORDS, "accesses to mapped memory")
for row in {p["object_row"] for p in pages}:
    name = tables.tables["objects"][row][0]
    check(name.startswith("mmap pages (handed.c:"), f"mapped memory is called {name}")
same({p["element"] for p in pages}, {"[*]"}, "elements of mapped memory")

texts = tables.where(file="handed.c", line=mark["file"], kind="mapped")
same(sum(p["accesses"] for p in texts), TEXT, "accesses to a mapped file")
same({p["object"] for p in texts}, {f"mmap text (handed.c:{mark['map file']})"}, "the mapped file")
for name in ("data of libc.so.6", "data of handed"):
    check(tables.where(object=name, kind="module"), f"a library counts as mapped data: no object {name}")

# --- the stack of another thread ------------------------------------------------
handed = tables.where(file="handed.c", line=mark["handed"])
same({p["object"] for p in handed}, {"mine in main"}, "what the threads work on")
same({p["element"] for p in handed}, {"[*][*]"}, "its elements")
by_thread = {}
for p in handed:
    by_thread[p["thread"]] = by_thread.get(p["thread"], 0) + p["accesses"]
same(sorted(by_thread.values()), [CELLS] * THREADS, "accesses of each thread")
finish()
