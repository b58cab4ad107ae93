# SPDX-License-Identifier: MIT
"""Our own programs with threads (bench/programs/concurrent): how well shared caches are predicted, and how much
recording changes the relative speeds of threads."""
import json
import os
from collections import namedtuple

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "concurrent")

# `least` is the accuracy that is expected with bars of 1 %; a kernel below it must be marked as not predictable.
Kernel = namedtuple("Kernel", "name size rounds small least")
KERNELS = [
    Kernel("streaming", 4000, 8, 500, 0.9),
    Kernel("streaming_openmp", 8000, 8, 1000, 0.9),
    Kernel("barrier", 8000, 10, 1000, 0.9),
    Kernel("locked", 8000, 60000, 2000, 0.8),
    Kernel("pipeline", 8192, 12, 1024, 0.8),
    Kernel("producer_consumer", 1000, 100, 200, 0.8),
]
ORDERS = ("recorded", "speeds")


def build(deja, kernel):
    """The kernel as `deja cc` builds it."""
    program = os.path.join(deja.folder, kernel.name)
    deja.run("cc", "-O2", "-g", "-pthread", "-fopenmp", os.path.join(SOURCES, kernel.name + ".c"), "-o", program)
    return program


def weighted(sharers, value):
    accesses = sum(s["standalone"]["accesses"] for s in sharers)
    return sum(s["standalone"]["accesses"] * value(s) for s in sharers) / accesses


def is_predictable(sharer):
    """As dj_sharer_is_predictable; otherwise the report says "not predictable"."""
    prediction = sharer["predicted"][0]
    reuses = sharer["standalone"]["accesses"] - sharer["standalone"]["cold"]
    return prediction.get("correlation", 0) < 0.8 and \
        abs(prediction.get("broken", 0) - sharer["broken"]) <= 0.2 * reuses


def predict(deja, kernel, program, threads, small):
    size, rounds = (kernel.small, max(2, kernel.rounds // 50)) if small else (kernel.size, kernel.rounds)
    words = [program, str(threads), str(size), str(rounds)]
    stream = os.path.join(deja.folder, kernel.name + ".deja")
    deja.run("record", "-o", stream, "--", *words)
    row = {"kernel": kernel.name, "threads": threads, "least": kernel.least, "orders": {}}
    for order in ORDERS:
        sharers = json.loads(deja.run("concurrent", "--by-thread", "--order", order, "--caches", "L2=1M", "--json",
                                      stream))["sharers"]
        row["accesses"] = sum(s["standalone"]["accesses"] for s in sharers)
        row["shared"] = sum(s["shared"] for s in sharers) / sum(s["blocks"] for s in sharers)
        row["orders"][order] = {
            "accuracy": weighted(sharers, lambda s: s["predicted"][0]["accuracy"]),
            "coarse": weighted(sharers, lambda s: s["predicted"][0]["accuracy_coarse"]),
            "lowest": min(s["predicted"][0]["accuracy_coarse"] for s in sharers),
            "marked": not all(is_predictable(s) for s in sharers)}
    return row


def relative(sharers, seconds):
    """The accesses per CPU second of the first worker, relative to the second."""
    workers = [s for s in sharers if s.get(seconds)][-2:]
    speeds = [s["standalone"]["accesses"] / s[seconds] for s in workers]
    return speeds[0] / speeds[1] if len(speeds) == 2 and speeds[1] > 0 else None


def time_threads(deja, kernel, program, threads, rounds):
    """r and r', as in Table 1, for two threads of a kernel."""
    path = os.path.join(deja.folder, "speeds.json")  # standard output is the program's
    deja.run("concurrent", "--native-speeds", "--order", "recorded", "--model", "none", "--caches", "L2=1M", "--json",
             "-o", path, "--", program, str(threads), str(kernel.size), str(rounds))
    with open(path, encoding="utf-8") as file:
        sharers = json.load(file)["sharers"]
    native, recorded = relative(sharers, "native_cpu_seconds"), relative(sharers, "cpu_seconds")
    known = native and recorded
    return {"kernel": kernel.name, "r": native, "recorded": recorded,
            "change": abs(native - recorded) / native if known else None}


def can_time(deja):
    return "--native-speeds" in deja.run("concurrent", "--help-all")


def measure(deja, chosen, threads, small):
    """Predictions and speeds of the chosen kernels."""
    rows, speeds = [], []
    timed = can_time(deja)
    for kernel in KERNELS:
        if kernel.name not in chosen:
            continue
        program = build(deja, kernel)
        rows.append(predict(deja, kernel, program, threads, small))
        if timed and not small:
            speeds.append(time_threads(deja, kernel, program, threads, 10 * kernel.rounds))
    return rows, speeds, timed


def describe(row, order):
    got = row["orders"][order]
    verdict = "" if got["coarse"] >= row["least"] else " BELOW, marked" if got["marked"] else " BELOW"
    return f"{100 * got['accuracy']:7.1f}{100 * got['coarse']:7.1f}{100 * got['lowest']:7.1f}{verdict:14}"


def print_rows(rows):
    print("\nOur own kernels, recorded by recompiled programs: accuracy in percent of the model joint, weighted by\n"
          "accesses, with bars of width 1, with bars of 1 % of their distance, and the latter of the worst thread\n")
    print(f"{'':20}{'threads':>8}{'accesses':>11}{'shared':>8}   " +
          "".join(f"{'order ' + order:35}" for order in ORDERS))
    for row in rows:
        print(f"{row['kernel']:20}{row['threads']:8}{row['accesses']:11,}{100 * row['shared']:7.0f}%   " +
              "".join(describe(row, order) for order in ORDERS))
    print("\nBELOW: less than 90 % (locked, pipeline, producer-consumer: 80 %); marked: the report says that it is not\n"
          "predictable. The paper has 74 % for swaptions, 76 % for vips and 72 % for streamcluster, in a simulator.")


def print_speeds(speeds, timed):
    print("\nTables 1 and 3 here: accesses per CPU second of one thread, relative to the next, without a tracer (r) and\n"
          "while it was recorded (r'), and the change |r - r'| / r\n")
    if not timed:
        print("  not measured: this build has no 'deja concurrent --native-speeds'")
    for s in speeds:
        if s["change"] is None:
            print(f"  {s['kernel']:20} not measured: too short")
        else:
            print(f"  {s['kernel']:20} r {s['r']:5.2f}  r' {s['recorded']:5.2f}  change {100 * s['change']:5.1f} %")
