# SPDX-License-Identifier: MIT
"""Files that are shortened while deja reads them. Each run is stopped in the middle of its file, the file is
shortened, and the run continues: it must end with status 3, name the file, and mark what it prints as partial.
  shrinking.py DEJA FOLDER"""
import gzip
import os
import signal
import subprocess
import sys
import time

deja, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
failures = 0
os.chdir(folder)


def check(truth, message):
    global failures
    if not truth:
        failures += 1
        print(message)
    return truth


def position(process, name):
    """How far the process has read the file; None: it is not open."""
    base = f"/proc/{process.pid}"
    try:
        for fd in os.listdir(f"{base}/fd"):
            if os.readlink(f"{base}/fd/{fd}") == os.path.realpath(name):
                with open(f"{base}/fdinfo/{fd}") as file:
                    return int(file.readline().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        pass
    return None


def shorten(words, name, to):
    """Runs deja and shortens the file to a share of what is read by then: more than all of it is what follows.
    None: deja has read everything before it could be stopped."""
    with open(name, "rb") as file:
        whole = file.read()
    process = subprocess.Popen([deja, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None:
        if (position(process, name) or 0) > 70000:
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.02)
            break
    at = position(process, name)
    middle = at is not None and to * at < len(whole) and at < len(whole)
    if middle:
        os.truncate(name, int(to * at))
    process.send_signal(signal.SIGCONT)
    try:
        out, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        out, errors = process.communicate()
    with open(name, "wb") as file:
        file.write(whole)
    return (process.returncode, out.decode(), errors.decode()) if middle else None


lines = b"".join(b"%d\n" % (1000000 + i * 7919 % 9000000) for i in range(1000000))
with open("plain.txt", "wb") as file:
    file.write(lines)
with gzip.open("text.gz", "wb", compresslevel=1) as file:
    file.write(lines)
for name in ("plain.txt", "text.gz"):
    for to in (0.5, 1.001):  # before what has been read, and behind it, within a line
        for attempt in range(5):
            ended = shorten(["analyze", "--engine", "tree", name], name, to)
            if ended:
                break
        if not check(ended, f"{name}: deja was never stopped in the middle of it"):
            continue
        status, out, errors = ended
        what = f"{name}, to {to} of what was read"
        check(status == 3, f"{what}: status {status}: {errors}")
        check(name in errors and "bytes when it was opened" in errors, f"{what}: {errors}")
        check("PARTIAL" in out, f"{what}: not marked as partial: {out[:300]}")
sys.exit(failures > 0)
