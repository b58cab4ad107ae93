# SPDX-License-Identifier: MIT
"""Heap blocks and mappings are named after the line that allocates them, whatever function it calls."""
import os
import re

from build import Tables, finish, has, marks, profile_of, same
from stream import ALLOC, FREE, HERE, build, stream

lines = marks(os.path.join(HERE, "blocks.cpp"))

for compiler in ("g++", "clang++"):
    if not has(compiler):
        continue
    for flags in (("-O0",), ("-O1",), ("-O1", "-static")):
        name = compiler + "".join(flags)
        program = build("blocks.cpp", *flags, "-std=c++17", output=f"blocks_{name}", compiler=compiler)
        out, records = stream(program)
        same(out, "filled\n", f"{name}: output")
        # No block is allocated at the address of a live one; blocks that stay live are the C library's.
        live = set()
        for r in records:
            if r.type == ALLOC:
                same(r.words[2] in live, False, f"{name}: whether a block is allocated over a live one")
                live.add(r.words[2])
            elif r.type == FREE:
                live.discard(r.words[0])
        profile, _ = profile_of(program)
        filled = {}
        for place in Tables(profile).where(function="fill(void*)"):
            line = re.search(r"blocks\.cpp:(\d+)", place["object"])
            if line:
                filled[int(line[1])] = filled.get(int(line[1]), 0) + place["writes"]
        # With clang -O0, the vector is attributed to a line of a header.
        expected = {number: 100 for mark, number in lines.items() if name != "clang++-O0" or mark != "vector"}
        same(filled, expected, f"{name}: blocks ({lines})")
finish()
