# SPDX-License-Identifier: MIT
"""Programs built by `deja cc` in every common way: they compile and run without
a word, print what the plain program prints, and the accesses to an array are
counted exactly."""
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

# A step reads an element and writes one; the last read is for printf.
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
    "as it comes": [], "no PIE": ["-no-pie", "-fno-pie"], "static": ["-static"], "static PIE": ["-static-pie"],
    "LTO": ["-flto"], "no frame pointer": ["-fomit-frame-pointer"], "gc-sections": ["-Wl,--gc-sections"],
    "hardened": ["-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-Wl,-z,now"],
}
compilers = [compiler for compiler in ("gcc", "clang") if has(compiler)]
for compiler in compilers:
    for level in ("-O0", "-O1", "-O2", "-O3"):
        silent("deja", "cc", "--with", compiler, level, "-Wall", "-Wextra", "-Werror", "-o", "walk", SOURCE)
        check_program(f"{compiler} {level}")
    for way, options in WAYS.items():
        if compiler == "clang" and way == "LTO" and has("ld.lld"):
            options = options + ["-fuse-ld=lld"]
        if way == "hardened":
            options = options + ["-Wall", "-Werror"]
        silent("deja", "cc", "--with", compiler, "-O2", *options, "-o", "walk", SOURCE)
        check_program(f"{compiler} -O2, {way}")
    # Compiled and linked apart.
    for options in ([], ["-flto"] if compiler == "gcc" else ["-g0"]):
        silent("deja-cc", "--with", compiler, "-O2", *options, "-c", "-o", "walk.o", SOURCE)
        same(notes(scratch("walk.o")), [], "notes of an object file")
        silent("deja-cc", "--with", compiler, *options, "-o", "walk", "walk.o")
        if "-g0" not in options:
            check_program(f"{compiler}, apart {options}")

# From a pipe, a response file, preprocessed, as assembler.
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
check_program("as assembler")
silent("deja", "cc", "-O2", "-c", SOURCE, "-o", "walk.o")
silent("deja", "cc", "-r", "walk.o", "-o", "again.o")
same(notes(scratch("again.o")), [], "notes after -r")
silent("deja", "cc", "again.o", "-o", "walk")
check_program("after -r")

# With the blocks of code told too, and without optimizations that merge accesses.
silent("deja", "cc", "--loops", "-O2", SOURCE, "-o", "walk")
check_program("--loops")
silent("deja", "cc", "--as-written", "-O2", SOURCE, "-o", "walk")
check_program("--as-written")
silent("deja", "cc", "--plain", "-O2", SOURCE, "-o", "walk")
same(notes(scratch("walk")), [], "notes with --plain")

# Values that do not change in a loop: read once, or as the source has it.
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
for options, reads in ((["-O2"], 1), (["--as-written", "-O2"], 1000)):
    silent("deja", "cc", *options, INVARIANT, "-o", "invariant")
    profile, _ = profile_of(scratch("invariant"))
    same(the(profile["objects"], "factor")["accesses"], reads, f"{options}: reads of what does not change")
finish()
