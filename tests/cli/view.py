# SPDX-License-Identifier: MIT
"""What pages contain: decoded by tests/support/page.py, compared with `deja report --json` and with sums over the
places of random profiles.   view.py DEJA SOURCES"""
import collections
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

DEJA, SOURCES = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCES, "tests", "support"))
from page import Page, misses  # noqa: E402
from random_profile import random_profile  # noqa: E402

SCRATCH = tempfile.TemporaryDirectory(prefix="deja-view-")
os.chdir(SCRATCH.name)
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "DEJA_VIEW_TEMPLATE": os.path.join(SOURCES, "tests", "support", "page.html")}
BREAKDOWNS = ("objects", "functions", "loops", "lines", "contexts", "threads")
COUNTS = ("accesses", "cold", "writes", "sum")


def deja(*arguments):
    found = subprocess.run([DEJA, *arguments], capture_output=True, env=ENVIRONMENT, check=False)
    assert found.returncode == 0, (arguments, found.stderr)
    return found.stdout.decode()


def page_of(*arguments):
    return Page(deja("view", "-o", "-", *arguments))


def add(tallies, edges):
    """The sum, as `dj_tally_add` defines it: sums are modulo 2^64, the shortest and longest distance are of reuses."""
    out = {"bins": [0] * len(edges), "min": 0, "max": 0, **{name: 0 for name in COUNTS}}
    any_reuse = False
    for tally in tallies:
        for name in COUNTS:
            out[name] = (out[name] + tally[name]) % 2 ** 64
        for i, count in enumerate(tally["bins"]):
            out["bins"][tally["first"] + i] += count
        if tally["accesses"] > tally["cold"]:
            out["min"] = min(out["min"], tally["min"]) if any_reuse else tally["min"]
            out["max"] = max(out["max"], tally["max"])
            any_reuse = True
    return out


def plain(tally, edges):
    return add([tally], edges)


def check_sums(page, totals):
    """Rows and rest are the total, of every breakdown; so are fields, and who touches them."""
    edges = page.section("view")["edges"]
    cut = []
    for name in (*BREAKDOWNS, "fields", "touches"):
        table = page.section(name)
        rest = [table["rest"]["tally"]] if table["rest"] else []
        found = add([row["tally"] for row in table["rows"]] + rest, edges)
        assert found == totals, (name, found, totals)
        if "total" in table:
            assert plain(table["total"], edges) == totals, name
        assert bool(rest) == (bool(table["rest"]) and table["rest"]["rows"] > 0), name
        cut += [name] if rest else []
    return cut


def check_parents(page):
    for name in ("contexts", "loops"):
        rows = page.section(name)["rows"]
        for i, row in enumerate(rows):
            assert row["parent"] is None or row["parent"] < len(rows), (name, i)
            if name == "contexts" and row["parent"] is not None:
                assert row["parent"] < i and rows[row["parent"]]["depth"] == row["depth"] - 1, (name, i)


def same_row(row, other, page, view):
    """A row of a page, and the same one in JSON."""
    tally = row["tally"]
    for name in ("name", "line", "depth"):
        assert name not in other or row[name] == other[name], (name, row, other)
    if "file" in other:
        assert page.section("files")["rows"][row["file"]]["path"] == other["file"]
    for name in ("accesses", "writes", "cold"):
        assert tally[name] == other[name], (name, row, other)
    assert row["distinct_known"] == (other["distinct"] is not None)
    if row["distinct_known"]:
        assert (row["distinct"], row["distinct_exact"]) == (other["distinct"], other["distinct_exact"]), row
    for cache in view["caches"]:
        if cache["name"] not in other["misses"]:  # one of --caches
            continue
        assert misses(tally, view["edges"], cache["blocks"]) == other["misses"][cache["name"]], (row, other)
        if "inclusive" in other:
            assert misses(row["inclusive"], view["edges"], cache["blocks"]) == other["inclusive"]["misses"][cache["name"]]
    reuses = tally["accesses"] - tally["cold"]
    assert (other["distance"] is None) == (reuses == 0)
    if reuses and tally["sum"] < 2 ** 53:
        assert math.isclose(other["distance"]["mean"], tally["sum"] / reuses, rel_tol=1e-9), (row, other)
    for key in ("function", "module", "kind", "type", "bytes", "blocks", "calls"):
        assert key not in other or row[key] == other[key], (key, row, other)
    for mine, theirs in zip(row["spatial"], other.get("spatial", ())):
        assert mine == {key: theirs[key] for key in mine}, (mine, theirs)
    assert bool(row["usage"]) <= ("usage" in other)
    if row["usage"]:
        assert row["usage"] == other["usage"], (row["usage"], other["usage"])
    for name, value in (row["sharing"] or {}).items():
        if name != "caches":
            assert value == other["sharing"][name], (name, row, other)
    if row["ranges"]:
        low, high = other["ranges"]["accesses"]
        assert abs(row["ranges"][0]["low"] - low) <= 0.5 and abs(row["ranges"][0]["high"] - high) <= 0.5


def check_rows(page, report):
    """The rows of a page are those of JSON, in the same order, without those that the cut left out."""
    view = page.section("view")
    for name in BREAKDOWNS:
        rest = iter(report[name])
        for row in page.section(name)["rows"]:
            other = next((at for at in rest if at["name"] == row["name"] and at["accesses"] == row["tally"]["accesses"]
                          and at.get("line", 0) == row["line"]), None)
            assert other, f"{name}: {row['name']} is not in JSON, or in another order"
            same_row(row, other, page, view)


def check_reuses(page, report):
    """In the order of JSON, which lists the first thousand."""
    rows, others, at = page.section("reuses")["rows"], report["reuse_pairs"], 0
    names = ("from", "to", "from_line", "to_line", "data", "advice", "text")
    for row in rows:
        after = next((i for i in range(at, len(others)) if all(row[name] == others[i].get(name, 0) for name in names)
                      and row["tally"]["accesses"] == others[i]["count"]), None)
        if after is None:
            assert report["reuse_pairs_left_out"] > 0, row
            continue
        assert row["loop"] == (others[after]["loop"] or ""), row
        at = after + 1
    assert at > 0 or not others
    left = page.section("reuses")["rest"]
    listed = sum(row["tally"]["accesses"] for row in rows) + (left["tally"]["accesses"] if left else 0)
    wanted = sum(pair[2][0] for pair in report["attribution"]["pairs"])
    assert listed == wanted, (listed, wanted)
    assert len(rows) + (left["rows"] if left else 0) == len(others) + report["reuse_pairs_left_out"]


def check_lanes(page, report):
    lanes = [report, *report.get("blocks", ())]
    for number, lane in enumerate(lanes, 1):
        histogram = page.section("histogram", lane=number)
        assert histogram["binned"] is False
        assert {at["lo"]: at["count"] for at in lane["histogram"]} == histogram["histogram"], number
        found = page.section("lane", lane=number)
        for name in ("block_bytes", "distinct", "cold"):
            assert found[name] == lane[name], name
    assert not page.has("lane", lane=len(lanes) + 1)


def check_view(page, report, *arguments):
    view = page.section("view")
    attribution = report.get("attribution", {"cuts": [], "edges": []})
    assert view["edges"] == attribution["edges"]
    if attribution["cuts"]:
        assert [[cache["name"], cache["blocks"]] for cache in view["caches"]] == attribution["cuts"]
    assert view["command"] == report["provenance"]["command"]
    text = " ".join(deja("report", "--width", "200", *arguments).split())
    assert 1 <= len(view["sentences"]) <= 2
    for said in (view["sentences"][0], *view["marks"], view["title"]):
        assert " ".join(said.split()) in text, said
    assert bool(view["marks"]) == (report["partial"] or not report["provenance"]["exact"]), view["marks"]
    for fact in view["facts"]:
        assert fact["value"] in text or fact["label"] in ("version", "order"), fact


def check_spatial(page, report):
    spatial = report["spatial"]
    rows = page.section("components")["rows"]
    assert len(rows) == len(spatial["components"]) > 0
    for row, other in zip(rows, spatial["components"]):
        for mine, theirs in (("pair", "block"), ("kind", "kind"), ("lo", "lo"), ("reuses", "reuses"), ("serious", "serious"),
                             ("effective", "effective"), ("size", "size"), ("score", "score"), ("mean", "mean_distance")):
            assert row[mine] == other[theirs], (row, other)
        assert row["hi"] == (-1 if other["hi"] is None else other["hi"]) and row["cache"] == other.get("cache", "")
    if "ranked" not in spatial:
        assert not page.has("spatial_rows")
        return
    keys = {"line": "ranking", "line in context": "ranking_by_context", "loop": "ranking_by_loop"}
    for ranking in page.section("spatial_rows")["rankings"]:
        if ranking["pair"] != spatial["ranked"]["block"]:
            continue
        for row, other in zip(ranking["rows"], spatial[keys[ranking["by"]]]):
            for mine, theirs in (("name", "name"), ("object", "object"), ("accesses", "accesses"), ("reuses", "reuses"),
                                 ("far_reuses", "long_reuses"), ("far_effective", "long_effective"), ("poor", "poor"),
                                 ("share", "share"), ("fetched", "fetched"), ("used", "used"), ("saved", "saved"),
                                 ("advice", "advice"), ("text", "text")):
                assert row[mine] == other[theirs], (mine, row, other)
        assert sum(row["poor"] for row in ranking["rows"]) + ranking["poor_left_out"] == ranking["poor_total"]


def differs(row):
    return row["accesses_before"] != row["accesses_after"] or any(at["before"] != at["after"] for at in row["misses"])


def check_diff(page, report):
    found = page.section("diff")
    assert [total["name"] for total in found["totals"]] == [total["name"] for total in report["totals"]]
    for mine, theirs in zip(found["totals"], report["totals"]):
        assert (mine["before"], mine["after"]) == (theirs["before"], theirs["after"]), mine
    assert found["verdict"] == [report["verdict"]]
    points = {point["size"]: point for point in found["points"]}
    for point in report["points"]:
        assert points[point["size"]] == {name: point[name] for name in ("size", "before", "after")}
    for breakdown in found["breakdowns"]:
        rows = collections.Counter(
            (row["name"], row["was"], row["function"], row["accesses_before"], row["accesses_after"],
             *((at["before"], at["after"]) for at in row["misses"])) for row in breakdown["rows"])
        others = collections.Counter(
            (row["name"], row.get("was", ""), row.get("function", ""), row["accesses"]["before"], row["accesses"]["after"],
             *((at["before"], at["after"]) for at in row["misses"])) for row in report[breakdown["by"]])
        left_out = breakdown["rest"]["rows"] if breakdown["rest"] else 0
        assert sum((others - rows).values()) <= left_out and others & rows, breakdown["by"]
        assert sum((rows - others).values()) == sum(1 for row in breakdown["rows"] if not differs(row)), breakdown["by"]
        for side in ("before", "after"):
            total = sum(row[f"accesses_{side}"] for row in breakdown["rows"])
            total += breakdown["rest"][f"accesses_{side}"] if breakdown["rest"] else 0
            assert total == found["totals"][0][side], (breakdown["by"], side)


def check_profile(*arguments, sums=True):
    """Everything that the page of a saved profile has."""
    page = page_of(*arguments)
    report = json.loads(deja("report", "--json", *arguments))
    check_view(page, report, *arguments)
    check_lanes(page, report)
    if "attribution" in report:
        edges = report["attribution"]["edges"]
        check_parents(page)
        check_rows(page, report)
        check_reuses(page, report)
        if sums:
            check_sums(page, add([tally_of(place[5]) for place in report["attribution"]["places"]], edges))
    assert page.has("phases") == ("phases" in report)
    if "phases" in report:
        phases = page.section("phases")
        for name in ("list", "stretches"):
            for row, other in zip(phases[name], report["phases"][name], strict=True):
                assert all(row[key] == (value or 0) for key, value in other.items() if key in row), (row, other)
    if "spatial" in report:
        check_spatial(page, report)
    assert page.has("false_sharing") == ("false_sharing" in report)
    for row, other in zip(page.section("false_sharing")["list"] if "false_sharing" in report else [],
                          report.get("false_sharing", []), strict=True):
        for name in ("missed", "written", "missed_at", "written_at", "misses", "true_sharing", "sharers", "text"):
            assert row[name] == other[name], (name, row, other)
    return page


def tally_of(cells):
    return {"accesses": cells[0], "cold": cells[1], "writes": cells[2], "sum": cells[3], "min": cells[6], "max": cells[7],
            "first": cells[8], "bins": cells[9]}


def check_random(seed):
    dice = random.Random(seed)
    places, scale = dice.choice(((12, 9), (300, 100), (3000, 10000), (6000, 10 ** 6)))
    made = random_profile(dice, places, scale)
    name = f"random{seed}.json"
    with open(name, "w", encoding="ascii") as file:
        json.dump(made, file)
    page = check_profile(name)
    table = made["attribution"]
    places = [(place, tally_of(place[5])) for place in table["places"]]
    edges = table["edges"]
    # Objects, lines and fields by their definition.
    groups = collections.defaultdict(list)
    for place, tally in places:
        site = table["sites"][place[0]]
        groups["objects", f"o{place[2]}", ""].append(tally)
        groups["lines", site[3], site[4]].append(tally)
        groups["fields", f"o{place[2]}", place[3]].append(tally)
    for row in page.section("objects")["rows"]:
        assert plain(row["tally"], edges) == add(groups["objects", row["name"], ""], edges), row["name"]
    for row in page.section("lines")["rows"]:
        assert plain(row["tally"], edges) == add(groups["lines", row["file"], row["line"]], edges), row["name"]
    objects = page.section("objects")["rows"]
    for row in page.section("fields")["rows"]:
        if row["object"] is not None:
            assert plain(row["tally"], edges) == add(groups["fields", objects[row["object"]]["name"], row["element"]], edges)
    # Whoever touches a field touches it on that line.
    fields, lines = page.section("fields")["rows"], page.section("lines")["rows"]
    touched = collections.defaultdict(list)
    for place, tally in places:
        site = table["sites"][place[0]]
        touched[f"o{place[2]}", place[3], site[3], site[4]].append(tally)
    for row in page.section("touches")["rows"]:
        if row["field"] is None or row["line"] is None or row["object"] is None:
            continue
        line = lines[row["line"]]
        key = objects[row["object"]]["name"], fields[row["field"]]["element"], line["file"], line["line"]
        assert plain(row["tally"], edges) == add(touched[key], edges), key
    return check_sums(page, add([tally for _, tally in places], edges))


def check_worst(page, by, measure):
    """Nothing that was left out is worse than the worst that is listed."""
    listed = page.section(by)
    rest = listed["rest"]
    if rest:
        assert max(measure(row["tally"]) for row in listed["rows"]) * rest["rows"] >= measure(rest["tally"])


def check_sources():
    """Sources below the current folder are inside, others are not, and each says why."""
    with open(os.path.join(SOURCES, "tests", "support", "grid", "profile.json"), encoding="utf-8") as file:
        grid = json.load(file)
    os.makedirs("inside")
    with tempfile.TemporaryDirectory(prefix="deja-view-other-") as other:
        for folder, text in (("inside", "int inside; // </script>\n\tx = \x1b[31m\u202e;\n"), (other, "int secret;\n")):
            with open(os.path.join(folder, "grid.c"), "w", encoding="utf-8") as file:
                file.write(text)
        os.utime("inside/grid.c", (1, 1))
        for path, options, wanted in ((os.path.abspath("inside/grid.c"), [], "int inside; // </script>\n\tx = ?[31m?;\n"),
                                      (os.path.abspath("inside/grid.c"), ["--no-source"], None),
                                      (f"{other}/grid.c", [], None),
                                      (f"{other}/grid.c", ["--source", other], "int secret;\n"),
                                      ("/etc/shadow", [], None), ("/nothing/at/all.c", [], None)):
            grid["attribution"]["files"] = [path]
            with open("sources.json", "w", encoding="utf-8") as file:
                json.dump(grid, file)
            text = deja("view", "-o", "-", *options, "sources.json")
            row = Page(text).section("files")["rows"][0]
            assert row["path"] == path and row["shown"] == (wanted is not None), row
            assert row["text"] == (wanted or ""), row
            assert bool(row["reason"]) != row["shown"] and "\x1b" not in text and text.count("</script>") == text.count("<script"), row
            assert row["lines"] == (wanted or "").count("\n")
            assert "secret" not in text


def check_many_distances():
    """A lane with very many distances has bins; misses are exact where a page may read them."""
    accesses = 200000
    with open("many.txt", "w", encoding="ascii") as file:
        for i in range(80000):  # a stack of distances 0 … 79999
            file.write(f"{i}\n")
        for i in range(80000):
            file.write(f"{79999 - i}\n")
    report = json.loads(deja("analyze", "--bins", "exact", "--json", "many.txt", "-o", "-"))
    exact = {at["lo"]: at["count"] for at in report["histogram"]}
    assert len(exact) > 65536 and sum(exact.values()) + report["cold"] <= accesses
    deja("analyze", "many.txt", "-o", "many.dejap")
    found = page_of("many.dejap").section("histogram", lane=1)
    assert found["binned"] and len(found["histogram"]) < 20000, len(found["histogram"])
    assert sum(found["histogram"].values()) == sum(exact.values())
    for at in found["histogram"]:
        size = at + 1
        assert sum(n for d, n in found["histogram"].items() if d >= size) == sum(n for d, n in exact.items() if d >= size)


def main():
    dice = random.Random(1)
    support = os.path.join(SOURCES, "tests", "support")
    check_profile(os.path.join(support, "grid", "profile.json"))
    check_profile(os.path.join(support, "counters", "profile.json"))
    with open("trace.txt", "w", encoding="ascii") as file:
        file.writelines(f"l 0x{dice.randrange(64) * dice.choice((8, 64, 4096)):x} 4\n" for _ in range(4000))
    with open("keys.txt", "w", encoding="ascii") as file:
        file.writelines(f"{int(400 * dice.random() ** (1 if i % 900 < 500 else 5))}\n" for i in range(9000))
    for name, verb, arguments in (("plain", "analyze", ["keys.txt"]), ("windows", "analyze", ["--windows", "50", "--time", "keys.txt"]),
                                  ("sample", "analyze", ["--sample", "30%", "keys.txt"]), ("error", "analyze", ["--error", "10%", "keys.txt"]),
                                  ("blocks", "analyze", ["--format", "address", "--block", "32", "trace.txt"]),
                                  ("spatial", "spatial", ["--format", "address", "trace.txt"])):
        deja(verb, *arguments, "-o", f"{name}.dejap")
        check_profile(f"{name}.dejap")
    view = page_of("error.dejap").section("view")
    assert view["curve"] and all(point["low"] <= point["high"] for point in view["curve"])
    assert not page_of("plain.dejap").section("view")["curve"]
    cut = set()
    for seed in range(12):
        cut.update(check_random(seed))
    assert cut >= {"objects", "lines", "functions", "loops", "contexts", "fields", "touches"}, f"nothing was left out of some tables: {cut}"
    check_worst(page_of("random3.json"), "lines", lambda tally: tally["accesses"])
    page = page_of("random3.json", "random4.json")
    check_diff(page, json.loads(deja("diff", "--json", "--by", "all", "random3.json", "random4.json")))
    assert page.has("objects", 1) and not page.has("diff", 1) and " → " in page.title
    check_sources()
    check_many_distances()
    assert re.fullmatch(r"\./p · deja", page_of("random3.json").title)


main()
