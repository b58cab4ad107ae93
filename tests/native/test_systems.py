# SPDX-License-Identifier: MIT
"""Build systems: a configure script, make, and CMake with the compilers set in both ways."""
import os
import shutil

from build import DEJA, check, finish, has, need, notes, profile_of, run, same, scratch, silent, the, write

MAIN = """
#include <stdio.h>
int data[1000];
int part(int);
int main(void)
{
    for (int i = 0; i < 1000; i++)
        data[i] = part(i);
    printf("%d\\n", data[999]);
    return 0;
}
"""
PART = "int part(int i)\n{\n    return i * 2;\n}\n"


def check_program(path, what):
    ran = run(path)
    same((ran.stdout, ran.stderr), ("1998\n", ""), f"{what}: output")
    same(len(notes(path)), 1, f"{what}: notes")
    profile, _ = profile_of(path)
    same(the(profile["objects"], "data")["accesses"], 1001, f"{what}: accesses")


# Typical checks of autoconf's configure.
need("make")
write("conf/main.c", MAIN)
write("conf/part.c", PART)
write("conf/configure", r"""
set -e
tests=0
compiles() { tests=$((tests + 1)); $CC $CFLAGS "$@" >conftest.log 2>&1; }
echo 'int main(void){return 0;}' >conftest.c
compiles conftest.c && test -x a.out && ./a.out                 # the compiler works
compiles -o conftest conftest.c && ./conftest
compiles -c conftest.c && test -f conftest.o
test ! -s conftest.log                                          # and prints nothing
$CC -v >conftest.log 2>&1 && grep -q 'gcc version\|clang version' conftest.log
$CC -E conftest.c >conftest.i && grep -q main conftest.i
echo '#include <no-such-header.h>' >bad.c
if $CC -E bad.c >/dev/null 2>&1; then exit 1; fi
echo 'char malloc(void); char qqqq(void); int main(void){return malloc();}' >conftest.c
compiles -o conftest conftest.c -fno-builtin                    # a function that exists
echo 'char qqqq(void); int main(void){return qqqq();}' >conftest.c
if compiles -o conftest conftest.c; then exit 1; fi             # one that does not
echo 'int main(void){return 0;}' >conftest.c
compiles -o conftest conftest.c -lm
if compiles -o conftest conftest.c -lqqqq; then exit 1; fi
if compiles -o conftest conftest.c -fsanitize=address; then exit 1; fi
compiles -Werror -Wall -Wextra -fstack-protector-strong -fvisibility=hidden -o conftest conftest.c
compiles -shared -fPIC -o conftest.so conftest.c -Wl,-soname,x -Wl,--version-script=/dev/null || true
echo 'static int a[1 - 2 * !(sizeof(long) == 8)]; int main(void){a[0]=0;return 0;}' >conftest.c
compiles -c conftest.c
$CC -M conftest.c | grep -q conftest.o
$CC -dumpmachine >/dev/null
sed "s|@CC@|$CC|" Makefile.in >Makefile
""")
write("conf/Makefile.in", "CC = @CC@\nCFLAGS = -O2\nprogram: main.o part.o\n\t$(CC) $(CFLAGS) -o $@ $^\n")
for number, cc in enumerate([c for c in ("deja cc", "deja-cc", "deja cc --with clang") if "clang" not in c or has("clang")]):
    folder = scratch(f"conf{number}")
    shutil.copytree(scratch("conf"), folder)
    run("sh", "./configure", cwd=folder, env={**os.environ, "CC": cc, "CFLAGS": "-O2"})
    run("make", cwd=folder)
    check_program(os.path.join(folder, "program"), f"configure with CC={cc}")

# CMake: a program and a shared library of the project, all languages, installed.
if not has("cmake"):
    finish()
write("cmake/main.c", MAIN.replace("int main", "double grow(double);\nint twice(int);\nint main")
      .replace('printf("%d\\n", data[999]);', 'printf("%d\\n", data[999] + twice(0) + (int)grow(0));'))
write("cmake/part.c", PART)
write("cmake/twice.cpp", 'extern "C" int twice(int i)\n{\n    return 2 * i;\n}\n')
fortran = has("gfortran")
write("cmake/grow.f90", """
real(8) function grow(x) bind(c)
  use iso_c_binding
  real(c_double), value :: x
  grow = x * 2
end function grow
""" if fortran else "")
write("cmake/grow.c", "double grow(double x)\n{\n    return x * 2;\n}\n")
write("cmake/CMakeLists.txt", f"""
cmake_minimum_required(VERSION 3.13)
project(parts LANGUAGES C CXX {'Fortran' if fortran else ''})
add_library(part SHARED part.c twice.cpp {'grow.f90' if fortran else 'grow.c'})
add_executable(program main.c)
target_link_libraries(program PRIVATE part)
target_link_options(part PRIVATE -Wl,--no-undefined)
install(TARGETS program part RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
set_target_properties(program PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
""")
WAYS = {
    "by environment": ([], {"CC": "deja cc", "CXX": "deja c++", "FC": "deja fc"}),
    "by name": (["-DCMAKE_C_COMPILER=deja-cc", "-DCMAKE_CXX_COMPILER=deja-c++",
                 "-DCMAKE_Fortran_COMPILER=deja-fc"], {}),
}
for way, (options, environment) in WAYS.items():
    build, prefix = scratch("build " + way), scratch("prefix " + way)
    configured = run("cmake", "-S", scratch("cmake"), "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                     f"-DCMAKE_INSTALL_PREFIX={prefix}", *options, env={**os.environ, **environment})
    check("C compiler identification is GNU" in configured.stdout, f"CMake {way}: {configured.stdout}")
    run("cmake", "--build", build, "--target", "install", timeout=120)
    check_program(os.path.join(build, "program"), f"CMake {way}")
    check_program(os.path.join(prefix, "bin", "program"), f"CMake {way}, installed")
finish()
