# SPDX-License-Identifier: MIT
"""Compares the rows of two profiles of `deja spatial`, of a complete run and of one that
was traced in bursts."""
from live import check

WIDEST = 0.4  # a range that says something; scores are between 0 and 2


def unique(rows):
    names = [row["name"] for row in rows]
    return {row["name"]: row for row in rows if names.count(row["name"]) == 1}


def values(row):
    """What rows have ranges of, by pair."""
    found = {("accesses", 0): row["accesses"]}
    for number, pair in enumerate(row["spatial"]):
        for key in ("reuses", "score", "long_reuses", "long_score", "poor"):
            found[key, number] = pair[key]
    return found


def ends(row):
    found = {("accesses", 0): row["ranges"]["accesses"]}
    for number, pair in enumerate(row["spatial"]):
        for key, range_ in pair["ranges"].items():
            if key != "weak":
                found[key, number] = range_
    return found


def check_rows(exact, found, what):
    """The ranges of rows with 1% of the accesses contain what the complete run has, with and without callees.
    What no burst has seen is in no range: here, the end of the run. It has less than 0.1% of the accesses."""
    inside, whole = [], exact["accesses"]
    for by in ("objects", "functions", "loops", "lines"):
        known = unique(exact[by])
        for name, row in unique(found[by]).items():
            if name not in known or known[name]["accesses"] < 0.01 * whole:
                continue
            for side in (lambda r: r, lambda r: r.get("inclusive")):
                if side(row) is None:
                    continue
                expected, limits = values(side(known[name])), ends(side(row))
                for key, (low, high) in limits.items():
                    slack = 1e-6 if "score" in key[0] else 0.001 * whole
                    inside.append(low - slack <= expected[key] <= high + slack)
                for number, pair in enumerate(side(row)["spatial"]):
                    low, high = pair["ranges"]["score"]
                    check(high - low < WIDEST, f"{what}, {name}, pair {number}: a range of {high - low:.3f}")
    check(len(inside) >= 50 and sum(inside) >= 0.95 * len(inside), f"{what}: {sum(inside)} of {len(inside)} rows")
