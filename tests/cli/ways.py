# SPDX-License-Identifier: MIT
"""Simulated caches against lists, on traces of reads and writes; what cannot be simulated is refused."""
import json
import os
import random
import subprocess
import sys
import tempfile

DEJA = os.path.realpath(sys.argv[1])
BLOCK = 64


def deja(*arguments):
    return subprocess.run([DEJA, *arguments], capture_output=True, text=True, check=False)


class Level:
    """A list of [block, modified] for each set, the most recent first, and one for a fully associative cache."""

    def __init__(self, blocks, ways, after):
        self.sets = [[] for _ in range(blocks // ways)]
        self.blocks, self.ways, self.after, self.full, self.seen = blocks, ways, after, [], set()
        self.misses = self.cold = self.conflict = self.writebacks = 0

    def request(self, block, fetch, modify):
        near = block in self.full
        if near:
            self.full.remove(block)
        self.full = [block, *self.full][:self.blocks]
        lines = self.sets[block % len(self.sets)]
        line = next((line for line in lines if line[0] == block), None)
        if line:
            lines.remove(line)
        else:
            line = [block, False]
            if fetch:
                self.misses += 1
                self.cold += block not in self.seen
                self.conflict += near
                if self.after:
                    self.after.request(block, True, False)
        self.seen.add(block)
        lines.insert(0, line)
        if len(lines) > self.ways:
            victim, modified = lines.pop()
            self.writebacks += modified
            if modified and self.after:
                self.after.request(victim, False, True)
        line[1] = line[1] or modify

    def counts(self):
        return {"misses": self.misses, "cold": self.cold, "conflict": self.conflict, "writebacks": self.writebacks,
                "capacity": self.misses - self.cold - self.conflict}


def accesses(name):
    chance = random.Random(name)
    for i in range(20000):
        if name == "columns":  # of a matrix with rows of 16 blocks
            block = i % 40 * 16 + i // 400 % 16
        elif name == "sweeps":
            block = i // 4 % 150
        else:
            block = int(chance.random() ** 2 * 300)
        yield block, chance.random() < 0.3


def check(name, shapes):
    stated = ",".join(f"L{i + 1}={blocks * BLOCK}/{ways}" for i, (blocks, ways) in enumerate(shapes))
    with open("trace", "w", encoding="ascii") as file:
        file.writelines(f" {'S' if write else 'L'} {block * BLOCK:x},8\n" for block, write in accesses(name))
    found = deja("analyze", "--format", "lackey", "--caches", stated, "--json", "trace")
    assert found.returncode == 0, found.stderr
    profile = json.loads(found.stdout)
    levels = []
    for blocks, ways in reversed(shapes):
        levels.insert(0, Level(blocks, ways, levels[0] if levels else None))
    for block, write in accesses(name):
        levels[0].request(block, True, write)
    for level, row, traffic in zip(levels, profile["caches"], profile["traffic"], strict=True):
        expected = level.counts()
        assert {key: row[key] for key in expected} == expected, (name, stated, row, expected)
        assert traffic["fetched_bytes"] == level.misses * BLOCK and traffic["written_bytes"] == level.writebacks * BLOCK
    blocks, ways = shapes[0]
    alone = deja("mrc", "--format", "lackey", "--simulate", "lru", "--ways", str(ways), "--sizes", str(blocks),
                 "--caches", "none", "--json", "trace")
    simulated = [row["misses"] for row in json.loads(alone.stdout)["simulated"] if row["size"] == blocks]
    assert simulated == [levels[0].misses], (name, stated, simulated)


def main():
    for name in ("columns", "sweeps", "skewed"):
        for shapes in ([(16, 2)], [(8, 2), (64, 4)], [(12, 4), (60, 4), (200, 8)], [(32, 1), (48, 16)]):
            check(name, shapes)
    shown = deja("analyze", "--format", "lackey", "--caches", "L1=1K/2", "--no-simulate", "--json", "trace")
    assert "caches" not in json.loads(shown.stdout)
    for options in (["--summary", "-o", "part.dejasum"], ["--sample", "10%"], ["--each", "thread"]):
        refused = deja("analyze", "--format", "lackey", "--caches", "L1=1K/2", *options, "trace")
        assert refused.returncode == 2 and "--no-simulate" in refused.stderr, (options, refused)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    main()
