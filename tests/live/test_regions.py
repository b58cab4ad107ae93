# SPDX-License-Identifier: MIT
"""Signals from outside switch counting on and off."""
import signal
import subprocess
import time

from live import Tables, check, command, finish, load, need, profile, program, same, scratch

need("valgrind")
behave = program("behave")
paused = profile([behave, "exit", "5"], "--paused", status=5)
same(paused.get("accesses", 0), 0, "accesses while paused")



def toggle(pause):
    """The profile of a run that counted only in the second of three pauses."""
    path = scratch("toggled.json")
    run = subprocess.Popen(command("run", "--paused", "--by", "all", "--json", "-o", path, "--", behave, "forever"),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same(run.stdout.readline(), b"working\n", "first line of the program's output")
    for _ in range(2):
        time.sleep(pause)
        run.send_signal(signal.SIGUSR1)
    time.sleep(pause)
    run.terminate()
    said = run.communicate(timeout=60)[1].decode()
    same(run.returncode, 128 + signal.SIGTERM, f"status after SIGTERM ({said})")
    return load(path)


for pause in (0.7, 3, 10):  # on a busy machine nothing may happen in the first one
    toggled = toggle(pause)
    if toggled.get("accesses", 0) > 10000:
        break
tables = Tables(toggled)
check(tables.count() > 10000, f"{tables.count()} accesses after SIGUSR1")
same({p["function"] for p in tables.places} - {"work", "forever"}, set(), "functions while counting")
same({p["path"][-1] for p in tables.where(function="work")}, {"work"}, "context if counting began within it")
finish()
