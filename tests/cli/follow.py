# SPDX-License-Identifier: MIT
"""Feeds `deja mrc --follow` slowly. Each printed curve of all so far must be that of `deja mrc` on the same
prefix, each curve of a window that of an LRU stack kept here."""
import gzip
import json
import os
import random
import signal
import struct
import subprocess
import sys
import time

DEJA, WORK = sys.argv[1], sys.argv[2]
SIZES = [1, 2, 5, 20, 60, 100, 150, 400]
LIST = ",".join(map(str, SIZES))
PATIENCE = 120  # seconds: the machine may be busy
failures = 0


def complain(case, text):
    global failures
    failures += 1
    print(f"{case}: {text}")


def path(name):
    return os.path.join(WORK, name)


def make_keys(count, seed):
    """Phases with different keys, so that windows differ from all so far."""
    rng = random.Random(seed)
    keys = []
    while len(keys) < count:
        low, kinds = rng.randrange(400), rng.choice([5, 50, 300])
        keys += [low + int(kinds * rng.random() ** 2) for _ in range(rng.randrange(200, 900))]
    return keys[:count]


def distances(keys):
    """From the definition; -1: a first access."""
    stack, out = [], []
    for key in keys:
        if key in stack:
            at = stack.index(key)
            out.append(at)
            del stack[at]
        else:
            out.append(-1)
        stack.insert(0, key)
    return out


def as_text(keys):
    return "".join(f"{key}\n" for key in keys).encode()


def as_u64le(keys):
    return b"".join(struct.pack("<Q", key) for key in keys)


FORMS = {"text": as_text, "u64le": as_u64le}


def start(arguments, **how):
    # The default action of signals, which a script's background job may not have.
    return subprocess.Popen([DEJA, "mrc", "--follow=0.2", "--json", "--sizes", LIST, *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **how)


def finish(child):
    out, err = child.communicate(timeout=PATIENCE)
    return [json.loads(line) for line in out.decode().splitlines()], err.decode(), child.returncode


def read_reports(child, case, accesses):
    """Reads reports until one has so many accesses."""
    reports = []
    while not reports or reports[-1]["all"]["accesses"] < accesses:
        line = child.stdout.readline()
        if not line:
            complain(case, f"ended early: {child.stderr.read().decode()}")
            return reports
        reports.append(json.loads(line))
    return reports


def check(case, reports, keys, form, options, exact=True):
    """Compares all reports."""
    distance, before, prefixes = distances(keys), 0, {}
    for number, report in enumerate(reports, 1):
        end = report["all"]["accesses"]
        if report["number"] != number or report["window"]["accesses"] != end - before:
            complain(case, f"report {number} has the wrong number or window")
        if end not in prefixes:
            file = path("prefix")
            with open(file, "wb") as out:
                out.write(FORMS[form](keys[:end]))
            run = subprocess.run([DEJA, "mrc", "--json", "--sizes", LIST, "--format", form, *options, file],
                                 capture_output=True, check=True)
            prefixes[end] = json.loads(run.stdout)
        expected = prefixes[end]
        for field in ("distinct", "cold"):
            if report[field] != expected[field]:
                complain(case, f"report {number}: {field} {report[field]}, expected {expected[field]}")
        # The distances of engine scale are those of the batches that came, all within its bound.
        got, like = report["all"], expected
        same = got["points"] == like["points"] and got.get("sampling") == like.get("sampling")
        if not same and "--error" not in options:
            complain(case, f"report {number} differs from the curve of its first {end} accesses")
        for point in report["all"]["points"]:
            ratio = sum(d < 0 or d >= point["size"] for d in distance[:end]) / end
            if "low" in point and not point["low"] - 1e-9 <= ratio <= point["high"] + 1e-9:
                complain(case, f"report {number}: the band does not contain {ratio}")
        if report["provenance"]["exact"] != expected["provenance"]["exact"]:
            complain(case, f"report {number} is marked wrongly")
        window = distance[before:end]
        last = len(window)
        for point in report["window"]["points"]:
            misses = sum(d < 0 or d >= point["size"] for d in window)
            if exact and point["misses"] != misses:
                complain(case, f"report {number}: {point['misses']} misses in the window, not {misses}")
            if "low" in point and window and not point["low"] - 1e-9 <= misses / len(window) <= point["high"] + 1e-9:
                complain(case, f"report {number}: the band of the window does not contain {misses}/{len(window)}")
            if not 0 <= point["misses"] <= last:
                complain(case, f"report {number}: impossible misses in the window")
            last = point["misses"]
            if window and abs(point["ratio"] - point["misses"] / len(window)) > 1e-12:
                complain(case, f"report {number}: a wrong ratio")
        before = end


def feed(write, data, rng, pause=0.05):
    """In pieces that end anywhere."""
    at = 0
    while at < len(data):
        piece = rng.randrange(1, len(data) // 8)
        write(data[at:at + piece])
        at += piece
        time.sleep(pause * rng.random() * 4)


def test_pipe(form, options, exact=True, seed=1):
    case = f"pipe {form} {' '.join(options)}"
    keys = make_keys(6000, seed)
    child = start(["--format", form, *options, "-"], stdin=subprocess.PIPE)

    def write(piece):
        child.stdin.write(piece)
        child.stdin.flush()

    feed(write, FORMS[form](keys), random.Random(seed))
    reports, err, status = finish(child)
    if status != 0 or len(reports) < 2 or reports[-1]["all"]["accesses"] != len(keys):
        complain(case, f"status {status}, {len(reports)} reports: {err}")
    check(case, reports, keys, form, options, exact)
    bounded = "aet" in options
    if err.count("memory grows") != (0 if bounded else 1):
        complain(case, f"the note about memory: {err!r}")


def test_file(form, options, end, exact=True):
    """A file that grows, empty at first; `end` does something to it, and returns the expected status and words."""
    case = f"file {form} {end.__name__}"
    file, keys = path("growing." + form), make_keys(5000, 7)
    open(file, "wb").close()
    child = start([*options, file])
    data = FORMS[form](keys)
    rest = 3 if form == "u64le" else 1  # an incomplete record or line at the end, held back
    with open(file, "ab", buffering=0) as out:
        feed(out.write, data[:-rest], random.Random(3))
        reports = read_reports(child, case, len(keys) - 1)
        time.sleep(0.5)
        status, words = end(child, file)
    more, err, got = finish(child)
    reports += more
    if got != status or words not in err:
        complain(case, f"status {got}, expected {status}; {err}")
    if not more or reports[-1]["all"]["accesses"] != len(keys) - 1 or not reports[-1]["partial"]:
        complain(case, "the last report is missing, or is not that of all complete records, marked partial")
    check(case, reports, keys, form, options, exact)


def interrupt(child, _):
    child.send_signal(signal.SIGINT)
    return 130, "interrupted"


def shorten(_, file):
    os.truncate(file, 100)
    return 3, "shortened to 100 bytes"


def replace(_, file):
    with open(file + ".new", "wb") as out:
        out.write(b"1\n" * 100000)
    os.replace(file + ".new", file)
    return 3, "another file replaced it"


def remove(_, file):
    os.remove(file)
    return 3, "was removed"


def test_silence():
    """Reports come while nothing does, and Ctrl-C ends even a wait for the first access."""
    fifo = path("fifo")
    os.mkfifo(fifo)
    child = start(["--format", "text", fifo])
    with open(fifo, "wb", buffering=0) as out:
        out.write(b"1\n2\n1\n")
        reports = [json.loads(child.stdout.readline()) for _ in range(3)]
    reports += finish(child)[0]
    if [r["all"]["accesses"] for r in reports[:3]] != [3, 3, 3] or reports[2]["window"]["accesses"] != 0:
        complain("silence", "no reports of a pipe without news")
    child = start(["--format", "text", "-"], stdin=subprocess.PIPE)
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    child.wait(timeout=PATIENCE)  # while the pipe is open
    reports, err, status = finish(child)
    if reports or status != 130 or "interrupted" not in err:
        complain("silence", f"status {status}, expected 130; {err}")


def test_closed_output():
    child = start(["--format", "text", "-"], stdin=subprocess.PIPE)
    child.stdout.close()
    child.stdin.write(b"1\n2\n")
    child.stdin.flush()
    status = child.wait(timeout=PATIENCE)
    err = child.stderr.read().decode()
    if status != 141 or err:  # as if SIGPIPE had ended it
        complain("closed output", f"status {status}, expected 141 and no message; {err}")


def test_detection():
    """Without --format, and with a first line that comes in two pieces."""
    file = path("requests.log")
    with open(file, "wb", buffering=0) as out:
        out.write(b"12")
        child = start([file])
        time.sleep(0.5)
        out.write(b"34\n77\n1234\n5")
        reports = read_reports(child, "detection", 3)
        out.write(b"6\n")
        reports += read_reports(child, "detection", 4)
        child.send_signal(signal.SIGINT)
        finish(child)
    check("detection", reports, [1234, 77, 1234, 56], "text", [])


def test_text():
    """The default output."""
    run = subprocess.run([DEJA, "mrc", "--follow", "--engine", "aet", "--format", "text", "-"], input=b"1\n2\n1\n",
                         capture_output=True, check=True)
    for words in ("ESTIMATE error bound unknown", "3 accesses to 2 keys, 3 in the last", "all so far"):
        if words not in run.stdout.decode():
            complain("text", f"'{words}' is missing: {run.stdout.decode()}")


def test_memory():
    """What engine aet holds does not depend on the number of keys."""
    child = start(["--format", "u64le", "--engine", "aet", "-"], stdin=subprocess.PIPE)
    most = []
    for part in range(8):
        child.stdin.write(as_u64le(range(part * 200000, (part + 1) * 200000)))
        child.stdin.flush()
        read_reports(child, "memory", (part + 1) * 200000)
        with open(f"/proc/{child.pid}/status", encoding="ascii") as status:
            most += [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
    finish(child)
    if most[-1] - most[2] > 2048:
        complain("memory", f"grows: {most} KiB")


def refuse(status, words, *arguments):
    run = subprocess.run([DEJA, "mrc", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
                         check=False)
    if run.returncode != status or words not in run.stderr.decode() or run.stdout:
        complain(" ".join(arguments), f"status {run.returncode}, expected {status}; {run.stderr.decode()}")


def test_refusals():
    text, packed, stream = path("plain.txt"), path("packed.txt.gz"), path("t.deja")
    with open(text, "wb") as out:
        out.write(b"1\n2\n1\n")
    with gzip.open(packed, "wb") as out:
        out.write(b"1\n2\n1\n" * 1000)
    subprocess.run([DEJA, "convert", text, "-o", stream], check=True, capture_output=True)
    refuse(3, "zcat", "--follow", packed)
    refuse(3, "zcat", "--follow", "--format", "text", packed)
    refuse(3, "cannot be followed", "--follow", stream)
    refuse(3, "empty", "--follow", "-")
    refuse(2, "only one file", "--follow", text, text)
    refuse(2, "not a number of seconds", "--follow=0", text)
    refuse(2, "not a number of seconds", "--follow=soon", text)
    refuse(2, "--ways", "--follow", "--ways", "4", text)
    refuse(2, "-o and --follow", "--follow", "-o", path("out"), text)
    refuse(2, "--export", "--follow", "--export", "csv", text)


test_pipe("text", [])
test_pipe("u64le", ["--engine", "tree"])
test_pipe("text", ["--sample", "50%"], exact=False, seed=2)
test_pipe("text", ["--error", "5%"], exact=False, seed=3)
test_pipe("u64le", ["--engine", "aet"], exact=False, seed=4)
test_file("text", [], interrupt)
test_file("u64le", ["--engine", "aet"], interrupt, exact=False)
test_file("text", [], shorten)
test_file("text", [], replace)
test_file("u64le", [], remove)
test_silence()
test_closed_output()
test_detection()
test_text()
test_memory()
test_refusals()
sys.exit(failures > 0)
