# SPDX-License-Identifier: MIT
"""The profile of an annotated program matches a brute-force model of its source."""
import json
import os

from elements import distances, replay
from live import NATIVE, DEJA, RECORDER, check, finish, native, program, same, scratch, skip

if NATIVE:
    skip("annotated programs are not recompiled")
ANNOTATED = program("annotated")


def record(*arguments, status=0):
    """Runs the program without `deja run`; returns its profile and its output."""
    path = scratch("profile.json")
    if os.path.exists(path):
        os.remove(path)
    ran = native(ANNOTATED, *arguments, env={**os.environ, "DEJA_RECORDER": RECORDER, "DEJA_RECORD": path})
    same(ran.returncode, status, f"status of {arguments}")
    same(ran.stderr, b"", f"messages of {arguments}")
    with open(path) as file:
        return json.load(file), ran.stdout.decode()


def run(*options):
    path = scratch("run.json")
    ran = native(DEJA, "run", *options, "--json", "-o", path, "--", ANNOTATED, "regions")
    same(ran.returncode, 0, f"status of deja run {options}")
    with open(path) as file:
        return json.load(file)


for seed in range(1, 6):
    profile, text = record("random", str(seed))
    stream, outside = replay(text)
    expected, cold = distances(stream)
    check(len(stream) > 1000 and outside > 100, "the random program does not do enough to test anything")
    same(profile["accesses"], len(stream), "accesses")
    same(profile.get("outside", 0), outside, "accesses outside of data")
    same(profile["cold"], cold, "cold accesses")
    same({row["lo"]: row["count"] for row in profile["histogram"]}, dict(expected), f"distances, seed {seed}")

for arguments in (("without barriers", "threads"), ("threads",)):
    profile, _ = record(*arguments)
    same(profile["accesses"], 4 * 2 * 30000, f"accesses of {arguments}")
    same(profile["distinct"], 4 * 50 + 100, f"elements of {arguments}")
names = {value for row in profile["attribution"]["threads"] for value in row}
check({"north", "east", "south", "west"} <= names, f"names of threads: {names}")
objects = {row[0] for row in profile["attribution"]["objects"]}
same(objects, {"north", "east", "south", "west", "shared"}, "objects of threads")

profile, text = record("signals")
same(profile["accesses"], sum(int(n) for n in text.split()), "accesses with a signal handler")

profile, _ = record("children", status=3)
same(profile["accesses"], 2, "accesses of a process with a child")
record("children beside threads")

same(run()["accesses"], 90, "accesses of all regions")
same(run()["provenance"]["format"], "annotations", "the tool that auto chooses")
same(run("--within", "middle")["accesses"], 60, "accesses within a region")
same(run("--start-at", "middle")["accesses"], 80, "accesses from a region on")
same(run("--within", "main", "--skip", "5")["accesses"], 85, "accesses within a function")

# The recorder's threads do not keep a process alive after its first thread has exited.
profile, _ = record("leave")
same(profile["accesses"], 1000, "accesses after the first thread has exited")
profile, _ = record("cancel")
check(profile["accesses"] > 0, "accesses of threads that were cancelled")

# A killed program leaves a profile of what it had recorded shortly before.
for how, status, whole in (("kill", -9, False), ("slow", -9, False), ("_exit", 4, False), ("quick_exit", 5, True)):
    profile, _ = record("end", how, status=status)
    said = profile["partial_reason"]
    same(profile["partial"], not whole, f"partial after {how}")
    check(whole or "this is what it had recorded after" in said, f"reason after {how}: {said}")
    same((profile["cold"], profile["distinct"]), (64, 64), f"elements after {how}")
    check(profile["accesses"] >= (2000 if how == "slow" else 100000), f"accesses after {how}: {profile['accesses']}")
    same({row["lo"] for row in profile["histogram"]}, {39, 63}, f"distances after {how}")
    same(sum(row[5][0] for row in profile["attribution"]["places"]), profile["accesses"], f"places after {how}")
path = scratch("killed.json")
ran = native(DEJA, "run", "--json", "-o", path, "--", ANNOTATED, "end", "term")
same(ran.returncode, 128 + 15, "status of deja run for SIGTERM")
with open(path) as file:
    check("was killed" in json.load(file)["partial_reason"], "the reason in the profile of deja run")

ran = native(DEJA, "run", "--", ANNOTATED, "end", "abort at once")
same(ran.returncode, 128 + 6, "status of deja run for a program that leaves no profile")

# Without Deja, or without a recorder, the program runs as usual.
for environment in ({}, {"DEJA_RECORDER": "/nowhere/lib.so", "DEJA_RECORD": scratch("none.json")}):
    ran = native(ANNOTATED, "random", env={**os.environ, **environment})
    same((ran.returncode, ran.stderr), (0, b""), "a run without Deja")
check(not os.path.exists(scratch("none.json")), "a profile without a recorder")
ran = native(ANNOTATED, "regions", env={**os.environ, "DEJA_RECORDER": RECORDER, "DEJA_RECORD": "/nowhere/p.json"})
same((ran.returncode, ran.stderr.count(b"\n")), (0, 1), "a profile that cannot be written")
for path, reason in (("/nowhere/p.json", b"No such file"), ("/dev/full", b"No space left")):
    ran = native(ANNOTATED, "regions", env={**os.environ, "DEJA_RECORDER": RECORDER, "DEJA_RECORD": path})
    check(path.encode() in ran.stderr and reason in ran.stderr, f"reason for the missing profile: {ran.stderr}")
for options in (("--caches", "L1=32K"), ("--block", "64"), ("--split",), ("--fresh-heap",), ("--paused",)):
    ran = native(DEJA, "run", *options, "--", ANNOTATED, "regions")
    same(ran.returncode, 2, f"status with {options}")
    check(options[0].encode() + b" has no meaning" in ran.stderr, f"{options} with annotations: {ran.stderr[:500]}")

# Each process that records gets a profile.
profile = run()
same((profile["process"]["status"], profile["process"]["killed"], profile["processes"]), (0, False, []), "one process")
path = scratch("family.json")
ran = native(DEJA, "run", "--tool", "annotations", "--json", "-o", path, "--", "sh", "-c",
             f"{ANNOTATED} regions; {ANNOTATED} random 1 >/dev/null; exit 7")
same(ran.returncode, 7, "status of a shell")
with open(path) as file:
    family = json.load(file)
same(family["accesses"], 90, "accesses of the first process that records")
same(len(family["processes"]), 1, "other processes")
check(family["processes"][0]["accesses"] > 1000, "accesses of the other process")
check("random" in family["processes"][0]["process"]["command"], "its command")
finish()
