# SPDX-License-Identifier: MIT
"""One trial: a command with one fault, and what its end is worth."""
import ctypes
import os
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile

# In the order of the counters in shim.c.
KINDS = ("malloc", "calloc", "realloc", "aligned", "mmap", "read", "write", "open", "thread", "rename", "truncate",
         "spawn")
MODES = {kind: ("one", "all") for kind in KINDS}
MODES["read"] = MODES["write"] = ("one", "all", "short", "eintr")
SECONDS = 30  # a trial that takes longer hangs
OLD = b"what was there before\n"  # in output files before a command
STREAMS = ("stdout", "stderr")

# What two good runs may differ in.
VARYING = (
    (re.compile(rb'"(elapsed_ns|seconds|pid|parent|process)": [0-9.e+-]+'), rb'"\1": 0'),
    (re.compile(rb"0x[0-9a-f]{6,}"), b"0x0"),
    (re.compile(rb"\b(time +(\| )?)[0-9.]+ s\b"), rb"\1 0 s"),  # of stats
    (re.compile(rb'^("in/[^,]*\.txt"(?:,[^,\n]*){17}),[0-9.e-]+,', re.M), rb"\1,0,"),  # its csv
)


class End:
    """What a command leaves: its status (a signal is negative, None a hang), streams and files."""

    def __init__(self, status, streams, files, calls, failed):
        self.status, self.streams, self.files = status, streams, files
        self.calls, self.failed = calls, failed


def fix_addresses():
    """Programs that this process starts get the same addresses each time."""
    no_randomize = 0x0040000
    ctypes.CDLL(None).personality(no_randomize)


class Place:
    """A folder of its own for the commands of one worker."""

    def __init__(self, folder, inputs, deja, shim):
        self.folder, self.deja, self.shim = folder, deja, shim
        self.work, self.shared, self.temporary = (os.path.join(folder, name) for name in ("work", "shared", "tmp"))
        self.counts = os.path.join(folder, "counts")
        self.inputs = inputs
        os.makedirs(folder)
        self.clear()

    def clear(self):
        for path in (self.work, self.shared, self.temporary):
            shutil.rmtree(path, ignore_errors=True)
            os.mkdir(path)
        os.symlink(self.inputs, os.path.join(self.work, "in"))

    def environment(self, case, fault):
        env = {"PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C", "TERM": "dumb", "TMPDIR": self.temporary,
               "XDG_RUNTIME_DIR": self.shared, "LD_PRELOAD": self.shim, "DEJA_FAULT_COUNTS": self.counts}
        env.update(case.environment)
        if case.program:
            env["DEJA_FAULT_PROGRAM"] = case.program
        # Always as long: a program's accesses depend on the size of its environment.
        env["DEJA_FAULT"] = f"{fault or 'malloc:none:0':24}"
        return env

    def command(self, case, fault):
        """A line for a shell that repeats a trial."""
        assignments = [f"{name}={shlex.quote(value.strip())}" for name, value in self.environment(case, fault).items()
                       if name.startswith(("DEJA_FAULT", "LD_", "LC_")) and name != "DEJA_FAULT_COUNTS"]
        return f"(cd {self.work} && env {' '.join(assignments)} {self.deja} {shlex.join(case.words)})"

    def run(self, case, fault, old):
        """Runs the command of a case; with `old`, its output files exist before."""
        with open(self.counts, "wb") as file:
            file.write(bytes(8 * (len(KINDS) + 1)))
        for name in case.outputs if old else ():
            with open(os.path.join(self.work, name), "wb") as file:
                file.write(OLD)
        paths = [os.path.join(self.folder, name) for name in STREAMS]
        with open(paths[0], "wb") as out, open(paths[1], "wb") as errors:
            child = subprocess.Popen([self.deja, *case.words], cwd=self.work, env=self.environment(case, fault),
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=errors, start_new_session=True)
            status = wait(child)
        streams = [read(path) for path in paths]
        files = {name: read(os.path.join(self.work, name)) for name in os.listdir(self.work) if name != "in"}
        for folder, name in ((self.shared, "XDG_RUNTIME_DIR"), (self.temporary, "TMPDIR")):
            files.update({f"${name}/{left}": b"" for left in os.listdir(folder)})
        counters = struct.unpack(f"={len(KINDS) + 1}Q", read(self.counts))
        if files:
            self.clear()
        return End(status, [vary(s) for s in streams], {n: vary(f) for n, f in files.items()}, counters[:-1],
                   counters[-1])


def wait(child):
    descriptor = os.pidfd_open(child.pid)
    ended = select.select([descriptor], [], [], SECONDS)[0]
    os.close(descriptor)
    if not ended:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return None
    return child.wait()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def vary(text):
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return text


def refusals(case, kind, errors):
    """The exit statuses that may refuse a command after a fault of this kind."""
    if case.runs_program and errors != b"deja: out of memory\n":  # before the verb is known
        return (4, 125) if case.may_run else (125,)
    return (3, 4) if kind in ("read", "open") else (4,)


def says_why(errors):
    return any(re.match(rb"deja: .*[A-Za-z]{2}", line) for line in errors.splitlines())


def difference(name, expected, got):
    pairs = zip(expected.splitlines() + [b""], got.splitlines() + [b""])
    first = next(((e, g) for e, g in pairs if e != g), (b"", b""))
    return f"{name} differs: {first[1][:120].decode(errors='replace')!r} for {first[0][:120].decode(errors='replace')!r}"


def judge(case, fault, reference, end, old):
    """What an end is worth: ("right" | "partial" | "refused" | "WRONG", why)."""
    kind, mode = fault.split(":")[:2]
    if end.status is None:
        return "WRONG", f"no end after {SECONDS} s"
    if end.status < 0:
        return "WRONG", f"signal {-end.status}"
    strange = sorted(name for name in end.files if name not in case.outputs)
    if strange:
        return "WRONG", f"left behind: {', '.join(strange)}"
    for name in case.outputs:
        if old and name not in end.files:
            return "WRONG", f"{name} is missing"
    if end.status == reference.status and end.streams[0] == reference.streams[0] and end.files == reference.files:
        return "right", ""
    why = f"status {end.status}: {end.streams[1][:200].decode(errors='replace')!r}"
    if mode in ("short", "eintr"):
        worth, difference = judge_different(case, reference, end)
        return ("right", "") if worth == "right" else ("WRONG", difference or why)
    if end.status in refusals(case, kind, end.streams[1]):
        for name, content in () if case.in_place else end.files.items():
            if content not in ((OLD,) if old else ()) + (reference.files[name],) and b"partial" not in end.streams[1]:
                return "WRONG", f"{name} is incomplete; {why}"
        return ("refused", "") if says_why(end.streams[1]) else ("WRONG", f"no reason given; {why}")
    if end.status != reference.status:
        return "WRONG", why
    return judge_different(case, reference, end)


def show(case, content):
    """An output file as `case.view` prints it, without the lines that name where it is from."""
    with tempfile.NamedTemporaryFile(suffix=".deja") as file:
        file.write(content)
        file.flush()
        shown = subprocess.run([case.view[0], *case.view[1:], file.name], capture_output=True, check=False).stdout
    return re.sub(rb'"(command|inputs)": .*|"[^"]*/tmp[^"]*"', b"", vary(shown))


def judge_different(case, reference, end):
    results = [("standard output", reference.streams[0], end.streams[0])]
    results += [(name, reference.files[name], end.files.get(name, b"")) for name in reference.files]
    if case.view and all(show(case, result[1]) == show(case, result[2]) for result in results[1:]):
        return "right", ""
    for name, expected, got in results:
        if got != expected and not re.search(case.marks, got + end.streams[1]):
            return "WRONG", difference(name, expected, got)
    return "partial", ""
