# SPDX-License-Identifier: MIT
"""A recording of each program, analyzed, is what an independent recorder and brute force find, and has all the
numbers of `deja run`, with and without statements."""
import subprocess

from papers import DEJA, NAMES, PROGRAMS, bins_of, brute_force, finish, load, recorder, same, scratch, trace

SIZES = {"adi": (12, 3), "fft": (8, 2), "swim": (6, 2), "tomcatv": (8, 3), "sp": (5, 1), "sweep": (2, 1)}


def deja(*arguments):
    ran = subprocess.run([DEJA, *map(str, arguments)], capture_output=True, timeout=100)
    return same(ran.returncode, 0, f"status of {arguments} ({ran.stderr.decode()[-500:]})")


def numbers(profile):
    """Everything but how and from what it was made; the engines are different but exact."""
    return {key: value for key, value in profile.items()
            if key not in ("provenance", "engine", "process", "processes")}


def compare(name, options):
    command = [f"{PROGRAMS}/{name}", *SIZES[name]]
    live, kept, analyzed = scratch("run.json"), scratch("kept.deja"), scratch("analyzed.json")
    deja("run", *options, "--json", "-o", live, "--", *command)
    expected = load(live)
    # Without --statements the recording has all accesses, and where statements begin.
    for how in {(), options}:
        deja("record", *how, "-o", kept, "--", *command)
        deja("analyze", *options, "--by", "all", "--json", "-o", analyzed, kept)
        found, what = load(analyzed), f"{name} {options}, recorded with {how}"
        for key in numbers(expected).keys() | numbers(found).keys():
            same(found.get(key) == expected.get(key), True, f"{key} of {what}")
        for key in ("unit", "statements", "thread_order", "partial"):
            same(found["provenance"].get(key), expected["provenance"].get(key), f"{key} of {what}")
    stream = trace(name, *SIZES[name], **({"TRACE_STATEMENTS": "1"} if options else {}))
    bins, cold = brute_force(stream)
    same((found["accesses"], found["cold"]), (len(stream), cold), f"accesses and cold ones of {name} {options}")
    same(bins_of(found), bins, f"distances of {name} {options}")


if recorder():
    for program in NAMES:
        compare(program, ())
        compare(program, ("--statements",))
finish()
