# SPDX-License-Identifier: MIT
"""Plugins loaded by dlopen, recompiled or not, are found as they are without Deja, and named."""
import os
import subprocess

from build import SCRATCH, Tables, finish, marks, profile_of, run, same, scratch
from stream import HERE, MODULE, WRITE, build, stream

os.mkdir(scratch("lib"))
first = build("plug.c", "-O1", "-shared", "-fPIC", output="lib/first.so")
plain = scratch("lib/plain.so")
subprocess.run(["gcc", "-O1", "-g", "-shared", "-fPIC", "-o", plain, os.path.join(HERE, "plug.c")], check=True)
# dlopen uses the RUNPATH of its caller, which must not become Deja's library in between.
host = build("host.c", "-O1", "-Wl,-rpath,$ORIGIN/lib,--enable-new-dtags", output="host")

for plugins in ((first,), ("first.so",), ("first.so", "plain.so")):
    expected = "101\n" * (2 * len(plugins))
    same(run(host, *plugins).stdout, expected, f"output with {plugins}")
    out, records = stream(host, *plugins)
    same(out, expected, f"output with {plugins}, traced")
    modules, outside, cells = [], 0, 0
    for r in records:
        if r.type == MODULE:
            modules.append((r.words[0], r.words[0] + r.words[1], os.path.basename(r.text)))
        elif r.pc:
            outside += not any(low <= r.pc < high for low, high, _ in modules)
            cells += r.kind == WRITE and any(low <= r.pc < high and name == "first.so" for low, high, name in modules)
    same(outside, 0, f"{plugins}: records of code in no module")
    same(cells, 2 * (101 + 1), f"{plugins}: writes of the plugin")

tables = Tables(profile_of(host, "first.so", "plain.so")[0])
blocks = {(p["object"], p["function"], p["line"]): p["accesses"] for p in tables.places if "plug.c" in p["object"]}
lines = marks(os.path.join(HERE, "plug.c"))
same(sorted({name.split(":")[1].split(")")[0] for name, _, _ in blocks}), [str(lines["block"])], f"blocks {blocks}")
same(sum(n for (_, function, line), n in blocks.items() if line == lines["cell"]), 2 * 101, f"cells in {blocks}")
finish()
