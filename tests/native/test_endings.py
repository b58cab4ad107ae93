# SPDX-License-Identifier: MIT
"""However a program ends, no earlier access is lost, and it ends as it does without Deja."""
import subprocess

from rings import read
from stream import build, check, finish, same

program = build("endings.c", "-O1", "-pthread")
COUNT = 300000


def one(*arguments, mode=None):
    rings, status = read(program, *arguments, mode=mode)
    same(len(rings), 1, f"rings of {arguments}")
    same(rings[0]["error"], None, f"errors of {arguments}")
    return rings[0], status


ring, status = one("return", str(COUNT), "3")
same((status, ring["state"], ring["ended"], ring["status"]), (3 << 8, 1, 1, 3 << 8), "return from main")
all_writes = ring["writes"]
check(COUNT <= all_writes <= COUNT + 100, f"writes: {all_writes}")
ring, status = one("kill", str(COUNT))
same((status, ring["state"], ring["ended"]), (9, 0, 0), "kill")
same(ring["writes"], all_writes, "writes before the kill")
ring, status = one("abort", str(COUNT))
same((status & 0x7f, ring["ended"]), (6, 0), "abort")
same(ring["writes"], all_writes, "writes before abort")
ring, status = one("_exit", str(COUNT))
same((status, ring["state"], ring["ended"], ring["status"]), (5 << 8, 1, 1, 5 << 8), "_exit")
same(ring["writes"], all_writes, "writes before _exit")
ring, status = one("quick_exit", str(COUNT))
same((status, ring["state"], ring["ended"], ring["status"]), (7 << 8, 1, 1, 7 << 8), "quick_exit")
same(ring["writes"], all_writes, "writes before quick_exit")
for _ in range(10):
    ring, status = one("threads", "1000", "4")
    same((status, ring["ended"], ring["threads"]), (4 << 8, 1, 2), "exit while a thread works")
ring, status = one("cancel", "1000", "4")
same((status, ring["ended"]), (4 << 8, 1), "cancelled threads")

# The program waits for a slow reader and loses nothing; it does not wait for one that left.
ring, status = one("return", str(COUNT), mode="--slow")
same((status, ring["writes"]), (0, all_writes), "writes with a slow reader, and errno")
ring, status = one("return", str(COUNT * 10), mode="--leave")
same(status, 0, "status if the reader leaves")
same(subprocess.run([program, "return", "1000", "6"]).returncode, 6, "status without Deja")
finish()
