# SPDX-License-Identifier: MIT
"""A signal handler may run at any instruction outside the section `deja_hot`. Functions of
that section write records, so they call functions outside it only before they read the
cursor or after they have stored it: CALLED lists those. Any other call is an error."""
import os
import re
import shutil

from build import DEJA, check, finish, run, same, skip

# ensure_space is followed by a new reading of the cursor, publish (of atomics) by a new
# record; put_sampled takes over a record that nobody has begun to write; reserve comes
# before the record of an entry.
CALLED = {"dj_rt_put_sampled", "dj_rt_ensure_space", "dj_rt_publish", "reserve"}
LIBRARY = os.path.join(os.path.dirname(DEJA), "tracer", "libdeja-rt.so")

if not shutil.which("objdump"):
    skip("there is no objdump; the package binutils has it")
listing = run("objdump", "-d", "-j", "deja_hot", "--no-show-raw-insn", LIBRARY).stdout
calls, function, seen = {}, None, set()
for line in listing.splitlines():
    if header := re.match(r"[0-9a-f]+ <(.*)>:$", line):
        function = header.group(1)
        seen.add(function)
    elif branch := re.search(r"\t(?:bnd )?(?:call|j[a-z]+) +(\S+)(?: <([^+>]*)[^>]*>)?", line):
        target = branch.group(2) or branch.group(1)
        if target != function:
            calls.setdefault(function, set()).add(target)
check({"__tsan_read8", "__tsan_func_entry", "dj_rt_put_slow", "dj_rt_put_record"} <= seen, f"functions: {sorted(seen)}")
check("dj_rt_put_slow" in calls.get("__tsan_read8", ()), "the jump to the slow path was not found")
# It runs with the handler, not below it: it never has a record half written.
calls.pop("dj_rt_signal_arrive", None)
for function, targets in sorted(calls.items()):
    same(sorted(targets - CALLED - seen), [], f"calls of {function}")
finish()
