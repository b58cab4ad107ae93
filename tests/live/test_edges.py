# SPDX-License-Identifier: MIT
"""Under Valgrind, threads are ordered by their creation and their ends; everything else is in the accesses."""
import os
import subprocess
import sys

from live import check, deja, finish, need, same, scratch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "native"))
from happened import ACQUIRE, RELEASE, THREAD, races, read, without_threads  # noqa: E402

need("valgrind", "cc")
EDGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "native", "edges.c")
TURNS = 8
ATOMICS = r"""
#include <stdio.h>
#include <stdlib.h>
static long cells[8];
int main(void)
{
    long old = 0;
    __atomic_fetch_add(&cells[0], 1, __ATOMIC_SEQ_CST);
    __atomic_exchange_n(&cells[1], 1, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(&cells[2], &old, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&cells[3], 1, __ATOMIC_SEQ_CST);
    __asm__ volatile("lock incq %0" : "+m"(cells[4]));
    printf("%lx\n", (unsigned long)cells);
    return 0;
}
"""


def compile(source, name, *flags):
    subprocess.run(["cc", "-g", "-O1", "-pthread", "-D_GNU_SOURCE", *flags, "-o", scratch(name), source], check=True)
    return scratch(name)


def record(*command):
    path = scratch("edges.dj")
    ran = deja("record", "--tool", "valgrind", "-o", path, "--", *command)
    same(ran.returncode, 0, f"status of {command}: {ran.stderr.decode()[-500:]}")
    return ran.stdout.decode().split(), read(path)


def follow(program, way):
    (cells, size, _, _), items = record(program, way, str(TURNS))
    where, what = (int(cells, 16), int(size)), f"{os.path.basename(program)} {way}"
    same(races(items, *where)[:5], [], f"{what}: races")
    for bits in (ACQUIRE, RELEASE):
        for own in (False, True):
            check(races(without_threads(items, bits, own), *where), f"{what}: ordered even without {bits} {own}")
    synced = [item[1:] for item in items if item[0] == "sync"]
    same({bits & THREAD for _, bits, _ in synced}, {THREAD}, f"{what}: objects")
    joined = [thread for by, bits, thread in synced if bits & ACQUIRE and by != thread]
    same(len(joined), len(set(joined)), f"{what}: joined once")
    same(len(joined), 4 + 4 * TURNS, f"{what}: joins")


program = compile(EDGES, "edges")
for way in ("join", "join_try", "join_timed", "thrd_join"):
    follow(program, way)
follow(compile(EDGES, "edges_static", "-static"), "join")

with open(scratch("atomics.c"), "w") as file:
    file.write(ATOMICS)
(cells,), items = record(compile(scratch("atomics.c"), "atomics"))
same([item for item in items if item[0] == "sync"], [], "synchronization of one thread")
for cell in range(5):
    at = int(cells, 16) + 8 * cell
    kinds = [item[4] for item in items if item[0] == "access" and item[2] == at]
    check(kinds in ([2], [0, 1], [0, 2]), f"an atomic access {cell} has the kinds {kinds}")
finish()
