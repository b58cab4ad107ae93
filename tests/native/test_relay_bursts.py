# SPDX-License-Identifier: MIT
"""fork, exec, threads and longjmp while a program is traced in bursts: every process is
analyzed without an error, and the estimates of its accesses are close to what its source
says."""
import json

from build import check, deja, finish, same, scratch
from stream import build

ROUNDS, ELEMENTS = 12000, 1000
WRITES = ROUNDS * ELEMENTS  # of the work that is done once
PARTS = {"fork": [2, 1], "exec": [1, 1], "threads": [3], "leap": [2]}  # of each process, the first one first
program = build("relay.c", "-O1", "-pthread")


def processes(how, *options):
    path = scratch("relay.json")
    ran = deja("run", "--tool", "native", "--json", "-o", path, "--by", "function", *options, "--",
               program, str(ROUNDS), how)
    same(ran.returncode, 0, f"status of {how}: {ran.stderr.decode()[-500:]}")
    with open(path) as file:
        found = json.load(file)
    return [found] + found["processes"]


def writes(profile):
    return sum(row["writes"] for row in profile["functions"] if row["name"] == "fill")


for how, parts in PARTS.items():
    for options in (("--sample", "5%", "--sample-seed", "1"), ("--sample", "20%", "--sample-seed", "2"),
                    ("--budget", "4x")):
        found, what = processes(how, *options), f"{how} {' '.join(options)}"
        same(len(found), len(parts), f"{what}: processes")
        for profile in found:
            same((profile["partial"], profile["provenance"]["exact"]), (False, False), f"{what}: partial, exact")
            # How many a budget allows depends on how busy the machine is.
            least = 1 if "--budget" in options else 3
            check(profile["tracing"]["bursts"] >= least, f"{what}: {profile['tracing']['bursts']} bursts")
        # Which of the programs is listed first depends on which ran last.
        for known, profile in zip(sorted(parts), sorted(found, key=writes)):
            seen = writes(profile) / WRITES
            check(0.95 * known < seen < 1.05 * known, f"{what}: {seen:.3f} times the work, {known} were done")
finish()
