# SPDX-License-Identifier: MIT
"""Programs built with --loops report the iterations that their source implies: complete
ones, those that end in a break or continue, and those of loops in inlined functions."""
from build import DEJA, check, finish, has, profile_of, same, scratch, silent, write

SOURCE = write("rounds.c", """\
#include <stdlib.h>
long field[1000];
static void sweep(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            field[j] += i;
}
static __attribute__((noinline)) int search(int wanted)
{
    int i = 0;
    while (i < 1000) {
        if (field[i] % 2 == 1 && i > wanted)
            break;
        i++;
        if (i % 3)
            continue;
        field[i]++;
    }
    return i;
}
int main(int count, char **arguments)
{
    int n = atoi(arguments[count - 1]);
    for (int round = 0; round < 7; round++)
        sweep(n);
    do
        field[--n] = 1;
    while (n > 5);
    for (int i = 0; i < 1000; i++)
        field[i] = i < 500 ? 0 : 1;
    return search(700) != 701;
}
""")
N = 60
ROUNDS = {
    "rounds.c:5-7 in sweep": 7 * N,
    "rounds.c:6-7 in sweep": 7 * N * (N + 1) // 2,
    "rounds.c:25-26 in main": 7,
    "rounds.c:28-29 in main": N - 5,
    "rounds.c:30-31 in main": 1000,
    # field[i] is 1 from 500 on, so the search stops at the first index after 700.
    "rounds.c:12-18 in search": 701,
}
# clang counts backward jumps, of which the last round of do … while has none.
WAYS = {("gcc", "-O0"): ROUNDS, ("gcc", "-O1"): ROUNDS,
        ("clang", "-O0"): ROUNDS | {"rounds.c:28-29 in main": N - 6}}
for (compiler, level), rounds in WAYS.items():
    if not has(compiler):
        continue
    silent(DEJA, "cc", "--with", compiler, "--loops", level, "-g", "-o", "rounds", SOURCE)
    iterations = {row["name"]: row.get("iterations") for row in profile_of(scratch("rounds"), str(N))[0]["loops"]}
    for name, count in rounds.items():
        same(iterations.get(name), count, f"{compiler} {level}: iterations of {name} among {iterations}")
silent(DEJA, "cc", "-O1", "-o", "rounds", SOURCE)
plain = profile_of(scratch("rounds"), str(N))[0]["loops"]
check(not any("iterations" in row for row in plain), "iterations of a program built without --loops")
finish()
