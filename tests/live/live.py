# SPDX-License-Identifier: MIT
"""Shared by the tests of `deja run`. A test is a script: it calls check() for each
condition and finish() at the end. sys.argv: deja, the folder of the programs.
With DEJA_TEST_TOOL=native in the environment, `deja cc` builds the programs, which
then report their own accesses."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

DEJA, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
SOURCES = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
SCRATCH = tempfile.TemporaryDirectory(prefix="deja-live-")
NATIVE = os.environ.get("DEJA_TEST_TOOL") == "native"
BUILDS = {  # as in the programs' CMakeLists.txt
    "bursts": ("cc", "bursts.c", "-O1", "-pthread"), "reach": ("cc", "reach.c", "-O1", "-pthread"), "known": ("cc", "known.c", "-O1"), "behave": ("cc", "behave.c", "-O1", "-pthread"),
    "objects": ("c++", "objects.cpp", "-std=c++17", "-O1"), "threads": ("cc", "threads.c", "-O1", "-pthread"),
    "spatial": ("cc", "spatial.c", "-O1"), "hostile": ("cc", "hostile.c", "-O1"),
    "phases": ("cc", "phases.c", "-O2"), "patterns": ("cc", "patterns.c", "-O2"),
    "counters": ("cc", "../../examples/counters.c", "-O1", "-pthread"),
    "parallel": ("cc", "parallel.c", "-O1", "-fopenmp"), "family": ("cc", "family.c", "-O1"),
    "sharers": ("cc", "sharers.c", "-O1", "-pthread"), "start": ("cc", "start.c", "-O1"), "inlined": ("cc", "inlined.c", "-O1"),
    "fields": ("fc", "fields.f90", "-O1", "-J", SCRATCH.name)}
RECORDER = os.path.join(os.path.dirname(DEJA), "tracer", "libdeja-record.so")
PACKAGES = {"callgrind_annotate": "valgrind", "cc": "gcc", "clang++": "clang", "nm": "binutils", "objdump": "binutils",
            "addr2line": "binutils"}  # commands whose package has another name
PATIENCE = int(os.environ.get("DEJA_TEST_PATIENCE", 200))  # seconds; sanitizers need more
failures = 0
left_out = []
os.environ["LC_ALL"] = "C.UTF-8"  # a bare system has no locale, and reports would be in ASCII


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def leave_out(why):
    """Skips part of the test. The test then counts as skipped unless it fails."""
    print(f"left out: {why}")
    left_out.append(why)


def not_installed(command):
    """A message in the wording that `./dev test` parses for missing packages."""
    return f"{command} is not installed; the package {PACKAGES.get(command, command)} has it"


def need(*commands):
    for name in commands:
        if not shutil.which(name) and not (NATIVE and name == "valgrind"):
            skip(not_installed(name))


def has(command):
    """Whether a command that part of the test needs is installed."""
    found = shutil.which(command) is not None
    if not found and not_installed(command) not in left_out:
        leave_out(not_installed(command))
    return found


def check(truth, message):
    global failures
    if not truth:
        failures += 1
        print(f"FAILED: {message}")
    return truth


def same(got, expected, what):
    return check(got == expected, f"{what}: got {got!r}, expected {expected!r}")


def finish():
    print(f"{failures} failed checks" if failures else "all passed" + (", except what was left out" if left_out else ""))
    sys.exit(1 if failures else 77 if left_out else 0)


def build(name):
    path = os.path.join(SCRATCH.name, name)
    verb, source, *flags = BUILDS[name]
    if os.path.exists(path):
        return path
    made = deja(verb, "-D_GNU_SOURCE", *flags, "-o", path, os.path.join(SOURCES, source))
    if made.returncode:
        skip(f"deja {verb} cannot build {name}: {made.stderr.decode()[-500:]}")
    return path


def program(name):
    if NATIVE:
        return build(name)
    path = os.path.join(PROGRAMS, name)
    if not os.path.exists(path):
        skip(f"{name} was not built; the package {'gfortran' if name == 'fields' else 'g++'} has its compiler")
    return path


def scratch(name):
    return os.path.join(SCRATCH.name, name)


def native(*command, **options):
    return subprocess.run(command, capture_output=True, timeout=100, **options)


def deja(*arguments, **options):
    """Runs deja; returns the CompletedProcess."""
    options.setdefault("timeout", PATIENCE)
    return subprocess.run(command(*arguments), capture_output=True, **options)


def command(*arguments):
    """The command line that runs deja with these arguments."""
    runs = arguments[0] in ("run", "record") or (arguments[0] in ("spatial", "concurrent") and "--" in arguments)
    tool = ["--tool", "native"] if NATIVE and runs else []
    return [DEJA, arguments[0], *tool, *arguments[1:]]


def load(path):
    with open(path) as file:
        return json.load(file)


def profile(words, *options, status=0, **how):
    """The JSON profile of a program under `deja run`."""
    path = scratch("profile.json")
    if os.path.exists(path):
        os.remove(path)
    ran = deja("run", "--json", "-o", path, *options, "--", *words, **how)
    same(ran.returncode, status, f"status of {' '.join(words)} ({ran.stderr.decode()[-1000:]})")
    if not check(os.path.exists(path), f"no profile of {' '.join(words)}: {ran.stderr.decode()[-1000:]}"):
        finish()
    return load(path)


def marks(source):
    """Line numbers of the marks `// [name]` in one of the programs, or in the file at an absolute path."""
    with open(os.path.join(SOURCES, source)) as file:
        return {found[1]: number for number, line in enumerate(file, 1)
                if (found := re.search(r"(?://|!) \[(.*)\]$", line))}


def named(rows, name):
    """The rows whose name is `name`, alone or followed by a space or parameters."""
    return [row for row in rows if row["name"] == name or re.match(re.escape(name) + r"[ (]", row["name"])]


def the(rows, name):
    found = named(rows, name)
    if not check(len(found) == 1, f"{name}: {len(found)} rows among {[row['name'] for row in rows][:40]}"):
        finish()
    return found[0]


class Tables:
    """The tables of an attribution, with indexes resolved. A place contains its
    file, line, function, calling context, object, element and tally."""
    TALLY = ("accesses", "cold", "writes", "sum", "square_low", "square_high", "min", "max", "first", "bins")

    def __init__(self, profile):
        self.profile = profile
        self.tables = t = profile["attribution"]
        self.edges = t["edges"]
        self.cuts = dict(t["cuts"])
        self.places = [self.place(*row[:6]) for row in t["places"]]
        self.pairs = [(self.places[a], self.places[b], self.tally(c)) for a, b, c in
                      (row[:3] for row in t["pairs"])]

    def tally(self, cells):
        tally = dict(zip(self.TALLY, cells))
        first = tally.pop("first")
        tally["bins"] = {first + i: n for i, n in enumerate(tally["bins"]) if n}
        return tally

    def function(self, index):
        return None if index is None else self.tables["functions"][index][0]

    def path(self, context):
        """Function names from the thread's root inwards, without call sites."""
        names = []
        while context is not None:
            parent, _, function = self.tables["contexts"][context][:3]
            if function is not None:
                names.insert(0, self.function(function))
            context = parent
        return tuple(names)

    def place(self, site, context, thing, element, example, tally):
        _, _, function, file, line, loop = self.tables["sites"][site][:6]
        place = {"function": self.function(function), "line": line, "loop": loop, "context": context,
                 "file": None if file is None else os.path.basename(self.tables["files"][file]),
                 "path": self.path(context), "thread": self.tables["contexts"][context][1],
                 "object": self.tables["objects"][thing][0], "kind": self.tables["objects"][thing][2],
                 "object_row": thing, "element": element, "example": example}
        place.update(self.tally(tally))
        return place

    def where(self, **wanted):
        return [p for p in self.places if all(p[key] == value for key, value in wanted.items())]

    def count(self, key="accesses", **wanted):
        return sum(p[key] for p in self.where(**wanted))

    def bin(self, distance):
        low, high = 0, len(self.edges)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.edges[middle] <= distance else (low, middle)
        return low
