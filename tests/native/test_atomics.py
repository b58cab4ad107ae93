# SPDX-License-Identifier: MIT
"""Atomic operations take effect and are recorded, once for each execution."""
from build import finish, has, run, same
from stream import MODIFY, accesses, build, stream

for compiler, cxx in (("gcc", "g++"), ("clang", "clang++")):
    if not has(compiler):
        continue
    for flags in (("-O0",), ("-O2",), ("-O2", "-static")):
        name = compiler + "".join(flags)
        program = build("counts.c", *flags, "-mcx16", "-pthread", output=f"counts_{name}", compiler=compiler)
        same(run(program).stdout.split()[0], "right", f"{name}")
        out, records = stream(program)
        word, address = out.split()
        same(word, "right", f"{name}, traced")
        added = accesses(records, int(address, 16), 4, (MODIFY,))
        same((len(added), {r.bytes for r in added}), (1600, {4}), f"{name}: additions")
        program = build("counts.cpp", *flags, "-pthread", output=f"objects_{name}", compiler=cxx)
        same(run(program).stdout, "right\n", f"{name}: C++")
        same(stream(program)[0], "right\n", f"{name}: C++, traced")
finish()
