# SPDX-License-Identifier: MIT
"""--within and --start-at find functions that were inlined, or say why not, and always leave a profile that can be
loaded. The profile says what was counted, and a comparison with another part of the run says so."""
import shutil
import subprocess

from live import NATIVE, Tables, check, deja, finish, has, load, need, profile, program, same, scratch

need("valgrind")
inlined = program("inlined")


def counted(*options, program=inlined):
    """The accesses to `cells`, and all others, which the compiler adds: calls and returns."""
    counts = profile([program], "--by", "all", *options)
    cells = Tables(counts).count(object="cells")
    same(counts["provenance"].get("selection"), " ".join(options)[2:] or None, f"selection of {options}")
    return cells, counts["accesses"] - cells


# Counts as in the source.
for name, cells in (("get", 300 + 200 + 50), ("outer", 300 + 200), ("callee", 200 + 50)):
    found, others = counted("--within", name)
    same(found, cells, f"cells within {name}")
    check(others <= 10, f"{others} accesses of calls within {name}")
found = profile([inlined], "--start-at", "outer", "--by", "all")
same(Tables(found).count(object="cells"), 550, "cells from outer on")
same(found["provenance"]["selection"], "start at outer", "selection of --start-at")

# Nothing found: the reason, and a profile without accesses that every verb loads or refuses by name.
PATH = scratch("none.json")


def nothing(words, name):
    ran = deja("run", "--within", name, "--json", "-o", PATH, "--", *words)
    same(ran.returncode, 0, f"status with --within {name}")
    same(load(PATH)["accesses"], 0, f"accesses within {name}")
    for verb in (["report"], ["report", "--by", "all"], ["report", "--json"], ["mrc"]):
        read = deja(*verb, PATH)
        same((read.returncode, read.stderr), (0, b""), f"{verb} of an empty profile")
    return ran.stderr.decode()


message = nothing([inlined], "absent")
check("no function or region 'absent' was entered, nor code" in message, message)
message = nothing([inlined], "never")
check("'never' of " in message and "made no accesses" in message, message)
if not NATIVE and has("strip"):
    stripped = scratch("stripped")
    shutil.copy(inlined, stripped)
    subprocess.run(["strip", stripped], check=True)
    message = nothing([stripped], "get")
    check("no debug information" in message and "stripped" in message, message)
columns = deja("run", "--within", "absent", "-o", scratch("none.dejap"), "--", inlined)
same(columns.returncode, 0, "status with a profile in columns")
same(deja("report", scratch("none.dejap")).returncode, 0, "report of an empty profile in columns")

# A comparison of different parts of the run says so.
for name, options in (("all", ()), ("part", ("--within", "outer"))):
    deja("run", "--json", "-o", scratch(f"{name}.json"), *options, "--", inlined)
ran = deja("diff", scratch("all.json"), scratch("part.json"))
check(ran.returncode == 0 and b"counts the whole run" in ran.stderr and b"counts within outer" in ran.stderr,
      f"diff of different parts: {ran.stderr}")
same(deja("diff", scratch("all.json"), scratch("all.json")).stderr, b"", "diff of the same part")
check(b"counted: within outer" in deja("report", scratch("part.json")).stdout, "report does not say what was counted")
finish()
