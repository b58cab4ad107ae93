# SPDX-License-Identifier: MIT
"""Symbols whose reading fails: the helper process runs out of memory, crashes or is killed. Distances stay
right, missing names are marked, and what needs names ends with status 4. With little memory of its own, deja
ends with a result or status 4, never by a signal."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from live import DEJA, PROGRAMS, check, command, deja, finish, leave_out, load, need, program, same, scratch

need("valgrind")
trace, shim = scratch("known.deja"), os.path.join(PROGRAMS, "..", "faults", "fault_shim.so")
ran = deja("record", "-o", trace, "--", program("known"))
same(ran.returncode, 0, f"status of record ({ran.stderr.decode()})")
OUTCOME = "symbols ran out of memory: later places are shown as addresses"


def starved(kind, number):
    """The environment in which one allocation of the helper fails."""
    return {**os.environ, "LD_PRELOAD": shim, "DEJA_FAULT_PROGRAM": "deja-symbols",
            "DEJA_FAULT": f"{kind}:one:{number}"}


def analyze(*options, **how):
    path = scratch("profile.json")
    if os.path.exists(path):
        os.remove(path)
    ran = deja("analyze", trace, "--json", "-o", path, *(options or ("--by", "all")), **how)
    return ran, load(path) if os.path.exists(path) else None


def without_names(profile):
    return {name: profile[name] for name in ("accesses", "distinct", "cold", "distance")}


whole = analyze()[1]
same(whole["partial"], False, "partial")
functions = {row[0] for row in whole["attribution"]["functions"]}
check("main" in functions, f"functions: {sorted(functions)[:20]}")

# A copy of the executable without the files beside it.
alone = shutil.copy(DEJA, scratch("deja-alone"))
ran = subprocess.run([alone, "analyze", trace, "--json", "--by", "all"], capture_output=True, timeout=200)
check(b"note: deja-symbols was not found" in ran.stderr, f"no note about a missing helper: {ran.stderr.decode()}")
same(json.loads(ran.stdout)["attribution"], whole["attribution"], "names without a helper")

if os.path.exists(shim):
    for kind in ("malloc", "calloc", "realloc"):
        number, partial = 1, 0
        while True:
            ran, profile = analyze(env=starved(kind, number))
            same(ran.returncode, 0, f"status with {kind} {number} failing ({ran.stderr.decode()})")
            same(without_names(profile), without_names(whole), f"with {kind} {number} failing")
            if not profile["partial"]:
                same(profile["attribution"], whole["attribution"], f"with {kind} {number} failing")
                break
            same(profile["partial_reason"], OUTCOME, "reason")
            names = {row[0] for row in profile["attribution"]["functions"]}
            wrong = [name for name in names - functions if not re.match(r"0x[0-9a-f]+ in ", name)]
            check(not wrong, f"new functions: {sorted(wrong)[:20]}")
            partial += 1
            number = 3 * number + 1
        check(partial > 1, f"only {partial} failures of {kind} had an effect")
    ran = deja("analyze", trace, "--by", "all", "--within", "main", env=starved("malloc", 5))
    same(ran.returncode, 4, f"status of --within ({ran.stderr.decode()})")
    check(b"--within needs the program's symbols" in ran.stderr, f"message of --within: {ran.stderr.decode()}")
    ran = deja("run", "--by", "all", "--", program("known"), env=starved("malloc", 5))
    same(ran.returncode, 0, f"status of run ({ran.stderr.decode()})")
    check(OUTCOME.encode() in ran.stdout + ran.stderr, "run does not say that names are missing")
else:
    leave_out("failing allocations of the helper: not built with a sanitizer")

folder = scratch("lib")
os.mkdir(folder)


def replace_helper(does):
    with open(os.path.join(folder, "deja-symbols"), "w") as file:
        file.write(f"#!/bin/sh\n{does}\n")
    os.chmod(file.name, 0o755)


def states(parent, pid=None):
    """The children of a process, or this process, with their states."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")) if pid is None else [str(pid)]:
        try:
            with open(f"/proc/{name}/stat") as file:
                state, above = file.read().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if pid is not None or int(above) == parent:
            found[int(name)] = state
    return found


def interrupt(state, times):
    """Interrupts deja when its helper is in a state. Returns status, profile, seconds, and the helper's last state."""
    path = scratch("interrupted.json")
    if os.path.exists(path):
        os.remove(path)
    ran = subprocess.Popen(command("analyze", trace, "--json", "--by", "all", "-o", path),
                           env={**os.environ, "DEJA_LIB": folder}, stderr=subprocess.DEVNULL)
    helper = []
    while not helper and ran.poll() is None:
        helper = [pid for pid, now in states(ran.pid).items() if now == state]
        time.sleep(0.1)
    begin = time.monotonic()
    for _ in range(times):
        ran.send_signal(signal.SIGINT)
        time.sleep(0.5)
    try:
        status = ran.wait(30)
    except subprocess.TimeoutExpired:
        ran.kill()
        status = ran.wait()
    time.sleep(0.2)
    last = [states(None, pid).get(pid, "Z") for pid in helper]
    for pid, now in zip(helper, last):
        if now != "Z":
            os.kill(pid, signal.SIGKILL)
    return status, load(path) if os.path.exists(path) else None, time.monotonic() - begin, last


# A helper that is stopped, and one that never answers.
replace_helper("kill -STOP $$")
status, profile, seconds, last = interrupt("T", 1)
same((status, last), (130, ["Z"]), "status of an interrupt while the helper is stopped, and the helper's end")
check(seconds < 20, f"it took {seconds} seconds")
if check(profile is not None, "no profile of an interrupt while the helper is stopped"):
    check(profile["partial"] and profile["accesses"] > 0, "the profile of an interrupt is empty or not marked partial")
replace_helper("exec sleep 1000")
status, _, seconds, last = interrupt("S", 2)
same((status, last), (-signal.SIGINT, ["Z"]), "status of two interrupts while the helper is busy, and the helper's end")

# A helper that crashes: the reason is in the profile.
replace_helper("kill -SEGV $$")
ran, profile = analyze(env={**os.environ, "DEJA_LIB": folder})
same(ran.returncode, 0, "status with a helper that crashes")
same(profile["partial"], True, "partial with a helper that crashes")
check("signal 11" in profile["partial_reason"], f"reason: {profile['partial_reason']}")
same(without_names(profile), without_names(whole), "with a helper that crashes")

# Without the helper, deja reads symbols itself.
os.remove(os.path.join(folder, "deja-symbols"))
ran, profile = analyze(env={**os.environ, "DEJA_LIB": folder})
same(profile["attribution"], whole["attribution"], "without the helper")

# Address space in KiB. Sanitizers reserve terabytes of it.
if os.path.exists(shim):
    for kib in (40000, 60000, 80000, 100000, 140000):
        for options in (("--by", "all"), ("--engine", "hprda")):
            ran, profile = analyze(*options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, 2 * (1024 * kib,)))
            good = ran.returncode == 0 and profile and (profile["partial"] or profile["accesses"] == whole["accesses"])
            check(good or (ran.returncode == 4 and ran.stderr.startswith(b"deja: ")),
                  f"{options} with {kib} KiB: status {ran.returncode}, {ran.stderr.decode()}")
finish()
