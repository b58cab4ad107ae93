# SPDX-License-Identifier: MIT
"""Odd profiles for pages/odd: very deep calls, and very long names that are not plain text.
make_odd.py PROFILE.json DEEP.json LONG.json"""
import json
import sys

DEPTH, LENGTH = 20000, 50000

deep = json.load(open(sys.argv[1]))
a = deep["attribution"]
for _ in range(DEPTH):  # each called by the one before, all of one function
    a["contexts"].append([len(a["contexts"]) - 1, 0, 0, None, False, 1, None])
worst = max(a["places"], key=lambda row: row[5][0])
worst[1] = len(a["contexts"]) - 1
for key in ("objects", "functions", "loops", "lines", "contexts", "threads", "reuse_pairs", "elements"):
    deep.pop(key, None)
json.dump(deep, open(sys.argv[2], "w"))

long = json.load(open(sys.argv[1]))
for key in ("objects", "functions", "loops", "lines", "contexts", "threads", "reuse_pairs", "elements"):
    long.pop(key, None)
for i, row in enumerate(long["attribution"]["functions"]):
    row[0] = ("very_long_name_" * (LENGTH // 15))[:LENGTH] + str(i) if i < 20 else f"f\u202e{i}\x01\ufffe\U000e0041\u00ad"
for row in long["attribution"]["objects"][:50]:
    row[0] = "o" * LENGTH + row[0]
text = json.dumps(long, ensure_ascii=False).encode("utf-8", "surrogatepass")
# Bytes that are no UTF-8, in the names of functions.
text = text.replace(b"f\xe2\x80\xae30", b"f\xff\xfe\xc3(30")
open(sys.argv[3], "wb").write(text)
