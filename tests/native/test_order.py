# SPDX-License-Identifier: MIT
"""Threads take turns: the stream contains the turns in the order in which they happened."""
from stream import WRITE, accesses, build, finish, has, same, stream

WAYS = ("mutex", "cond", "rwlock", "spin", "sem", "barrier", "mtx", "flag", "ticket")


def follow(program, way):
    out, records = stream(program, way)
    address, entered = out.split()
    turns = [r.thread for r in accesses(records, int(address, 16), kinds=(WRITE,))]
    first, turns = turns[0], turns[1:]
    same(first, 1, f"{way}: thread of the first write")
    same(len(turns), len(entered), f"{way}: turns")
    letters = {}
    wrong = [i for i, (thread, letter) in enumerate(zip(turns, entered)) if letters.setdefault(thread, letter) != letter]
    same(wrong[:10], [], f"{way}: turns out of order")
    same(len(set(letters.values())), len(letters), f"{way}: threads")


for name, flags, compiler, ways in (("order", (), "gcc", WAYS), ("order_clang", (), "clang", WAYS),
                                    ("order_static", ("-static",), "gcc", WAYS),
                                    ("order_0", ("-O0",), "gcc", ("mutex", "flag"))):
    if not has(compiler):
        continue
    program = build("order.c", "-O1", "-pthread", *flags, output=name, compiler=compiler)
    for way in ways:
        follow(program, way)
finish()
