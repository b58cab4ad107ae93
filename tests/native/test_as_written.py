# SPDX-License-Identifier: MIT
"""deja cc --as-written: with gcc and its plugin, each variable of written.c has at every level of optimization the reads
and writes that its source makes, counted by hand. Without --as-written they differ, so that the test can fail."""
import os

from build import DEJA, check, finish, has, need, profile_of, run, same, scratch, silent, skip

need("gcc")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "written.c")
FOLDER = os.path.join(os.path.dirname(DEJA), "tracer")
N = 1000
# Reads and writes of each variable.
WRITTEN = {
    "hoisted": (N, 0), "branches": (N, 0), "partly": (N + 300, 0), "repeated": (3 * N, 0), "overwritten": (0, 2 * N),
    "sum_kept": (N, N), "condition": (N, N), "stored_if": (0, 250), "sunk": (300, N), "merged": (0, N), "both": (N, N),
    "zeroed": (0, N), "copied_from": (N, 0), "copied_to": (0, N), "doubled_from": (N, 0), "doubled_to": (0, N),
    "series": (N, 0), "scaled": (0, N), "text": (N + 1, N), "counted": (N + 1, N),  # printf's argument
    "pairs": (N, 0), "flags": (0, 2 * N), "inlined": (N, 0), "pure_value": (2 * N, 0),
    "nodes": (200, 200), "unread": (N, 0), "table": (N, 0), "never_written": (N, 0),
    "matrix": (25 * 40, 0), "fallthrough": (1250, 1250), "total": (6, 5),
}


def counts(options):
    silent("deja", "cc", *options, SOURCE, "-o", "written")
    expected = run(scratch("written")).stdout
    profile, printed = profile_of(scratch("written"))
    same(printed, expected, f"{options}: output")
    return {row["name"]: (row["reads"], row["writes"]) for row in profile["objects"] if row["name"] in WRITTEN}


plugin = any(name.startswith("gcc-plugin-") for name in os.listdir(FOLDER))
same(counts(["-O0"]), WRITTEN, "-O0")
if not plugin:
    skip("the plugin of gcc was not built; the package gcc-12-plugin-dev has its headers")
for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Ofast"):
    same(counts(["--as-written", level]), WRITTEN, f"as written, {level}")
same(counts(["--as-written", "-O2", "-flto"]), WRITTEN, "as written, -O2 -flto")
same(counts(["--as-written", "-O2", "--loops"]), WRITTEN, "as written, -O2 --loops")
same(counts(["--as-written", "-O3", "-static"]), WRITTEN, "as written, static")
if has("clang"):
    run("deja", "cc", "--with", "clang", "--as-written", "-O2", SOURCE, "-o", "written", status=125)
merged = counts(["-O2"])
for name in ("hoisted", "repeated", "overwritten", "sum_kept", "unread"):
    check(sum(merged.get(name, (0, 0))) < sum(WRITTEN[name]), f"-O2 alone: {name} {merged.get(name)}")
finish()
