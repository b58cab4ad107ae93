# SPDX-License-Identifier: MIT
"""Messages say what cannot work and what to do about it."""
import os
import shutil

from live import check, deja, finish, need, program, same, scratch

need("valgrind")
plain = program("plain_pie")

ran = deja("run", "-o", os.devnull, "--", program("wide"))
check(b"AVX-512" in ran.stderr or b"AVX512" in ran.stderr, f"AVX-512: {ran.stderr.decode()[-800:]}")
check(b"march" in ran.stderr or b"-mno-avx512" in ran.stderr, "AVX-512: the message does not say how to build without it")
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
junk = scratch("junk")
with open(junk, "wb") as file:
    file.write(b"\x01\x00\x02 no program at all")
os.chmod(junk, 0o755)
ran = deja("run", "--", junk)
same(ran.returncode, 126, "status of a file that is neither program nor script")
check(b"neither" in ran.stderr, f"neither program nor script: {ran.stderr.decode()}")
# A shell would run these as scripts: a program that is cut short is none, wherever the cut is.
with open(plain, "rb") as file:
    program = file.read()
for length in 4, 10, 63, 64, 100, 700, 4096:
    cut = scratch(f"cut{length}")
    with open(cut, "wb") as file:
        file.write(program[:length])
    os.chmod(cut, 0o755)
    for verb in ["run"], ["record", "-o", scratch("cut.deja")]:
        ran = deja(*verb, "--", cut)
        same(ran.returncode, 126, f"status of {verb[0]} with a program cut at byte {length}")
        check(b"cut short" in ran.stderr, f"cut at byte {length}: {ran.stderr.decode()}")
    os.chmod(cut, 0o644)
    ran = deja("analyze", cut)
    same(ran.returncode, 3, f"status of a program cut at byte {length} as a trace")
    check(ran.stderr.startswith(f"deja: {cut}: byte 0: ".encode()), f"as a trace: {ran.stderr.decode()}")
script, empty, folder = scratch("script"), scratch("blank"), scratch("folder")
with open(script, "w") as file:
    file.write("exit 5\n")
with open(empty, "w"):
    pass
os.mkdir(folder)
for path, mode, status, what in (
    (script, 0o755, 5, "a script without #!, which a shell runs"),
    (empty, 0o755, 0, "an empty file, which a shell runs"),
    (script, 0o644, 126, "a file that is not executable"),
    (folder, 0o755, 126, "a folder"),
):
    os.chmod(path, mode)
    same(deja("run", "--", path).returncode, status, f"status of {what}")
marked = scratch("marked")
shutil.copy(plain, marked)
os.chmod(marked, 0o4755)
ran = deja("run", "--", marked)
same(ran.returncode, 126, "status of a set-user-ID program")
check(b"set-user-ID" in ran.stderr, f"set-user-ID: {ran.stderr.decode()}")
here = os.getcwd()
os.chdir(os.path.dirname(marked))
ran = deja("run", "--", "marked")
os.chdir(here)
same(ran.returncode, 127, "status of a program that is not in PATH")
check(b"./marked" in ran.stderr, f"a program in this folder: {ran.stderr.decode()}")
ran = deja("run", "--", plain, env={**os.environ, "TMPDIR": scratch("nowhere")})
same(ran.returncode, 125, "status without a folder for temporary files")
check(b"TMPDIR" in ran.stderr and b"mkstemp" not in ran.stderr, f"TMPDIR: {ran.stderr.decode()}")
ran = deja("run")
same(ran.returncode, 2, "no program named")
ran = deja("run", "--start-at", "no_such_function", "--", plain)
check(b"--start-at" in ran.stderr, f"--start-at a function that is never called: {ran.stderr.decode()}")
finish()
