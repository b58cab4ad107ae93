# SPDX-License-Identifier: MIT
"""What the paper leaves open about reuse-driven execution, and how much depends on it: variants of the order, by the
implementation of the tests, which shares nothing with Deja. In Python, so at smaller sizes."""
import os
import struct
import sys

import orders
from measure import Distances, bins, load

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "tests", "papers"))
from reuse_driven import ReuseDriven, statements  # noqa: E402

SIZES = {"adi": (50, 100), "fft": (32, 64), "sweep": (5, 8), "sp": (8, 11)}
VARIANTS = {"queue": {}, "stack": {"stack": True}, "queue, flow only": {"only_flow": True}}


def instances_of(bench, name, size):
    path, program = bench.path("trace.u64le"), os.path.join(bench.build, "examples", "papers", name)
    bench.run([program, str(size)], DEJA_RECORDER=bench.tracer, TRACE=path, TRACE_KINDS="1")
    with open(path, "rb") as file:
        return statements(word for word, in struct.iter_unpack("=Q", file.read()))


def measured(bench, instances, order):
    """What Bench.reorder has of an order."""
    path, profile = bench.path("ordered.u64le"), bench.path("ordered.json")
    words = [use.element for number in order for use in instances[number]]
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{len(words)}Q", *words))
    bench.run([bench.deja, "analyze", "--bins", "exact", "--json", "-o", profile, "-f", "u64le", "-b", "1", path])
    found = load(profile)
    return {"long": 0, "mean": found["distance"]["mean"], "bins": bins(found),
            "distances": Distances((row["lo"], row["count"]) for row in found["histogram"] if row["count"])}


def measure(bench, name):
    """By variant, the program at two sizes."""
    runs = {variant: [] for variant in VARIANTS}
    for size in SIZES[name]:
        instances = instances_of(bench, name, size)
        written = measured(bench, instances, range(len(instances)))
        for variant, how in VARIANTS.items():
            driven = measured(bench, instances, ReuseDriven(instances, **how).order)
            runs[variant].append({
                "size": size, "elements": len({use.element for one in instances for use in one}), "long_from": 0,
                "orders": {orders.AS_WRITTEN: written, orders.REUSE_DRIVEN: driven, orders.FUSED: written}})
    return {variant: orders.Pair(*pair) for variant, pair in runs.items()}
