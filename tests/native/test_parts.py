# SPDX-License-Identifier: MIT
"""Programs of several modules and languages: shared libraries, plugins, C++, Fortran; and
what `deja cc` refuses or leaves to the compiler."""
import os
import subprocess

from build import DEJA, check, finish, has, notes, profile_of, run, same, scratch, silent, the, write

# A shared library, linked with strict options and as libtool does, and a plugin.
write("part.h", "extern int table[1000];\nlong add_up(int n);\n")
write("part.c", """
#include "part.h"
int table[1000];
long add_up(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[i]++;
    return sum;
}
""")
write("user.c", """
#include <dlfcn.h>
#include <stdio.h>
#include "part.h"
int own[1000];
int main(int count, char **arguments)
{
    for (int i = 0; i < 1000; i++)
        own[i] = i * count;
    long sum = own[999] + add_up(500);
    for (int i = 1; i < count; i++) {
        void *plugin = dlopen(arguments[i], RTLD_NOW);
        long (*work)(int) = plugin ? (long (*)(int))dlsym(plugin, "work") : NULL;
        sum += work ? work(700) : -1000;
    }
    printf("%ld\\n", sum);
    return 0;
}
""")
write("plugin.c", """
short cells[1000];
long work(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += cells[i]++;
    return sum;
}
""")
compilers = [compiler for compiler in ("gcc", "clang") if has(compiler)]
for compiler in compilers:
    cc = ["deja", "cc", "--with", compiler, "-O2"]
    silent(*cc, "-fPIC", "-c", "part.c", "-o", "part.o")
    startup = [run("gcc", f"-print-file-name={name}").stdout.strip()
               for name in ("crti.o", "crtbeginS.o", "crtendS.o", "crtn.o")]
    for way in (["-Wl,--no-undefined"], ["-Wl,-z,defs", "-Wl,--as-needed"],
                ["-nostdlib", *startup[:2], "-lc", "-lgcc_s", *startup[2:]]):
        silent(*cc, "-shared", "part.o", "-o", "libpart.so", "-Wl,-soname,libpart.so", *way)
        same(len(notes(scratch("libpart.so"))), 1, f"notes of the library ({compiler} {way})")
    silent(*cc, "-shared", "-fPIC", "plugin.c", "-o", "plugin.so")
    silent(*cc, "user.c", "-L.", "-lpart", "-Wl,-rpath," + scratch("."), "-o", "user")
    program = run("readelf", "-dW", "user").stdout
    same(program.count("RUNPATH") + program.count("RPATH"), 1, "run paths: only the user's")
    check(program.index("libdeja-rt.so") < program.index("libpart.so"), "Deja's library does not come first")
    ran = run("./user", scratch("plugin.so"))
    same((ran.stdout, ran.stderr), ("1998\n", ""), f"user ({compiler})")
    profile, _ = profile_of("./user", scratch("plugin.so"))
    for name, accesses in {"own": 1001, "table": 1000, "cells": 1400}.items():
        same(the(profile["objects"], name)["accesses"], accesses, f"{compiler}: accesses to {name}")
    # A program that was not recompiled may load recompiled libraries.
    run("gcc", "user.c", "-L.", "-lpart", "-Wl,-rpath," + scratch("."), "-o", "stranger")
    same(run("./stranger", scratch("plugin.so")).stdout, "1998\n", "a plain program with recompiled libraries")

# C++ and Fortran.
write("objects.cpp", """
#include <iostream>
#include <stdexcept>
#include <vector>
static std::vector<long> numbers(1000);
static long risky(long i)
{
    if (i % 100 == 99)
        throw std::runtime_error("hundred");
    return numbers[i] += i;
}
int main()
{
    long caught = 0, sum = 0;
    for (long i = 0; i < 1000; i++)
        try {
            sum += risky(i);
        } catch (const std::exception &) {
            caught++;
        }
    std::cout << caught << " " << sum << std::endl;
}
""")
for compiler in [compiler for compiler in ("g++", "clang++") if has(compiler)]:
    for options in (["-O0"], ["-O2"], ["-O2", "-static"]):
        silent("deja", "c++", "--with", compiler, *options, "objects.cpp", "-o", "objects")
        ran = run("./objects")
        same((ran.stdout, ran.stderr), ("10 494010\n", ""), f"C++ with {compiler} {options}")
        profile, printed = profile_of("./objects")
        same(printed, "10 494010\n", "C++ under deja run")
        check(any(f["name"].startswith("risky") for f in profile["functions"]) or options != ["-O0"], "risky")
write("grid.f90", """
program grid
  implicit none
  real(8), save :: a(50, 50)
  integer :: i, j
  do j = 1, 50
    do i = 1, 50
      a(i, j) = i * j
    end do
  end do
  print '(f12.1)', a(50, 50)
end program grid
""")
if has("gfortran"):
    os.replace(write("upper.F90", open(scratch("grid.f90")).read()), scratch("GRID.F90"))
    for options in (["-O0"], ["-O2"], ["-O3", "-flto"], ["-O2", "-static"]):
        for source in ("grid.f90", "GRID.F90"):
            silent("deja", "fc", *options, source, "-o", "grid")
            ran = run("./grid")
            same((ran.stdout.strip(), ran.stderr), ("2500.0", ""), f"Fortran {options}")
            profile, _ = profile_of("./grid")
            same(the(profile["objects"], "a")["writes"], 2500, f"Fortran {options}: writes")

# The compiler's own output is passed through.
for arguments in (["--version"], ["-v"], ["-dumpmachine"], ["-print-file-name=libc.so"], ["-MM", "user.c"],
                  ["-print-prog-name=ld"], ["--help=common"], ["missing.c"], ["-c", "part.h", "-o", "part.gch"],
                  ["-E", "-dM", "-x", "c", os.devnull]):
    plain = subprocess.run(["gcc", *arguments], cwd=scratch("."), capture_output=True, text=True)
    ours = run("deja", "cc", *arguments, status=plain.returncode)
    same(ours.stdout, plain.stdout, f"output of deja cc {arguments}")
write("broken.c", "int main(void) { return }\n")
ran = run("deja", "cc", "broken.c", status=1)
check("error" in ran.stderr and "deja" not in ran.stderr, f"messages are not the compiler's: {ran.stderr}")
silent("deja", "cc", "-c", write("none.s", ".globl none\nnone: ret\n"), "-o", "none.o")

# Deja's own messages.
help_text = run("deja", "help", "cc").stdout
same(run("deja", "cc", "--help").stdout, help_text, "deja cc --help")
same(run("deja-cc").stdout, help_text, "deja-cc without arguments")
for arguments, status, words in (
        (["--with", "no-such-compiler", "a.c"], 127, "apt-get install gcc"),
        (["--with", "deja-cc", "a.c"], 2, "is Deja itself"),
        (["-fsanitize=address", "user.c"], 2, "-fsanitize=address"),
        (["-fsanitize=undefined,thread", "user.c"], 2, "-fsanitize=thread"),
        (["gcc", "user.c"], 2, "use --with gcc"),
        (["--with"], 2, "needs a value")):
    ran = run("deja", "cc", *arguments, status=status)
    check(words in ran.stderr and ran.stderr.count("\n") == 1, f"{arguments}: {ran.stderr}")
ran = run("deja", "cc", "-m32", "-c", "plugin.c", "-o", "narrow.o")
check("-m32" in ran.stderr, f"-m32: {ran.stderr}")
check("tsan" not in run("nm", "narrow.o").stdout, "-m32 is instrumented")
ran = run("deja", "cc", "--version", env={**os.environ, "DEJA_CC": "env LC_ALL=C gcc"})
check("gcc" in ran.stdout, "a compiler of several words")
ran = run("deja", "cc", "a.c", status=2, env={**os.environ, "DEJA_CC_OPTIONS": "-O2"})
check("DEJA_CC_OPTIONS" in ran.stderr, f"DEJA_CC_OPTIONS: {ran.stderr}")
silent("deja", "cc", "-c", "plugin.c", "-o", "loops.o", env={**os.environ, "DEJA_CC_OPTIONS": "--loops"})
check("__sanitizer_cov_trace_pc" in run("nm", "loops.o").stdout, "DEJA_CC_OPTIONS=--loops")

# The library in a folder with a space in its name.
os.symlink(os.path.join(os.path.dirname(DEJA), "tracer"), scratch("with a space"))
for options in ([], ["-static"], ["-flto"]):
    silent("deja", "cc", *options, write("empty.c", "int main(void) { return 0; }\n"), "-o", "empty",
           env={**os.environ, "DEJA_LIB": scratch("with a space")})
finish()
