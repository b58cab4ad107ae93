# SPDX-License-Identifier: MIT
"""The folder in which the commands of a page run: the bundled examples, and small files under the names
that pages use for files of the reader's own."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
extern "C"
#endif
double helper(double x);
static double grid[64][64];
__attribute__((noinline)) static void solve(void)
{
    for (int j = 1; j < 63; j++)
        for (int i = 1; i < 63; i++)
            grid[i][j] = helper(grid[i - 1][j] + grid[i + 1][j]);
}
int main(void)
{
    double *copy = malloc(sizeof grid);
    for (int round = 0; round < 3; round++)
        solve();
    for (int i = 0; copy && i < 4096; i++)
        copy[i] = grid[i % 64][i / 64];
    printf("%g\\n", copy ? copy[65] : 0);
    free(copy);
}
"""
HELPER = "double helper(double x);\ndouble helper(double x) { return x / 2 + 1; }\n"
MODULE = """\
module state
  real(8), allocatable :: heap(:, :)
end module
subroutine work
  use state
  integer :: i, j
  do i = 1, 100
    do j = 1, 100
      heap(i, j) = heap(i, j) + 1
    end do
  end do
end subroutine
"""
MAIN = "program main\n  use state\n  allocate (heap(100, 100))\n  heap = 0\n  call work\n  print *, heap(1, 1)\nend program\n"
MAKEFILE = "program: a.c b.c\n\t$(CC) -O2 -g -o $@ a.c b.c\n"
PROJECT = "cmake_minimum_required(VERSION 3.25)\nproject(program C)\nadd_executable(program a.c b.c)\n"
TEXTS = {"a.c": PROGRAM, "b.c": HELPER, "program.c": PROGRAM.replace("double helper(double x);\n", HELPER), "a.f90": MODULE, "b.f90": MAIN,
         "Makefile": MAKEFILE, "configure": "#!/bin/sh\n", "CMakeLists.txt": PROJECT}


def requests(first):
    """A trace of keys and sizes, the same each time."""
    state, lines = first, ["time,key,size,op,device"]
    for time in range(2000):
        state = (state * 1103515245 + 12345) % 2**31
        key = state // 65536 % (64 if state % 3 else 512)
        lines.append(f"{time},{key},{512 * (1 + key % 8)},{'get' if key % 5 else 'set'},{key % 3}")
    return "\n".join(lines) + "\n"


def create(source, page, environment):
    """Makes the folder `environment["HOME"]`, with what the text of a page mentions."""
    folder = pathlib.Path(environment["HOME"])
    (folder / "build").mkdir()
    shutil.copytree(source / "examples", folder / "examples")
    named = set(re.findall(r"[\w.+-]+", page))
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    os.chmod(folder / "configure", 0o755)
    if "./program" in page:
        subprocess.run(["cc", "-O1", "-g", "-o", "program", "program.c"], cwd=folder, env=environment, check=True)
    if "build/plate" in page and "-o build/plate" not in page:
        subprocess.run(["gcc", "-O2", "-g", "-o", "build/plate", "examples/plate.c"], cwd=folder, env=environment, check=True)
    for number, name in enumerate(sorted(named)):
        if name.endswith(".csv.gz"):
            with gzip.open(folder / name, "wt") as out:
                out.write(requests(number))
        elif name.endswith(".csv"):
            (folder / name).write_text(requests(number))
        elif name.endswith((".keys", ".trace", ".txt")):
            (folder / name).write_text("".join(f"{line.split(',')[1]}\n" for line in requests(number).splitlines()[1:]))
    return folder
