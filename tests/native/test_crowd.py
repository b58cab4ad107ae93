# SPDX-License-Identifier: MIT
"""Many threads, in sequence and at once: thread numbers are not reused, and no write is lost."""
from collections import Counter

from rings import read
from stream import THREAD_NAME, WRITE, accesses, build, check, finish, same, stream

program = build("crowd.c", "-O1", "-pthread")
for how, count, times in (("turn", 1000, 100), ("once", 300, 200)):
    printed, records = stream(program, how, str(count))
    cells = int(printed, 16)
    writes = accesses(records, cells, 8 * count, (WRITE,))
    same(len(writes), times * count, f"writes of {count} threads, {how}")
    by_thread = {}
    for r in writes:
        by_thread.setdefault(r.thread, Counter())[r.address] += 1
    same(sorted(by_thread), list(range(2, count + 2)), f"threads, {how}")
    named = {(r.id, " ".join(r.words).rstrip("\0")) for r in records if r.type == THREAD_NAME}
    same(named, {(2, "first"), (3, "second")}, f"names of threads, {how}")
    check(all(list(cell.values()) == [times] for cell in by_thread.values()), f"a thread wrote more than its own cell, {how}")

# More threads than ring writers: the program is unaffected, and missing accesses are reported.
CROWD = 4150
rings, status = read(program, "once", str(CROWD))
if status == 77 << 8:
    print("left out: this machine cannot create that many threads")
else:
    same((status, rings[0]["error"], rings[0]["ended"]), (0, None, 1), f"{CROWD} threads at once")
    check(rings[0]["messages"] >= 1 or rings[0]["writes"] >= 200 * CROWD, f"{CROWD} threads at once: {rings[0]}")
finish()
