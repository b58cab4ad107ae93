# SPDX-License-Identifier: MIT
"""Prints a table of the lines that were reached in each reader, from llvm-cov's summary on standard input:
coverage.py [-v]; -v also prints each file. Fails if a reader is below 90 %."""
import json
import os
import sys

LEAST = 90

# What reads files: a name and the files that belong to it, all of a folder if it ends with a slash.
READERS = (
    ("input", ("src/trace/input/",)),
    ("lines and fields", ("src/trace/parse/",)),
    ("deja (stream)", tuple("src/trace/stream/" + name + ".c" for name in (
        "read", "read_accesses", "read_events", "frame_read", "format", "events", "sites_decode", "planes"))),
    ("profile, JSON", ("src/profile/json_load.c", "src/profile/fields_read.c", "src/base/json/reader.c",
                       "src/profile/json_sketch.c")),
    ("profile, columns", ("src/profile/columns_load.c", "src/profile/columns_read.c")),
    ("profile, checks", ("src/profile/attribution_check.c", "src/profile/spatial_check.c",
                         "src/profile/fields.c", "src/profile/sections/")),
    ("summary", ("src/pipeline/parts/summary_load.c", "src/pipeline/parts/boundaries.c", "src/base/unpack.c")),
)

lines = {}
for file in json.load(sys.stdin)["data"][0]["files"]:
    path = os.path.normpath(file["filename"])
    at = path.find(os.sep + "src" + os.sep)
    lines[path[at + 1:] if at >= 0 else path] = (file["summary"]["lines"]["covered"], file["summary"]["lines"]["count"])

# Not readers, in their folders: this creates what is measured, and this waits for files that grow, which
# tests/cli does.
for path in ("src/profile/sections/partitions.c", "src/trace/input/growing.c"):
    lines.pop(path, None)

formats = [(path.rsplit("/", 1)[1][:-2], (path,)) for path in sorted(lines)
           if path.startswith("src/trace/formats/") and path.endswith(".c")]
below = []
print("| reader | lines | reached |\n| --- | ---: | ---: |")
for name, paths in (*READERS, *formats):
    of = [(path, *lines[path]) for path in sorted(lines) if any(
        path == p or p.endswith("/") and path.startswith(p) for p in paths)]
    covered, count = sum(c for _, c, _ in of), sum(n for _, _, n in of)
    share = 100 * covered / count if count else 0
    print(f"| {name} | {count} | {share:.1f} % |")
    if share < LEAST:
        below.append(name)
    if "-v" in sys.argv:
        for path, c, n in of:
            print(f"    {path} {c}/{n} {100 * c / n if n else 0:.1f}")
if below:
    sys.exit(f"below {LEAST} %: {', '.join(below)}")
