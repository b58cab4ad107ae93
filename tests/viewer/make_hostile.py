# SPDX-License-Identifier: MIT
"""Puts hostile texts into all strings of a profile that may hold any text, and writes a source file that is hostile
too: for pages/hostile.   make_hostile.py PROFILE.json OUT.json SOURCE"""
import json
import sys

TEXTS = [
    "<img src=x onerror=window.pwned=1>",
    "</script><script>window.pwned=2</script>",
    "<svg/onload=window.pwned=3>",
    "\"><iframe src=javascript:window.pwned=4>",
    "javascript:window.pwned=5//",
    "{{constructor.constructor('window.pwned=6')()}}",
    "<!--<script>window.pwned=7",
    "<style>*{background:url(https://example.com/8)}</style>",
    "' onmouseover='window.pwned=9' x='",
    "https://example.com/10.png",
    "=HYPERLINK(\"https://example.com/11\")",
    "\u202egnp.\u2066exe\x1b[31m\x07",
    "__proto__",
    "<a href=\"javascript:window.pwned=12\">click</a>",
    "constructor",
    "<base href=https://example.com/>",
]
# Words with a meaning for Deja.
KEEP = {"schema", "engine", "unit", "format", "bins", "version", "kind", "state", "layout", "identity"}
used = 0


def next_text():
    global used
    used += 1
    return f"{TEXTS[used % len(TEXTS)]} {used}"


def plant_rows(rows, columns):
    for row in rows:
        for column in columns:
            if isinstance(row[column], str) and row[column]:
                row[column] = next_text()


profile = json.load(open(sys.argv[1]))
a = profile["attribution"]
a["files"] = [sys.argv[3] if path.endswith("plate.c") else next_text() for path in a["files"]]
plant_rows(a["objects"], (0, 1))
plant_rows(a["functions"], (0,))
plant_rows(a["threads"], (1,))
plant_rows(a["modules"], (0,))
for row in a["places"]:
    for column, cell in enumerate(row):
        if isinstance(cell, str) and cell and column in (3, 4):
            row[column] = next_text()
for cut in a["cuts"]:
    cut[0] = next_text() if isinstance(cut, list) else cut
profile["provenance"]["command"] = " ".join(TEXTS)
profile["provenance"]["inputs"] = TEXTS[:2]
profile["partial_reason"] = next_text()
profile["partial"] = True
for key in ("objects", "functions", "loops", "lines", "contexts", "threads", "reuse_pairs", "elements"):
    profile.pop(key, None)
json.dump(profile, open(sys.argv[2], "w"))
with open(sys.argv[3], "w") as source:
    for number in range(1, 70):
        source.write(f"/* {TEXTS[number % len(TEXTS)]} */ int x{number} = \"{TEXTS[(number + 3) % len(TEXTS)]}\";\n")
