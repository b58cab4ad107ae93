# SPDX-License-Identifier: MIT
"""Annotations of a recompiled program appear as records in its stream, in order with its
accesses, and do not count as accesses."""
import os

from stream import (DATA, HERE, REGION, STATEMENT, THREAD_NAME, WRITE, accesses, build, check, finish, has, same,
                    stream)

include = os.path.join(HERE, "..", "..", "include")


def check_build(compiler, level):
    what = f"{compiler} {level}"
    printed, records = stream(build("annotated.c", level, "-I", include, compiler=compiler))
    grid = int(printed, 16)
    found = [r for r in records if r.type in (REGION, THREAD_NAME, DATA, STATEMENT) or
             r in accesses(records, grid, 32, (WRITE,))]
    same([r.type if r.kind is None else "write" for r in found],
         [THREAD_NAME, DATA, REGION, STATEMENT, "write", REGION], f"{what}: records in order")
    if len(found) == 6:
        name, data, begins, statement, write, ends = found
        same((name.id, "boss" in " ".join(name.words)), (1, True), "the name of the thread")
        same([int(word, 16) for word in data.words[:3]], [grid, 32, 8], "the data")
        same(bytes.fromhex("".join(f"{int(word, 16):016x}" for word in data.words[3:]))[::-1], b"the grid", "its name")
        same((begins.id, ends.id), (1, 0), "the region")
        pc = int(statement.words[0], 16)
        check(abs(write.pc - pc) < 4096, f"the statement is at {pc:x}, its write at {write.pc:x}")
        same(write.address, grid + 16, "the write")
    same([(r.kind, r.address - grid) for r in records if r.kind is not None], [(WRITE, 16)], f"{what}: accesses")


for compiler in filter(has, ("gcc", "clang")):
    for level in ("-O0", "-O1", "-O2"):
        check_build(compiler, level)
finish()
