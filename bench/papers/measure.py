# SPDX-License-Identifier: MIT
"""Runs the programs and reads Deja's profiles of them."""
import json
import os
import resource
import subprocess
import tempfile
import time


class Failed(Exception):
    """A program or Deja did not do what it should."""


class Bench:
    def __init__(self, options):
        self.build, self.repeat = os.path.abspath(options.build), options.repeat
        self.through, self.clock = options.through, processor_time if options.cpu_time else time.perf_counter
        self.deja = os.path.join(self.build, "deja")
        self.library = os.path.join(self.build, "tracer", "libdeja-record.so")
        self.tracer = os.path.join(self.build, "tests", "papers", "trace_recorder.so")
        self.scratch = tempfile.TemporaryDirectory(prefix="deja-papers-")
        for path in (self.deja, self.library if self.through == "library" else self.tracer):
            if not os.path.exists(path):
                raise Failed(f"{path} is not there; build Deja first, or name its folder with --build")

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def run(self, command, **environment):
        variables = {key: value for key, value in os.environ.items() if not key.startswith("DEJA_")}
        ran = subprocess.run(command, env={**variables, **environment}, capture_output=True, text=True)
        if ran.returncode != 0:
            raise Failed(f"{' '.join(command)} failed: {ran.stdout}{ran.stderr}")
        return ran.stdout

    def timed_profile(self, command):
        """The profile of a program, and the run time until it was written."""
        profile, trace = self.path("profile.json"), self.path("trace.u64le")
        begin = self.clock()
        if self.through == "library":
            self.run(command, DEJA_RECORDER=self.library, DEJA_RECORD=profile)
        else:
            self.run(command, DEJA_RECORDER=self.tracer, TRACE=trace)
            self.run([self.deja, "analyze", "--bins", "exact", "--json", "-o", profile, "-f", "u64le", "-b", "1", trace])
        seconds = self.clock() - begin
        return load(profile), seconds

    def measure(self, name, size):
        command = [os.path.join(self.build, "examples", "papers", name), str(size)]
        if not os.path.exists(command[0]):
            return None
        profile, seconds = self.timed_profile(command)
        for _ in range(1, self.repeat):
            seconds = min(seconds, self.timed_profile(command)[1])
        curve = json.loads(self.run([self.deja, "mrc", "--json", "--caches", "none", self.path("profile.json")]))
        hills = json.loads(self.run([self.deja, "predict", "--json", self.path("profile.json")]))["hills"]
        return {"seconds": seconds, "references": profile["accesses"], "elements": profile["distinct"],
                "bins": bins(profile), "effective": curve["effective"],
                "hills": [(hill["first_bin"], hill["last_bin"]) for hill in hills],
                "distances": Distances((row["lo"], row["count"]) for row in profile["histogram"] if row["count"])}

    def reorder(self, name, size):
        """What `deja reorder` says of a program's statements, by order."""
        recording = self.path("recording.deja")
        self.run([self.deja, "record", "--statements", "-o", recording, "--",
                  os.path.join(self.build, "examples", "papers", name), str(size)])
        found = json.loads(self.run([self.deja, "reorder", "--json", recording]))
        os.remove(recording)
        orders = {}
        for order in found["orders"]:
            rows = [{"lo": row["distance"], "count": row["count"]} for row in order["histogram"]]
            orders[order["order"]] = {
                "long": order["long_reuses"], "mean": order["mean"], "bins": bins({"histogram": rows}),
                "distances": Distances((row["lo"], row["count"]) for row in rows)}
        return {"size": size, "accesses": found["accesses"], "elements": found["distinct"],
                "statements": found["statements"], "long_from": found["long_from"], "orders": orders}

    def both_languages(self, name, size):
        c, fortran = self.measure(name, size), self.measure(name + "_fortran", size)
        if not c:
            raise Failed(f"{name} was not built")
        same = fortran and fortran.pop("distances") == c["distances"]
        return {"size": size, "c": c, "fortran": fortran, "same": same}


class Distances(list):
    """Rows (distance, count), in order."""

    def at(self, share):
        """The distance below which this share of the reuses is."""
        rest = share * sum(count for _, count in self)
        for distance, count in self:
            rest -= count
            if rest < 0:
                return distance
        return self[-1][0]


def processor_time():
    """Of all programs that were run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def load(path):
    with open(path) as file:
        return json.load(file)


def bins(profile):
    """Counts by the paper's x: distance 0, then [2^(x-1), 2^x - 1]."""
    counts = [0] * (1 + max((row["lo"].bit_length() for row in profile["histogram"] if row["count"]), default=0))
    for row in profile["histogram"]:
        if row["count"]:
            counts[row["lo"].bit_length()] += row["count"]
    return counts
