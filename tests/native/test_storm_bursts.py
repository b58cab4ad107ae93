# SPDX-License-Identifier: MIT
"""A timer interrupts a program that is traced in bursts, also where bursts begin and end:
each burst is complete and in order, begins with the stack, and the lengths of bursts and
gaps are those of the run."""
from rings import reports
from stream import BURST, ENTRY, EXIT, PASS, STACK, WRITE, build, check, finish, same, scratch, stream

ELEMENTS = 400000


def split(records):
    """The records of each burst, the lengths of bursts, and those of gaps. What is recorded in a gap, such as
    an allocation, is in neither."""
    bursts, lengths, gaps, inside = [[]], [], [], True
    for r in records:
        if r.type == BURST:
            check((r.id == 1) == inside, "two bursts, or two gaps, follow each other")
            (lengths if r.id else gaps).append(int(r.words[0], 16))
            inside = not inside
            if inside:
                bursts.append([])
        elif inside:
            bursts[-1].append(r)
        else:
            check(r.type < 0x80, f"a record of type {r.type} in a gap")
    return bursts, lengths, gaps


def steps(burst, address, bytes):
    places = [(r.address - address) // 8 for r in burst
              if r.kind == WRITE and address <= r.address < address + bytes]
    return places, {b - a for a, b in zip(places, places[1:])}


def follow(program, way, seed):
    what = f"{way}, seed {seed}"
    out, records = stream(program, way, sample=(150000, seed))
    data, elements, ticks, count = (int(word, base) for word, base in zip(out.split(), (16, 10, 16, 10)))
    bursts, lengths, gaps = split(records)
    check(len(bursts) >= 5 and len(gaps) >= 5, f"{what}: {len(bursts)} bursts")
    seen, last, last_tick = 0, -1, -1
    for number, burst in enumerate(bursts):
        places, by = steps(burst, data, 8 * elements)
        check(by <= ({0, 1} if way == "jump" else {1}), f"{what}, burst {number}: steps {sorted(by)[:9]}")
        check(not places or places[0] > last or way == "jump" and places[0] == last,
              f"{what}, burst {number} begins at {places[:1]}, the one before ended at {last}")
        handled, by = steps(burst, ticks, 8 * count)
        check(by <= {1}, f"{what}, burst {number}: steps of the handler {sorted(by)[:9]}")
        check(not handled or handled[0] > last_tick, f"{what}, burst {number}: the handler repeats {handled[:1]}")
        last, last_tick = (places or [last])[-1], (handled or [last_tick])[-1]
        seen += len(places)
        follows = [r.type for r in burst if r.kind is not None or r.type in (STACK, ENTRY, EXIT, PASS)]
        check(number == 0 or not follows or follows[0] == STACK, f"{what}, burst {number} begins without the stack")
    # A function that is left was entered in the burst, or is on the stack with which it begins.
    counted = reports(scratch("rings"))[0][0]
    same(counted["matched"], counted["returns"], f"{what}: returns from known calls")
    same(last_tick < count, True, f"{what}: ticks")
    # The writes are spread evenly over the records, apart from those of the handler: on a busy machine there
    # may be more of these in a gap than in a burst.
    share = sum(lengths) / (sum(lengths) + sum(gaps))
    check(0.75 < seen / (share * elements) < 1.33, f"{what}: {seen} writes in {share:.4f} of {elements}")
    traced = sum(1 for burst in bursts for r in burst if r.type >= 0x80)
    check(0.95 < traced / sum(lengths) < 1.05, f"{what}: {traced} records, {sum(lengths)} counted")


for name, flags, runs in (("storm_long", (), (("return", 1), ("return", 2), ("jump", 1), ("stack", 2))),
                          ("storm_long_static", ("-static",), (("jump", 3),))):
    program = build("storm.c", "-O1", f"-DELEMENTS={ELEMENTS}", *flags, output=name)
    for way, seed in runs:
        follow(program, way, seed)
finish()
