# SPDX-License-Identifier: MIT
"""Which loop carries a long reuse: known kernels, by hand; random programs, by their own logs of their loops;
both live and from recordings."""
import os
import subprocess

from carriers import LONG, Program, carriers, counted, differences
from live import check, deja, finish, load, marks, need, profile, same, scratch, skip

need("valgrind", "cc")


def compiled(name, text, *flags):
    source = scratch(name + ".c")
    with open(source, "w") as file:
        file.write(text)
    made = subprocess.run(["cc", "-g", "-w", *flags, "-o", scratch(name), source], capture_output=True)
    if made.returncode:
        skip("cc cannot compile a program: " + made.stderr.decode()[-300:])
    return scratch(name), source


# --- by hand ---------------------------------------------------------------------

# Blocks of 8 doubles. One sweep of `a` is 1024 blocks, of `x` 64; the cache has 512.
KERNELS = """
#include <stdlib.h>
static double a[8192], x[512], q[512];
static long buckets[8192], keys[4096];
static struct node { long key; struct node *next; } nodes[4096], *heads[1024];
static volatile int steps = 2;
static double plane[64][64], faces[64][64], angles[8];

__attribute__((noinline)) static void multiply(void)
{
    for (int row = 0; row < 512; row++) // [rows]
        for (int k = 0; k < 16; k++)
            q[row] += a[row * 16 + k] * x[(row * 7 + k * 31) % 512]; // [a]
}

__attribute__((noinline)) static long find(long key)
{
    struct node *at = heads[key % 1024];
    while (at && at->key != key)
        at = at->next; // [chain]
    return at ? at->key : 0;
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 4096; i++) {
        faces[i / 64][i % 64] = i;
        keys[i] = (i * 2654435761u >> 7) % 8192;
        nodes[i] = (struct node){i, heads[i % 1024]};
        heads[i % 1024] = &nodes[i];
    }
    for (int cgit = 0; cgit < 4; cgit++) { // [cgit]
        multiply();
        for (int i = 0; i < 512; i++)
            x[i] = q[i] / 3;
    }
    for (int i = 0; i < 4096; i++) // [scatter]
        buckets[keys[i]]++; // [bucket]
    for (int i = 0; i < 8192; i++) // [lookups]
        sum += find((i * 7919) % 4096);
    for (int angle = 0; angle < 8; angle++) // [angles]
        for (int i = 1; i < 64; i++)
            for (int j = 1; j < 64; j++)
                plane[i][j] = faces[i][j] + angles[angle] * (plane[i - 1][j] + plane[i][j - 1]); // [faces]
    for (int step = 0; step < steps; step++) { // [steps]
        for (int i = 0; i < 8192; i++)
            a[i] = i;
        for (int i = 0; i < 8192; i++)
            sum += (long)a[i]; // [again]
    }
    return sum == 12345;
}
"""


def carried(got, line, name, loop):
    """Long reuses of the data at a line, by how they are carried, and whether the loop is the one at that line."""
    rows = {}
    for row in got["reuse_pairs"]:
        if row["object"] == name and row["to"].startswith(f"kernels.c:{line} "):
            by = row["carrier"]
            key = row["carried"], by and by["line"] <= loop <= by["last_line"]
            rows[key] = rows.get(key, 0) + row["count"]
    return rows


for level in ("-O0", "-O1"):
    kernels, source = compiled("kernels", KERNELS, level)
    mark = marks(source)
    got = profile([kernels], "--caches", "32K")
    # The reads of a block after the first of a sweep are short reuses, so each sweep but the first has 1024.
    same(carried(got, mark["a"], "a", mark["cgit"]), {("loop", True): 3 * 1024}, f"{level}: carrier of a")
    same(carried(got, mark["again"], "a", mark["steps"]), {("none", True): 2 * 1024}, f"{level}: a in one step")
    scattered = carried(got, mark["bucket"], "buckets", mark["scatter"])
    same(set(scattered), {("loop", True)}, f"{level}: carrier of buckets")
    chains = carried(got, mark["chain"] - 1, "nodes", mark["lookups"])
    # The first lookup uses what was initialized in no common loop; so does the first angle.
    same(set(chains), {("loop", True), ("none", None)}, f"{level}: carrier of nodes")
    swept = carried(got, mark["faces"], "faces", mark["angles"])
    same(swept, {("loop", True): 7 * 63 * 8, ("none", None): 63 * 8}, f"{level}: carrier of faces")

# --- random programs ---------------------------------------------------------------

tried = 0
for seed in (13, 22, 43, 74):
    program = Program(seed)
    text = "\n".join(program.lines) + "\n"
    logging, _ = compiled(f"logging{seed}", text, "-DLOG")
    log = scratch(f"log{seed}")
    if subprocess.run([logging], env={"LOGFILE": log}, timeout=60).returncode == 77:
        continue  # too many accesses
    with open(log, "rb") as file:
        expected = carriers(file.read())
    for level in ("-O0", "-O1") if expected else ():
        tried += 1
        name = f"random{seed}{level}"
        plain, _ = compiled(name, text, level)
        got = profile([plain], "--caches", str(64 * LONG))
        same(differences(expected, counted(program, got["attribution"])), [], f"carriers of program {seed} {level}")
        if level == "-O0":
            continue
        recording, again = plain + ".deja", plain + ".json"
        deja("record", "-o", recording, "--", plain)
        deja("analyze", "--by", "all", "--json", "-o", again, "--caches", str(64 * LONG), recording)
        same(differences(expected, counted(program, load(again)["attribution"])), [],
             f"carriers of program {seed} {level}, recorded")
check(tried >= 4, f"only {tried} random programs have long reuses")
finish()
