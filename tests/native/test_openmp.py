# SPDX-License-Identifier: MIT
"""OpenMP of gcc and of clang: the stream contains the accesses of a phase before those of the next."""
from build import finish, run, same
from stream import READ, WRITE, accesses, build, stream
from teams import able


def alternate(records, address, count, pattern, what):
    """Each element is written and read in the order of the pattern, in the stream as in the program."""
    seen = {}
    for r in accesses(records, address, 8 * count, (READ, WRITE)):
        seen[r.address] = seen.get(r.address, "") + "rw"[r.kind]
    same({history for history in seen.values()}, {pattern}, what)
    same(len(seen), count, f"{what}: elements")


def follow_turns(records, line, what):
    address, entered = line.split()
    turns = [r.thread for r in accesses(records, int(address, 16), kinds=(WRITE,))]
    same(len(turns), len(entered), f"{what}: turns")
    letters = {}
    wrong = [i for i, (thread, letter) in enumerate(zip(turns, entered)) if letters.setdefault(thread, letter) != letter]
    same(wrong[:10], [], f"{what}: turns out of order")


compilers = able()
for compiler, flags in (("gcc", ("-O0",)), ("gcc", ("-O2",)), ("gcc", ("-O2", "-static")), ("clang", ("-O0",)),
                        ("clang", ("-O2",))):
    if compiler not in compilers:
        continue
    name = compiler + "".join(flags)
    program = build("teams.c", "-fopenmp", *flags, output=f"teams_{name}", compiler=compiler)
    run(program)
    for _ in range(3):
        out, records = stream(program)
        places, critical, ordered = out.splitlines()
        cells, tasks, sections, *waves = (int(word, 16) for word in places.split())
        alternate(records, cells, 256, "wr" * 12, f"{name}: loops")
        alternate(records, tasks, 256, "wr", f"{name}: tasks")
        alternate(records, sections, 4, "wr", f"{name}: sections")
        for wave in waves:
            alternate(records, wave, 256, "wr", f"{name}: iterations that wait")
        follow_turns(records, critical, f"{name}: critical")
        follow_turns(records, ordered, f"{name}: ordered")
finish()
