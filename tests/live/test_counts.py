# SPDX-License-Identifier: MIT
"""The number of accesses agrees with cachegrind's D refs within 1 %, for
the system's own programs."""
import os
import re

from live import check, finish, has, native, need, profile, scratch

need("valgrind")
with open(scratch("text"), "w") as text:
    for i in range(5000):
        text.write(f"{i * 2654435761 % 100003} bottles of {'beer' if i % 3 else 'wine'} on the wall\n")
with open(scratch("sql"), "w") as sql:
    sql.write("create table t(a integer primary key, b text);\nbegin;\n")
    for i in range(500):
        sql.write(f"insert into t values({i}, '{i * 7919 % 1009}');\n")
    sql.write("commit;\nselect sum(a), count(distinct b) from t where b > '5';\n")

jobs = {"gzip": (["gzip", "-c", scratch("text")], None), "bzip2": (["bzip2", "-c", scratch("text")], None),
        "sqlite3": (["sqlite3", ":memory:"], scratch("sql"))}
ran = 0
for name, (command, stdin) in jobs.items():
    if not has(name):
        continue
    ran += 1
    counted = native("valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", *command,
                     stdin=open(stdin or os.devnull))
    refs = int(re.search(rb"D\s+refs:\s+([0-9,]+)", counted.stderr)[1].replace(b",", b""))
    got = profile(command, stdin=open(stdin or os.devnull))
    accesses = got["requests"] + got["process"]["joined_steps"]  # cachegrind counts every step of a rep instruction
    print(f"{name}: {accesses} accesses, {refs} D refs, {100 * (accesses / refs - 1):+.3f} %")
    check(abs(accesses - refs) <= refs / 100, f"{name}: {accesses} accesses, but {refs} D refs")
check(ran, "none of the programs is installed")
finish()
