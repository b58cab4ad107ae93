# SPDX-License-Identifier: MIT
"""A recompiled program and the plain one under Valgrind have the same locality:
distances from 2^8 blocks up agree within 5 % in every bucket. Below that they
need not: the recompiled program records neither values that are spilled to the
stack, nor the dynamic linker, nor the internals of the C library."""
import os

from build import SOURCES, check, finish, has, need, profile, profile_of, run, same, scratch, silent

need("valgrind")
FROM, WITHIN = 256, 0.05
SOURCE = os.path.join(SOURCES, "squeeze.c")


def buckets(profile):
    return {b["lo"]: b["count"] for b in profile["histogram"] if b["lo"] >= FROM}


for compiler, levels in {"gcc": ("-O2", "-O3"), "clang": ("-O2",)}.items():
    for level in levels if has(compiler) else ():
        run(compiler, level, "-g", SOURCE, "-o", "plain")
        silent("deja", "cc", "--with", compiler, level, SOURCE, "-o", "recompiled")
        same(run("./recompiled").stdout, run("./plain").stdout, f"{compiler} {level}: what it prints")
        under_valgrind = profile([scratch("plain")], "--tool", "valgrind")
        native, _ = profile_of("./recompiled")
        print(f"{compiler} {level}: {native['accesses']} accesses, {under_valgrind['accesses']} under Valgrind")
        ours, theirs = buckets(native), buckets(under_valgrind)
        check(len(theirs) >= 4, f"there are long distances: {theirs}")
        for low in sorted(set(ours) | set(theirs)):
            a, b = ours.get(low, 0), theirs.get(low, 0)
            print(f"  from {low:6}: {a:9} {b:9} {100 * (a / b - 1) if b else 0:+6.2f} %")
            check(abs(a - b) <= WITHIN * b, f"{compiler} {level}: from {low}: {a}, under Valgrind {b}")
finish()
