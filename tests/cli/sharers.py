# SPDX-License-Identifier: MIT
"""Compares `deja concurrent` with caches simulated one by one: every sharer, order, topology and capacity."""
import json
import os
import random
import subprocess
import sys
from fractions import Fraction

deja, work, cases = sys.argv[1], sys.argv[2], int(sys.argv[3])
BLOCK, WORD = 64, 4
ENGINES = "stack", "tree", "fast"
failures = 0


def complain(text):
    global failures
    failures += 1
    print(text)


class Caches:
    """LRU caches of every capacity. A distance is one less than the smallest capacity that hits."""

    def __init__(self, most):
        self.lines = [[] for _ in range(most)]

    def access(self, block):
        distance = None
        for capacity, lines in reversed(list(enumerate(self.lines, 1))):
            if block in lines:
                lines.remove(block)
                distance = capacity - 1
            elif len(lines) == capacity:
                lines.pop(0)
            lines.append(block)
        return distance

    def invalidate(self, block):
        for lines in self.lines:
            if block in lines:
                lines.remove(block)


def merge_by_speed(traces, speeds):
    """The n-th access of a sharer happens at time n / speed; the first sharer first."""
    order = [(Fraction(n + 1) / speed, s, n) for s, (trace, speed) in enumerate(zip(traces, speeds))
             for n in range(len(trace))]
    return [(s, traces[s][n]) for _, s, n in sorted(order)]


def classify(merged, sharers):
    """True and false sharing by definition: over all writes since the last essential miss."""
    true, false = [0] * sharers, [0] * sharers
    writes = {}  # by block: (time, sharer, words)
    state = {}  # by sharer and block: [has it, again, time of its last essential miss, of this miss, essential]

    def end(key):
        has, again, _, _, essential = state[key]
        if has and again:
            (true if essential else false)[key[0]] += 1

    for time, (s, (address, size, write)) in enumerate(merged):
        block = address // BLOCK
        words = {byte // WORD for byte in range(address, min(address + size, (block + 1) * BLOCK))}
        key = s, block
        now = state.get(key)
        if not now:
            now = state[key] = [True, False, time, time, True]
        elif not now[0]:
            now[0], now[1], now[3], now[4] = True, True, time, False
        if not now[4] and any(other != s and since > now[2] and words & written
                              for since, other, written in writes.get(block, ())):
            now[4], now[2] = True, now[3]
        if write:
            for other in range(sharers):
                if other != s and (other, block) in state:
                    end((other, block))
                    state[other, block][0] = False
            writes.setdefault(block, []).append((time, s, words))
    for key in state:
        end(key)
    return true, false


def expect(merged, sharers, widths):
    blocks = {address // BLOCK for _, (address, _, _) in merged}
    caches = {"standalone": [Caches(len(blocks)) for _ in range(sharers)], "concurrent": [Caches(len(blocks))]}
    for width in widths:
        caches[width] = [Caches(len(blocks)) for _ in range(-(-sharers // width))]
    found = [{name: {} for name in caches} for _ in range(sharers)]
    counts = [dict.fromkeys(("broken", "shortened", "stretched", "found"), 0) for _ in range(sharers)]
    last, users = {}, {}
    for s, (address, _, write) in merged:
        block = address // BLOCK
        distance = {}
        for name, instances in caches.items():
            own = s if name == "standalone" else 0 if name == "concurrent" else s // name
            distance[name] = instances[own].access(block)
            if isinstance(name, int) and write:
                for number, cache in enumerate(instances):
                    if number != own:
                        cache.invalidate(block)
            found[s][name][distance[name]] = found[s][name].get(distance[name], 0) + 1
        alone, shared = distance["standalone"], distance["concurrent"]
        if alone is None:
            counts[s]["found"] += shared is not None
        else:
            counts[s]["broken"] += last[block] != s
            counts[s]["shortened"] += shared < alone
            counts[s]["stretched"] += shared > alone
        last[block] = s
        users.setdefault(block, set()).add(s)
    true, false = classify(merged, sharers)
    for s in range(sharers):
        counts[s]["true_sharing"], counts[s]["false_sharing"] = true[s], false[s]
        counts[s]["blocks"] = sum(s in by for by in users.values())
        counts[s]["shared"] = sum(s in by and len(by) > 1 for by in users.values())
    return found, counts


def histogram(view):
    bins = {row["lo"]: row["count"] for row in view["histogram"]}
    if view["cold"]:
        bins[None] = view["cold"]
    return bins


def run(arguments, what):
    ran = subprocess.run([deja, "concurrent", "--json", "--bins", "exact", *arguments], capture_output=True,
                         cwd=work, timeout=60)
    if ran.returncode != 0:
        complain(f"{what}: status {ran.returncode}: {ran.stderr.decode()}")
        return None
    return json.loads(ran.stdout)


def compare(profile, merged, sharers, widths, what):
    found, counts = expect(merged, sharers, widths)
    if len(profile["sharers"]) != sharers:
        complain(f"{what}: {len(profile['sharers'])} sharers instead of {sharers}")
        return
    for s, row in enumerate(profile["sharers"]):
        views = {"standalone": row["standalone"], "concurrent": row["concurrent"], 1: row["private"]}
        views.update({view["sharers_per_cache"]: view for view in row.get("groups", ())})
        for name in found[s]:
            if histogram(views[name]) != found[s][name]:
                complain(f"{what}: sharer {s}, {name}: {histogram(views[name])} instead of {found[s][name]}")
        for name, count in counts[s].items():
            if row[name] != count:
                complain(f"{what}: sharer {s}: {name} is {row[name]} instead of {count}")


def random_trace(rng, blocks, shared, number, length, writes):
    """Some blocks are common to all sharers, the others their own."""
    def address():
        block = rng.randrange(blocks)
        return (block if block < shared else 1000 * (number + 1) + block) * BLOCK + rng.randrange(BLOCK)
    return [(address(), rng.choice((1, 4, 8, 16)), rng.random() < writes) for _ in range(length)]


def write_csv(path, rows):
    with open(os.path.join(work, path), "w") as file:
        for thread, (address, size, write) in rows:
            file.write(f"{thread},{address},{size},{'W' if write else 'R'}\n")


def one(seed):
    rng = random.Random(seed)
    sharers = rng.choice((1, 2, 2, 3, 4, 5))
    blocks = rng.randint(1, 9)
    traces = [random_trace(rng, blocks, rng.randint(0, blocks), s, rng.randint(1, 60), rng.choice((0, 0.1, 0.5)))
              for s in range(sharers)]
    speeds = [Fraction(rng.choice((1, 1, 2, 3, 5)), rng.choice((1, 2))) for _ in range(sharers)]
    groups = [width for width in (2, 3) if width < sharers]
    share = ",".join([f"C{width}={width}" for width in groups] + ["C1=1"])
    caches = ",".join([f"C{width}={64 * (width + 1)}" for width in groups] + ["C1=64"])
    engine = rng.choice(ENGINES)
    common = ["--format", "csv", "--block", str(BLOCK), "--no-split", "--engine", engine, "--caches", caches, "--share", share]
    what = f"case {seed}, {engine}"
    names = [f"{s}.csv" for s in range(sharers)]
    for name, trace in zip(names, traces):
        write_csv(name, [(0, access) for access in trace])
    profile = run([*common, "--columns", "-,address,size,op", "--speeds", ",".join(str(float(v)) for v in speeds), *names],
                  what)
    if profile:
        compare(profile, merge_by_speed(traces, speeds), sharers, [1, *groups], what)
    # The same as threads of one trace, in a random order, which is recorded.
    left = [list(trace) for trace in traces]
    rows = []
    while any(left):
        s = rng.choice([s for s in range(sharers) if left[s]])
        rows.append((s, left[s].pop(0)))
    write_csv("threads.csv", rows)
    asked = ["--by-thread"] if seed % 2 else []  # the default for one trace
    profile = run([*common, "--columns", "thread,address,size,op", *asked, "threads.csv"], f"{what}, threads")
    if profile:
        compare(profile, rows, sharers, [1, *groups], f"{what}, threads")
        if any("thread" not in sharer for sharer in profile["sharers"]):
            complain(f"{what}: a thread has no number")
    # Each thread has the speed that was stated for it, whichever comes first.
    profile = run([*common, "--columns", "thread,address,size,op", *asked, "--speeds",
                   ",".join(str(float(v)) for v in speeds), "threads.csv"], f"{what}, speeds of threads")
    if profile:
        compare(profile, merge_by_speed(traces, speeds), sharers, [1, *groups], f"{what}, speeds of threads")
        if [sharer["name"] for sharer in profile["sharers"]] != [str(s) for s in range(sharers)]:
            complain(f"{what}: the threads are not in order")


def mixed():
    """Traces with different columns. Without kinds all accesses are reads; without sizes each has one block.
    What the others record counts."""
    for seed in range(40):
        rng = random.Random(seed)
        sharers = rng.choice((2, 3))
        sized = [rng.random() < 0.5 for _ in range(sharers)]
        kinds = [rng.random() < 0.5 for _ in range(sharers)]
        traces, names = [], [f"mixed{s}.csv" for s in range(sharers)]
        for s, name in enumerate(names):
            traces.append([(address, size if sized[s] else 1, write and kinds[s])
                           for address, size, write in random_trace(rng, 5, 5, s, rng.randint(1, 50), 0.5)])
            with open(os.path.join(work, name), "w") as file:
                file.write("address" + ",size" * sized[s] + ",op" * kinds[s] + "\n")
                for address, size, write in traces[s]:
                    file.write(f"{address}" + f",{size}" * sized[s] + (",W" if write else ",R") * kinds[s] + "\n")
        what = f"sizes {sized}, kinds {kinds}, seed {seed}"
        split = rng.random() < 0.5
        options = ["--format", "csv", "--header", "--block", str(BLOCK), "--split" if split else "--no-split"]
        profile = run([*options, *names], what)
        if not profile:
            continue
        pieces = [[piece for access in trace for piece in (split_access(*access) if split else [access])]
                  for trace in traces]
        if [row["standalone"]["accesses"] for row in profile["sharers"]] != [len(trace) for trace in pieces]:
            complain(f"{what}: {[row['standalone']['accesses'] for row in profile['sharers']]} accesses")
        if [row.get("kinds_unknown", False) for row in profile["sharers"]] != [not known for known in kinds]:
            complain(f"{what}: kinds_unknown")
        merged = [(s, piece) for s, access in merge_by_speed(traces, [Fraction(1)] * sharers)
                  for piece in (split_access(*access) if split else [access])]
        compare(profile, merged, sharers, [1], what)
        for row, name in zip(profile["sharers"], names):
            ran = subprocess.run([deja, "analyze", "--json", "--bins", "exact", *options, name],
                                 capture_output=True, cwd=work, timeout=60, check=True)
            if histogram(json.loads(ran.stdout)) != histogram(row["standalone"]):
                complain(f"{what}: {name} alone is not as analyzed")


def split_access(address, size, write):
    """Its parts in each block."""
    pieces = []
    while size > 0:
        here = min(size, BLOCK - address % BLOCK)
        pieces.append((address, here, write))
        address, size = address + here, size - here
    return pieces


def odd_blocks():
    """Blocks of more than 64 words of 4 bytes: a word is a 64th, rounded up, and none is taken for another."""
    for block, written, read, size, true in ((300, 0, 256, 4, False), (300, 256, 256, 4, True), (300, 0, 299, 300, True),
                                             (500, 0, 448, 4, False), (257, 0, 256, 1, False), (320, 315, 319, 1, True)):
        for name, address, op in (("writer.csv", written, "W"), ("reader.csv", read, "R")):
            with open(os.path.join(work, name), "w") as file:
                file.write("address,size,op\n" + f"{address},{size},{op}\n" * 3)
        what = f"block {block}, {size} bytes written at {written}, read at {read}"
        profile = run(["--format", "csv", "--header", "--block", str(block), "writer.csv", "reader.csv"], what)
        if profile:
            reader = profile["sharers"][1]
            got = reader["true_sharing"], reader["false_sharing"]
            if got != ((2, 0) if true else (0, 2)):
                complain(f"{what}: true and false sharing are {got}")


mixed()
odd_blocks()
for case in range(cases):
    one(case)
    if failures > 10:
        break
sys.exit(1 if failures else 0)
