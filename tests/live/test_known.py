# SPDX-License-Identifier: MIT
"""A program with known accesses has exactly the expected objects, lines, contexts,
pairs and histograms: those calculated by hand from its source, and those of
lackey's trace, access by access."""
from collections import Counter, defaultdict

import lackey
from live import check, finish, marks, need, program, same, profile, the, Tables

need("valgrind", "nm", "objdump", "addr2line")
ROWS, COLUMNS, PARTS, WORDS, DEPTH, LOCAL, SWEEPS = 24, 40, 64, 512, 20, 64, 10
CACHES = {"S": 64, "L": 512}  # in blocks
PAIRS_FROM = CACHES["S"]      # reuses at this distance or more are long

known = program("known")
mark = marks("known.c")
expected, printed = lackey.follow(known, "on_page", "kernel", "kernel")
got = profile([known], "--within", "kernel", "--by", "all", "--caches", "S=4K,L=32K")
tables = Tables(got)

# --- the source ----------------------------------------------------------------

GRID = SWEEPS * ROWS * COLUMNS
by_hand = {  # line, object: accesses, writes
    ("fill", "grid"): (GRID, GRID), ("sum", "grid"): (GRID, 0),
    ("vel", "parts"): (PARTS, PARTS), ("vel again", "parts"): (PARTS, 0), ("id", "parts"): (PARTS, PARTS),
    ("part 12", "parts"): (1, 0), ("down", "trail"): (DEPTH + 1, DEPTH + 1), ("up", "trail"): (DEPTH + 1, 0),
    ("turn", "turns"): (3, 3), ("end", "turns"): (2, 1), ("at", "window_at"): (1, 1),
    ("one block", "blocks"): (1, 1), ("other block", "blocks"): (1, 1),
    ("local write", "local"): (LOCAL, LOCAL), ("local read", "local"): (LOCAL, 0),
    ("touch", "one"): (WORDS, WORDS), ("touch", "other"): (3 * WORDS, 3 * WORDS),
}
elements = {("fill", "grid"): "[*][*]", ("sum", "grid"): "[*][*]", ("vel", "parts"): "[*].vel[*]",
            ("id", "parts"): "[*].id", ("down", "trail"): "[*]", ("local read", "local"): "[*]"}


# A heap block is named after its allocation site, which is the same line for both:
# the calling context of the allocation distinguishes them.
def thing(place):
    if place["kind"] != "heap":
        return place["object"].split(" ")[0]
    path = tables.path(tables.tables["objects"][place["object_row"]][5])
    return {"one_way": "one", "other_way": "other"}.get(
        next((f for f in path if f in ("one_way", "other_way")), None), place["object"])


counted = defaultdict(lambda: [0, 0])
for place in tables.places:
    # The compiler may keep `sum` in kernel's frame or not.
    if place["file"] == "known.c" and place["kind"] != "frame" and place["object"].split(" ")[0] != "sum":
        row = counted[place["line"], thing(place)]
        row[0] += place["accesses"]
        row[1] += place["writes"]
for (line, name), numbers in by_hand.items():
    same(tuple(counted.pop((mark[line], name), (0, 0))), numbers, f"accesses and writes of {name} at [{line}]")
same(dict(counted), {}, "accesses to named data that are not in the source")
for (line, name), element in elements.items():
    same({p["element"] for p in tables.places if p["line"] == mark[line] and thing(p) == name}, {element},
         f"element of {name} at [{line}]")
same({p["example"] for p in tables.places if p["line"] == mark["part 12"] and thing(p) == "parts"},
     {"[12].vel[2]"}, "the only element of parts at [part 12]")

# A row of grid spans 5 blocks, and one stack block is accessed between a call and its
# return. Within a column each of the 24 rows is in a separate block, which is reused
# in the next column, after the 23 others. The first access to a block in a pass reuses
# it from the previous pass, which ran in the other order.
after_fill = [120 - i * (4 - k) for i in range(ROWS) for k in range(5)]
after_sum = [120 - k * (23 - i) for i in range(ROWS) for k in range(5)]
by_line = {"sum": after_fill * SWEEPS + [ROWS - 1] * (SWEEPS * ROWS * (COLUMNS - 5)),
           "fill": after_sum * (SWEEPS - 1) + [0] * (SWEEPS * ROWS * (COLUMNS - 5))}
for line, distances in by_line.items():
    bins = Counter()
    for place in tables.where(line=mark[line], object="grid"):
        bins.update(place["bins"])
    same(bins, Counter(map(tables.bin, distances)), f"reuses of grid at [{line}]")
pairs = Counter()
for a, b, tally in tables.pairs:
    if b["object"] == "grid":
        pairs[a["line"], b["line"]] += tally["accesses"]
same(pairs, Counter({(mark["fill"], mark["sum"]): SWEEPS * sum(d >= PAIRS_FROM for d in after_fill),
                     (mark["sum"], mark["fill"]): (SWEEPS - 1) * sum(d >= PAIRS_FROM for d in after_sum)}),
     "long reuses of grid")

# --- lackey's trace -----------------------------------------------------------

layout = {}
for line in printed.split("\n"):
    if line:
        name, low, size = line.split()
        layout[name] = (int(low, 16), int(low, 16) + int(size))


def owner(access):
    """The name of the data; on the stack, only window's array has one."""
    name = next((n for n, (low, high) in layout.items() if low <= access.address < high), None)
    return name if name != "local" or access.function == "window" else None


def fold(path):
    folded = []
    for name in path:
        folded = folded[:folded.index(name) + 1] if name in folded else folded + [name]
    return tuple(folded)


def summary(distances):
    reuses = [d for d in distances if d is not None]
    return {"accesses": len(distances), "cold": len(distances) - len(reuses), "sum": sum(reuses),
            "min": min(reuses, default=0), "max": max(reuses, default=0),
            "bins": Counter(map(tables.bin, reuses))}


def total(places):
    """The same for places of the profile."""
    places, bins = list(places), Counter()
    for p in places:
        bins.update(p["bins"])
    reused = [p for p in places if p["accesses"] > p["cold"]]
    return {"accesses": sum(p["accesses"] for p in places), "cold": sum(p["cold"] for p in places),
            "sum": sum(p["sum"] for p in places), "min": min((p["min"] for p in reused), default=0),
            "max": max((p["max"] for p in reused), default=0), "bins": bins}


def compare(what, key_of_access, key_of_place, keys=None):
    seen, reported = defaultdict(list), defaultdict(list)
    for a in expected:
        seen[key_of_access(a)].append(a.distance)
    for p in tables.places:
        reported[key_of_place(p)].append(p)
    for key in keys if keys is not None else seen:
        same(total(reported.get(key, [])), summary(seen[key]), f"{what} {key}")
    if keys is None:
        same(set(reported), set(seen), f"set of {what}s")


same(got["accesses"], len(expected), "accesses of the region")
same(got["distinct"], len({a.block for a in expected}), "distinct blocks")
same(total(tables.places), summary([a.distance for a in expected]), "all accesses")
compare("object", owner, lambda p: thing(p) if thing(p) in layout else None)
own = {"kernel", "fill_grid", "sum_columns", "move_parts", "descend", "make", "touch", "one_way", "other_way",
       "window"}
compare("line", lambda a: a.line if a.function in own else None,
        lambda p: p["line"] if p["file"] == "known.c" else None)
compare("function", lambda a: a.function if a.function in own else None,
        lambda p: p["function"] if p["function"] in own else None)


def own_path(path):
    names = [n for n in path if n in own]
    return fold(names[names.index("kernel"):]) if "kernel" in names else ()


compare("context", lambda a: own_path(a.context), lambda p: own_path(p["path"]))
compare("object in a context", lambda a: (owner(a), own_path(a.context)),
        lambda p: (thing(p) if thing(p) in layout else None, own_path(p["path"])))

long_seen = Counter()
for a in expected:
    if a.distance is not None and a.distance >= PAIRS_FROM:
        b = expected[a.previous]
        long_seen[b.line if b.function in own else None, a.line if a.function in own else None, owner(a)] += 1
long_reported = Counter()
for a, b, tally in tables.pairs:
    long_reported[a["line"] if a["file"] == "known.c" else None, b["line"] if b["file"] == "known.c" else None,
                  thing(b) if thing(b) in layout else None] += tally["accesses"]
same(long_reported, long_seen, "long reuses")

# --- the views ---------------------------------------------------------------


def check_row(row, accesses, what, exact_distinct=False):
    """Compares a row of the profile with the accesses that belong to it."""
    reuses = [a.distance for a in accesses if a.distance is not None]
    same(row["accesses"], len(accesses), f"{what}: accesses")
    same(row["cold"], len(accesses) - len(reuses), f"{what}: cold")
    same(row["writes"], sum(a.kind != "read" for a in accesses), f"{what}: writes")
    if exact_distinct:
        same(row["distinct"], len({a.block for a in accesses}), f"{what}: distinct")
    for cache, blocks in CACHES.items():
        same(row["misses"][cache], sum(a.distance is None or a.distance >= blocks for a in accesses),
             f"{what}: misses of {cache}")
    if "histogram" in row:  # inclusive costs have none
        counts = Counter(next((b["lo"] for b in row["histogram"] if b["lo"] <= d <= b["hi"]), d) for d in reuses)
        same({b["lo"]: b["count"] for b in row["histogram"] if b["count"]}, dict(counts), f"{what}: histogram")
    if reuses:
        same((row["distance"]["min"], row["distance"]["max"]), (min(reuses), max(reuses)), f"{what}: distances")
        check(abs(row["distance"]["mean"] - sum(reuses) / len(reuses)) < 1e-9 * max(reuses) + 1e-12, f"{what}: mean")


check("histogram" in got["objects"][0], "no histograms")


def within(name):
    return [a for a in expected if name in a.context]


for name in ("grid", "parts", "trail", "turns", "blocks", "window_at", "local"):
    check_row(the(got["objects"], name), [a for a in expected if owner(a) == name], name, exact_distinct=True)
for name in own:
    row = the(got["functions"], name)
    check_row(row, [a for a in expected if a.function == name], name)
    check_row(row["inclusive"] | {"writes": sum(a.kind != "read" for a in within(name))}, within(name),
              f"{name}, inclusive")
for line in {a.line for a in expected if a.function in own}:
    check_row(the(got["lines"], f"known.c:{line}"), [a for a in expected if a.line == line and a.function in own],
              f"line {line}")
check_row(got["threads"][0], expected, "the thread", exact_distinct=True)
same(len(got["threads"]), 1, "threads")
# Calls of one function from two lines have two contexts; a recursive call returns to the first context.
for ending, lines, count in ((("kernel", "one_way", "touch"), 1, 1), (("kernel", "other_way", "touch"), 2, 2),
                             (("kernel", "descend"), 1, DEPTH + 1), (("kernel", "one_way", "make"), 1, 1)):
    found = []
    for row in got["contexts"]:
        path, at = [], row
        while at:
            path.insert(0, at["name"])
            at = None if at["parent"] is None else got["contexts"][at["parent"]]
        if tuple(path[-len(ending):]) == ending:
            found.append(row)
    same(len(found), lines, f"contexts that end with {ending}")
    same(sum(row["calls"] for row in found), count, f"calls of {ending}")
    same(sum(row["accesses"] for row in found), sum(fold(a.context) == ending for a in expected),
         f"accesses of {ending}")
    if len(found) == 1:
        check_row(found[0], [a for a in expected if fold(a.context) == ending], f"context {ending}")
        check_row(found[0]["inclusive"] | {"writes": sum(a.kind != "read" for a in expected
                                                         if fold(a.context)[:len(ending)] == ending)},
                  [a for a in expected if fold(a.context)[:len(ending)] == ending], f"context {ending}, inclusive")
        same(found[0]["recursive"], ending[-1] == "descend", f"whether {ending} is recursive")
loops = {(tables.function(row[0]), row[2], row[4]) for row in tables.tables["loops"]}
for function, depth, first in (("fill_grid", 1, "rows"), ("fill_grid", 2, "columns"), ("sum_columns", 1, "outer"),
                               ("sum_columns", 2, "inner"), ("kernel", 1, "sweeps")):
    check((function, depth, mark[first]) in loops,
          f"no loop in {function} of depth {depth} that begins at line {mark[first]}: {sorted(loops, key=str)}")
long_reuses = [row for row in got["reuse_pairs"] if row.get("object", row.get("data")) == "grid"]
check(long_reuses, f"no reuse pair on grid: {got['reuse_pairs'][:2]}")
finish()
