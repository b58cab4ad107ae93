# SPDX-License-Identifier: MIT
"""The program with known accesses (tests/programs/known.c), built by `deja cc`: exactly the
accesses of its source, in order, with the distances of a brute-force LRU stack;
objects, lines, contexts and pairs match."""
import os
from collections import Counter, defaultdict

from build import SOURCES, Tables, check, finish, has, marks, profile_of, run, same, scratch

ROWS, COLUMNS, PARTS, WORDS, DEPTH, LOCAL, SWEEPS = 24, 40, 64, 512, 20, 64, 10
PAIRS_FROM = 64  # blocks; reuses at this distance or more are long
mark = marks("known.c")


def accesses(at):
    """The accesses of kernel: mark of the line, object, address, whether it writes, path below kernel."""
    for _ in range(SWEEPS):
        for i in range(ROWS):
            for j in range(COLUMNS):
                yield "fill", "grid", at["grid"] + 8 * (i * COLUMNS + j), True, ("fill_grid",)
        for j in range(COLUMNS):
            for i in range(ROWS):
                yield "sum", "grid", at["grid"] + 8 * (i * COLUMNS + j), False, ("sum_columns",)
    for i in range(PARTS):
        part = at["parts"] + 128 * i
        yield "vel", "parts", part + 24, True, ("move_parts",)
        yield "vel again", "parts", part + 24, False, ("move_parts",)
        yield "id", "parts", part, True, ("move_parts",)
    yield "part 12", "parts", at["parts"] + 128 * 12 + 24, False, ("move_parts",)
    for depth in range(DEPTH, -1, -1):
        yield "down", "trail", at["trail"] + 8 * depth, True, ("descend",)
    for depth in range(DEPTH + 1):
        yield "up", "trail", at["trail"] + 8 * depth, False, ("descend",)
    yield "one block", "blocks", at["blocks"], True, ("one_way",)
    for i in range(WORDS):
        yield "touch", "one", at["one"] + 8 * i, True, ("one_way", "touch")
    yield "other block", "blocks", at["blocks"] + 8, True, ("other_way",)
    for words in (WORDS, 2 * WORDS):
        for i in range(words):
            yield "touch", "other", at["other"] + 8 * i, True, ("other_way", "touch")
    yield "at", "window_at", at["window_at"], True, ("window",)
    for write, line in ((True, "local write"), (False, "local read")):
        for i in range(LOCAL):
            yield line, "local", at["local"] + 8 * i, write, ("window",)
    yield "end", "turns", at["turns"], False, ()
    yield "end", "turns", at["turns"], True, ()


def follow(printed):
    """The accesses with their distances and the lines of the previous use."""
    at = {name: int(low, 16) for name, low, _ in map(str.split, filter(None, printed.split("\n")))}
    recent, last, found = [], {}, []
    for line, name, address, write, path in accesses(at):
        block = address // 64
        distance = len(recent) - 1 - recent.index(block) if block in last else None
        found.append((line, name, write, path, distance, last.get(block)))
        if distance is not None:
            recent.remove(block)
        recent.append(block)
        last[block] = line
    return found


def total(cells):
    """Accesses, writes, cold, sum of distances, and bins."""
    bins = Counter()
    for cell in cells:
        bins.update(cell[4])
    return [sum(cell[i] for cell in cells) for i in range(4)] + [bins]


def compare(what, expected, got):
    same(set(got), set(expected), f"{what}: set of keys")
    for key in expected:
        same(total(got.get(key, [])), total(expected[key]), f"{what}: {key}")


def check_build(what, *build):
    known = scratch("known")
    run(*build, "-g", "-D_GNU_SOURCE", "-o", known, os.path.join(SOURCES, "known.c"))
    got, printed = profile_of(known, options=("--within", "kernel", "--by", "all", "--caches", "S=4K,L=32K"))
    tables, expected = Tables(got), follow(printed)
    line_of = {number: name for name, number in mark.items()}

    def thing(place):
        if place["kind"] != "heap":
            return place["object"].split(" ")[0]
        path = tables.path(tables.tables["objects"][place["object_row"]][5])
        return {"one_way": "one", "other_way": "other"}.get(
            next((f for f in path if f in ("one_way", "other_way")), None), place["object"])

    same(got["accesses"], len(expected), f"{what}: accesses")
    same(got["provenance"]["format"], "native", f"{what}: tool")
    seen, reported = defaultdict(list), defaultdict(list)
    for line, name, write, path, distance, _ in expected:
        cold = distance is None
        cell = (1, int(write), int(cold), 0 if cold else distance, {} if cold else {tables.bin(distance): 1})
        for key in (("line", line, name), ("path", path), ("object", name)):
            seen[key].append(cell)
    for place in tables.places:
        cell = (place["accesses"], place["writes"], place["cold"], place["sum"], place["bins"])
        below = place["path"][place["path"].index("kernel") + 1:]
        for key in (("line", line_of.get(place["line"], place["line"]), thing(place)), ("path", below),
                    ("object", thing(place))):
            reported[key].append(cell)
    compare(what, seen, reported)
    pairs, long_reported = Counter(), Counter()
    for line, _, _, _, distance, before in expected:
        if distance is not None and distance >= PAIRS_FROM:
            pairs[before, line] += 1
    for a, b, tally in tables.pairs:
        long_reported[line_of[a["line"]], line_of[b["line"]]] += tally["accesses"]
    same(long_reported, pairs, f"{what}: long reuses")
    for line, element in (("fill", "[*][*]"), ("vel", "[*].vel[*]"), ("id", "[*].id"), ("local read", "[*]")):
        same({p["element"] for p in tables.places if p["line"] == mark[line]}, {element},
             f"{what}: element at [{line}]")
    for name, count in (("descend", DEPTH + 1), ("touch", 3)):
        same(sum(row["calls"] for row in got["contexts"] if row["name"] == name), count, f"{what}: calls of {name}")
    for line in ("one make", "other make"):
        check(any(row["name"].endswith(f"block (known.c:{mark[line]})") for row in got["objects"]),
              f"{what}: no block of [{line}] among {[row['name'] for row in got['objects']]}")


for level in "0123":
    check_build(f"gcc -O{level}", "deja-cc", f"-O{level}")
check_build("gcc -O2 -static", "deja-cc", "-O2", "-static")
if has("clang"):
    for level in "02":
        check_build(f"clang -O{level}", "deja-cc", "--with", "clang", f"-O{level}")
finish()
