# SPDX-License-Identifier: MIT
"""Forked and executed children have one profile each; deja exits with the root's
status; --no-follow ignores children."""
from live import check, deja, finish, load, native, need, program, same, scratch

need("valgrind")
family = program("family")
CELLS = 3000
alone = native(family)


def objects(profile):
    return {row["name"]: row["accesses"] for row in profile["objects"] if row["name"].startswith("of_")}


path = scratch("family.json")
under = deja("run", "--by", "object", "--json", "-o", path, "--", family)
same(under.returncode, 4, f"status of the root ({under.stderr.decode()[-500:]})")
same(under.stdout, alone.stdout, "output of the family")
root = load(path)
same(objects(root).get("of_parent"), CELLS, "the root's own array")
check("of_child" not in objects(root), "the root's profile contains data that only its child accessed")
others = root["processes"]
same(sorted(sorted(objects(p)) for p in others if objects(p)), [["of_child"], ["of_other"]], "arrays of the children")
for child in others:
    for name, accesses in objects(child).items():
        same(accesses, CELLS, f"accesses to {name}")

alone_path = scratch("alone.json")
under = deja("run", "--no-follow", "--by", "object", "--json", "-o", alone_path, "--", family)
same(under.returncode, 4, "status of the root with --no-follow")
same(under.stdout, alone.stdout, "output with --no-follow")
same(sorted(objects(load(alone_path))), ["of_parent"], "objects with --no-follow")
check(not load(alone_path).get("processes"), "processes with --no-follow")

# A shell that starts programs in turn.
under = deja("run", "-o", scratch("shell.txt"), "--", "sh", "-c", f"{family} >/dev/null; echo $?; exit 9")
same(under.returncode, 9, "status of a shell")
same(under.stdout, b"4\n", "output of a shell")
finish()
