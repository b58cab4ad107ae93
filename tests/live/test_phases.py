# SPDX-License-Identifier: MIT
"""The phases of a program: three calls that sweep over arrays of known sizes, under a tracer, saved and reported again."""
import json

from live import deja, finish, load, need, program, same, scratch, check

need("valgrind")
LARGE, SMALL = 40000 * 4 // 64, -(-500 * 4 // 64)  # blocks of the arrays, but for their ends
EACH = 400000  # accesses of each call
WINDOW = 20000

saved = scratch("phases.json")
ran = deja("run", "--windows", str(WINDOW), "--json", "-o", saved, "--", program("phases"))
same(ran.returncode, 0, "status of deja run")
found = load(saved)["phases"]
sweeps = [s for s in found["stretches"] if s["windows"] >= EACH // WINDOW - 1]
same(len(sweeps), 3, "long stretches")
large, small, again = (found["list"][s["phase"] - 1] for s in sweeps)
same(sweeps[0]["phase"], sweeps[2]["phase"], "the large array twice")
check(sweeps[0]["phase"] != sweeps[1]["phase"], "the small array is another phase")
# A pass over the large array takes longer than a window, which has half of it. 4,096 blocks are enough for all of it.
check(abs(large["distinct"] - WINDOW * 4 / 64) < 60, f"distinct data of the large array: {large['distinct']}")
same(large["best_size"], 4096, "best size for the large array")
# Where a window begins depends on how much the loader did: one may have the end of a call and the beginning of the next.
mixed = WINDOW * 4 / 64 / (EACH // WINDOW - 1)
check(-3 <= small["distinct"] - SMALL <= 3 + mixed, f"distinct data of the small array: {small['distinct']}")
check(small["best_size"] in (32, 64), f"best size for the small array: {small['best_size']}")
for stretch in sweeps:
    check(abs(stretch["accesses"] - EACH) <= 2 * WINDOW, f"accesses of a call: {stretch['accesses']}")
check(again["cold"] < LARGE + 2500, "the large array is new once")

for words in (("report", saved), ("mrc", saved), ("report", "--export", "markdown", saved),
              ("report", "--export", "svg", saved)):
    shown = deja(*words)
    same(shown.returncode, 0, f"status of {words}")
    check(b"phases" in shown.stdout and b"miss ratio of 4,096 blocks (256 KiB)" in shown.stdout, f"{words}: phases")
same(json.loads(deja("report", "--json", saved).stdout)["phases"], found, "phases of the saved profile")
timed = deja("run", "--windows", "10s", "--", "true")
same((timed.returncode, b"give a number of accesses" in timed.stderr), (2, True), "windows of time for a program")
finish()
