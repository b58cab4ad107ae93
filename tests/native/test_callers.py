# SPDX-License-Identifier: MIT
"""Calling contexts stay right if a function calls a library that is not recompiled before
its first recorded access: the library replaces neither the function nor its callers."""
from build import Tables, finish, has, profile_of, same
from stream import build

EXPECTED = {("main", "read_file"), ("main", "read_file", "work"), ("main", "copy_text"),
            ("main", "copy_text", "work"), ("main", "sort"), ("start", "work"), ("main",)}
OWN = {"main", "read_file", "copy_text", "work", "sort", "start", "compare"}

for compiler in filter(has, ("gcc", "clang")):
    for level in ("-O0", "-O1"):
        what = f"{compiler} {level}"
        profile, _ = profile_of(build("callers.c", level, "-pthread", compiler=compiler, output="callers"))
        paths = {place["path"] for place in Tables(profile).places if place["path"][-1:] and place["path"][-1] in OWN}
        # The C library is between a function and the comparison that it passes to qsort.
        compared = {path for path in paths if path[-1] == "compare"}
        same({(path[0], path[-1]) for path in compared}, {("main", "compare")}, f"{what}: contexts of compare")
        same({tuple(name for name in path if not name.startswith("__libc")) for path in paths - compared}, EXPECTED,
             f"{what}: contexts of the other functions")
finish()
