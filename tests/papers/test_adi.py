# SPDX-License-Identifier: MIT
"""ADI against the paper: its references by the text of its loops, their distances by brute force, and what
the paper says of 50 x 50 and 100 x 100."""
import itertools

from papers import bins_of, brute_force, check, finish, profile, same, trace


def stream(n):
    """Every reference of an iteration, as (array, row, column)."""
    for i, j in itertools.product(range(n), repeat=2):
        yield from (("x", i, j), ("a", i, j), ("b", i, j))

    def eliminate(i, j, k, l):
        yield from (("x", i, j), ("x", k, l), ("a", i, j), ("b", k, l), ("x", i, j))
        yield from (("b", i, j), ("a", i, j), ("a", i, j), ("b", k, l), ("b", i, j))

    for j in range(n):
        yield from (("x", 0, j), ("a", 0, j), ("x", 0, j))
        for i in range(1, n):
            yield from eliminate(i, j, i - 1, j)
    for i in range(n):
        yield from (("x", i, 0), ("a", i, 0), ("x", i, 0))
    for j in range(1, n):
        for i in range(n):
            yield from eliminate(i, j, i, j - 1)
    for j in range(n):
        for i in range(n):
            yield from (("x", i, j), ("b", i, j), ("x", i, j))


for n in (2, 5, 12):
    arrays = {"x": 0, "a": n * n, "b": 2 * n * n}
    expected = [arrays[array] + i * n + j for array, i, j in stream(n)]
    check(list(trace("adi", n)) == expected, f"adi {n}: other references than its loops have")
    bins, cold = brute_force(expected)
    found = profile("adi", n)
    if found:
        same((bins_of(found), found["cold"]), (bins, cold), f"adi {n}: histogram")

# Elements once in a statement: 4 and 3 of the eliminations, 2 where a line begins and of a division.
for n in (2, 9, 20):
    expected = 3 * n * n + 2 * (2 * n + 7 * n * (n - 1)) + 2 * n * n
    recorded = trace("adi", n, TRACE_STATEMENTS="1")
    same((len(recorded), len(set(recorded))), (expected, 3 * n * n), f"adi {n}, by statements")
    found = profile("adi", n, DEJA_RECORD_STATEMENTS="1")
    if found:
        same((bins_of(found), found["cold"]), brute_force(recorded), f"adi {n}, by statements: histogram")

# Table 2 cuts its figures off: 64.3K and 258K references, 7.5K and 30K elements.
for n, references, elements in ((50, 64300, 7500), (100, 258600, 30000)):
    recorded = trace("adi", n)
    same((len(recorded), len(set(recorded))), (references, elements), f"adi {n}")
finish()
