# SPDX-License-Identifier: MIT
"""`deja spatial` on programs: numbers match their source."""
import json
import os

from live import (DEJA, NATIVE, SOURCES, check, deja, finish, load, marks, native, need, program,
                  same, scratch)

need("valgrind")
SPATIAL = program("spatial")
LINES = marks("spatial.c")
BLOCKS, ROUNDS = 8192, 4
REUSES = (ROUNDS - 1) * BLOCKS  # in each of walk, skip and halve: the first round is cold


def spatial(*arguments, status=0):
    """The JSON that `deja spatial` saves."""
    path = scratch("spatial.json")
    if os.path.exists(path):
        os.remove(path)
    ran = deja("spatial", "--json", "-o", path, *arguments)
    same(ran.returncode, status, f"status of {arguments} ({ran.stderr.decode()[-1000:]})")
    return load(path) if check(os.path.exists(path), f"no profile of {arguments}") else finish()


def row(profile, mark, ranking="ranking"):
    found = [r for r in profile["spatial"][ranking] if r.get("line") == LINES[mark]
             and os.path.basename(r["file"]) == "spatial.c"]
    if not check(len(found) == 1, f"{mark}: {len(found)} rows in {ranking}"):
        finish()
    return found[0]


def check_lines(profile, what):
    """Half of the reuses of walk find the line that the previous block fetched; those of the others do not."""
    expected = {"walk": (REUSES, REUSES // 2), "skip": (REUSES, 0), "even": (REUSES // 2, 0),
                "odd": (REUSES // 2, 0)}
    for mark, (reuses, effective) in expected.items():
        r = row(profile, mark)
        same((r["reuses"], r["effective"], r["long_reuses"], r["poor"]),
             (reuses, effective, reuses, reuses - 2 * effective), f"{what}: {mark}")
    same([r["line"] for r in profile["spatial"]["ranking"][:3]],
         [LINES["skip"], LINES["even"], LINES["odd"]], f"{what}: the worst")


def check_map(pair, accesses, what):
    rows = sum(map(sum, pair["map"]))
    cold = pair["cold_row"]
    same(rows, pair["reuses"], f"{what}: sum of the map")
    same(rows + cold["cold"] + cold["spatial"], accesses, f"{what}: all accesses")
    same(sum(cold["bins"]), cold["spatial"], f"{what}: the cold row")
    effective = sum(n for i, line in enumerate(pair["map"]) for j, n in enumerate(line) if j <= i - 3)
    same(effective, pair["effective"], f"{what}: effective reuses")
    check(abs(pair["score"] - 2 * effective / rows) < 1e-9, f"{what}: score {pair['score']}")


def test_lines():
    profile = spatial("--caches", "L1=32K,1M", "--", SPATIAL, "7", status=7)
    s = profile["spatial"]
    same([p["block"] for p in s["pairs"]], [32, 64], "pairs by default")
    same([(c["name"], c["bytes"]) for c in s["caches"]], [("L1", 32 << 10), ("1M", 1 << 20)], "caches")
    same((s["usage_block"], s["usage_cache"]), (64, 32 << 10), "block and cache of the line utilization")
    for pair in s["pairs"]:
        check_map(pair, profile["accesses"], f"pair {pair['block']}")
    check_lines(profile, "by default")
    # In blocks of 32 bytes or more the arrays exceed L1, so each round fetches them again.
    for mark, fetched, used in (("walk", BLOCKS // 2, 16), ("skip", BLOCKS, 8), ("even", BLOCKS // 2, 8)):
        r = row(profile, mark)
        same((r["fetched"], r["used"]), (ROUNDS * fetched, ROUNDS * fetched * used), f"lines used by {mark}")
    stride = row(profile, "skip")["strides"][0]
    same((stride["stride"], stride["count"]), (64, ROUNDS * (BLOCKS - 1)), "stride of skip")
    check(row(profile, "skip")["advice"] and row(profile, "skip")["text"], "no advice for skip")
    # The walk covers 256 KiB, more than L1 and less than the next cache.
    same(row(profile, "skip")["saved"], REUSES // 2, "misses that skip would save")
    return profile


def test_pairs():
    """From 64 to 128 bytes skip is a walk, and walk finds both halves of the line at once."""
    profile = spatial("--blocks", "32..256", "--pair", "64", "--caches", "none", "--", SPATIAL)
    same([p["block"] for p in profile["spatial"]["pairs"]], [32, 64, 128], "pairs from 32 to 256")
    same(profile["spatial"]["ranked"]["block"], 64, "the pair that is ranked")
    r = row(profile, "skip")
    same((r["reuses"], r["effective"], r["poor"]), (REUSES, REUSES // 2, 0), "skip from 64 to 128 bytes")
    r = row(profile, "walk")
    # The second half of a line is a reuse at distance 0, also in the first round.
    same((r["long_reuses"], r["long_effective"]), (REUSES // 2, REUSES // 4), "walk from 64 to 128 bytes")
    same(r["reuses"], REUSES + BLOCKS // 2, "all reuses of walk in blocks of 64 bytes")


def test_ranked_by_cache():
    """A cache of 1 MiB holds every array, and the first round is cold: nothing is left to rank."""
    for cache, poor in (("L1", REUSES), ("1m", 0)):
        profile = spatial("--caches", "L1=32K,1M", "--cache", cache, "--", SPATIAL)
        same(row(profile, "skip")["poor"], poor, f"poor reuses of skip by {cache}")


def test_forms(profile):
    saved = scratch("saved.json")
    os.rename(scratch("spatial.json"), saved)
    ran = deja("spatial", saved, cwd=SOURCES)
    same(ran.returncode, 0, f"status of a saved profile ({ran.stderr.decode()})")
    check(b"skipped[i].value" not in deja("spatial", saved, cwd="/usr").stdout, "a source elsewhere is read")
    text = ran.stdout.decode()
    check(f"spatial.c:{LINES['skip']} in skip" in text, "the worst line is not in the text")
    check("sum += skipped[i].value" in text, "the source of the worst line is not in the text")
    again = json.loads(deja("spatial", "--json", saved).stdout)
    check(all(again[key] == profile[key] for key in again), "saving a saved profile changes it")
    csv = deja("spatial", "--export", "csv", saved).stdout.decode().splitlines()
    check(len({line.count(",") for line in csv}) == 1, "lines of the CSV differ in length")
    pair = profile["spatial"]["pairs"][0]
    rows = [line.split(",") for line in csv[1:] if line.startswith("32,64,bin,")]
    column = csv[0].split(",").index("reuses")
    same(sum(int(r[column]) for r in rows), pair["reuses"], "reuses in the bins of the CSV")
    by = deja("spatial", "--by", "function", "--context", saved).stdout.decode()
    check("main" in by and "halve" in by, "functions and contexts are not in the text")


def test_sources():
    """A saved profile shows lines only of sources that may be read; one note names the first of the others."""
    path, elsewhere = scratch("saved.json"), scratch("elsewhere")
    same(deja("spatial", "--json", "-o", path, "--", SPATIAL, "7").returncode, 7, "status")
    os.makedirs(elsewhere, exist_ok=True)
    with open(os.path.join(SOURCES, "spatial.c")) as file:
        line = file.read().splitlines()[LINES["skip"] - 1].strip()
    for source, shown in (((), False), (("--source", elsewhere), False), (("--source", SOURCES), True),
                          (("--source", f"{elsewhere}:{SOURCES}"), True)):
        ran = native(DEJA, "spatial", "--width", "200", *source, path, cwd=elsewhere)
        same(ran.returncode, 0, f"{source}: status")
        same(line in ran.stdout.decode(), shown, f"{source}: whether lines are shown")
        notes = [note for note in ran.stderr.decode().splitlines() if "lines are not shown" in note]
        same(len(notes), 0 if shown else 1, f"{source}: notes {notes}")
        check(shown or all("spatial.c" in note and "--source" in note for note in notes), f"{source}: notes {notes}")


def test_streams():
    """The program keeps its output; the report goes to standard error, or where -o says."""
    ran = deja("spatial", "--", SPATIAL, "3")
    same((ran.returncode, ran.stdout), (3, b""), "status and output of the program")
    check(b"in skip" in ran.stderr, "no report on standard error")
    check(deja("spatial", "--by", "none", "--", SPATIAL).stderr.count(b"skip") == 0, "--by none still names code")


def test_trace(live):
    """A recording has the same numbers as a live run."""
    trace = scratch("spatial.deja")
    same(deja("record", "-o", trace, "--", SPATIAL).returncode, 0, "status of deja record")
    check_lines(spatial(trace), "recorded")
    check("attribution" not in spatial("--by", "none", trace), "--by none still attributes")
    same(spatial("--by", "none", trace)["spatial"]["pairs"][0]["block"], 32, "block of a recorded program")
    check_lines(live, "live")


def test_processes():
    if NATIVE:
        return
    profile = spatial("--", "sh", "-c", f"{SPATIAL}; exit 5", status=5)
    names = [p["process"]["command"] for p in profile["processes"]]
    check(all("spatial" in p for p in profile["processes"]), "a process without spatial locality")
    if not check(names.count(SPATIAL) == 1, f"processes of sh: {names}"):
        return
    number = names.index(SPATIAL)
    check_lines(profile["processes"][number], "as a child")
    ran = deja("spatial", "--process", str(number + 1), scratch("spatial.json"))
    check(b"in skip" in ran.stdout, "--process does not show the child")
    same(len(spatial("--no-follow", "--", "sh", "-c", f"{SPATIAL}; exit 5", status=5)["processes"]), 0,
         "processes without following them")


def distances(trace, block):
    """Reuse distances by linear search; None: cold."""
    stack, found = [], []
    for access in trace:
        key = access // block
        found.append(stack.index(key) if key in stack else None)
        if key in stack:
            stack.remove(key)
        stack.insert(0, key)
    return found


def test_annotations():
    """An annotated program counts elements: 0 to 9 and 0 to 19, three times."""
    if NATIVE:
        return
    profile = spatial("--blocks", "1..4", "--", program("annotated"), "regions")
    trace = (list(range(10)) + list(range(20))) * 3
    same(profile["accesses"], len(trace), "accesses of the annotated program")
    for pair in profile["spatial"]["pairs"]:
        expected = {}
        for before, after in zip(distances(trace, pair["block"]), distances(trace, 2 * pair["block"])):
            if before is not None:
                key = before.bit_length(), after.bit_length()
                expected[key] = expected.get(key, 0) + 1
        got = {(i, j): n for i, line in enumerate(pair["map"]) for j, n in enumerate(line) if n}
        same(got, expected, f"map of the annotated program from {pair['block']}")
    check(sum(r["reuses"] for r in profile["spatial"]["ranking"]) == len(trace) - 20, "ranking of elements")
    for option, value in (("--caches", "32K"), ("--residency", "32K"), ("--blocks", "4K,8K")):
        ran = deja("spatial", option, value, "--", program("annotated"), "regions")
        same((ran.returncode, ran.stdout), (2, b""), f"annotated program with {option} {value}")


def test_refused():
    for arguments, word in (((SPATIAL,), "put '--' before it"), (("--tool", "valgrind", "x.trace"), "--tool"),
                            (("--format", "lackey", "--", SPATIAL), "--format"),
                            (("--pair", "16", "--", SPATIAL), "32 to 64"), (("--",), "no program"),
                            (("--caches", "L1=32K", "--cache", "L2", "--", SPATIAL), "L1")):
        ran = native(DEJA, "spatial", *arguments)
        same((ran.returncode, ran.stdout), (2, b""), f"refused: {arguments}")
        check(word in ran.stderr.decode(), f"refused: {arguments}: {ran.stderr.decode()}")
    same(native(DEJA, "spatial", "--", "/no/such/program").returncode, 127, "status of a missing program")


live = test_lines()
test_forms(live)
test_pairs()
test_ranked_by_cache()
test_sources()
test_streams()
test_trace(live)
test_processes()
test_annotations()
test_refused()
finish()
