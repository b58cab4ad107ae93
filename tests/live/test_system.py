# SPDX-License-Identifier: MIT
"""The system's own programs, large and with many shared objects, have the same output
and status under deja run, and a profile."""
import os
import sys

from live import check, deja, finish, has, load, native, need, same, scratch

need("valgrind")
lines = scratch("lines")
with open(lines, "w") as file:
    file.writelines(f"{i * 7919 % 1009} {i}\n" for i in range(3000))
commands = [
    [sys.executable, "-S", "-c", "import sys; print(sum(i * i for i in range(5000))); sys.exit(11)"],
    ["perl", "-e", "my %h; $h{$_ % 97}++ for 1 .. 20000; print scalar(keys %h), \"\\n\"; exit 12"],
    ["bash", "-c", "for i in 1 2 3; do echo $i | cat; done; exit 13"],
    ["sort", "-n", lines],
    ["grep", "-c", "^1.*9$", lines],
    ["ls", "-l", "/etc"],
    ["true"],
    ["false"],
]
ran = 0
for command in commands:
    if not has(command[0]):
        continue
    ran += 1
    path = scratch(f"{os.path.basename(command[0])}.json")
    alone = native(*command, stdin=open(os.devnull))
    under = deja("run", "--by", "object", "--json", "-o", path, "--", *command, stdin=open(os.devnull))
    same(under.returncode, alone.returncode, f"status of {command[0]} ({under.stderr.decode()[-500:]})")
    same(under.stdout, alone.stdout, f"output of {command[0]}")
    if check(os.path.exists(path), f"no profile of {command[0]}"):
        got = load(path)
        check(got["accesses"] > 10000 and not got["partial"], f"profile of {command[0]}")
        same(sum(row["accesses"] for row in got["objects"]), got["accesses"], f"{command[0]}: sum over objects[]")
check(ran >= 5, f"only {ran} of the programs are installed")
finish()
