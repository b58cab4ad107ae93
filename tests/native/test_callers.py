# SPDX-License-Identifier: MIT
"""Who called whom, where functions call into libraries that are not recompiled before they
do anything that is told: the library is not taken for them, nor for their callers."""
from build import Tables, finish, has, profile_of, same
from stream import build

TOLD = {("main", "read_file"), ("main", "read_file", "work"), ("main", "copy_text"), ("main", "copy_text", "work"),
        ("main", "sort"), ("start", "work"), ("main",)}
OWN = {"main", "read_file", "copy_text", "work", "sort", "start", "compare"}

for compiler in filter(has, ("gcc", "clang")):
    for level in ("-O0", "-O1"):
        what = f"{compiler} {level}"
        profile, _ = profile_of(build("callers.c", level, "-pthread", compiler=compiler, output="callers"))
        paths = {place["path"] for place in Tables(profile).places if place["path"][-1:] and place["path"][-1] in OWN}
        # The C library lies between a function and what it hands to qsort.
        compared = {path for path in paths if path[-1] == "compare"}
        same({(path[0], path[-1]) for path in compared}, {("main", "compare")}, f"{what}: ways to compare")
        same({tuple(name for name in path if not name.startswith("__libc")) for path in paths - compared}, TOLD,
             f"{what}: ways to what is done")
finish()
