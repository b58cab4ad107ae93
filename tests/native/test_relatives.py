# SPDX-License-Identifier: MIT
"""fork, vfork and exec: one ring for each process and each program that it executes."""
from rings import read
from stream import build, check, finish, same

program = build("family.c", "-O1")


def rings_of(what, count, **how):
    rings, status = read(program, what, str(count), **how)
    same(status, 0, f"status of {what}")
    for ring in rings:
        same(ring["error"], None, f"errors of {what}")
        same(ring["modules"], rings[0]["modules"], f"modules of {what}")
    return rings


for how in ("fork", "_Fork"):
    rings = rings_of(how, 3)
    parents = [ring for ring in rings if ring["forks"]]
    same([ring["forks"] for ring in parents], [3], f"parents of {how}")
    children = sorted((ring for ring in rings if not ring["forks"]), key=lambda ring: ring["status"])
    same([ring["writes"] // 1000 for ring in children], [1, 2, 3], f"writes of children by {how}")
    same([ring["status"] for ring in children], [1 << 8, 2 << 8, 3 << 8], f"status of children by {how}")
    same({ring["parent"] for ring in children}, {parents[0]["pid"]}, f"parents by {how}")
    check(parents[0]["writes"] < 100, f"the parent wrote {parents[0]['writes']} times by {how}")
same(len(rings_of("fork", 2, suffix=":nofollow")), 1, "rings if children are not followed")

rings = sorted(rings_of("exec", 3), key=lambda ring: ring["image"])
same([ring["image"] for ring in rings], [0, 1, 2, 3], "images of one process")
same(len({ring["pid"] for ring in rings}), 1, "processes of exec")
same([ring["writes"] // 1000 for ring in rings], [3, 2, 1, 0], "writes of the images")
same([ring["ended"] for ring in rings], [0, 0, 0, 1], "ends of the images")
same(len(rings_of("exec", 2, suffix=":nofollow")), 1, "images if they are not followed")

rings = rings_of("vfork", 2)
same(sorted(ring["writes"] // 1000 for ring in rings), [0, 1, 2], "writes by vfork and exec")
same({ring["ended"] for ring in rings}, {1}, "ends by vfork and exec")
rings = rings_of("fails", 0)
same([(ring["ended"], ring["status"]) for ring in rings], [(1, 0)], "an exec that fails")
rings = rings_of("away", 0)
same([(ring["ended"], ring["writes"] // 1000) for ring in rings], [(0, 3)], "exec of a program that is not traced")
finish()
