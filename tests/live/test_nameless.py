# SPDX-License-Identifier: MIT
"""Memory that a stripped program allocates is named by the address of the call, as objdump shows it, and never by the
code of the C library that started the program."""
import re

from live import Tables, check, finish, native, need, profile, program, same

need("valgrind", "objdump")
nameless = program("nameless")
calls = {}
for line in native("objdump", "-d", "--no-show-raw-insn", nameless).stdout.decode().splitlines():
    found = re.match(r" *([0-9a-f]+):\s+call .*<(malloc|calloc|mmap)@plt>", line)
    if found:
        calls[found[2]] = int(found[1], 16)
same(set(calls), {"malloc", "calloc", "mmap"}, "calls that objdump shows")

tables = Tables(profile([nameless], "--by", "object"))
expected = {f"heap (0x{calls['malloc']:x} in nameless)": 8000, f"heap (0x{calls['calloc']:x} in nameless)": 8000,
            f"mmap (0x{calls['mmap']:x} in nameless)": 8000}
for name, accesses in expected.items():
    count = tables.count(object=name)  # calloc may also write zeros
    check(accesses <= count <= accesses + 4000 * ("calloc" in calls and f"{calls['calloc']:x}" in name),
          f"{count} accesses to {name}, expected {accesses}; {sorted({p['object'] for p in tables.places})[:60]}")
wrong = [p["object"] for p in tables.places if p["kind"] in ("heap", "mapped") and "libc_start" in p["object"]]
same(wrong, [], "objects named by start code")
finish()
