# SPDX-License-Identifier: MIT
"""`deja record` of an annotated program: the recording has what the source records, however the program ends,
and the program does not notice."""
import json
import os
import signal
import subprocess
import time

from elements import distances, replay
from live import NATIVE, DEJA, check, finish, load, native, program, same, scratch, skip

if NATIVE:
    skip("annotated programs are not recompiled")
ANNOTATED = program("annotated")
IN_FLIGHT = 8 * 16384  # accesses at most


def record(*arguments, status=0, options=(), words=None, path=None):
    """Records the program; returns the path, the output and the messages."""
    path = path or scratch("recording.deja")
    ran = native(DEJA, "record", "-o", path, *options, "--", *(words or (ANNOTATED, *arguments)))
    same(ran.returncode, status, f"status of {arguments or words} ({ran.stderr.decode()[-500:]})")
    return path, ran.stdout.decode(), ran.stderr.decode()


def analyze(path, *options, status=0):
    to = scratch("analyzed.json")
    ran = native(DEJA, "analyze", "--by", "all", "--json", "-o", to, *options, path)
    same(ran.returncode, status, f"status of analyze {options} ({ran.stderr.decode()[-500:]})")
    return load(to)


def run(*arguments, options=()):
    to = scratch("run.json")
    ran = native(DEJA, "run", "--json", "-o", to, *options, "--", ANNOTATED, *arguments)
    same(ran.returncode, 0, f"status of run {options} {arguments}")
    return load(to)


def numbers(profile):
    """Everything but how and from what it was made."""
    return {key: value for key, value in profile.items()
            if key not in ("provenance", "engine", "process", "processes")}


def events(path):
    ran = native(DEJA, "convert", "--json", "-o", "/dev/null", "--as", "deja", path)
    return json.loads(ran.stdout or ran.stderr)["events"]


# Elements by a model of memory, and everything else as when the program analyzes itself.
for seed in range(1, 4):
    path, text, _ = record("random", str(seed))
    same(text, native(ANNOTATED, "random", str(seed)).stdout.decode(), "output of the program")
    profile = analyze(path, "--bins", "exact")
    stream, outside = replay(text)
    expected, cold = distances(stream)
    check(len(stream) > 1000 and outside > 100, "the random program does not do enough to test anything")
    same((profile["accesses"], profile["cold"]), (len(stream), cold), f"accesses and cold ones, seed {seed}")
    same(profile["outside"], outside, f"accesses outside of data, seed {seed}")
    same({row["lo"]: row["count"] for row in profile["histogram"]}, dict(expected), f"distances, seed {seed}")
    same(numbers(analyze(path)), numbers(run("random", str(seed))), f"numbers of seed {seed}")

path, _, said = record("regions")
check(f"recording.deja: {ANNOTATED} regions: 90 accesses, " in said, f"the summary: {said}")
profile = analyze(path)
same((profile["provenance"]["unit"], profile["provenance"]["format"]), ("element", "deja"), "unit and format")
for options, count in (((), 90), (("--within", "middle"), 60), (("--start-at", "middle"), 80),
                       (("--within", "main", "--skip", "5"), 85), (("--stop-after", "7"), 7)):
    profile = analyze(path, *options)
    same(profile["accesses"], count, f"accesses with {options}")
    same(numbers(profile), numbers(run("regions", options=options)), f"numbers with {options}")

# Statements: those of the program, with or without accesses; before the first, every access counts.
same(events(record("statements", "9")[0]) - events(record("statements", "2")[0]), 7, "statements without accesses")
path, _, _ = record("statements", "3")
merged, _, said = record("statements", "3", options=("--statements",), path=scratch("merged.deja"))
check("statements: from annotations; 20% of the accesses outside of statements" in said, f"the summary: {said}")
same((events(path), events(merged)), (events(path),) * 2, "events of a merged recording")
same(analyze(path)["accesses"], 5, "every access")
for profile in (analyze(path, "--statements"), analyze(merged, "--statements"), analyze(merged)):
    same(profile["accesses"], 3, "accesses of statements")
    same({row["lo"]: row["count"] for row in profile["histogram"]}, {0: 1}, "distances of statements")
    same(sum(row[5][2] for row in profile["attribution"]["places"]), 1, "writes of statements")
    same(numbers(profile), numbers(run("statements", "3", options=("--statements",))), "numbers of statements")

# Threads.
path, _, _ = record("threads")
profile = analyze(path)
same((profile["accesses"], profile["distinct"]), (4 * 2 * 30000, 4 * 50 + 100), "accesses and elements of threads")
check({"north", "east", "south", "west"} <= {value for row in profile["attribution"]["threads"] for value in row},
      "names of threads")
same({row[0] for row in profile["attribution"]["objects"]}, {"north", "east", "south", "west", "shared"}, "objects")
same(analyze(record("leave")[0])["accesses"], 1000, "accesses after the first thread has exited")

# A temporary recording, which `deja concurrent` makes.
to = scratch("concurrent.json")
ran = native(DEJA, "concurrent", "--json", "-o", to, "--model", "none", "--", ANNOTATED, "threads")
same(ran.returncode, 0, f"status of concurrent ({ran.stderr.decode()[-500:]})")
sharers = load(to)["sharers"]
same(sorted(sharer["name"] for sharer in sharers), ["east", "north", "south", "west"], "sharers")
for sharer in sharers:
    alone = sharer["standalone"]
    same((alone["accesses"], alone["distinct"], sharer["shared"]), (60000, 150, 100), f"accesses of {sharer['name']}")
for options in (("--caches", "L2=1K"), ("--block", "64"), ("--native-speeds",)):
    ran = native(DEJA, "concurrent", *options, "--", ANNOTATED, "threads")
    same(ran.returncode, 2, f"status of concurrent {options}")
    check(options[0].encode() + b" has no meaning" in ran.stderr, f"{options}: {ran.stderr[:500]}")

# Other processes: a forked child records nothing, other programs have files of their own.
os.mkdir(scratch("family"))
path = scratch("family/x.deja")
record("children", status=3, path=path)
same(analyze(path)["accesses"], 2, "accesses of a process with a child")
same(os.listdir(scratch("family")), ["x.deja"], "files of a forked child")
record("exec", path=path)
others = sorted(set(os.listdir(scratch("family"))) - {"x.deja"})
# No library is notified of an exec: what is on its way to deja is lost.
profile = analyze(path)
check(IN_FLIGHT < profile["accesses"] <= 400000, f"accesses before an exec: {profile['accesses']}")
check(len(others) == 1 and others[0].endswith("-1.deja"), f"files of an exec: {others}")
same(analyze(scratch(f"family/{others[0]}"))["accesses"], 90, "accesses after an exec")
record(words=("sh", "-c", f"{ANNOTATED} regions; {ANNOTATED} threads; exit 7"), options=("--tool", "annotations"),
       status=7, path=scratch("family/y.deja"))
found = [name for name in os.listdir(scratch("family")) if name.startswith("y.")]
same(sorted(analyze(scratch(f"family/{name}"))["accesses"] for name in found), [90, 240000], "processes of a shell")

# Programs and recorders that are killed.
path, _, said = record("end", "kill", "1000", status=128 + 9)
check("ended by signal 9" in said, f"the summary of a killed program: {said}")
profile = analyze(path)
check(1000000 - IN_FLIGHT <= profile["accesses"] <= 1000000, f"accesses of a killed program: {profile['accesses']}")
same([analyze(record("end", "quick_exit", "700", status=5)[0])["accesses"]], [700000], "accesses with quick_exit")
check("ended without notice" in record("end", "_exit", "1000", status=4)[2], "the summary after _exit")
same(({row["lo"] for row in profile["histogram"] if row["count"]}, profile["cold"]), ({32}, 64), "its distances")
path = scratch("cut.deja")
with subprocess.Popen([DEJA, "record", "-o", path, "--", ANNOTATED, "end", "_exit", "50000"], stderr=subprocess.DEVNULL) as deja:
    child = f"/proc/{deja.pid}/task/{deja.pid}/children"
    while not os.path.exists(path) or os.path.getsize(path) < 8000:  # more than the events before the first access
        time.sleep(0.005)
    with open(child) as file:
        process = int(file.read().split()[0])
    deja.kill()
ran = native(DEJA, "analyze", path)
same(ran.returncode, 3, "status of analyze for a recording that is cut short")
check(b"the stream is cut short here, after" in ran.stderr, f"reason of a recording that is cut short: {ran.stderr}")
until = time.time() + 20
while os.path.exists(f"/proc/{process}") and time.time() < until:
    time.sleep(0.05)
check(time.time() < until, "the program did not continue after deja was killed")

# Targets.
path = scratch("kept.deja")
with open(path, "w") as file:
    os.fchmod(file.fileno(), 0o640)
record("regions", path=path)
same(os.stat(path).st_mode & 0o777, 0o640, "permissions of the recording")
mark = scratch("ran")
for target in ("/nowhere/x.deja", scratch("family")):
    ran = native(DEJA, "record", "-o", target, "--tool", "annotations", "--", "touch", mark)
    same(ran.returncode, 125, f"status for {target}")
    check(not os.path.exists(mark), f"the program ran although {target} cannot be written")

# What is left out.
check(": 0 accesses" in record("regions", options=("--paused",))[2], "the summary of a paused recording")
ran = native(DEJA, "record", "--tool", "annotations", "-o", scratch("none.deja"), "--", "true")
same(ran.returncode, 125, "status for a program without annotations")
check(b"left no recording: it records no data" in ran.stderr, f"its reason: {ran.stderr}")
check(not os.path.exists(scratch("none.deja")), "a recording of a program without annotations")
finish()
