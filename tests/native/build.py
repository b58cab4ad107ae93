# SPDX-License-Identifier: MIT
"""Shared by the tests of `deja cc`; extends ../live/live.py."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from live import *  # noqa: E402,F403
from live import DEJA, SCRATCH, check, deja, load, same, scratch, skip  # noqa: E402

# deja-cc, deja-c++ and deja-fc are in the folder of deja. As for users, it is in PATH.
os.environ["PATH"] = os.path.dirname(DEJA) + os.pathsep + os.environ["PATH"]
for name in ("DEJA_CC", "DEJA_CXX", "DEJA_FC", "DEJA_CC_OPTIONS"):
    os.environ.pop(name, None)
if not os.path.exists(os.path.join(os.path.dirname(DEJA), "tracer", "libdeja-rt.so")):
    skip("the run-time library is not built")


def run(*command, status=0, **options):
    """Runs a command in the scratch folder; any other status fails the test."""
    options.setdefault("cwd", SCRATCH.name)
    options.setdefault("timeout", 250)
    ran = subprocess.run(command, capture_output=True, text=True, **options)
    same(ran.returncode, status, f"status of {' '.join(command)}: {(ran.stdout + ran.stderr)[-1500:]}")
    return ran


def silent(*command, **options):
    """Like run(), but the command must not print anything."""
    ran = run(*command, **options)
    same(ran.stdout + ran.stderr, "", f"output of {' '.join(command)}")


def write(name, text):
    os.makedirs(os.path.dirname(scratch(name)), exist_ok=True)
    with open(scratch(name), "w") as file:
        file.write(text)
    return scratch(name)


def profile_of(*command, options=(), status=0, cwd=None):
    """Returns the profile of a native program, and its output."""
    path = scratch("native.json")
    if os.path.exists(path):
        os.remove(path)
    ran = deja("run", "--tool", "native", "--json", "-o", path, *options, "--", *command,
               cwd=cwd or SCRATCH.name)
    same(ran.returncode, status, f"status of {' '.join(command)}: {ran.stderr.decode()[-1000:]}")
    return load(path), ran.stdout.decode()


def notes(path):
    """Types of Deja's ELF notes in a file."""
    text = subprocess.run(["readelf", "-nW", path], capture_output=True, text=True).stdout
    return [line.split()[2:] for line in text.splitlines() if line.split()[:1] == ["Deja"]]
