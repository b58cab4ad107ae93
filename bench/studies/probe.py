# SPDX-License-Identifier: MIT
"""Runs programs, natively and under `deja spatial`, and reads the results."""
import os
import subprocess
import tempfile

from measure import Failed, load, processor_time

LINE = 64  # bytes of a cache line
# The function at which the measurement of each program begins.
START = {"shallow": "simulate", "align": "likelihood"}


class Probe:
    def __init__(self, options):
        self.build, self.repeat = os.path.abspath(options.build), options.repeat
        self.small, self.caches = options.small, options.caches
        self.deja = os.path.join(self.build, "deja")
        self.scratch = tempfile.TemporaryDirectory(prefix="deja-studies-")
        if not os.path.exists(self.deja):
            raise Failed(f"{self.deja} is not there; build Deja first, or name its folder with --build")

    def program(self, name, *arguments):
        """The command of a program of examples/, as in "spatial/split"."""
        path = os.path.join(self.build, "examples", name)
        if not os.path.exists(path):
            raise Failed(f"{path} is not there; build it with Deja")
        return [path, *map(str, arguments)]

    def run(self, command):
        variables = {key: value for key, value in os.environ.items() if not key.startswith("DEJA_")}
        begin = processor_time()
        ran = subprocess.run(command, env=variables, capture_output=True, text=True)
        if ran.returncode != 0:
            raise Failed(f"{' '.join(command)} failed: {ran.stdout}{ran.stderr}")
        return ran.stdout, processor_time() - begin

    def seconds(self, *commands):
        """Native processor time of each program, the best of some alternating runs, so that other load affects all
        equally."""
        best = [float("inf")] * len(commands)
        for _ in range(self.repeat):
            best = [min(known, self.run(command)[1]) for known, command in zip(best, commands)]
        return best

    def output(self, command):
        return self.run(command)[0].strip()

    def spatial(self, command, blocks="32..128"):
        path = os.path.join(self.scratch.name, "profile.json")
        start = START.get(os.path.basename(command[0]).split("_")[0])
        seconds = self.run([self.deja, "spatial", "--blocks", blocks, "--caches", self.caches, "--json",
                            "-o", path, *(["--start-at", start] if start else []), "--", *command])[1]
        return Spatial(load(path), seconds)


class Spatial:
    """The report of `deja spatial` on a run."""

    def __init__(self, profile, seconds):
        self.seconds, self.accesses, self.profile = seconds, profile["accesses"], profile
        self.spatial = profile["spatial"]

    def histogram(self, block):
        for lane in [self.profile, *self.profile["blocks"]]:
            if lane["block_bytes"] == block:
                return lane
        raise Failed(f"the profile has no blocks of {block} bytes")

    def pair(self, block):
        return next(pair for pair in self.spatial["pairs"] if pair["block"] == block)

    def bins(self, block):
        """(bin, share of the reuses, score), of those that are not empty."""
        pair = self.pair(block)
        counts = [sum(row) for row in pair["map"]]
        return [(i, count / pair["reuses"], pair["score_by_bin"][i]) for i, count in enumerate(counts) if count]

    def long_components(self, block, least=0.01):
        """Peaks of the reuse signature with poor temporal locality, and not too small."""
        return [{key: part[key] for key in ("lo", "hi", "size", "score", "mean_distance", "serious")}
                for part in self.spatial["components"] if part["kind"] == "peak" and part["block"] == block
                and not part["good_temporal"] and part["size"] >= least]

    def miss_ratios(self):
        """Of fully associative caches with lines of 64 bytes: distances from a power of two on are separate bins."""
        lane = self.histogram(LINE)
        return {cache["name"]: (lane["cold"] + sum(row["count"] for row in lane["histogram"]
                                                   if row["lo"] >= cache["bytes"] // LINE)) / self.accesses
                for cache in self.spatial["caches"]}

    def misses(self):
        return {name: round(ratio * self.accesses) for name, ratio in self.miss_ratios().items()}

    def worst(self):
        """The first row of the ranking of lines."""
        rows = self.spatial["ranking"]
        return {key: rows[0].get(key) for key in ("name", "object", "long_reuses", "long_score", "share", "saved",
                                                  "advice", "text", "strides", "fetched", "used")} if rows else None
