# SPDX-License-Identifier: MIT
"""Predictions at another input: the benchmark on a few small programs, and what is said of data, lines and pairs
against a run of that input."""
import json
import os
import subprocess
import sys

from papers import BUILD, DEJA, PROGRAMS, check, finish, has, recorder, same, scratch

INPUTS, TO = (16, 24, 32, 48), 144
SIZES = (256, 4096, 3 * 144 * 144)  # the last holds all elements


def deja(*words):
    return subprocess.run([DEJA, *map(str, words)], capture_output=True, text=True, timeout=100)


def profiles():
    paths = {}
    for n in (*INPUTS, TO):
        paths[n] = scratch(f"adi.{n}.json")
        ran = subprocess.run([os.path.join(PROGRAMS, "adi"), str(n)], capture_output=True, check=False,
                             env={**os.environ, "DEJA_RECORDER": recorder(), "DEJA_RECORD": paths[n]})
        same(ran.returncode, 0, f"adi {n}")
    return paths


def predict(paths, *options):
    return deja("predict", "--json", "--inputs", ",".join(map(str, INPUTS)), "--to", TO, "--sizes",
                ",".join(map(str, SIZES)), *options, *(paths[n] for n in INPUTS))


def rows_are_right(paths):
    """By object and line, accesses and misses; the misses of a measured tally are exact at its edges."""
    ran = predict(paths)
    if not check(ran.returncode == 0, ran.stderr):
        return
    found = json.loads(ran.stdout)
    same(round(found["accesses"]), 26 * TO * TO - 14 * TO, "references")
    same(round(found["distinct"]), 3 * TO * TO, "elements")
    measured = json.loads(deja("report", "--json", paths[TO]).stdout)
    for kind in ("objects", "lines"):
        truth = {row["name"]: row for row in measured[kind]}
        check(len(found[kind]) >= 3, f"{len(found[kind])} {kind}")
        for row in found[kind]:
            real = truth.get(row["name"])
            if check(real, f"there is no {row['name']}"):
                check(abs(row["accesses"] / real["accesses"] - 1) < 0.01,
                      f"{row['name']}: {row['accesses']} accesses, {real['accesses']} measured")
    # Dividing reuses both arrays after the sweep over rows, at distances that grow as the data.
    divide = [row for row in found["pairs"] if "divide" in row["name"]]
    check(len(divide) == 2, f"{len(divide)} pairs in divide")
    for row in divide:
        same(row["growth"], "linear", row["name"])
        check(abs(row["evadable"] / TO**2 - 1) < 0.03, f"{row['name']}: {row['evadable']} evadable reuses")
        check(row["misses"][1] > 0.95 * row["evadable"] and row["misses"][-1] < 1,
              f"{row['name']}: misses {row['misses']}")


def order_does_not_matter(paths):
    there = predict(paths).stdout
    back = deja("predict", "--json", "--inputs", ",".join(map(str, reversed(INPUTS))), "--to", TO, "--sizes",
                ",".join(map(str, SIZES)), *(paths[n] for n in reversed(INPUTS))).stdout
    there, back = json.loads(there), json.loads(back)
    same(there.pop("profiles"), back.pop("profiles")[::-1], "names of the profiles")
    same(there, back, "profiles in another order")


def benchmark():
    programs = ["adi"]
    if has("gcc"):
        programs += ["join", "phases"]
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "predictions")
    ran = subprocess.run([sys.executable, "-B", script, "--build", BUILD, "--small", "--json", "--only",
                          ",".join(programs)], capture_output=True, text=True, check=False)
    if not check(ran.returncode == 0, ran.stderr):
        return
    report = json.loads(ran.stdout)
    for row in report["programs"]:
        check(not row["refused"], f"{row['program']} is refused: {row['refused']}")
        check(row["refused"] or row["accuracy"] > 0.9, f"{row['program']}: accuracy {row.get('accuracy')}")
        check(row["refused"] or row["covered"], f"{row['program']}: the error printed is {row.get('printed')}")
    check(report["summary"]["accuracy"] > 0.94, f"accuracy {report['summary']['accuracy']}")
    check(report["summary"]["traps"] == report["summary"]["of"], "an unpredictable program is predicted")
    same(len(report["traps"]), 1 if "phases" in programs else 0, "unpredictable programs")


if recorder():
    made = profiles()
    rows_are_right(made)
    order_does_not_matter(made)
    benchmark()
finish()
