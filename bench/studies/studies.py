# SPDX-License-Identifier: MIT
"""The studies: each uses a Probe and returns its results, ready for JSON."""

VERSIONS = {"arrays": "spatial/shallow", "regrouped": "spatial/shallow_regrouped",
            "interchanged": "spatial/shallow_interchanged"}
# Blocks of the studies of one program: from 16 bytes to 256.
BLOCKS = (16, 32, 64, 128)
# Programs and their sizes, from small to large. What repeats: the same number of steps at each size.
SIZES = {"spatial/shallow": ((167, 4), (334, 4), (667, 4)), "papers/tomcatv_off": ((100, 5), (200, 5), (400, 5)),
         "papers/sp_off": ((12, 2), (20, 2), (32, 2)), "papers/fft_off": ((64,), (128,), (256,)),
         "papers/sweep_off": ((10,), (16,), (24,)), "papers/adi_off": ((128, 4), (256, 4), (512, 4)),
         "spatial/align": ((50,), (200,), (800,))}
SMALL = {"spatial/shallow": ((32, 2), (48, 2)), "spatial/align": ((3,), (6,))}
# How often each program repeats its work when it is timed.
ADVICE = {"interchange": 200, "split": 2000, "reorder": 1000, "regroup": 500, "pad": 500, "shrink": 400, "sort": 1500}


def regrouping(bench):
    """Figures 5 and 6, miss rates and run times of shallow water."""
    size, timed = ((48, 2), ((64, 4),)) if bench.small else ((667, 4), ((667, 40), (1335, 10)))
    result = {"size": size, "versions": {}, "times": []}
    for version, name in VERSIONS.items():
        found = bench.spatial(bench.program(name, *size), "16..256")
        result["versions"][version] = {
            "accesses": found.accesses, "miss_ratios": found.miss_ratios(), "misses": found.misses(),
            "pairs": {block: {"score": found.pair(block)["score"], "bins": found.bins(block),
                              "components": found.long_components(block)} for block in BLOCKS}}
    for arguments in timed:
        best = bench.seconds(*(bench.program(name, *arguments) for name in VERSIONS.values()))
        result["times"].append({"size": arguments, "seconds": dict(zip(VERSIONS, best))})
    return result


def inputs(bench):
    """Tables 2 and 3: components and the time of the analysis from small to large."""
    rows = []
    for name, sizes in (SMALL if bench.small else SIZES).items():
        for size in sizes:
            command = bench.program(name, *size)
            found = bench.spatial(command)
            rows.append({"program": name, "size": size, "accesses": found.accesses, "distinct": found.profile["distinct"],
                         "seconds": bench.seconds(command)[0], "analysis_seconds": found.seconds,
                         "components": found.long_components(64)})
    return rows


def blocks(bench):
    """4.1.3: the score of the first long component at several block sizes."""
    rows = []
    for name, sizes in (SMALL if bench.small else SIZES).items():
        found = bench.spatial(bench.program(name, *sizes[1]), "16..256")
        rows.append({"program": name, "size": sizes[1], "all_block_score": found.spatial["all_block_score"],
                     "components": {block: found.long_components(block) for block in BLOCKS}})
    return rows


def lookup(bench):
    """The user study: a table that a library looks numbers up in."""
    counted, timed = (4, 20) if bench.small else (300, 10000)
    both = [bench.program("spatial/align" + kind, counted) for kind in ("", "_fixed")]
    found = [bench.spatial(command) for command in both]
    best = bench.seconds(*(bench.program("spatial/align" + kind, timed) for kind in ("", "_fixed")))
    return {"pairs": counted, "timed_pairs": timed, "seconds": best, "outputs": [bench.output(command) for command in both],
            "worst": [one.worst() for one in found], "miss_ratios": [one.miss_ratios() for one in found],
            "accesses": [one.accesses for one in found]}


def advice(bench):
    """A small program for each remedy, before and after."""
    rows = []
    for name, rounds in ADVICE.items():
        found = [bench.spatial(bench.program(f"spatial/{name}{kind}")) for kind in ("", "_fixed")]
        timed = [bench.program(f"spatial/{name}{kind}", *(() if bench.small else (rounds,))) for kind in ("", "_fixed")]
        rows.append({"program": name, "worst": found[0].worst(), "misses": [one.misses() for one in found],
                     "fetched_use": [use(one) for one in found], "seconds": bench.seconds(*timed)})
    return rows


def use(found):
    """Bytes used of each block that the worst line fetched into the cache."""
    worst = found.worst()
    return worst["used"] / worst["fetched"] if worst and worst["fetched"] else None


ALL = {"regrouping": regrouping, "inputs": inputs, "blocks": blocks, "lookup": lookup, "advice": advice}
