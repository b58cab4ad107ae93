# SPDX-License-Identifier: MIT
"""What cannot work is said, with what to do about it."""
import os

from live import check, deja, finish, need, program, same, scratch

need("valgrind")
plain = program("plain_pie")

ran = deja("run", "-o", os.devnull, "--", program("wide"))
check(b"AVX-512" in ran.stderr or b"AVX512" in ran.stderr, f"AVX-512: {ran.stderr.decode()[-800:]}")
check(b"march" in ran.stderr or b"-mno-avx512" in ran.stderr, "AVX-512: nothing says how to build without it")
check(ran.stdout == b"before\n", f"AVX-512: output {ran.stdout!r}")

empty = scratch("empty")
os.mkdir(empty)
ran = deja("run", "-o", os.devnull, "--", plain, env={"PATH": empty})
check(ran.returncode != 0 and b"valgrind" in ran.stderr and b"install" in ran.stderr,
      f"without valgrind: status {ran.returncode}, {ran.stderr.decode()}")

ran = deja("run", "--", scratch("nothing-here"))
check(ran.returncode != 0 and b"nothing-here" in ran.stderr, f"no such program: {ran.stderr.decode()}")
with open(scratch("data"), "w") as file:
    file.write("not a program")
ran = deja("run", "--", scratch("data"))
check(ran.returncode != 0 and b"data" in ran.stderr, f"not executable: {ran.stderr.decode()}")
ran = deja("run")
same(ran.returncode, 2, "no program named")
ran = deja("run", "--start-at", "no_such_function", "--", plain)
check(b"--start-at" in ran.stderr, f"--start-at a function that is never called: {ran.stderr.decode()}")
finish()
