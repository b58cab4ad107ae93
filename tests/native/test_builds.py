# SPDX-License-Identifier: MIT
"""Programs built by `deja cc` in every common way compile and run silently, print what
the plain program prints, and have an exact count of accesses to an array."""
import os
import shutil

from build import DEJA, check, finish, has, notes, profile_of, run, same, scratch, silent, the, write

STEPS = 3000
SOURCE = write("walk.c", """
#include <stdio.h>
#include <stdlib.h>
double field[4096];
int main(int count, char **arguments)
{
    int steps = count > 1 ? atoi(arguments[1]) : 0;
    for (int i = 0; i < steps; i++)
        field[i] = field[(i * 7) % 4096] * 0.5 + i;
    printf("%.6f\\n", field[steps - 1]);
    return 7;
}
""")
run("gcc", "-O2", "-o", "plain", SOURCE)
EXPECTED = run(scratch("plain"), str(STEPS), status=7).stdout

# A step reads one element and writes one; the last read is printf's argument.
ACCESSES = 2 * STEPS + 1


def check_program(what):
    program = scratch("walk")
    ran = run(program, str(STEPS), status=7)
    same((ran.stdout, ran.stderr), (EXPECTED, ""), f"{what}: without Deja")
    same(len(notes(program)), 1, f"{what}: notes")
    profile, printed = profile_of(program, str(STEPS), status=7)
    same(printed, EXPECTED, f"{what}: output under deja run")
    same(the(profile["objects"], "field")["accesses"], ACCESSES, f"{what}: accesses to the array")


WAYS = {
    "default": [], "no PIE": ["-no-pie", "-fno-pie"], "static": ["-static"], "static PIE": ["-static-pie"],
    "LTO": ["-flto"], "no frame pointer": ["-fomit-frame-pointer"], "gc-sections": ["-Wl,--gc-sections"],
    "hardened": ["-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-Wl,-z,now"],
}
compilers = [compiler for compiler in ("gcc", "clang") if has(compiler)]
for compiler in compilers:
    for level in ("-O0", "-O1", "-O2", "-O3"):
        silent("deja", "cc", "--with", compiler, level, "-Wall", "-Wextra", "-Werror", "-o", "walk", SOURCE)
        check_program(f"{compiler} {level}")
    for way, options in WAYS.items():
        if compiler == "clang" and way == "LTO" and shutil.which("ld.lld"):
            options = options + ["-fuse-ld=lld"]
        if way == "hardened":
            options = options + ["-Wall", "-Werror"]
        silent("deja", "cc", "--with", compiler, "-O2", *options, "-o", "walk", SOURCE)
        check_program(f"{compiler} -O2, {way}")
    # Compiled and linked separately.
    for options in ([], ["-flto"] if compiler == "gcc" else ["-g0"]):
        silent("deja-cc", "--with", compiler, "-O2", *options, "-c", "-o", "walk.o", SOURCE)
        same(notes(scratch("walk.o")), [], "notes of an object file")
        silent("deja-cc", "--with", compiler, *options, "-o", "walk", "walk.o")
        if "-g0" not in options:
            check_program(f"{compiler}, separately {options}")

# From a pipe, from a response file, preprocessed, as assembly.
silent("deja", "cc", "-O2", "-x", "c", "-", "-o", "walk", input=open(SOURCE).read())
check_program("from standard input")
write("arguments", f"-O2 '{SOURCE}'\n-o walk")
silent("deja", "cc", "@arguments")
check_program("from a response file")
silent("deja", "cc", "-E", SOURCE, "-o", "walk.i")
silent("deja", "cc", "-O2", "walk.i", "-o", "walk")
check_program("preprocessed")
silent("deja", "cc", "-O2", "-S", SOURCE, "-o", "walk.s")
silent("deja", "cc", "walk.s", "-o", "walk")
check_program("as assembly")
silent("deja", "cc", "-O2", "-c", SOURCE, "-o", "walk.o")
silent("deja", "cc", "-r", "walk.o", "-o", "again.o")
same(notes(scratch("again.o")), [], "notes after -r")
silent("deja", "cc", "again.o", "-o", "walk")
check_program("after -r")

# With basic blocks recorded too, and without optimizations that merge accesses.
silent("deja", "cc", "--loops", "-O2", SOURCE, "-o", "walk")
check_program("--loops")
from_plugin = any(name.startswith("gcc-plugin-") for name in os.listdir(os.path.join(os.path.dirname(DEJA), "tracer")))
if from_plugin:
    silent("deja", "cc", "--as-written", "-O2", SOURCE, "-o", "walk")
    check_program("--as-written")
silent("deja", "cc", "--plain", "-O2", SOURCE, "-o", "walk")
same(notes(scratch("walk")), [], "notes with --plain")

# Loop-invariant values are read once, or with --as-written as often as in the source.
INVARIANT = write("invariant.c", """
#include <stdio.h>
int factor = 3;
int main(int count, char **arguments)
{
    long sum = 0;
    (void)arguments;
    for (int i = 0; i < 1000 * count; i++)
        sum += (long)factor * i;
    printf("%ld\\n", sum);
    return 0;
}
""")
for options, reads in ((["-O2"], 1), *([(["--as-written", "-O2"], 1000)] if from_plugin else [])):
    silent("deja", "cc", *options, INVARIANT, "-o", "invariant")
    profile, _ = profile_of(scratch("invariant"))
    same(the(profile["objects"], "factor")["accesses"], reads, f"{options}: reads of a loop-invariant value")

# What the sanitizer would leave out: constant tables, arrays that do not escape their
# function, copies and fills of a known size.
HIDDEN = write("hidden.c", """
#include <stdio.h>
#include <string.h>
static const int table[1000] = {3, 1, 4, 1, 5};
static struct cell { char bytes[24]; } cells[1000];
int main(int count, char **arguments)
{
    int local[500];
    long sum = 0;
    for (int i = 0; i < 500; i++)
        local[i] = i * count;
    for (int i = 0; i < 500; i++)
        sum += local[(i * 7 + count) % 500] + table[(i * 3 + count) % 1000];
    for (int i = 0; i < 500; i++) {
        memcpy(&cells[i], &cells[i + 500], sizeof cells[i]);
        memset(&cells[i + 500], count, sizeof cells[i]);
    }
    printf("%ld %d\\n", sum + cells[5].bytes[3], arguments[0] != NULL);
    return 0;
}
""")
for compiler in compilers:
    for level in ("-O0", "-O2", "-O3"):
        silent("deja", "cc", "--with", compiler, level, HIDDEN, "-o", "hidden")
        profile, printed = profile_of(scratch("hidden"))
        # The local array contains each of 0 to 499 once; of the table, 1, 5, 3 and 1 are read.
        same(printed, "124760 1\n", f"{compiler} {level}: output of hidden")
        counts = {row["name"].split()[0]: row["accesses"] for row in profile["objects"]}
        if compiler == "clang" or from_plugin:
            # A copy reads and writes, a fill writes; each cell is in one block or in two.
            check(1500 <= counts.get("cells", 0) <= 3001, f"{compiler} {level}: cells {counts}")
            same(counts.get("table"), 500, f"{compiler} {level}: the constant table")
        if compiler == "gcc" and from_plugin:
            same(counts.get("local"), 1000, f"{compiler} {level}: the local array")
os.makedirs(scratch("lib"))
for name in os.listdir(os.path.join(os.path.dirname(DEJA), "tracer")):
    os.symlink(os.path.join(os.path.dirname(DEJA), "tracer", name), os.path.join(scratch("lib"), name))
run("deja-cc", "-O2", "-o", "walk", SOURCE, env=dict(os.environ, DEJA_LIB=scratch("lib")))

# Of several copies of the library in one process, only one is active.
os.remove(os.path.join(scratch("lib"), "libdeja-rt.so"))
shutil.copy(os.path.join(os.path.dirname(DEJA), "tracer", "libdeja-rt.so"), scratch("lib"))
part = write("part.c", "int part[100]; int sum(int n) { for (int i = 0; i < 100; i++) part[i] += n; return part[3]; }")
whole = write("whole.c", "int sum(int n), whole[50]; int main(void) { for (int i = 0; i < 50; i++) whole[i] = sum(i); }")
run("deja-cc", "-O1", "-shared", "-fPIC", "-o", "libpart.so", part, env=dict(os.environ, DEJA_LIB=scratch("lib")))
run("deja-cc", "-O1", "-o", "whole", whole, scratch("libpart.so"))
profile, _ = profile_of("./whole")
same([the(profile["objects"], name)["accesses"] for name in ("part", "whole")], [10050, 50],
     "accesses with two copies of the library")

# Without the library the program does not start, and the message says why.
os.remove(os.path.join(scratch("lib"), "libdeja-rt.so"))
ran = run(DEJA, "run", "--", "./walk", "10", status=127)
check("ldd ./walk" in ran.stderr, f"a program without its library: {ran.stderr}")

# Valgrind cannot distinguish instrumentation from the program.
if has("valgrind"):
    run("deja-cc", "-O2", "-o", "walk", SOURCE)
    ran = run(DEJA, "run", "--tool", "valgrind", "-o", "walk.txt", "--", "./walk", "10", status=7)
    check("--tool native" in ran.stderr, f"an instrumented program under Valgrind: {ran.stderr}")
    ran = run(DEJA, "run", "--tool", "valgrind", "-o", "walk.txt", "--", "./plain", "10", status=7)
    check("--tool native" not in ran.stderr, f"a plain program under Valgrind: {ran.stderr}")
finish()
