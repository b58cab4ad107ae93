# SPDX-License-Identifier: MIT
"""kill -9 of the program leaves a partial profile or a readable trace; kill -9
of deja leaves no process behind, and a readable trace."""
import os
import signal
import subprocess
import time

from live import PATIENCE, check, command, deja, finish, load, need, program, same, scratch

need("valgrind")
behave = program("behave")


def start(*arguments):
    run = subprocess.Popen(command(*arguments, "--", behave, "forever"), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    same(run.stdout.readline(), b"working\n", "first line of the program's output")
    time.sleep(1)
    for _ in range(600 if arguments[0] == "record" else 0):  # a busy machine has written nothing yet
        if os.path.exists(arguments[-1]) and os.path.getsize(arguments[-1]) > 10000:
            break
        time.sleep(0.1)
    return run


def descendants(pid):
    """All descendants of `pid`, from /proc."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat:
                    parents[int(name)] = int(stat.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    found, frontier = [], [pid]
    while frontier:
        frontier = [p for p, parent in parents.items() if parent in frontier]
        found += frontier
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def kill_program(*arguments):
    run = start(*arguments)
    below = descendants(run.pid)
    check(below, "deja has no child process")
    for pid in below:
        os.kill(pid, signal.SIGKILL)
    _, messages = run.communicate(timeout=PATIENCE)
    check(run.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), 
          f"status {run.returncode} after kill -9: {messages}")
    return messages


path = scratch("killed.json")
kill_program("run", "--json", "-o", path)
if check(os.path.exists(path), "no profile of a killed program"):
    check(load(path)["accesses"] > 10000, "too few accesses of a killed program")

stream = scratch("killed.deja")
kill_program("record", "-o", stream)
ran = deja("analyze", "--json", stream)
check(b'"accesses": ' in ran.stdout, f"the trace of a killed program cannot be read: {ran.stderr.decode()[-500:]}")

for arguments in (["run", "--json", "-o", scratch("x.json")], ["record", "-o", scratch("cut.deja")]):
    run = start(*arguments)
    below = descendants(run.pid)
    run.kill()
    run.wait()
    for _ in range(20):
        left = [pid for pid in below if alive(pid)]
        # The program continues without its analyzer or ends; it must not hang on a full ring.
        if not left:
            break
        time.sleep(0.1)
    stuck = []
    for pid in left:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        before = int(fields[11]) + int(fields[12])
        time.sleep(0.5)
        if alive(pid):
            with open(f"/proc/{pid}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            if int(fields[11]) + int(fields[12]) == before:
                stuck.append(pid)
        os.kill(pid, signal.SIGKILL)
    same(stuck, [], f"{arguments[0]}: processes that hang after deja was killed")
ran = deja("analyze", "--json", scratch("cut.deja"))
check(b'"accesses": ' in ran.stdout, f"the trace of a killed recorder cannot be read: {ran.stderr.decode()[-500:]}")


def abandon(end):
    """A program whose analyzer has ended still executes other programs normally."""
    script = "trap '' INT; for i in 1 2 3 4 5 6; do sleep 0.3; /bin/echo word; done; seq 1 20000 | tail -n 1"
    run = subprocess.Popen(command("record", "-o", scratch("left.deja"), "--", "sh", "-c", script),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    first = run.stdout.readline()
    end(run.pid)
    # Nothing has waited for deja yet: it is a zombie while the program continues.
    try:
        out, messages = run.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        out, messages = run.communicate()
        check(False, "the program hangs")
    same((first + out).decode(), "word\n" * 6 + "20000\n", "output of a program without its analyzer")
    check(b"valgrind" not in messages, f"messages of a program without its analyzer: {messages.decode()[-500:]}")


def interrupt_twice(pid):
    for _ in range(2):
        os.killpg(pid, signal.SIGINT)
        time.sleep(0.3)


abandon(lambda pid: os.kill(pid, signal.SIGKILL))
abandon(interrupt_twice)
finish()
