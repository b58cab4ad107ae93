# SPDX-License-Identifier: MIT
"""The figures of Jiang, Zhang, Tian and Shen, "Is Reuse Distance Applicable to Data Locality Analysis on Chip
Multiprocessors?" (CC 2010), as printed."""
from collections import namedtuple

FIRST = 200  # n1
COLUMNS = [(sharing, second) for sharing in (0, 0.1, 0.2) for second in (100, 200)]

Row = namedtuple("Row", "name distributions accuracy")
R, E, N = "random", "exponential", "normal"
TABLE_4 = [
    Row("random", (R, R), (94.9, 93.3, 91.3, 90.0, 89.7, 79.8)),
    Row("exponential", (E, E), (93.2, 92.3, 91.1, 92.2, 93.4, 90.1)),
    Row("normal", (N, N), (95.9, 94.6, 94.4, 80.8, 93.4, 91.6)),
    Row("r+e", (R, E), (94.0, 93.3, 88.5, 87.2, 84.0, 79.0)),
    Row("r+n", (R, N), (93.9, 93.5, 87.4, 90.9, 91.6, 89.1)),
    Row("e+n", (E, N), (93.6, 94.2, 92.5, 79.9, 92.2, 89.9)),
    Row("2r+e+n", (R, R, E, N), (88.2, 88.5, 83.3, 82.0, 82.5, 81.6)),
    Row("r+2e+n", (R, E, E, N), (89.0, 84.8, 70.1, 72.8, 85.3, 83.5)),
    Row("r+e+2n", (R, E, N, N), (85.0, 85.9, 84.1, 80.0, 81.2, 81.2)),
]

# Section 3.2: the reuse of a by the first thread, and how the second one changes it. `longest` has the longest
# distance of each thread in the shared cache.
Scenario = namedtuple("Scenario", "accesses distances longest")


def _scenario(others, distances, longest):
    others = iter(others.split())
    return Scenario([(2, next(others)) if key == "X" else (1, key) for key in "a b X X b X c d X a".split()],
                    distances, longest)


SCENARIOS = [
    _scenario("p q p q", "5", [5, 4]),
    _scenario("p a p q", "5 and 2", [5, 2]),
    _scenario("p c p c", "4", [4, 2]),
]

_R = (0.40, 0.59, 0.25, 0.44, 0.55, 0.43, 0.37, 0.48, 0.30)
SPEED_TABLES = [
    ("Table 1", _R, (0.77, 0.77, 0.87, 0.93, 0.89, 0.93, 0.99, 1.11, 0.88),
     (92.5, 30.5, 248, 111, 61.8, 116, 168, 131, 193)),
    ("Table 2", _R, (0.40, 0.48, 0.3, 0.57, 0.72, 0.54, 0.37, 0.48, 0.31),
     (0, 18.6, 20.0, 29.5, 30.9, 25.6, 0, 0, 3.3)),
]
# IPC(thread 0) / IPC(thread 1): simlarge on the 7120M and the E5310, native on both.
TABLE_3 = [
    ("blackscholes", 1.00, 1.00, 1.00, 1.00),
    ("bodytrack", 0.96, 1.00, 0.92, 0.99),
    ("canneal", 1.00, 1.00, 1.00, 1.00),
    ("facesim", 1.00, 1.00, 1.00, 1.01),
    ("fluidanimate", 1.00, 0.99, 0.99, 0.99),
    ("streamcluster", 1.00, 1.00, 1.00, 1.00),
    ("swaptions", 1.00, 1.00, 1.00, 1.00),
]
MISPRINTS = [
    "Table 2's footnote swaps the machines: Table 1 has the same r, on the Xeon 7120M.",
    "Table 2 prints ampp for ammp, Table 3 cannear for canneal.",
    "The text's IPCs of ammp and bzip2 give 0.34 / 0.72 = 0.47, not the 0.40 of the tables; 0.79 / 1.97 is 0.40.",
]
