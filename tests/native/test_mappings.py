# SPDX-License-Identifier: MIT
"""Mappings are named after the line that requested them, not after the caller of its function."""
import os

from build import Tables, finish, has, profile_of, same, scratch, silent

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mappings.c")
with open(SOURCE) as file:
    line = {word.lstrip("*"): number for number, words in enumerate(file, 1) if words.split()[:1] == ["long"]
            for word in words.split() if word.startswith("*")}
EXPECTED = {f"mmap field (mappings.c:{line['field']})": 100, f"mmap table (mappings.c:{line['table']})": 50,
            f"heap block (mappings.c:{line['block']})": 20, f"mmap grown (mappings.c:{line['grown']})": 30}
ways = [("-O0",), ("-O0", "-static"), ("-O2",)] + ([("--with", "clang", "-O0")] if has("clang") else [])
for flags in ways:
    silent("deja", "cc", *flags, "-D_GNU_SOURCE", "-g", "-o", "mappings", SOURCE)
    tables = Tables(profile_of(scratch("mappings"), options=["--by", "all"])[0])
    touched = tables.where(function="touch")
    got = {name: sum(p["accesses"] for p in touched if p["object"] == name) for name in EXPECTED}
    same(got, EXPECTED, f"{flags}: accesses by object, of {sorted({p['object'] for p in touched})}")
finish()
