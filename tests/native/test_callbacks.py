# SPDX-License-Identifier: MIT
"""Every callback of the compilers writes exactly the expected record."""
from stream import MODIFY, PASS, RANGE, READ, WRITE, build, check, finish, same, stream

printed, records = stream(build("callbacks.c", "-O1"))
cells, main = (int(word, 16) for word in printed.split())

families = [("read", READ), ("write", WRITE), ("read_write", MODIFY), ("unaligned_read", READ),
            ("unaligned_write", WRITE), ("unaligned_read_write", MODIFY), ("volatile_read", READ),
            ("volatile_write", WRITE), ("unaligned_volatile_read", READ), ("unaligned_volatile_write", WRITE)]
expected, at = [], 0
for with_pc in (False, True):
    for _, kind in families:
        for size in (1, 2, 4, 8, 16):
            expected.append((kind, size, at, with_pc))
            at += 1
for kind in (READ, WRITE):
    expected.append((kind, 8, at, False))
    at += 1
for length in (0, 1, 3, 4, 16, 24, 64, 100):
    for kind, with_pc in ((READ, False), (WRITE, True)):
        if length:
            expected.append((kind, length, at, with_pc))
        at += 1

got = []
for r in records:
    if r.kind is not None and cells <= r.address < cells + 4096:
        got.append((r.kind, r.bytes, r.address - cells, r.pc == main))
    elif r.type == RANGE and cells <= r.words[1] < cells + 4096:
        got.append((r.id, r.words[2], r.words[1] - cells, r.words[0] == main))
same(len(got), len(expected), "records")
for one, other in zip(got, expected):
    if not same(one, other, "a record (kind, bytes, offset, pc given)"):
        break
passes = [r for r in records if r.type == PASS]
same([r.address for r in passes], [0], "words of the passes")
pcs = [r.pc for r in records if r.kind is not None and r.pc and r.pc != main and cells <= r.address < cells + 50]
check(all(0 < b - a < 64 for a, b in zip(pcs, pcs[1:])), f"return addresses do not increase in small steps: {pcs[:10]}")
finish()
