# SPDX-License-Identifier: MIT
"""Compares `deja concurrent --schedules` with a scheduler and caches that are simulated step by step."""
import json
import os
import random
import subprocess
import sys
from collections import OrderedDict

deja, work, cases = sys.argv[1], sys.argv[2], int(sys.argv[3])
BLOCK, WORD, MASK = 64, 4, (1 << 64) - 1
COMMON = ["--format", "csv", "--columns", "thread,address,size,op", "--block", str(BLOCK), "--no-split"]
failures = 0


def complain(text):
    global failures
    failures += 1
    print(text)


class Random:
    """xoshiro256**, seeded by splitmix64."""

    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9e3779b97f4a7c15) & MASK
            z = ((seed ^ seed >> 30) * 0xbf58476d1ce4e5b9) & MASK
            z = ((z ^ z >> 27) * 0x94d049bb133111eb) & MASK
            self.s.append(z ^ z >> 31)

    @staticmethod
    def rotate(x, by):
        return (x << by | x >> 64 - by) & MASK

    def next(self):
        s = self.s
        result = self.rotate(s[1] * 5 & MASK, 7) * 9 & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self.rotate(s[3], 45)
        return result

    def below(self, bound):
        while True:
            product = self.next() * bound
            if product & MASK >= (1 << 64) % bound:
                return product >> 64


def find_needs(rows):
    """For each thread and access, the accesses of others that it waits for: pairs of thread and number."""
    threads, needs, last = [], {}, {}
    for thread, address, size, op in rows:
        if thread not in needs:
            threads.append(thread)
            needs[thread] = []
        words = range(address // WORD, (address + size - 1) // WORD + 1)
        needs[thread].append([last[word] for word in words if op != "W" and word in last and last[word][0] != thread])
        if op != "R":
            last.update((word, (thread, len(needs[thread]))) for word in words)
    return sorted(threads), needs


def schedule(rows, speeds, quantum, seed):
    threads, needs = find_needs(rows)
    own = {thread: [row for row in rows if row[0] == thread] for thread in threads}
    done = dict.fromkeys(threads, 0)
    draw = Random(seed)
    order = []

    def can_run(thread):
        at = done[thread]
        return at < len(own[thread]) and all(done[other] >= number for other, number in needs[thread][at])

    while len(order) < len(rows):
        ready = [(thread, speed) for thread, speed in zip(threads, speeds) if can_run(thread)]
        target = draw.below(sum(speed for _, speed in ready))
        for thread, speed in ready:
            if target < speed:
                break
            target -= speed
        for _ in range(quantum):
            if not can_run(thread):
                break
            order.append((threads.index(thread), own[thread][done[thread]]))
            done[thread] += 1
    return order


class Cache:
    """LRU."""

    def __init__(self, capacity):
        self.capacity, self.lines = capacity, OrderedDict()

    def access(self, block):
        hit = block in self.lines
        if hit:
            self.lines.move_to_end(block)
        elif len(self.lines) == self.capacity:
            self.lines.popitem(last=False)
        self.lines[block] = True
        return not hit

    def invalidate(self, block):
        self.lines.pop(block, None)


def count_misses(order, sharers, blocks, width):
    """The misses of each sharer, and of all."""
    caches = [Cache(blocks) for _ in range(-(-sharers // width))]
    misses = [0] * sharers
    for sharer, (_, address, _, op) in order:
        block, own = address // BLOCK, sharer // width
        misses[sharer] += caches[own].access(block)
        for number, cache in enumerate(caches if op != "R" else ()):
            if number != own:
                cache.invalidate(block)
    return [*misses, sum(misses)]


def mean_distances(order, sharers):
    """In one cache for all: of each sharer, and of all."""
    stack, sums, counts = [], [0] * sharers, [0] * sharers
    for sharer, (_, address, _, _) in order:
        block = address // BLOCK
        if block in stack:
            at = stack.index(block)
            sums[sharer] += at
            counts[sharer] += 1
            del stack[at]
        stack.insert(0, block)
    means = [s / c if c else 0 for s, c in zip(sums, counts)]
    return [*means, sum(sums) / sum(counts) if sum(counts) else 0]


def spread(values):
    values = sorted(values)
    return {"minimum": values[0], "median": values[(len(values) - 1) // 2], "maximum": values[-1]}


def run(verb, arguments, what):
    ran = subprocess.run([deja, verb, "--json", "--bins", "exact", *arguments], capture_output=True, cwd=work,
                         timeout=60)
    if ran.returncode != 0:
        complain(f"{what}: status {ran.returncode}: {ran.stderr.decode()}")
        return None
    return json.loads(ran.stdout)


def write_csv(rows):
    with open(os.path.join(work, "threads.csv"), "w") as file:
        file.writelines(f"{','.join(map(str, row))}\n" for row in rows)


def near(found, expected):
    return all(abs(found[key] - expected[key]) <= 1e-9 * max(1, expected[key]) for key in expected)


def compare(found, orders, sharers, caches, what):
    for row, (name, size, width) in zip(found["misses"], caches):
        counted = [count_misses(order, sharers, size // BLOCK, min(width, sharers)) for order in orders]
        expected = [spread(values) for values in zip(*counted)]
        if row["cache"] != name or row["sharers"] != expected[:-1] or row["all"] != expected[-1]:
            complain(f"{what}, {name}: {row} instead of {expected}")
    means = [spread(values) for values in zip(*(mean_distances(order, sharers) for order in orders))]
    rows = [*found["distances"], found["distance"]]
    if len(rows) != len(means) or not all(map(near, rows, means)):
        complain(f"{what}: mean distances {rows} instead of {means}")


def one(seed):
    rng = random.Random(seed)
    sharers, words = rng.choice((1, 2, 2, 3, 4)), rng.choice((8, 60, 300))
    alone = rng.random() < 0.5

    def row():
        thread = rng.randrange(sharers)
        return (thread, WORD * rng.randrange(words) + (100000 * thread if alone and rng.random() < 0.8 else 0),
                rng.choice((1, 4, 8, 40)), rng.choice("RRRW" if alone else "RRW"))
    rows = [(thread, *row()[1:]) for thread in range(sharers)] + [row() for _ in range(rng.randint(0, 250))]
    quantum, schedules, first = rng.choice((1, 3, 64)), rng.choice((1, 2, 5)), rng.randrange(1 << 40)
    speeds = [rng.choice((1, 1, 3)) for _ in range(sharers - 1)] + [1]
    caches = [("L1", 2 * BLOCK, 1), ("L2", 4 * BLOCK, 2), ("L3", 8 * BLOCK, sharers)]
    write_csv(rows)
    what = f"case {seed}"
    arguments = [*COMMON, "--by-thread", "--caches", ",".join(f"{name}={size}" for name, size, _ in caches), "--share",
                 "L1=1,L2=2,L3=all", "--seed", str(first), "--quantum", str(quantum), "--speeds",
                 ",".join(map(str, speeds)), "--engine", rng.choice(("fast", "tree", "stack")), "threads.csv"]
    orders = [schedule(rows, speeds, quantum, first + k) for k in range(schedules)]
    profile = run("concurrent", [*arguments, "--schedules", str(schedules)], what)
    if not profile:
        return
    found = profile["schedules"]
    if (found["count"], found["quantum"], found["seed"]) != (schedules, quantum, first):
        complain(f"{what}: {found} instead of {schedules} schedules of {quantum} from {first}")
    compare(found, orders, sharers, caches, what)
    # The profile is that of the first schedule.
    alone = run("concurrent", [*arguments, "--schedules", "1"], what)
    if alone and alone["sharers"] != profile["sharers"]:
        complain(f"{what}: several schedules change the first one")
    if sharers == 1:
        analyzed = run("analyze", [*COMMON, "threads.csv"], what)
        for view in ("standalone", "concurrent", "private"):
            if analyzed and profile["sharers"][0][view]["histogram"] != analyzed["histogram"]:
                complain(f"{what}: one thread differs from analyze in {view}")


def sweeps():
    """Two threads sweep 156 KiB each, 50 times. Alternating in a cache of 192 KiB, every access misses; in
    private caches only the first accesses do."""
    blocks, times, size = 156 * 1024 // BLOCK, 50, 192 * 1024
    rows = [(thread, (thread << 24) + BLOCK * i, 8, "R") for _ in range(times) for thread in range(2)
            for i in range(blocks)]
    every, first = 2 * times * blocks, 2 * blocks
    write_csv(rows)
    for share, order, expected in (("L2=all", ["--order", "speeds"], every), ("L2=1", ["--order", "speeds"], first)):
        profile = run("concurrent", [*COMMON, "--by-thread", "--model", "none", "--caches", f"L2={size}", "--share", share,
                                     *order, "threads.csv"], "sweeps")
        views = [row["concurrent" if share == "L2=all" else "private"] for row in profile["sharers"]] if profile else []
        misses = sum(view["cold"] + sum(bin["count"] for bin in view["histogram"] if bin["lo"] >= size // BLOCK)
                     for view in views)
        if misses != expected:
            complain(f"sweeps, {share}: {misses} misses instead of {expected}")
    profile = run("concurrent", [*COMMON, "--by-thread", "--model", "none", "--caches", f"L1={size},L2={size + BLOCK}",
                                 "--schedules", "3", "threads.csv"], "sweeps")
    if not profile:
        return
    private, shared = profile["schedules"]["misses"]
    expected = spread(count_misses(schedule(rows, [1, 1], 64, seed), 2, size // BLOCK + 1, 2)[-1] for seed in (1, 2, 3))
    if private["all"] != spread([first]) or shared["all"] != expected:
        complain(f"sweeps: {private['all']} and {shared['all']} instead of {first} and {expected}")
    if not 0.95 * every <= expected["minimum"] <= expected["maximum"] <= every:
        complain(f"sweeps: the expected {expected} are not about {every}")


def damaged():
    """A saved profile is printed again; one whose numbers do not fit is refused."""
    write_csv([(i % 3, 4 * (i * 7 % 50), 4, "RRW"[i % 5 % 3]) for i in range(300)])
    profile = run("concurrent", [*COMMON, "--by-thread", "--caches", "L1=128,L2=256", "--schedules", "4", "threads.csv"], "saved")
    if not profile:
        return

    def report(value, *options):
        with open(os.path.join(work, "saved.json"), "w") as file:
            json.dump(value, file)
        return subprocess.run([deja, "report", *options, "saved.json"], capture_output=True, cwd=work, timeout=60)
    again = report(profile, "--json")
    if again.returncode != 0 or json.loads(again.stdout)["schedules"] != profile["schedules"]:
        complain(f"saved: {again.stderr.decode()}")
    packed = subprocess.run([deja, "report", "-o", "saved.dejap", "saved.json"], capture_output=True, cwd=work, timeout=60)
    again = subprocess.run([deja, "report", "--json", "saved.dejap"], capture_output=True, cwd=work, timeout=60)
    if packed.returncode or again.returncode or json.loads(again.stdout)["schedules"] != profile["schedules"]:
        complain(f"saved in columns: {packed.stderr.decode()}{again.stderr.decode()}")
    if b"over 4 schedules" not in report(profile).stdout:
        complain("saved: the report lacks the schedules")

    def change(path, value):
        copy = json.loads(json.dumps(profile))
        at = copy["schedules"]
        for step in path[:-1]:
            at = at[step]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value
        ran = report(copy)
        if ran.returncode != 3 or b"deja: " not in ran.stderr:
            complain(f"damaged: {path} = {value}: status {ran.returncode} {ran.stderr.decode()}")
    for path, value in ((["count"], 0), (["quantum"], 0), (["misses"], profile["schedules"]["misses"][:1]), (["misses", 0, "sharers"], []),
                        (["misses", 1, "all", "maximum"], 1 << 40), (["misses", 1, "all", "minimum"], 300),
                        (["misses", 0, "sharers", 2, "median"], 1 << 63), (["distances"], []), (["distance", "minimum"], -1),
                        (["distance", "maximum"], 1e999), (["distances", 1, "median"], 1e300), (["distance"], None),
                        (["forced"], 1.5), (["forced"], -1), (["misses", 0, "cache"], None), (["misses", 0, "all", "median"], None), (["waits"], "x")):
        change(path, value)


damaged()
sweeps()
for case in range(cases):
    one(case)
    if failures > 10:
        break
sys.exit(1 if failures else 0)
