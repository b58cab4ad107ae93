# SPDX-License-Identifier: MIT
"""deja concurrent on programs: what threads that share a cache do to each other, however they end, and how fast
they are. What deja run and deja analyze say about the order of threads."""
import csv
import os
import signal
import subprocess
import time

from live import NATIVE, PATIENCE, check, command, deja, finish, load, need, program, same, scratch

need("valgrind")
sharers = program("sharers")
BLOCKS, SWEEPS = 156 * 1024 // 64, 50
# Recompiled, a thread makes only the accesses of its sweeps; otherwise those of the C library too.
MORE = 0 if NATIVE else 1500


def measured(*options, mode="sweep", status=3, order=("--schedules", "1"), **how):
    path = scratch("concurrent.json")
    if os.path.exists(path):
        os.remove(path)
    ran = deja("concurrent", "--model", "none", "--json", "-o", path, *order, *options, "--", sharers, mode, **how)
    same(ran.returncode, status, f"status of {mode} ({ran.stderr.decode()[-1000:]})")
    same(ran.stdout, b"done\n", f"output of {mode}")
    return load(path), ran.stderr.decode()


def workers(profile):
    found = [s for s in profile["sharers"] if s["thread"] > 1]
    same(sorted(s["thread"] for s in found), [2, 3], "threads")
    return found


def misses(share):
    path = scratch("misses.csv")
    ran = deja("concurrent", "--model", "none", "--caches", "L2=192K", "--share", f"L2={share}", "--schedules", "4",
               "--export", "csv", "-o", path, "--", sharers)
    same(ran.returncode, 3, f"status ({ran.stderr.decode()[-1000:]})")
    with open(path) as file:
        rows = [row for row in csv.DictReader(line for line in file if not line.startswith("#")) if row.get("cache")]
    found = [row for row in rows if row["sharer"] in ("thread 2", "thread 3")]
    same(len(found), 2, f"rows of workers in {rows}")
    return sum(int(row["misses"]) for row in found)


def measure_caches():
    """Two arrays of 156 KiB do not fit together into 192 KiB, but one does."""
    shared, private = misses("all"), misses("1")
    check(0.97 * 2 * BLOCKS * SWEEPS <= shared <= 2 * (BLOCKS * SWEEPS + MORE), f"{shared} misses in a shared cache")
    check(2 * BLOCKS <= private <= 2 * (BLOCKS + MORE), f"{private} misses in private caches")


def measure_counts():
    profile, messages = measured("--caches", "none")
    check("recorded" in messages and "3 threads" in messages and "temporary file" in messages,
          f"no size of the recording in {messages}")
    check(profile["interleaving"].startswith("schedule"), f"the order is {profile['interleaving']}")
    check(not profile["partial"], "the result is partial")
    same(profile["provenance"]["inputs"], [sharers], "inputs")
    for s in workers(profile):
        own = s["standalone"]
        check(BLOCKS * SWEEPS <= own["accesses"] <= BLOCKS * SWEEPS + 5 * MORE, f"{own['accesses']} accesses")
        check(BLOCKS <= s["blocks"] <= BLOCKS + MORE, f"{s['blocks']} blocks")


def keep_recording():
    """The file can be measured again, and gives the same."""
    kept, saved = scratch("kept.deja"), scratch("again.json")
    profile, messages = measured("--caches", "none", "--record", kept, order=("--order", "speeds"))
    check(kept in messages, f"{kept} is not in {messages}")
    same(deja("concurrent", "--by-thread", "--order", "speeds", "--model", "none", "--caches", "none", "--json", "-o",
              saved, kept).returncode, 0, "status of the second measurement")
    again = load(saved)
    for s in profile["sharers"]:
        s.pop("cpu_seconds", None)
    same(again["sharers"], profile["sharers"], "sharers of the recording")
    # Without --record nothing is left behind.
    folder = scratch("temporary")
    os.mkdir(folder)
    measured("--caches", "none", env=dict(os.environ, TMPDIR=folder))
    same(os.listdir(folder), [], "temporary files")


def start_processes():
    profile, messages = measured("--caches", "none", mode="fork")
    workers(profile)
    # It only forks, so it has the arguments of its parent, which say nothing about it.
    check("only the main process is measured, not process " in messages, f"the other process is not named in {messages}")
    if NATIVE:  # the shell is not recompiled
        return
    ran = deja("concurrent", "--caches", "none", "--model", "none", "-o", scratch("shell.txt"), "--", "sh", "-c",
               "/bin/true; exit 5")
    same(ran.returncode, 5, "status of the shell")
    check("not '/bin/true' (process " in ran.stderr.decode(), f"the other program is not named in {ran.stderr.decode()}")


def wait_for(run):
    """The processes of a program that waits for a signal."""
    same(run.stdout.readline(), b"done\n", "first line")
    time.sleep(0.5)
    with open(f"/proc/{run.pid}/task/{run.pid}/children") as file:
        return [int(pid) for pid in file.read().split()]


def start_waiting(path, **how):
    words = command("concurrent", "--schedules", "1", "--model", "none", "--caches", "none", "--json", "-o", path, "--",
                    sharers, "wait")
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def end_early():
    """The program is killed: what was recorded is measured, and marked."""
    path = scratch("killed.json")
    run = start_waiting(path)
    for pid in wait_for(run):
        os.kill(pid, signal.SIGKILL)
    _, messages = run.communicate(timeout=PATIENCE)
    same(run.returncode, 128 + signal.SIGKILL, f"status ({messages.decode()[-1000:]})")
    profile = load(path)
    check(profile["partial"] and "ended by signal 9 " in profile["partial_reason"], "the result is not marked")
    for s in workers(profile):
        check(s["standalone"]["accesses"] >= BLOCKS * SWEEPS, f"{s['standalone']['accesses']} accesses")


def interrupt():
    """After the second Ctrl-C the program continues, and what was recorded until then is measured."""
    path = scratch("interrupted.json")
    run = start_waiting(path, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    below = wait_for(run)
    for _ in range(2):
        os.kill(run.pid, signal.SIGINT)
        time.sleep(0.3)
    run.wait(timeout=PATIENCE)
    same(run.returncode, 130, "status after two Ctrl-C")
    profile = load(path)
    check(profile["partial"] and "interrupted" in profile["partial_reason"], "the result is not marked")
    workers(profile)
    same(len(below), 1, "processes")
    for pid in below:
        check(os.path.exists(f"/proc/{pid}"), "the program was ended")
        os.kill(pid, signal.SIGKILL)
    run.communicate(timeout=PATIENCE)


def crash():
    """A signal ends the program: what preceded it is measured, and the result says so, with every tool."""
    path, behave = scratch("crashed.json"), program("behave")
    said = f"ended by signal {int(signal.SIGSEGV)} "
    for verb in (["run"], ["concurrent", "--schedules", "2", "--model", "none", "--caches", "none"]):
        ran = deja(*verb, "--json", "-o", path, "--", behave, "crash")
        same(ran.returncode, 128 + signal.SIGSEGV, f"status of deja {verb[0]} ({ran.stderr.decode()[-1000:]})")
        profile = load(path)
        check(profile["partial"] and said in profile["partial_reason"], f"{verb[0]}: reason {profile['partial_reason']!r}")
        check(said in ran.stderr.decode(), f"{verb[0]}: no signal in {ran.stderr.decode()[-1000:]}")
    ran = deja("record", "-o", scratch("crashed.deja"), "--", behave, "crash")
    same(ran.returncode, 128 + signal.SIGSEGV, "status of deja record")
    check(said in ran.stderr.decode(), f"record: no signal in {ran.stderr.decode()[-1000:]}")
    same(deja("analyze", "-o", "/dev/null", scratch("crashed.deja")).returncode, 0, "status of deja analyze")


def wrong_speeds():
    """The program has run: it is measured at equal speeds, and the result says why."""
    profile, messages = measured("--caches", "none", "--speeds", "1,2")
    check("--speeds gives 2 speeds, but the program has 3 threads" in messages, f"no note in {messages}")
    check("--speeds 1,2 does not give one for each of 3 threads" in profile["interleaving"], profile["interleaving"])
    same([s["speed"] for s in profile["sharers"]], [1, 1, 1], "speeds")
    profile, _ = measured("--caches", "none", "--speeds", "1,2,5")
    same([(s["thread"], s["speed"]) for s in profile["sharers"]], [(1, 1), (2, 2), (3, 5)], "speeds of threads")
    os.replace(scratch("concurrent.json"), scratch("given.json"))
    shown = deja("report", scratch("given.json")).stdout.decode()
    check("speeds in this order" in shown, f"no speeds in {shown[:3000]}")


def full_disk():
    ran = deja("concurrent", "--caches", "none", "--record", "/dev/full", "--", sharers)
    same(ran.returncode, 125, "status with a full disk")
    same(ran.stdout, b"done\n", "output with a full disk")
    check(b"No space left" in ran.stderr, f"no reason in {ran.stderr}")
    ran = deja("concurrent", "--", "/nonexistent")
    same(ran.returncode, 127, "status of a program that does not exist")


def one_thread():
    ran = deja("concurrent", "--caches", "L2=64K", "--model", "none", "--schedules", "1", "--", program("known"))
    same(ran.returncode, 0, f"status of one thread ({ran.stderr.decode()[-1000:]})")
    check(b"nothing is shared" in ran.stderr, f"no word about one thread in {ran.stderr[:2000]}")


def speeds():
    profile, messages = measured("--caches", "none", "--native-speeds", mode="speed")
    first, second = sorted(workers(profile), key=lambda s: s["thread"])
    accesses = second["standalone"]["accesses"] / first["standalone"]["accesses"]
    check(2.9 < accesses < 3.1, f"the second thread makes {accesses} times as many accesses")
    for key in "cpu_seconds", "native_cpu_seconds":
        if not check(key in first and key in second, f"{key} is missing; {messages}"):
            return
        ratio = second[key] / first[key]
        check(0.6 < ratio < 1.7, f"{key}: {ratio} for equal work")
    check(1.8 < second["speed"] / first["speed"] < 5, f"speeds {first['speed']} and {second['speed']}")
    same(first["speed"], 1, "speed of the first worker")
    saved = scratch("speeds.json")
    os.replace(scratch("concurrent.json"), saved)
    shown = deja("report", saved).stdout.decode()
    check("relative speeds" in shown and "thread 2" in shown, f"no speeds in {shown[:3000]}")


def name_order():
    """The order of a run is that of its recording, and no order is called exact without it."""
    path = scratch("run.json")
    same(deja("run", "--json", "-o", path, "--", sharers).returncode, 3, "status of deja run")
    order = load(path)["provenance"]["thread_order"]
    check(("frames" if NATIVE else "serialized") in order, f"order {order!r}")
    recording = scratch("order.deja")
    same(deja("record", "-o", recording, "--", sharers).returncode, 3, "status of deja record")
    same(deja("convert", recording, "-o", scratch("copy.deja")).returncode, 0, "status of deja convert")
    for trace in recording, scratch("copy.deja"):
        same(deja("analyze", "--json", "-o", path, trace).returncode, 0, "status of deja analyze")
        same(load(path)["provenance"]["thread_order"], order, f"order in {trace}")
        shown = " ".join(deja("analyze", trace).stdout.decode().split())
        check("exact for this order of threads" in shown and f"thread order: {order}" in shown,
              f"no order in {shown[:500]}")
        check("'deja concurrent'" in shown, "no word about deja concurrent")
    # In their own caches, threads do not depend on their order.
    shown = " ".join(deja("analyze", "--each", "thread", recording).stdout.decode().split())
    check("exact for this order" not in shown, f"an order matters for separate stacks: {shown[:500]}")


for test in (measure_caches, measure_counts, keep_recording, start_processes, end_early, interrupt, full_disk,
             crash, wrong_speeds, one_thread, speeds, name_order):
    test()
finish()
