# SPDX-License-Identifier: MIT
"""longjmp and exceptions: programs work, and later accesses have the right callers."""
from build import check, finish, has, load, profile_of, same
from live import Tables
from stream import build


def follow(program, rounds):
    profile, _ = profile_of(program)
    tables = Tables(profile)
    paths = {}
    for place in tables.where(object="after_cell"):
        if place["function"] and place["function"].startswith("after"):
            path = tuple(name.split("(")[0] for name in place["path"] if name.split("(")[0] in
                         ("main", "round_trip", "deep", "between", "after"))
            paths[path] = paths.get(path, 0) + place["accesses"]
    same(paths, {("main", "round_trip", "after"): 2 * rounds, ("main", "after"): 2}, f"{program}: contexts")


for compiler in ("gcc", "clang"):
    if not has(compiler):
        continue
    for flags in (("-O0",), ("-O2",), ("-O1", "-static")):
        name = f"{compiler}{''.join(flags)}"
        follow(build("jumps.c", *flags, output=f"jumps_{name}", compiler=compiler), 50)
        cxx = {"gcc": "g++", "clang": "clang++"}[compiler]
        follow(build("throws.cpp", *flags, output=f"throws_{name}", compiler=cxx), 50)
finish()
