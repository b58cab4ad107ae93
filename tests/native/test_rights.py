# SPDX-License-Identifier: MIT
"""A set-user-ID program neither loads a recorder nor creates a ring that its caller names."""
import os
import subprocess

from build import DEJA, check, finish, run, same, scratch, skip, write
from stream import HERE

if os.geteuid() != 0:
    skip("only root can change the owner of a program")
library = os.path.join(os.path.dirname(DEJA), "tracer", "libdeja-rt.so")
if subprocess.run(["test", "-r", library], user=65534).returncode:
    skip(f"other users cannot read {library}")
include = os.path.join(HERE, "..", "..", "include")
source = os.path.join(HERE, "annotated.c")
recorder = write("recorder.c", """#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { (void)!write(1, "loaded ", 7); }""")
run("gcc", "-shared", "-fPIC", "-o", scratch("recorder.so"), recorder)
run("gcc", "-I", include, "-o", scratch("annotated"), source)
run("deja-cc", "-I", include, "-o", scratch("traced"), source)
rings = scratch("rings")
os.mkdir(rings)
os.chmod(rings, 0o777)
os.chmod(os.path.dirname(rings), 0o755)
environment = dict(os.environ, DEJA_RECORDER=scratch("recorder.so"), DEJA_RING=f"{rings}:{os.getpid()}")


def printed(name):
    return subprocess.run([scratch(name)], env=environment, capture_output=True, text=True, timeout=60).stdout


check(printed("annotated").startswith("loaded "), "the recorder is not loaded at all")
printed("traced")
same(len(os.listdir(rings)), 1, "rings of a program with the rights of its caller")
for name in ("annotated", "traced"):
    os.chown(scratch(name), 65534, -1)
    os.chmod(scratch(name), 0o4755)
check(printed("annotated").startswith("0x"), "another user's program loads the recorder")
check(printed("traced").startswith("0x"), "another user's program does not run")
same(len(os.listdir(rings)), 1, "rings of another user's program")
finish()
