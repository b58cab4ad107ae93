# SPDX-License-Identifier: MIT
"""Under limits of open files and memory, of deja or of the program alone, the program behaves as without deja, or
there is a message that says what was missing."""
import os
import re
import resource
import subprocess

from live import NATIVE, check, command, deja, finish, has, leave_out, native, need, program, same, scratch

need("valgrind", "prlimit")
behave = program("behave")
PATH = scratch("profile.json")


def limited(kind, amount, *words):
    """Runs deja itself under a limit."""
    return subprocess.run(command("run", "--json", "-o", PATH, "--", *words), capture_output=True, timeout=100,
                          preexec_fn=lambda: resource.setrlimit(kind, (amount, amount)))


expected = native(behave, "exit", "3")
for files in (16, 20, 40):
    ran = limited(resource.RLIMIT_NOFILE, files, behave, "exit", "3")
    same((ran.returncode, ran.stdout), (3, expected.stdout), f"{files} open files: {ran.stderr.decode()[-300:]}")
for files in (5, 8, 10, 12):
    ran = limited(resource.RLIMIT_NOFILE, files, behave, "exit", "3")
    if NATIVE and ran.returncode == 3:
        same(ran.stdout, expected.stdout, f"{files} open files: output")
    else:
        same(ran.returncode, 125, f"{files} open files: status ({ran.stderr.decode()[-300:]})")
        check(b"open files" in ran.stderr or b"ring" in ran.stderr, f"{files} open files: {ran.stderr.decode()[-300:]}")

# A program whose own memory is limited: a tracer has less than it needs, or enough.
for megabytes in (20, 60, 200):
    os.path.exists(PATH) and os.remove(PATH)
    ran = deja("run", "--json", "-o", PATH, "--", "prlimit", f"--as={megabytes << 20}", behave, "exit", "3", timeout=100)
    what = f"{megabytes} MB for the program: status {ran.returncode}, {ran.stderr.decode()[-300:]}"
    if ran.returncode == 3:
        same(ran.stdout, expected.stdout, what)
        check(os.path.exists(PATH) or b"deja: " in ran.stderr, f"neither a report nor a message: {what}")
    else:
        check(not NATIVE and b"out of memory" in ran.stderr, what)
    if megabytes == 200:
        same((ran.returncode, os.path.exists(PATH)), (3, True), what)

# A memory file system in which the first ring leaves too little for another: the program runs on, and the report
# names the processes that are missing from it.
family = program("family")
folder = scratch("small")
os.mkdir(folder)
mounted = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
           'mount -t tmpfs -o size="$1" deja "$0" && shift && exec env XDG_RUNTIME_DIR="$0" "$@"', folder]
probe = native(*mounted, "40m", "true") if has("unshare") else None
if probe and probe.returncode:
    leave_out(f"no file system can be mounted: {probe.stderr.decode().strip()}")
elif probe:
    expected = native(family)
    fill = 'head -c 1000000000 /dev/zero >"$0/filler" 2>/dev/null; exec "$@"'
    for script, full in (('exec "$@"', False), (fill, True)):
        os.path.exists(PATH) and os.remove(PATH)
        ran = native(*mounted, "34m", *command("run", "--json", "-o", PATH, "--", "sh", "-c", script, folder, family))
        what = f"a small file system{', filled' if full else ''}: {ran.stderr.decode()[-600:]}"
        same((ran.returncode, ran.stdout), (4, expected.stdout), what)
        same(re.search("process [0-9]+( and [0-9]+ others?)? ran untraced: no ring in .*: No space left", ran.stderr.decode())
             is not None, full, what)
        # Only Valgrind traces the shell, which runs before the space is filled.
        same(os.path.exists(PATH), not (full and NATIVE), f"whether there is a report: {what}")
finish()
