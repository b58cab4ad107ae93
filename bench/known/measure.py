# SPDX-License-Identifier: MIT
"""Builds the two versions of a kernel and measures them: with Deja, with the LRU caches of lru.c, and natively."""
import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CACHES = {"L1": 8 << 10, "L2": 64 << 10, "L3": 512 << 10}
VERSIONS = {"as written": [], "fixed": ["-DFIXED"]}
REPEATS = 3  # the fastest native run counts


class Failed(Exception):
    pass


def run(words, **how):
    done = subprocess.run(words, capture_output=True, check=False, **how)
    if done.returncode:
        raise Failed(f"{' '.join(words)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()


def compiler(kernel):
    return "g++" if kernel.path.endswith(".cc") else "gcc"


class Bench:
    def __init__(self, deja, folder):
        self.deja, self.folder = deja, folder
        self.lru = self.path("lru.o")
        run(["gcc", "-O2", "-c", os.path.join(HERE, "..", "programs", "lru.c"), "-o", self.lru])

    def path(self, *names):
        return os.path.join(self.folder, ".".join(names))

    def compile(self, kernel, output, options):
        # Vectors would make fewer accesses than lru.c counts.
        headers = os.path.join(HERE, "..", "programs", "advice")
        run([compiler(kernel), "-O2", "-fno-tree-vectorize", "-g", "-I", headers, *options, kernel.path, "-o", output])
        return output

    def profile(self, kernel, version):
        """What Deja says, and what the program prints."""
        program = self.compile(kernel, self.path(kernel.name, version[0]), VERSIONS[version])
        ways = f"/{kernel.ways}" if kernel.ways else ""
        caches = ",".join(f"{name}={size}{ways}" for name, size in CACHES.items())
        path = self.path(kernel.name, version[0], "json")
        printed = run([self.deja, "run", "--json", "-o", path, "--caches", caches, "--", program])
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        os.remove(path)
        return profile, printed

    def simulated(self, kernel, version):
        """Misses by cache: of a fully associative one, and of one with eight ways."""
        base = self.path(kernel.name, version[0], "lru")
        self.compile(kernel, base + ".o", [*VERSIONS[version], "-fsanitize=thread", "-c"])
        run([compiler(kernel), base + ".o", self.lru, "-o", base])
        caches = " ".join(f"{name} {size}" for name, size in CACHES.items())
        run(["setarch", "-R", base], env={**os.environ, "LRU_CACHES": caches, "LRU_OUT": base + ".out"})
        with open(base + ".out", encoding="ascii") as rows:
            return {name: {"full": int(full), "sets": int(sets)} for name, full, sets in map(str.split, rows)}

    def native(self, kernel, version):
        program = self.compile(kernel, self.path(kernel.name, version[0], "native"),
                               [*VERSIONS[version], *kernel.native])
        times = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            run([program])
            times.append(time.perf_counter() - began)
        return min(times)
