# SPDX-License-Identifier: MIT
"""What the tests of examples/papers share, on top of ../live/live.py. sys.argv:
deja, the folder of the build."""
import collections
import functools
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from live import DEJA, check, finish, has, leave_out, load, same, scratch  # noqa: E402,F401

BUILD = os.path.abspath(sys.argv[2])
PROGRAMS = os.path.join(BUILD, "examples", "papers")
TRACER = os.path.join(BUILD, "tests", "papers", "trace_recorder.so")
NAMES = ("adi", "fft", "swim", "tomcatv", "sp", "sweep")


@functools.cache
def recorder():
    """Deja's own recorder; None where there is none that the programs could load."""
    path = os.path.join(BUILD, "tracer", "libdeja-record.so")
    if not os.path.exists(path):
        return leave_out("libdeja-record.so was not built")
    with open(path, "rb") as file:
        if re.search(rb"\0__[at]san_init\0", file.read()):
            return leave_out("libdeja-record.so has a sanitizer, which the programs have not")
    return path


@functools.cache
def languages():
    """What to append to a name: C's programs, and Fortran's where they were built."""
    if not has("gfortran"):
        return ("",)
    if not os.path.exists(os.path.join(PROGRAMS, "adi_fortran")):
        leave_out("Deja was built before gfortran was there; build it again")
        return ("",)
    return ("", "_fortran")


Answer = collections.namedtuple("Answer", "checksum error status")


def run(name, *arguments, **environment):
    """Runs a program to its one line."""
    path = os.path.join(PROGRAMS, name)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("DEJA_")}
    ran = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=100,
                         env={**variables, **environment})
    line = re.fullmatch(r"\w+ \d+ \d+: checksum (\S+), error (\S+) of at most \S+: (passed|FAILED)\n", ran.stdout)
    what = f"{name} {' '.join(map(str, arguments))}"
    if not check(line, f"{what} printed {ran.stdout!r} {ran.stderr!r}"):
        finish()
    same((line[3], ran.returncode), ("passed", 0), what)
    same(ran.stderr, "", f"{what}, messages")
    return Answer(float(line[1]), float(line[2]), ran.returncode)


def trace(name, *arguments, **environment):
    """The numbers of the elements that a program recorded, in order, by a recorder that is not Deja's."""
    path = scratch("trace.u64le")
    run(name, *arguments, DEJA_RECORDER=TRACER, TRACE=path, **environment)
    with open(path, "rb") as file:
        raw = file.read()
    return struct.unpack(f"={len(raw) // 8}Q", raw)


def canonical(numbers):
    """Elements renumbered in the order of their first use: what matters for distances, whatever the layout."""
    known = {}
    return [known.setdefault(number, len(known)) for number in numbers]


def profile(name, *arguments, **environment):
    """The profile that Deja's own recorder leaves, if there is one."""
    if not recorder():
        return None
    path = scratch("profile.json")
    run(name, *arguments, DEJA_RECORDER=recorder(), DEJA_RECORD=path, **environment)
    if not check(os.path.exists(path), f"{name}: no profile"):
        finish()
    found = load(path)
    os.remove(path)
    return found


def brute_force(stream):
    """Accesses by bin of the reuse distance (0; [2^(x-1), 2^x - 1] for x of 1 and more), and cold ones, by
    searching a list."""
    bins, cold, recent = collections.Counter(), 0, []
    for element in stream:
        try:
            distance = recent.index(element)
            del recent[distance]
            bins[distance.bit_length()] += 1
        except ValueError:
            cold += 1
        recent.insert(0, element)
    return bins, cold


def bins_of(found):
    """The same, of a profile, whatever its bins."""
    bins = collections.Counter()
    for row in found["histogram"]:
        if row["count"]:
            bins[row["lo"].bit_length()] += row["count"]
    return bins
