# SPDX-License-Identifier: MIT
"""Statement mode on recompiled programs: from line tables, as in ../live, and from
annotations, which stay exact in optimized code."""
import os

from build import SOURCES, Tables, finish, has, marks, profile_of, same, scratch, silent, write

N, DEEP = 50, 20
INCLUDE = os.path.join(SOURCES, "..", "..", "include")
line = marks("statements.c")
options = ["--statements", "--by", "all", "--within", "main"]
EXPECTED = {
    "scale": {"a": (N, N)},
    "mix": {"a": (N, 0), "c": (N, 0), "b": (N, N)},
    "call": {"a": (N, 0), "b": (N, N)},
    "assign": {"b": (N, 0), "c": (N, N)},
    "count": {"counter": (N, N)},
    "fold": {"weight": (DEEP, 0)},
}


def counts(tables, **where):
    return tables.count(**where), tables.count("writes", **where)


silent("deja", "cc", "-g", "-O0", "-o", "lines", os.path.join(SOURCES, "statements.c"))
profile, _ = profile_of(scratch("lines"), options=options)
same(profile["provenance"]["statements"], "from line tables at -O0", "provenance")
tables = Tables(profile)
for mark, objects in EXPECTED.items():
    for thing, expected in objects.items():
        same(counts(tables, line=line[mark], object=thing), expected, f"{thing} at [{mark}]")

approximate = "approximate: from line tables of optimized code"
silent("deja", "cc", "-g", "-O2", "-o", "lines", os.path.join(SOURCES, "statements.c"))
same(profile_of(scratch("lines"), options=options)[0]["provenance"]["statements"], approximate, "-O2")
if has("clang"):  # clang does not record its command line
    silent("deja", "cc", "--with", "clang", "-g", "-O0", "-o", "lines", os.path.join(SOURCES, "statements.c"))
    same(profile_of(scratch("lines"), options=options)[0]["provenance"]["statements"], approximate, "clang -O0")

# An instance reads a[i] and a[i - 1] and writes a[i], on three lines.
source = write("annotated.c", f"""
#include <deja/record.h>
double a[{N + 1}];
int main(void)
{{
    for (int i = 1; i <= {N}; i++) {{
        dj_record_statement();
        a[i] =
            a[i] +
            a[i - 1];
    }}
    return 0;
}}
""")
for level in ("-O0", "-O2"):
    silent("deja", "cc", "-g", level, "-I", INCLUDE, "-fno-tree-pre", "-o", "annotated", source)
    profile, _ = profile_of(scratch("annotated"), options=options)
    same(profile["provenance"]["statements"].split(";")[0].split(" and")[0], "from annotations", level)
    same(counts(Tables(profile), object="a"), (2 * N, N), f"annotated, {level}")
finish()
