# SPDX-License-Identifier: MIT
"""Ten thousand threads, one after the other."""
from live import check, finish, need, profile, program, same

need("valgrind")
THREADS = 10000
told = profile([program("behave"), "threads", str(THREADS)], "--by", "object,thread")
rows = [row for row in told["objects"] if row["name"] == "cells"]
same([row["accesses"] for row in rows], [2 * THREADS], "accesses to cells")
check(told["accesses"] > 100 * THREADS, "accesses of the threads")
finish()
