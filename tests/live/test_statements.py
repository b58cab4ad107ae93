# SPDX-License-Identifier: MIT
"""Statement mode: the elements of each line of statements.c match its source."""
from live import Tables, check, deja, finish, load, marks, need, profile, program, same, scratch

need("valgrind")
N, DEEP = 50, 20
line = marks("statements.c")

# Mark: object: (accesses, writes among them), one per executed instance of the statement.
EXPECTED = {
    "scale": {"a": (N, N), "i in scale": (N, 0)},
    "header": {"i in scale": (N + 1, N + 1)},  # i = 0 and the first test, then i++ and a test per iteration
    "mix": {"a": (N, 0), "c": (N, 0), "b": (N, N), "i in mix": (N, 0)},
    "call": {"a": (N, 0), "b": (N, N), "i in mix": (N, 0)},
    "assign": {"b": (N, 0), "c": (N, N), "i in mix": (N, 0)},
    "count": {"counter": (N, N)},
    "count again": {"counter": (N, N)},
    "twice": {"x in twice": (2 * N, 0)},
    "fold": {"weight": (DEEP, 0), "n in fold": (DEEP, 0)},
}
# The same, with every access counted.
EVERY = {
    "scale": {"a": (2 * N, N)},
    "mix": {"a": (2 * N, 0), "c": (N, 0), "b": (N, N)},
    "call": {"a": (2 * N, 0), "b": (N, N)},
    "fold": {"weight": (2 * DEEP, 0)},
}


def compare(tables, expected, what):
    for mark, objects in expected.items():
        for thing, (accesses, writes) in objects.items():
            got = tables.count(line=line[mark], object=thing), tables.count("writes", line=line[mark], object=thing)
            same(got, (accesses, writes), f"{what}: {thing} at [{mark}]")


options = ["--by", "all", "--within", "main"]
built = program("statements")
every = profile([built], *options)
compare(Tables(every), EVERY, "every access")
check("statements" not in every["provenance"], "a profile of every access mentions statements")

merged = profile([built], "--statements", *options)
compare(Tables(merged), EXPECTED, "statements")
same(merged["provenance"]["statements"], "from line tables at -O0", "provenance")
check(merged["accesses"] < every["accesses"], "no access was merged")

trace = scratch("statements.deja")
recorded = deja("record", "--statements", "-o", trace, "--", built)
same(recorded.returncode, 0, f"status of deja record ({recorded.stderr.decode()})")
for flags in ([], ["--statements"]):
    analyzed = deja("analyze", "--json", "-o", scratch("analyzed.json"), *flags, *options, trace)
    same(analyzed.returncode, 0, f"status of deja analyze ({analyzed.stderr.decode()})")
    compare(Tables(load(scratch("analyzed.json"))), EXPECTED, f"recorded, {flags}")

total_only = deja("run", "--statements", "--by", "none", "--", built)
check(b"statements: from line tables at -O0" in total_only.stderr, f"with --by none: {total_only.stderr.decode()[:400]}")

optimized = profile([program("statements_optimized")], "--statements", *options)
same(optimized["provenance"]["statements"], "approximate: from line tables of optimized code", "-O2")
compare(Tables(optimized), {"scale": {"a": (N, N)}}, "-O2")

refused = deja("run", "--statements", *options, "--", program("statements_bare"))
check(refused.returncode != 0 and b"cannot distinguish statements" in refused.stderr,
      f"without line tables: {refused.returncode}, {refused.stderr.decode()}")
finish()
