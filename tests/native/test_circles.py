# SPDX-License-Identifier: MIT
"""OpenMP of gcc and of clang: what a team shares is ordered by events. Each cell is shared in another way."""
from build import deja, finish, same, scratch
from happened import races, read, touched, without
from stream import build, check
from teams import able


def record(program):
    path = scratch("edges.dj")
    ran = deja("record", "-o", path, "--", program)
    same(ran.returncode, 0, f"status of {program}: {ran.stderr.decode()[-500:]}")
    return ran.stdout.decode(), read(path)


def check_cells(what, items, cells, size, count):
    bare = without(items, 0, 1 << 64)
    for cell in range(count):
        where, name = (cells + cell * size, size), f"{what} {cell}"
        same(races(items, *where)[:3], [], f"{name}: races")
        check(len(touched(items, *where)) < 2 or races(bare, *where), f"{name}: ordered without events")


compilers = able()
for compiler, flags in (("gcc", ("-O1",)), ("gcc", ("-O2", "-static")), ("clang", ("-O1",))):
    if compiler not in compilers:
        continue
    name = compiler + "".join(flags)
    circles = build("circles.c", "-fopenmp", *flags, output=f"circles_{name}", compiler=compiler)
    teams = build("teams.c", "-fopenmp", *flags, output=f"teams_{name}", compiler=compiler)
    for _ in range(2 if name == "gcc-O1" else 1): # threads meet in other orders each time
        out, items = record(circles)
        at, size = out.split()
        check(len(touched(items, int(at, 16), int(size))) >= 4, f"{name}: threads")
        check_cells(f"{name}: circles", items, int(at, 16), 8, int(size) // 8)
        out, items = record(teams)
        places, critical, ordered = out.splitlines()
        cells, tasks, sections, wave, wide_wave, _ = (int(word, 16) for word in places.split())
        turn, row = (int(line.split()[0], 16) for line in (critical, ordered))
        for kind, where, size in (("cells", cells, 256), ("tasks", tasks, 256), ("sections", sections, 4),
                                  ("wave", wave, 256), ("wide wave", wide_wave, 256), ("turn", turn, 1), ("row", row, 1)):
            check_cells(f"{name}: {kind}", items, where, 8 * size, 1)
finish()
