# SPDX-License-Identifier: MIT
"""Writes a made-up trace of block I/O, the same each time: disk_trace.py FILE.csv.gz

An hour of three volumes. "db" reads and writes pages of 8 KiB; 85% of its requests go to a hot set of 6 MiB.
"log" is written sequentially, in requests of 4 KiB, and never read. "backup" reads 24 MiB from beginning to end in
requests of 64 KiB, three times."""
import gzip
import sys

KIB = 1024
HOT_PAGES, ALL_PAGES = 768, 8192  # 6 MiB of 64 MiB
STEPS, STEPS_OF_A_PASS = 12000, 4000  # of 0.3 seconds


class Random:
    """The same numbers on every machine (Park and Miller)."""

    def __init__(self):
        self.state = 20011

    def below(self, limit):
        self.state = self.state * 48271 % (2**31 - 1)
        return self.state % limit


def rows():
    random, log = Random(), 0
    for step in range(STEPS):
        if random.below(10) < 7:
            page = random.below(HOT_PAGES if random.below(100) < 85 else ALL_PAGES)
            yield step, "db", "W" if random.below(100) < 20 else "R", page * 8 * KIB, 8 * KIB
        if random.below(10) < 2:
            yield step, "log", "W", log, 4 * KIB
            log += 4 * KIB
        since = step % STEPS_OF_A_PASS - 1300
        if since >= 0 and since % 7 == 0 and since // 7 < 384:
            yield step, "backup", "R", since // 7 * 64 * KIB, 64 * KIB


with gzip.GzipFile(sys.argv[1], "wb", 9, mtime=0) as out:
    out.write(b"time,device,op,offset,size\n")
    for step, *row in rows():
        out.write(f"{step * 3 / 10:.1f},{','.join(map(str, row))}\n".encode())
