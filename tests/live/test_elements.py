# SPDX-License-Identifier: MIT
"""Element maps of a program whose arrays are accessed in known parts, under a tracer, saved in both forms, analyzed in
parts, and with the options that they cannot be combined with."""
import json

from live import NATIVE, check, deja, finish, load, marks, need, program, same, scratch

need("valgrind")
LINES = marks("elements.c")
GLOBAL, BLOCKS, EACH, GROWN, LOCAL = 100000, 40, 500, 3000, 64


def maps(profile):
    """Rows of segments, by line of the object, expanded to elements where a segment is one."""
    objects = profile["attribution"]["objects"]
    files = profile["attribution"]["files"]
    found = {}
    for row in profile["elements"]["maps"]:
        name, _, kind, file, line = objects[row["object"]][:5]
        if file is not None and files[file].endswith("elements.c"):
            found[name if kind == "global" else line] = row
    return found


def column(row, index):
    return [cells[index] for cells in row["segments"]]


saved = scratch("elements.dejap")
ran = deja("run", "--elements", "-o", saved, "--", program("elements"))
same(ran.returncode, 0, f"status ({ran.stderr.decode()[-500:]})")
profile = json.loads(deja("report", "--json", saved).stdout)
found = maps(profile)

row = found["global"]
same(row["segment_bytes"], 1024, "800,000 bytes in at most 1,024 segments")
each = row["segment_bytes"] // 8
starts = range(0, GLOBAL, each)
written = [len(range(s + s % 2, min(s + each, GLOBAL), 2)) for s in starts]
read = [len(range(max(s, GLOBAL // 2), min(s + each, GLOBAL))) for s in starts]
same(column(row, 3), written, "writes of the global")
same(column(row, 0), [w + r for w, r in zip(written, read)], "accesses of the global")
check(all(0 <= cold - each * 8 // 64 <= 1 for cold in column(row, 1)[:-1]), "a cold access for each block of 64 bytes")

row = found[LINES["block"]]
same(row["segment_bytes"], 4, "elements of int32_t")
same(column(row, 3), [0] * (EACH - BLOCKS) + [b + 1 for b in range(BLOCKS)], "writes, all blocks one on top of the other")

row = found[LINES["grown"]]
whole = [0] * GROWN
for i in range(GROWN):
    whole[i] = 1
each = row["segment_bytes"] // 8
same(row["segment_bytes"], 32, "24,000 bytes in at most 1,024 segments")
if not NATIVE:  # where realloc copies, Valgrind's does it outside the program
    check(all(got >= sum(whole[s:s + each]) for s, got in zip(range(0, GROWN, each), column(row, 3))), "writes of what grew")
same(len(row["segments"]), -(-GROWN // each), "segments of what grew")

rows = [row for row in profile["elements"]["maps"] if profile["attribution"]["objects"][row["object"]][0] == "table in local"]
same(len(rows), 1, "the local has one map")
same(rows[0]["segment_bytes"], 2, "elements of int16_t")
same(column(rows[0], 3), [min(i + 1, 5) for i in range(LOCAL)], "five activations of the local, one on top of the other")

# The same from a recording, whole and in parts.
recording, parts = scratch("elements.deja"), [scratch(f"{i}.dejasum") for i in (1, 2, 3)]
same(deja("record", "-o", recording, "--", program("elements")).returncode, 0, "status of deja record")
whole = scratch("whole.json")
same(deja("analyze", "--by", "object", "--elements", "--json", "-o", whole, recording).returncode, 0, "status of deja analyze")
cuts = [0, 70001, 130000, None]
for i, part in enumerate(parts):
    limits = ["--skip", str(cuts[i])] + (["--stop-after", str(cuts[i + 1] - cuts[i])] if cuts[i + 1] else [])
    made = deja("analyze", "--by", "object", "--elements", "--summary", "-o", part, *limits, recording)
    same(made.returncode, 0, f"status of part {i + 1} ({made.stderr.decode()[-500:]})")
joined = json.loads(deja("join", "--json", *parts).stdout)
same(joined["elements"], load(whole)["elements"], "maps of the parts together")
same({name: row["segments"] for name, row in maps(load(whole)).items()},
     {name: row["segments"] for name, row in found.items()}, "maps of the recording")

for options, why in ((["--sample", "1%"], b"--elements"), (["--by", "none"], b"--elements")):
    refused = deja("run", "--elements", *options, "--", program("elements"))
    same((refused.returncode, why in refused.stderr), (2, True), f"status with {options}: {refused.stderr.decode()[-300:]}")
finish()
