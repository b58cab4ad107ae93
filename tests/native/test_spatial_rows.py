# SPDX-License-Identifier: MIT
"""Rows of spatial locality of a program that `deja cc` has built, estimated from bursts: their ranges contain
what the complete run has."""
import os

from build import SOURCES, deja, finish, load, need, same, scratch
from spatial_rows import check_rows

need("cc")
stencil = scratch("stencil")
built = deja("cc", "-O1", "-g", os.path.join(SOURCES, "../../bench/programs/stencil.c"), "-o", stencil)
same(built.returncode, 0, f"stencil.c: {built.stderr}")
profiles = []
for option in ([], ["--sample", "20%"]):
    path = scratch("profile.json")
    ran = deja("spatial", "--tool", "native", "--json", *option, "-o", path, "--", stencil, "50")
    same(ran.returncode, 0, f"{option}: {ran.stderr}")
    profiles.append(load(path))
check_rows(*profiles, "native")
finish()
