#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs deja on real traces and compares with what others computed of them.

usage: check.py DEJA expected|detected|converted|published|modelled

The traces lie in the folder $DEJA_TRACES; without it the test is skipped.
expected:  every row of its EXPECTED.tsv (path, options, accesses, distinct keys, fingerprint, LRU misses)
detected:  the same keys come out when the format is not named, or (keys of fixed width) none is guessed
converted: the same keys come out of the deja stream that each was converted to
modelled:  engine aet has the errors that docs/sampling.md states
published: hit ratios, misses and histograms that papers and other tools give for them
"""
import json
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
BAD_INPUT = 3


class Checker:
    def __init__(self, deja, traces):
        self.deja = deja
        self.traces = traces
        self.checks = 0
        self.failures = 0

    def start(self, verb, options, path):
        command = [self.deja, verb, "--json", *options, os.path.join(self.traces, path)]
        return subprocess.run(command, capture_output=True, text=True)

    def run(self, verb, options, path):
        done = self.start(verb, options, path)
        if done.returncode != 0:
            self.same(f"exit status of {' '.join(done.args)}", done.returncode, 0)
            print(done.stderr, end="")
            return None
        return json.loads(done.stdout)

    def same(self, what, got, expected):
        self.checks += 1
        if got != expected:
            self.failures += 1
            print(f"FAILED {what}: got {got}, expected {expected}")

    def misses(self, options, path, sizes):
        """From the miss-ratio curve, in the order of the sizes."""
        curve = self.run("mrc", [*options, "--sizes", ",".join(map(str, sizes))], path)
        if curve is None:
            return None
        self.same(f"{path}: sizes of the curve", [p["size"] for p in curve["points"]], sizes)
        return [p["misses"] for p in curve["points"]]


def misses_of_histogram(profile, sizes):
    """A cache of size c misses the cold accesses and the distances from c on."""
    return [profile["cold"] + sum(b["count"] for b in profile["histogram"] if b["lo"] >= c) for c in sizes]


def check_row(check, path, options, accesses, distinct, fingerprint, misses):
    where = f"{path} {options}"
    options = options.split()
    pairs = [tuple(map(int, pair.split(":"))) for pair in misses.split()]
    sizes = [size for size, _ in pairs]
    expected = [count for _, count in pairs]
    profile = check.run("analyze", [*options, "--fingerprint", "--bins", "exact"], path)
    if profile is None:
        return
    check.same(f"{where}: accesses", profile["accesses"], int(accesses))
    check.same(f"{where}: distinct", profile["distinct"], int(distinct))
    check.same(f"{where}: cold", profile["cold"], int(distinct))
    check.same(f"{where}: fingerprint", profile["fingerprint"], fingerprint)
    check.same(f"{where}: misses from the histogram", misses_of_histogram(profile, sizes), expected)
    check.same(f"{where}: misses from mrc", check.misses(options, path, sizes), expected)


def rows(check):
    with open(os.path.join(check.traces, "EXPECTED.tsv"), encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            yield line.rstrip("\n").split("\t")


def check_expected(check):
    for row in rows(check):
        check_row(check, *row)


def check_detected(check):
    for path, options, _, _, fingerprint, _ in rows(check):
        words = options.split()
        at = words.index("--format")
        name = words[at + 1]
        del words[at : at + 2]
        if name == "u32be":
            done = check.start("analyze", words, path)
            check.same(f"{path}: exit status", done.returncode, BAD_INPUT)
            check.same(f"{path}: what to do is said", "--format" in done.stderr, True)
            continue
        profile = check.run("analyze", [*words, "--fingerprint"], path)
        if profile is not None:
            check.same(f"{path}: found as {profile['provenance']['format']}", profile["fingerprint"], fingerprint)


def check_converted(check):
    """--format and --instructions are for the conversion, the rest for the analysis; the stream tells
    all else, such as default blocks."""
    with tempfile.TemporaryDirectory() as folder:
        stream = os.path.join(folder, "trace.deja")
        for path, options, accesses, distinct, fingerprint, _ in rows(check):
            words = options.split()
            at = words.index("--format")
            reading = words[at : at + 2] + [word for word in words if word == "--instructions"]
            del words[at : at + 2]
            written = check.run("convert", [*reading, "-o", stream], path)
            profile = check.run("analyze", [*words, "--fingerprint"], stream)
            if written is None or profile is None:
                continue
            check.same(f"{path} converted: requests", profile["requests"], written["accesses"])
            check.same(f"{path} converted: accesses", profile["accesses"], int(accesses))
            check.same(f"{path} converted: distinct", profile["distinct"], int(distinct))
            check.same(f"{path} converted: fingerprint", profile["fingerprint"], fingerprint)


def check_hit_percentages(check, path, percentages):
    """Megiddo and Modha print two decimals."""
    sizes = list(percentages)
    curve = check.run("mrc", ["--format", "arc", "--sizes", ",".join(map(str, sizes))], path)
    if curve is None:
        return
    for point in curve["points"]:
        got = f"{100 * (1 - point['ratio']):.2f}"
        check.same(f"{path}: hit percentage at {point['size']}", got, percentages[point["size"]])


def check_published(check):
    check_hit_percentages(
        check, "arc/OLTP.lis.zst",
        {1000: "32.83", 2000: "42.47", 5000: "53.65", 10000: "60.70", 15000: "64.63"})
    check_hit_percentages(check, "arc/P3.lis.zst", {32768: "3.57"})

    # libCacheSim's own test: objects of equal size.
    misses = [99411, 96397, 95652, 95370, 95182, 94997, 94891, 94816]
    sizes = list(range(128, 1025, 128))
    for name, options in [("vscsi", "--no-split --block 512"), ("oracleGeneral.bin", ""), ("txt", "")]:
        path = f"cloudphysics/cloudPhysicsIO.{name}"
        check.same(f"{path}: misses", check.misses(options.split(), path, sizes), misses)

    # What DynamoRIO's reuse_distance tool prints at lines of 64 bytes.
    path = "drmemtrace/drmemtrace.small.x64.trace"
    profile = check.run("analyze", ["--instructions", "--block", "64", "--bins", "exact"], path)
    if profile is not None:
        histogram = {b["lo"]: b["count"] for b in profile["histogram"]}
        check.same(f"{path}: histogram", histogram, {0: 103, 1: 42, 2: 13, 3: 13, 4: 53})
        check.same(f"{path}: cold", profile["cold"], 5)


# Mean and largest error of the miss ratio in percentage points, of the models footprint and aet.
MODELLED = {
    "cache2k/web12.trace.xz": (0.09, 0.30, 0.41, 0.69),
    "llm/conversation_trace.jsonl": (0.03, 0.26, 0.04, 0.26),
    "address/twolf.trace.gz": (0.06, 0.60, 0.06, 0.53),
    "arc/OLTP.lis.zst": (0.10, 0.83, 0.28, 0.83),
    "arc/P3.lis.zst": (0.60, 2.5, 0.94, 3.4),
    "ramulator/435.gromacs.gz": (0.45, 3.5, 1.1, 4.8),
    "lirs/gli.trace.gz": (2.1, 14, 1.5, 11),
    "lirs/multi1.trace.gz": (2.4, 24, 3.5, 33),
}


def check_modelled(check):
    for path, options, _, distinct, _, _ in rows(check):
        if path not in MODELLED:
            continue
        sizes = ",".join(map(str, sorted({max(1, int(distinct) * i // 100) for i in range(1, 101)})))
        exact = check.run("mrc", [*options.split(), "--sizes", sizes], path)
        stated = iter(MODELLED[path])
        for model in ("footprint", "aet"):
            choice = ["--engine", "aet", "--aet-model", model, "--sizes", sizes]
            estimate = check.run("mrc", [*options.split(), *choice], path)
            check.same(f"{path}: marked as exact", estimate["provenance"]["exact"], False)
            errors = [100 * abs(a["ratio"] - b["ratio"]) for a, b in zip(estimate["points"], exact["points"])]
            for name, error in (("mean", sum(errors) / len(errors)), ("largest", max(errors))):
                expected = next(stated)
                rounded = abs(error - expected) <= (0.0051 if expected < 1 else 0.051 if expected < 10 else 0.51)
                check.same(f"{path}: {name} error {error:.3f} of model {model} is {expected}", rounded, True)


def main():
    modes = {"expected": check_expected, "detected": check_detected, "converted": check_converted,
             "modelled": check_modelled, "published": check_published}
    if len(sys.argv) != 3 or sys.argv[2] not in modes:
        sys.exit(__doc__)
    traces = os.environ.get("DEJA_TRACES")
    if not traces:
        print("skipped: DEJA_TRACES does not name the folder of the traces")
        sys.exit(SKIPPED)
    check = Checker(sys.argv[1], traces)
    modes[sys.argv[2]](check)
    print(f"{check.checks - check.failures} of {check.checks} values agree")
    sys.exit(1 if check.failures or check.checks == 0 else 0)


main()
