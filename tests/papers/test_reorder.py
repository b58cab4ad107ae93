# SPDX-License-Identifier: MIT
"""`deja reorder` of the six programs, against the trace of a recorder that shares nothing with Deja: distances by
searching a list, and the order of reuse computed from its definition. Of fused loops only what every order has in
common is checked."""
import collections
import json
import subprocess

from papers import DEJA, NAMES, PROGRAMS, check, finish, recorder, same, scratch, trace

SIZES = {"adi": ((2, 1), (13, 2)), "fft": ((4, 1), (16, 1)), "swim": ((2, 1), (8, 2)), "tomcatv": ((4, 2), (11, 2)),
         "sp": ((5, 1),), "sweep": ((1, 1), (3, 1))}
BEGINS = 2**64 - 1
READS, WRITES = 1, 2

Uses = collections.namedtuple("Uses", "element reads writes")


def statements(words):
    """The instances in program order, each the list of what it uses: an element once, at its first access."""
    instances = []
    for word in words:
        if word == BEGINS:
            instances.append({})
            continue
        element, kind = divmod(word, 4)
        instances[-1][element] = instances[-1].get(element, 0) | (READS, WRITES, READS | WRITES)[kind]
    return [[Uses(element, bool(how & READS), bool(how & WRITES)) for element, how in one.items()]
            for one in instances]


def dependences(instances):
    """By instance, those that it must follow: for each of its uses the last writer, and before a write also
    the readers since."""
    writer, readers, before = {}, collections.defaultdict(list), []
    for number, uses in enumerate(instances):
        needed = []
        for use in uses:
            if use.element in writer:
                needed.append(writer[use.element])
            if use.writes:
                needed += readers[use.element]
        before.append(needed)
        for use in uses:
            if use.writes:
                writer[use.element] = number
                readers[use.element] = []
            else:
                readers[use.element].append(number)
    return before


def next_users(instances):
    """By instance, for each of its uses in order, the next instance that uses the element."""
    following, upcoming = [None] * len(instances), {}
    for number in range(len(instances) - 1, -1, -1):
        following[number] = [upcoming[use.element] for use in instances[number] if use.element in upcoming]
        for use in instances[number]:
            upcoming[use.element] = number
    return following


def ideal_steps(before):
    """When a machine without limits would execute each instance."""
    steps = []
    for needed in before:
        steps.append(1 + max((steps[other] for other in needed), default=-1))
    return steps


class ReuseDriven:
    """Instances in the order of reuse: from each instance of the ideal parallel execution, its next uses."""

    def __init__(self, instances):
        self.before, self.following = dependences(instances), next_users(instances)
        self.order, self.executed, self.queued, self.queue = [], set(), set(), collections.deque()
        steps = ideal_steps(self.before)
        for instance in sorted(range(len(instances)), key=lambda number: (steps[number], number)):
            self.execute(instance)
            while self.queue:
                self.execute(self.queue.popleft())

    def execute(self, instance):
        """What it needs first; an explicit stack, since chains of producers are long."""
        stack = [] if instance in self.executed else [(instance, iter(self.before[instance]))]
        while stack:
            top, needed = stack[-1]
            missing = next((other for other in needed if other not in self.executed), None)
            if missing is not None:
                stack.append((missing, iter(self.before[missing])))
                continue
            stack.pop()
            self.order.append(top)
            self.executed.add(top)
            for later in self.following[top]:
                if later not in self.executed and later not in self.queued:
                    self.queued.add(later)
                    self.queue.append(later)


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


if recorder():
    moved = {name: [compare(name, size) for size in SIZES[name]] for name in NAMES}
    for program, sizes in moved.items():
        check(sizes[-1]["reuse-driven"] != sizes[-1]["as written"], f"{program}: no order but that as written is tested")
    # Fusion has an effect where loops over the same data follow each other.
    check(moved["adi"][-1]["loops fused"] != moved["adi"][-1]["as written"], "adi: no loops are fused")
finish()
