# SPDX-License-Identifier: MIT
"""A program that truncates, overwrites or replaces the file through which it is traced gets a report anyway,
marked partial unless nothing was lost, or status 125; it never ends or blocks deja."""
import os

from live import NATIVE, check, deja, finish, load, need, program, same, scratch

need("valgrind")
os.mkdir(scratch("runtime"), 0o700)
os.environ["XDG_RUNTIME_DIR"] = scratch("runtime")  # what an attack leaves there is removed with it
hostile = program("hostile")
ROUNDS, CELLS = 820, 4096


def attack(*words, verb="run"):
    """The finished deja and its profile, or None."""
    path = scratch("hostile.out")
    if os.path.exists(path):
        os.remove(path)
    ran = deja(verb, *(["--json"] if verb == "run" else []), "-o", path, "--", hostile, *words)
    what = f"{verb} {' '.join(words)}: status {ran.returncode}, {ran.stderr.decode()[-500:]}"
    # A negative status would mean that deja itself was killed, and 2 or 3 that the attack did not work.
    check(ran.returncode >= 0 and b"Sanitizer" not in ran.stderr, what)
    if verb == "run" and os.path.exists(path):
        return ran, load(path), what
    return ran, None, what


for name in ("grow", "unlink", "fake"):
    ran, profile, what = attack(name)
    same((ran.returncode, ran.stdout), (0, b"done\n"), what)
    if check(profile is not None, f"no report: {what}"):
        check(profile["accesses"] >= 2 * ROUNDS * CELLS, f"{profile['accesses']} accesses: {what}")
        same(profile["partial"], False, f"{what}: partial")
    same(b"is not analyzed" in ran.stderr, name == "fake", f"{what}: a message about files that are no rings")

# A child loses its ring before deja opens it. Nobody can read it, so the child must not wait.
for how in ("link", "folder", "nothing"):
    ran, profile, what = attack("lose", how)
    same((ran.returncode, ran.stdout), (0, b"done\n"), what)
    check(b"is not analyzed: " in ran.stderr, f"no message: {what}")
    if check(profile is not None, f"no report: {what}"):
        check(profile["accesses"] >= 2 * ROUNDS * CELLS, f"{profile['accesses']} accesses: {what}")
        check("is not analyzed: " in profile["provenance"].get("missing", ""), f"the profile does not say so: {what}")
        shown = deja("report", scratch("hostile.out"))
        check(b"MISSING process " in shown.stdout, f"a report of the profile does not say so: {shown.stdout.decode()}")
    same(os.listdir(scratch("runtime")), [], f"{what}: left behind")

if NATIVE:  # the shell is not traced, so that the first ring is that of the program
    ran = deja("run", "--", "sh", "-c", f"kill -STOP $PPID; exec {hostile} lose-own link")
    same((ran.returncode, ran.stdout), (5, b"done\n"), f"a program without a ring ({ran.stderr.decode()})")
    check(b"is not analyzed: " in ran.stderr, f"no message about a program without a ring: {ran.stderr.decode()}")
    same(os.listdir(scratch("runtime")), [], "left behind by a program without a ring")

for length in (0, 4096, 1 << 18):  # nothing is left, a part of the header, a part of the frames
    ran, profile, what = attack("truncate", str(length))
    if check(profile is not None, f"no report: {what}"):
        check(profile["accesses"] > CELLS, f"{profile['accesses']} accesses: {what}")
        check(profile["partial"] and profile["partial_reason"], f"not marked partial: {what}")

for name in ("header", "counts", "frames"):
    for seed in range(2):
        ran, profile, what = attack(name, str(seed))
        check(profile or ran.returncode >= 3, f"neither a report nor a status: {what}")
        if profile and ran.returncode == 0 and name == "frames":
            check(profile["partial"] or profile["accesses"] > CELLS, what)
ran, _, what = attack("truncate", "0", verb="record")
check(b"the recording is partial" in ran.stderr, f"the recording is not called partial: {what}")
ran = deja("analyze", "--json", scratch("hostile.out"))
same(ran.returncode, 3, "analysis of a recording that lacks its end: status")
same(b'"partial": true' in ran.stdout, True, "analysis of a recording that lacks its end: partial")
attack("header", "1", verb="record")
finish()
