# SPDX-License-Identifier: MIT
"""Random profiles with code and data, as JSON."""
import collections

EDGES = [0, 1, 2, 4, 8, 12, 16, 32, 64, 100, 128, 256, 512]


def random_tally(dice, scale, cold=True):
    distances = [dice.choice((0, 1, 3, 11, 12, 13, 40, 99, 100, 300, 511, 512, 9000)) for _ in range(dice.randrange(1, 4))]
    counts = [1 + int(scale * dice.random() ** 6) for _ in distances]
    bins = [0] * len(EDGES)
    for distance, count in zip(distances, counts):
        bins[max(i for i, edge in enumerate(EDGES) if edge <= distance)] += count
    first = next(i for i, count in enumerate(bins) if count)
    while bins[-1] == 0:
        bins.pop()
    squares = sum(d * d * n for d, n in zip(distances, counts))
    new = dice.randrange(3) if cold else 0
    reuses = sum(counts)
    return [reuses + new, new, dice.randrange(reuses + 1) if cold else 0, sum(d * n for d, n in zip(distances, counts)),
            squares % 2 ** 64, squares >> 64, min(distances), max(distances), first, bins[first:]]


def random_profile(dice, places, scale):
    """More rows than a page has. Weights are skewed, as those of programs are."""
    files, functions, loops, sites = 20, max(4, places // 8), max(4, places // 6), max(4, places // 3)
    contexts, objects = max(4, places // 8), max(4, places // 10)
    function_rows = [[f"f{i}", 0, i % files, 10 * i + 1] for i in range(functions)]
    loop_rows = []
    for i in range(loops):
        function = i * functions // loops
        inside = i > 0 and loop_rows[i - 1][0] == function and dice.random() < 0.5
        loop_rows.append([function, i - 1 if inside else None, loop_rows[i - 1][2] + 1 if inside else 1, function % files,
                          10 * function + 1, 10 * function + 9, dice.randrange(3)])
    site_rows = []
    for i in range(sites):
        loop = dice.randrange(loops)
        function = loop_rows[loop][0]
        site_rows.append([0, 4 * i, function, function % files, 10 * function + dice.randrange(1, 9), loop, None, None])
    context_rows = [[None, 0, None, None, False, 0, None]]
    for i in range(1, contexts):
        context_rows.append([dice.randrange(max(0, i - 40), i), 0, dice.randrange(functions), dice.randrange(sites), False,
                             dice.randrange(9), None])
    place_rows = [[dice.randrange(sites), dice.randrange(contexts), dice.randrange(objects), dice.choice(("", "[*]", "[*].x", "[*].y")),
                   "", random_tally(dice, scale)] for _ in range(places)]
    lane = collections.Counter()
    pairs = {(dice.randrange(places), dice.randrange(places)) for _ in range(places // 2)}
    accesses = sum(place[5][0] for place in place_rows)
    cold = sum(place[5][1] for place in place_rows)
    lane[7] = accesses - cold
    return {
        "schema": "deja-profile", "version": 1, "engine": "fast", "partial": False, "partial_reason": "",
        "provenance": {"version": "1", "command": "deja run -- ./p", "format": "live", "inputs": ["./p"], "unit": "block",
                       "unit_bytes": 1, "exact": True, "error_bound": 0, "split": False},
        "bins": "exact", "accesses": accesses, "requests": accesses, "bytes": 0, "reads": 0, "writes": 0, "block_bytes": 64,
        "distinct": cold, "cold": cold,
        "distance": {"min": 7, "max": 7, "mean": 7, "median": 7, "std": 0},
        "histogram": [{"lo": at, "hi": at, "count": count} for at, count in lane.items()],
        "attribution": {
            "pair_from": 12, "contexts_folded": 0, "edges": EDGES, "cuts": [["L1", 12], ["L2", 100]],
            "files": [f"/src/file{i}.c" for i in range(files)], "modules": [["/bin/p", True, True]], "functions": function_rows,
            "loops": loop_rows, "inlined": [], "sites": site_rows, "threads": [[1, "", 5]], "contexts": context_rows,
            "objects": [[f"o{i}", "", "global", 0, 1, None, 64, 1, 3] for i in range(objects)], "places": place_rows,
            "pairs": [[a, b, random_tally(dice, scale, False)] for a, b in sorted(pairs)]}}
