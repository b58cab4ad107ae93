# SPDX-License-Identifier: MIT
"""A program whose file, functions, variables and sources have names that attack terminals and tables: every
report about it is harmless text."""
import os
import subprocess
import sys

from live import SOURCES, check, command, finish, need, scratch

sys.path.insert(0, os.path.join(SOURCES, "..", "support"))
import hostile  # noqa: E402

need("valgrind", "cc")
# Names of the length of the bytes that replace them in the compiled program.
EVIL = {b"placeholder_function": "\x1b[31m=f\u202e\n\x9bg".encode() + b"\x9b\xff",
        b"placeholder_variable": "\x1b]0;t\x07@\u2066\x85\nv".encode() + b"\x80",
        b"placeholder_of_thing": "\r\ndeja: forged lin".encode() + b"\xfe\x7f",
        b"placeholder_source.c": "\x1b[2J\u202ec.\x9d\nx".encode() + b"\xc0\xaf.c"}
SOURCE = """#include <stdlib.h>
struct placeholder_of_thing { double a, b; };
struct placeholder_of_thing placeholder_variable[300];
__attribute__((noinline)) double placeholder_function(struct placeholder_of_thing *at)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 300; i++)
            sum += at[i].a;
    return sum;
}
int main(void) { return placeholder_function(placeholder_variable) > 1; }
"""
os.chdir(scratch(""))
with open("placeholder_source.c", "w", encoding="ascii") as file:
    file.write(SOURCE)
subprocess.run(["cc", "-g", "-O1", "-o", "built", "placeholder_source.c"], check=True)
with open("built", "rb") as file:
    image = file.read()
for name, bad in EVIL.items():
    check(image.count(name) > 0, f"{name} is not in the program")
    image = image.replace(name, bad.ljust(len(name), b"_")[:len(name)])
path = os.fsdecode(b"./=\x1b[31m\x9bp\xe2\x80\xae\n" + hostile.FORGED.encode() + b"\xff")
with open(path, "wb") as file:
    file.write(image)
os.chmod(path, 0o755)
environment = {**os.environ, "LC_ALL": "C.UTF-8"}


def examine(form, *arguments):
    ran = subprocess.run(command(*arguments), capture_output=True, env=environment, timeout=100, check=False)
    what = f"deja {' '.join(map(ascii, arguments))}"
    check(ran.returncode == 0, f"{what}: status {ran.returncode}: {ran.stderr!r}")
    for stream, kind in ((ran.stdout, form), (ran.stderr, "")):
        try:
            hostile.check(kind, stream)
        except Exception as why:  # pylint: disable=broad-except
            check(False, f"{what}: {type(why).__name__} {ascii(str(why))[:600]}")
    return ran.stdout


examine("", "run", "-o", "profile.dejap", "--", path, "\x1b[31m\n" + hostile.FORGED)
examine("", "run", "--json", "-o", "profile.json", "--", path)
examine("text", "run", "--by", "all", "--", path)
examine("", "record", "-o", "trace.deja", "--", path)
for form in ("text", "csv", "markdown", "svg", "callgrind", "folded"):
    for profile in ("profile.dejap", "profile.json"):
        printed = examine(form, "report", "--by", "all", "--export", form, profile)
    check(form in ("svg", "callgrind", "folded") or b"[31m" in printed, f"{form} does not name the function: {printed[:3000]!r}")
    if form not in ("callgrind", "folded"):
        examine(form, "annotate", "--export", form, "profile.dejap")
        examine(form, "analyze", "--export", form, "trace.deja")
examine("json", "annotate", "--json", "profile.dejap")
examine("json", "report", "--json", "--by", "all", "profile.dejap")
finish()
