# SPDX-License-Identifier: MIT
"""Which compilers have OpenMP here."""
import subprocess

from build import has, leave_out, scratch, write


def has_openmp(compiler):
    probe = write("probe.c", "#include <omp.h>\nint main(void) { return omp_in_parallel(); }\n")
    if not has(compiler):
        return False
    made = subprocess.run([compiler, "-fopenmp", "-o", scratch("probe"), probe], capture_output=True)
    if made.returncode:
        leave_out(f"{compiler} has no OpenMP here; the package {'libomp-dev' if compiler == 'clang' else 'gcc'} has it")
    return made.returncode == 0


def able():
    return [compiler for compiler in ("gcc", "clang") if has_openmp(compiler)]
