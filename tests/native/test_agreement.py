# SPDX-License-Identifier: MIT
"""A recompiled program and the plain one under Valgrind have the same locality: in
every bucket of distances of 2^8 blocks or more, counts agree within 5 %. Shorter
distances may differ: a recompiled program reports neither register spills to the stack
nor accesses of the dynamic linker and inside the C library."""
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
        same(run("./recompiled").stdout, run("./plain").stdout, f"{compiler} {level}: output")
        under_valgrind = profile([scratch("plain")], "--tool", "valgrind")
        native, _ = profile_of("./recompiled")
        print(f"{compiler} {level}: {native['accesses']} accesses, {under_valgrind['accesses']} under Valgrind")
        ours, theirs = buckets(native), buckets(under_valgrind)
        check(len(theirs) >= 4, f"too few long distances: {theirs}")
        for low in sorted(set(ours) | set(theirs)):
            a, b = ours.get(low, 0), theirs.get(low, 0)
            print(f"  from {low:6}: {a:9} {b:9} {100 * (a / b - 1) if b else 0:+6.2f} %")
            check(abs(a - b) <= WITHIN * b, f"{compiler} {level}: from {low}: {a}, under Valgrind {b}")
finish()
