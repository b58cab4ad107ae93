# SPDX-License-Identifier: MIT
"""`deja reorder` of the six programs, against the trace of a recorder that shares nothing with Deja: distances by
searching a list, and the order of reuse computed from its definition. Of fused loops only what every order has in
common is checked."""
import collections
import json
import os
import subprocess
import sys

from papers import BUILD, DEJA, NAMES, PROGRAMS, check, finish, recorder, same, scratch, trace
from reuse_driven import ReuseDriven, statements

SIZES = {"adi": ((2, 1), (13, 2)), "fft": ((4, 1), (16, 1)), "swim": ((2, 1), (8, 2)), "tomcatv": ((4, 2), (11, 2)),
         "sp": ((5, 1),), "sweep": ((1, 1), (3, 1))}

def distances(instances, order):
    """Accesses by exact reuse distance, and cold ones, by searching a list."""
    counts, cold, recent = collections.Counter(), 0, []
    for number in order:
        for use in instances[number]:
            if use.element in recent:
                distance = recent[::-1].index(use.element)
                counts[distance] += 1
                recent.remove(use.element)
            else:
                cold += 1
            recent.append(use.element)
    return counts, cold


def reordered(name, size):
    """What Deja says, as {order: (reuses by distance, cold accesses)}."""
    kept = scratch("kept.deja")
    for words in (("record", "--statements", "-o", kept, "--", f"{PROGRAMS}/{name}", *map(str, size)),
                  ("reorder", "--json", kept)):
        ran = subprocess.run([DEJA, *words], capture_output=True, text=True, timeout=100)
        if not same(ran.returncode, 0, f"status of {words} ({ran.stderr[-500:]})"):
            finish()
    found = json.loads(ran.stdout)
    orders = {}
    for order in found["orders"]:
        counts = collections.Counter({row["distance"]: row["count"] for row in order["histogram"]})
        orders[order["order"]] = counts, round(found["accesses"] * order["points"][-1]["ratio"])
        same(order["long_reuses"], sum(count for distance, count in counts.items() if distance >= found["long_from"]),
             f"{name} {size}, {order['order']}: long reuses")
    return found, orders


def compare(name, size):
    what = f"{name} {size}"
    instances = statements(trace(name, *size, TRACE_KINDS="1"))
    accesses, elements = sum(map(len, instances)), len({use.element for one in instances for use in one})
    found, orders = reordered(name, size)
    same((found["accesses"], found["distinct"], found["in_order"]), (accesses, elements, 0), what)
    same(found["statements"], sum(1 for one in instances if one), f"{what}: instances")
    check(orders["as written"] == distances(instances, range(len(instances))), f"{what}, as written: histogram")
    driven = ReuseDriven(instances).order
    same(sorted(driven), list(range(len(instances))), f"{what}: the order of reuse has each instance once")
    check(orders["reuse-driven"] == distances(instances, driven), f"{what}, reuse-driven: histogram")
    counts, cold = orders["loops fused"]
    same((sum(counts.values()), cold), (accesses - elements, elements), f"{what}, loops fused: accesses and cold ones")
    return orders


def benchmark():
    """Figure 6 of small inputs: what the benchmark says of an order is what Deja says."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "paper-tables")
    ran = subprocess.run([sys.executable, "-B", script, "--build", BUILD, "--small", "--json", "--only", "orders",
                          "--programs", "adi"], capture_output=True, text=True, check=False)
    if check(ran.returncode == 0, ran.stderr):
        runs = json.loads(ran.stdout)["programs"][0]["reordered"]["runs"]
        found, orders = reordered("adi", (runs[-1]["size"],))
        for name, (counts, _) in orders.items():
            own = runs[-1]["orders"][name]
            same((round(own["mean"] * sum(own["bins"])), sum(own["bins"])),
                 (sum(distance * count for distance, count in counts.items()), sum(counts.values())), f"adi, {name}")
        same(runs[-1]["long_from"], found["long_from"], "adi: where long reuses begin")


if recorder():
    benchmark()
    moved = {name: [compare(name, size) for size in SIZES[name]] for name in NAMES}
    for program, sizes in moved.items():
        check(sizes[-1]["reuse-driven"] != sizes[-1]["as written"], f"{program}: only the order as written")
    # Fusion has an effect where loops over the same data follow each other.
    check(moved["adi"][-1]["loops fused"] != moved["adi"][-1]["as written"], "adi: no loops are fused")
finish()
