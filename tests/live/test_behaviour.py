# SPDX-License-Identifier: MIT
"""A program's output, exit status and signals are the same under deja run."""
import os
import re
import signal

from live import NATIVE, Tables, check, deja, finish, load, native, need, program, same, scratch

need("valgrind")
behave = program("behave")
path = scratch("profile.json")


def both(*arguments, stdin=b"", compare_stdout=True):
    alone = native(behave, *arguments, input=stdin)
    if os.path.exists(path):
        os.remove(path)
    under = deja("run", "--by", "all", "--json", "-o", path, "--", behave, *arguments, input=stdin)
    what = " ".join(arguments)
    if compare_stdout:
        same(under.stdout, alone.stdout, f"{what}: standard output")
    # 128 + signal, as in a shell, because the signal did not kill deja itself.
    status = alone.returncode if alone.returncode >= 0 else 128 - alone.returncode
    check(under.returncode in (alone.returncode, status),
          f"{what}: status {under.returncode}, alone {alone.returncode} ({under.stderr.decode()[-500:]})")
    if not check(os.path.exists(path), f"{what}: no profile ({under.stderr.decode()[-500:]})"):
        return None, under
    return load(path), under


for arguments in (["exit"], ["exit", "1"], ["exit", "77"], ["exit", "255"], ["crash"], ["abort"], ["close"],
                  ["longjmp"], ["signals"], ["pipe"], ["signal", str(int(signal.SIGTERM))],
                  ["signal", str(int(signal.SIGUSR1))], ["signal", str(int(signal.SIGKILL))]):
    profile, under = both(*arguments)
    if profile:
        # A program built by deja cc does not report what libraries do.
        least = 0 if NATIVE and arguments[0] == "pipe" else 10000
        check(profile["accesses"] > least, f"{arguments}: {profile['accesses']} accesses")
        if arguments[0] in ("exit", "crash", "abort", "signal"):
            # work(3) reads and writes every cell three times; a killed program loses only later accesses.
            rows = [row for row in profile.get("objects", []) if row["name"] == "cells"]
            same([row["accesses"] for row in rows], [3 * 4096 * 2], f"{arguments}: accesses to cells")

# Some daemons start programs with SIGCHLD ignored. Deja still learns the status, and the program inherits that.
ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), "timeout": 100}
same(deja("run", "-o", "/dev/null", "--", behave, "exit", "7", **ignoring).returncode, 7, "SIGCHLD ignored: status")
under = deja("run", "-o", "/dev/null", "--", "grep", "SigIgn:", "/proc/self/status", **ignoring)
ignored = int(under.stdout.split()[1], 16) if under.stdout else 0
check(ignored >> (signal.SIGCHLD - 1) & 1, f"SIGCHLD is not ignored in the program: {under.stdout}")

# stdin, stdout and stderr belong to the program, byte for byte.
data = os.urandom(300000)
profile, under = both("copy", stdin=data)
check(b"300000 bytes\n" in under.stderr, f"the program's stderr: {under.stderr[-300:]}")
check(len(under.stdout) == len(data), "copy: bytes lost")

# longjmp leaves frames without returning; later accesses belong to the frame that was jumped to.
profile, _ = both("longjmp")
if profile and "attribution" in profile:
    paths = {p["path"][p["path"].index("jump"):] for p in Tables(profile).where(function="after_jump")}
    same(paths, {("jump", "after_jump")}, "context after longjmp")

# Tail calls leave nothing on the stack: 200,001 of them produce two contexts. In
# instrumented code the compiler emits no tail calls.
profile, _ = (None, None) if NATIVE else both("tail")
if profile and "attribution" in profile:
    tables = Tables(profile)
    for name, accesses in (("even", 100001), ("odd", 100000)):
        same(tables.count(function=name, object="cells"), accesses, f"accesses of {name}")
        paths = {p["path"] for p in tables.where(function=name)}
        check(len(paths) == 1, f"contexts of {name}: {paths}")

# The program sees its own environment and descriptors, and none of the tracer's.
alone = native(behave, "environment").stdout.decode().splitlines()
under = deja("run", "-o", scratch("report"), "--", behave, "environment")
lines = under.stdout.decode().splitlines()
extra = [line for line in lines if line not in alone and not re.match(r"(_|SHLVL)=", line)]
same([line for line in extra if not line.startswith(("LD_PRELOAD=", "GLIBCPP_", "GLIBCXX_", "DEJA_RING="))], [],
     "environment and descriptors that only the traced program has")
same([line for line in alone if line not in lines and not re.match(r"(_|SHLVL)=", line)], [],
     "environment that the traced program lacks")

# timeout(1) kills with SIGTERM; the profile is still written and marked partial.
under = native("timeout", "-s", "TERM", "6", *[os.sys.argv[1], "run", "--json", "-o", path, "--", behave, "forever"])
check(under.stdout == b"working\n", f"forever: {under.stdout!r}")
check(os.path.exists(path) and load(path)["accesses"] > 10000, "no profile after timeout")
finish()
