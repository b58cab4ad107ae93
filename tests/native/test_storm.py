# SPDX-License-Identifier: MIT
"""A timer interrupts the program anywhere, even inside the tracing library: no access is
lost or duplicated, and the order is the program's."""
from stream import ENTRY, EXIT, WRITE, accesses, build, check, finish, same, stream


def follow(program, way):
    out, records = stream(program, way)
    data, elements, ticks, count = (int(word, base) for word, base in zip(out.split(), (16, 10, 16, 10)))
    written = [(r.address - data) // 8 for r in accesses(records, data, 8 * elements, (WRITE,))]
    steps = {b - a for a, b in zip(written, written[1:])}
    check(written[0] == 0 and written[-1] == elements - 1 and steps <= ({0, 1} if way == "jump" else {1}),
          f"{way}: {len(written)} writes, steps {sorted(steps)[:10]}")
    handled = [(r.address - ticks) // 8 for r in accesses(records, ticks, 8 * count, (WRITE,))]
    same(handled, list(range(count)), f"{way}: writes of the handler")
    calls = [r.type for r in records if r.type in (ENTRY, EXIT)]
    if way != "jump":
        same(calls.count(ENTRY), elements + 2 * count + 2, f"{way}: entries")
        same(calls.count(EXIT), calls.count(ENTRY), f"{way}: exits")


for name, flags in (("storm", ()), ("storm_static", ("-static",))):
    program = build("storm.c", "-O1", *flags, output=name)
    for way in ("return", "jump", "stack"):
        follow(program, way)
finish()
