# SPDX-License-Identifier: MIT
"""Annotated programs in C++ and Fortran, analyzed from their annotations and built by deja c++ and deja fc."""
import os

from build import DEJA, check, deja, finish, has, leave_out, load, run, same, scratch, silent, write

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")
FOLDER = os.path.join(os.path.dirname(DEJA), "tracer")
CXX = write("annotated.cpp", """
#include <deja/record.h>
#include <vector>

template <typename T> struct annotated_vector {
    std::vector<T> items;
    explicit annotated_vector(int n, const char *name) : items(n)
    {
        dj_record_data(items.data(), n * sizeof(T), sizeof(T), name);
    }
    ~annotated_vector() { dj_record_forget(items.data()); }
    T get(int i) const
    {
        T item = items[i];
        dj_record_read(items.data(), &items[i]);
        return item;
    }
};

int main()
{
    annotated_vector<double> a(100, "a");
    annotated_vector<int> b(50, "b");
    double sum = 0;
    try {
        for (int i = 0;; i++) {
            sum += a.get(i % 100) + b.get(i % 50);
            if (i == 999)
                throw sum;
        }
    } catch (double) {
    }
    return 0;
}
""")
FORTRAN = write("annotated.f90", """
program annotated
    use deja_record
    implicit none
    real(8), allocatable :: a(:, :)
    integer :: b(50)
    integer :: i
    allocate(a(10, 10))
    a = 0
    b = 0
    call dj_record_data(a, 'a')
    call dj_record_data(b, 'b')
    do i = 0, 999
        call dj_record_read(a, a(1 + mod(i, 10), 1 + mod(i / 10, 10)))
        call dj_record_read(b, b(1 + mod(i, 50)))
    end do
    call column(a(:, 3))
    call dj_record_forget(a)
contains
    subroutine column(c)
        real(8), intent(inout) :: c(:)
        call dj_region_begin('column')
        call dj_record_partial(a, c(1))
        c(1) = 1
        call dj_record_write(c, c(1))
        call dj_region_end('column')
    end subroutine
end program
""")


def profile(program, *options):
    path = scratch("annotated.json")
    ran = deja("run", *options, "--json", "-o", path, "--", program)
    same(ran.returncode, 0, f"status of {program}: {ran.stderr.decode()[-500:]}")
    return load(path)


def names(profile):
    return {row[0] for row in profile["attribution"]["objects"]}


def check_annotated(program, more=0):
    got = profile(program)
    same(got["provenance"]["format"], "annotations", f"the tool for {program}")
    same(got["accesses"], 2000 + more, f"accesses of {program}")
    same((got["cold"], got["distinct"]), (150, 150), f"elements of {program}")
    same(got["distance"]["max"], 149, f"longest distance of {program}")
    same(names(got), {"a", "b"}, f"objects of {program}")


silent("g++", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I", INCLUDE, "-o", scratch("annotated_cxx"), CXX)
check_annotated(scratch("annotated_cxx"))
silent(DEJA, "c++", "-O2", "-I", INCLUDE, "-o", scratch("traced_cxx"), CXX)
found = profile(scratch("traced_cxx"))
same(found["provenance"]["format"], "native", "the tool for a program built by deja c++")
check(found["accesses"] >= 2000, "accesses of the recompiled C++ program")

if has("gfortran") and not os.path.exists(os.path.join(FOLDER, "fortran", "deja_record.mod")):
    leave_out("Deja was built before gfortran was installed; build it again")
elif has("gfortran"):
    silent("gfortran", "-O2", "-g", "-I", os.path.join(FOLDER, "fortran"), "-o", scratch("annotated_fortran"), FORTRAN,
           os.path.join(FOLDER, "libdeja-fortran.a"))
    check_annotated(scratch("annotated_fortran"), more=1)
    same(profile(scratch("annotated_fortran"), "--within", "column")["accesses"], 1, "accesses within a region of Fortran")
    for way in ((), ("-static",)):
        silent(DEJA, "fc", "-O2", *way, "-o", scratch("traced_fortran"), FORTRAN)
        found = profile(scratch("traced_fortran"))
        same(found["provenance"]["format"], "native", f"the tool for a program built by deja fc {way}")
        check({"a", "b"} <= {name.split()[0] for name in names(found)}, f"data of Fortran {way}: {names(found)}")
    # In two steps; a program without annotations is not linked with the library for them.
    silent(DEJA, "fc", "-O2", "-c", "-o", scratch("annotated.o"), FORTRAN)
    silent(DEJA, "fc", "-o", scratch("traced_fortran"), scratch("annotated.o"))
    plain = write("plain.f90", "program plain\n print *, 1\nend program\n")
    silent(DEJA, "fc", "-o", scratch("plain"), plain)
    check("deja_fortran" in run("nm", scratch("traced_fortran")).stdout, "the calls are not linked")
    check("deja_fortran" not in run("nm", scratch("plain")).stdout, "calls in a program without annotations")
finish()
