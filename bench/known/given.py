# SPDX-License-Identifier: MIT
"""The advice in a profile of deja run, with the data, the loop and the misses that it is about."""
import os
import re

WORTH = 0.1  # of the misses, and
SELDOM = 0.001  # of the accesses: advice about less does not count
# What names a kind, in the order in which they are tried.
KINDS = [("wavefront", "wavefront|skew"), ("initialize late", "initiali[sz]e"), ("call together", "call together"),
         ("shrink", "shrink|temporar"), ("partition", "partition|bucket|scatter"), ("prefetch", "prefetch"),
         ("huge", "huge|pages"), ("pool", "pool|arena"), ("split", "split|hot"), ("pad", "^pad|align|conflict"),
         ("regroup", "regroup"), ("interchange", "interchange"), ("tile", "^tile|^block"), ("fuse", "fuse|fusion"),
         ("reorder", "^reorder|^sort")]
LOOP = r"[Ll]oop (\S+?):(\d+)(?:-(\d+))? in"
# Where the text of older versions names the loop that returns to the data.
NAMED = [LOOP + r" \S+ probably sweeps", r"one iteration of l" + LOOP[4:], r"probably l" + LOOP[4:] + r" \S+ returns"]


def kind_of(name):
    name = name.lower()
    return next((kind for kind, pattern in KINDS if re.search(pattern, name)), name)


def lines_of(text):
    """File and lines of "solve.c:12-20 in solve"."""
    found = re.match(r"(\S+?):(\d+)(?:-(\d+))?", text or "")
    return (found.group(1), int(found.group(2)), int(found.group(3) or found.group(2))) if found else None


def carrier_of(item):
    """File, first and last line of the loop that the advice blames."""
    carrier = item.get("carrier")
    if isinstance(carrier, dict) and carrier.get("line"):
        last = carrier.get("last_line")
        return os.path.basename(carrier.get("file") or ""), int(carrier["line"]), last and int(last)
    if isinstance(carrier, str):
        return lines_of(carrier)
    if "carrier" in item and item.get("carried") != "unknown":
        return None
    for pattern in NAMED:
        found = re.search(pattern, item.get("text") or "")
        if found:
            return found.group(1), int(found.group(2)), int(found.group(3) or found.group(2))
    return lines_of(item.get("loop"))


def number_at(values, level, total):
    """The number at one cache, of {"L1": 5}, of [{"name": "L1", "misses": 5}] or of shares; None if there is none."""
    if isinstance(values, list):
        values = {row.get("name", row.get("cache")): row.get("misses", row.get("saved")) for row in values}
    value = values.get(level) if isinstance(values, dict) else None
    if isinstance(value, dict):
        value = value.get("misses")
    if isinstance(value, list):  # a range
        value = sum(value) / len(value)
    return value * total if isinstance(value, float) and value <= 1 else value


def total_misses(profile, level):
    for cache in profile.get("caches") or []:
        if cache.get("name") == level and "misses" in cache:
            return cache["misses"]
    return sum(row["misses"].get(level, 0) for row in profile["objects"])


def advice_of(profile, level):
    """Advice about at least a tenth of the misses at a level and a thousandth of the accesses, most misses first. What
    is said of several pairs of lines about one object and one loop is one advice."""
    total = total_misses(profile, level) or 1
    least = max(WORTH * total, SELDOM * profile["accesses"])
    listed = profile.get("advice")
    groups = {}
    for item in listed if isinstance(listed, list) else profile.get("reuse_pairs", []):
        name = item.get("kind") or item.get("advice") or "none"
        if name == "none":
            continue
        misses = number_at(item.get("misses"), level, total)
        misses = total * item.get("share", 0) if misses is None else misses
        carrier = carrier_of(item)
        data = " ".join(str(item.get(key) or "") for key in ("object", "data"))
        row = groups.setdefault((name, item.get("object"), carrier), {
            "kind": kind_of(name), "name": name, "object": item.get("object") or item.get("data") or "", "data": set(),
            "carrier": carrier, "misses": 0, "saves": None})
        row["misses"] += misses
        row["data"] |= set(re.findall(r"\w+", data))
        saved = number_at(item.get("saves"), level, total)
        if saved is not None:
            row["saves"] = (row["saves"] or 0) + saved
    rows = [{**row, "share": row["misses"] / total} for row in groups.values() if row["misses"] >= least]
    return sorted(rows, key=lambda row: -row["misses"])
