# SPDX-License-Identifier: MIT
"""Ten thousand threads in sequence."""
import csv

from live import NATIVE, check, deja, finish, need, program, same, scratch

need("valgrind")
THREADS = 10000
path = scratch("threads.csv")
ran = deja("run", "--by", "object,thread", "--export", "csv", "-o", path, "--", program("behave"), "threads",
           str(THREADS))
same(ran.returncode, 0, f"status ({ran.stderr.decode()[-500:]})")
same(ran.stdout, f"{THREADS} threads\n".encode(), "output")
with open(path) as file:
    rows = list(csv.DictReader(file))
same([int(row["accesses"]) for row in rows if row["name"] == "cells"], [2 * THREADS], "accesses to cells")
threads = [int(row["accesses"]) for row in rows if row["by"] == "thread"]
same(len(threads), THREADS + 1, "threads")
check(min(threads) >= (2 if NATIVE else 10), "a thread without accesses")
finish()
