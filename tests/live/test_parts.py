# SPDX-License-Identifier: MIT
"""A recording analyzed in parts, each by a separate process, and joined in any tree
yields the profile of the complete recording, byte for byte; parts that do not belong
together are refused. Only the carriers of reuses and the classes of misses are unknown where parts are joined."""
import json
import re

from live import check, deja, finish, need, program, same, scratch

need("valgrind")
COMMAND = re.compile(rb'"command": "[^\n]*"')


def text(path):
    with open(path, "rb") as file:
        return COMMAND.sub(b"", file.read())


def ok(*arguments):
    ran = deja(*arguments)
    same(ran.returncode, 0, f"status of {arguments} ({ran.stderr.decode()[-500:]})")
    return ran


def whole(stream, *options):
    """The profile of everything, as if it were one part."""
    ok("analyze", "--json", "--bins", "exact", "-o", scratch("whole.json"), *options, stream)
    one = join(part("one", stream, 0, None, *options))
    same(without_carriers("joined.json"), without_carriers("whole.json"), f"one part with {options}")
    return one


def added(a, b):
    """Two tallies: accesses, cold, writes, sum, squares, least and greatest distance, first bin, bins."""
    bins = [0] * (max(a[8] + len(a[9]), b[8] + len(b[9])))
    for tally in a, b:
        for i, count in enumerate(tally[9]):
            bins[tally[8] + i] += count
    squares = (a[5] + b[5] << 64) + a[4] + b[4]
    first = min(a[8], b[8])
    return [*(x + y for x, y in zip(a[:4], b[:4])), squares % 2**64, squares >> 64, min(a[6], b[6]), max(a[7], b[7]),
            first, bins[first:]]


def without_carriers(name):
    with open(scratch(name)) as file:
        profile = json.load(file)
    known = profile["attribution"]
    pairs = {}
    for a, b, tally, *_ in known["pairs"]:
        pairs[a, b] = added(pairs[a, b], tally) if (a, b) in pairs else tally
    known["pairs"] = sorted((*key, tally) for key, tally in pairs.items())
    for place in known["places"]:
        del place[9:]  # misses by class, which depend on the order of accesses
        while place[-1] is None:
            place.pop()
    for key in "reuse_pairs", "reuse_pairs_left_out", "advice", "provenance":  # they depend on carriers
        profile.pop(key, None)
    for table in "loops", "functions", "files":
        known[table] = "more with carriers"
    return profile


def part(name, stream, first, end, *options):
    path = scratch(f"{name}.dejasum")
    limits = ["--skip", str(first)] + (["--stop-after", str(end - first)] if end else [])
    ok("analyze", "--summary", "-o", path, *limits, *options, stream)
    return path


def join(*parts):
    ok("join", "--json", "--bins", "exact", "-o", scratch("joined.json"), *parts)
    return text(scratch("joined.json"))


def joined(name, *parts):
    path = scratch(f"{name}.dejasum")
    ok("join", "--summary", "-o", path, *parts)
    return path


def recorded(name, *arguments):
    stream = scratch(f"{name}.deja")
    ok("record", "-o", stream, "--", program(name), *arguments)
    return stream


known = recorded("known")
for name in ("objects", "threads"):
    stream = recorded(name)
    want = whole(stream, "--by", "all")
    cuts = [0, 100, 5000, 5001, 20000, None]
    parts = [part(f"{name}{i}", stream, cuts[i], cuts[i + 1], "--by", "all") for i in range(len(cuts) - 1)]
    same(join(*parts), want, f"the join of the parts of {name}")
for options in (["--by", "all"], ["--by", "all", "--within", "kernel", "--block", "16", "--split"],
                ["--by", "all", "--fresh-heap", "--caches", "L1=1K,L2=16K"]):
    want = whole(known, *options)
    requests = int(re.search(rb'"requests": (\d+)', want).group(1))
    a, b, c = requests // 3, requests // 2, requests - 7
    parts = [part(str(i), known, first, end, *options)
             for i, (first, end) in enumerate(((0, a), (a, b), (b, c), (c, None)))]
    same(join(*parts), want, f"the join of four parts with {options}")
    left, right = joined("left", *parts[:2]), joined("right", *parts[2:])
    same(join(left, right), want, f"the join of two joins with {options}")
    same(join(parts[0], joined("middle", *parts[1:3]), parts[3]), want, f"another tree with {options}")

first, last = part("first", known, 0, 1000, "--by", "all"), part("last", known, 1000, None, "--by", "all")


def report(*arguments):
    return ok(*arguments).stdout.split(b"\n")[3:]  # after the command


same(report("join", "--by", "object,line", first, last), report("analyze", "--by", "object,line", known),
     "the report of the join")
other = part("other", known, 1000, None, "--by", "all", "--caches", "1K")
check(deja("join", first, other).returncode == 3, "parts with other caches are not refused")
plain = part("plain", known, 1000, None)
check(deja("join", first, plain).returncode == 3, "a part without places is not refused")
foreign = part("foreign", scratch("threads.deja"), 1000, None, "--by", "all")
ran = deja("join", first, foreign)
check(ran.returncode == 3 and b"one recording" in ran.stderr, f"parts of other programs ({ran.stderr})")
finish()
