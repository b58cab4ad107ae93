# SPDX-License-Identifier: MIT
"""Small programs under `deja reorder`, and their reuse distances by searching a list."""
import json
import subprocess

from live import check, deja, finish, need, same, scratch, skip

need("valgrind", "cc")

N, LONG = 300, 64
HEAD = f"enum {{ N = {N} }};\ndouble a[N], b[N], c[N];\n"


def compiled(name, body, *flags):
    source = scratch(name + ".c")
    with open(source, "w") as file:
        file.write(HEAD + body)
    made = subprocess.run(["cc", "-g", *(flags or ("-O0",)), "-o", scratch(name), source], capture_output=True)
    if made.returncode:
        skip("cc cannot compile a program: " + made.stderr.decode()[-300:])
    return scratch(name)


def recorded(program):
    path = program + ".deja"
    ran = deja("record", "--statements", "-o", path, "--", program)
    same(ran.returncode, 0, f"status of record ({ran.stderr.decode()[-500:]})")
    return path


def reordered(path, *options):
    ran = deja("reorder", "--json", *options, path)
    if not same(ran.returncode, 0, f"status of reorder ({ran.stderr.decode()[-500:]})"):
        finish()
    return json.loads(ran.stdout)


def distances(keys):
    """Reuse distances by searching a list."""
    stack, counts = [], {}
    for key in keys:
        if key in stack:
            distance = len(stack) - 1 - stack.index(key)
            counts[distance] = counts.get(distance, 0) + 1
            stack.remove(key)
        stack.append(key)
    return counts


def histogram(order):
    return {row["distance"]: row["count"] for row in order["histogram"]}


def long_of(counts):
    return sum(count for distance, count in counts.items() if distance >= LONG)


def compare(name, body, keys, reuse, fused):
    """`keys`: the array elements in the order of the source; `reuse`, `fused`: long reuses in these orders."""
    got = reordered(recorded(compiled(name, body)), "--long", str(LONG))
    expected = distances(keys)
    written, driven, together = got["orders"]
    check(histogram(written) == expected, f"{name}: distances as written")
    same(got["accesses"], len(keys), f"{name}: accesses")
    same(got["distinct"], len(set(keys)), f"{name}: distinct")
    same([order["long_reuses"] for order in got["orders"]],
         [long_of(expected), long_of(expected) if reuse is None else reuse, long_of(expected) if fused is None else fused],
         f"{name}: long reuses in each order")
    for order in (driven, together):
        same(sum(histogram(order).values()), sum(expected.values()), f"{name}: reuses, {order['order']}")
    for rows in ("objects", "lines"):
        same([sum(row["long_reuses"][k] for row in got[rows]) for k in range(3)],
             [order["long_reuses"] for order in got["orders"]], f"{name}: {rows} add up")
    return got
