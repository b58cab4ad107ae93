# SPDX-License-Identifier: MIT
"""How many references there are to how many elements, by loops counted by hand; C and Fortran refer to the
same elements in the same order."""
from papers import NAMES, canonical, check, finish, languages, profile, same, trace


def adi(n, t):
    """Of an iteration: three assignments of one write; at the beginning of each line a statement of 3; two
    statements of 5 for all but the first row, then for all but the first column; a statement of 3."""
    begin, lines, sweep, divide = 3 * n * n, 3 * n, 10 * n * (n - 1), 3 * n * n
    return t * (begin + 2 * (lines + sweep) + divide), 3 * n * n


def fft(n, t):
    """Of a pass: a read and a write of both parts of each number; in each row, for each of the log2 n stages
    of n/2 butterflies, 12 of each butterfly and two roots for each of its half, 2 * half, 4 * half ... groups:
    1 + 2 + 4 + ... + n/2 = n - 1 roots in a row."""
    stages = n.bit_length() - 1
    a_pass = 4 * n * n + n * (12 * (n // 2) * stages + 2 * (n - 1))
    return 2 * n + 2 * n * n + t * 4 * a_pass, 2 * (2 * n * n) + 2 * n


def swim(n, t):
    """A wrap copies a row, a column and a corner."""
    side, wrap = (n + 1) ** 2, 2 * (2 * n + 1)
    begin = 2 * side + (3 + 3) * n * n + 2 * wrap + 3 * 2 * side
    fluxes = (4 + 4 + 9 + 10) * n * n + 4 * wrap
    advance = (10 + 10 + 6) * n * n + 3 * wrap
    smooth = 3 * (5 + 2) * side
    return begin + t * (fluxes + advance + smooth), 14 * side


def tomcatv(n, t):
    """m inner points in a line. Residuals: first differences 4 of 2, aa and dd, second differences 4 of 3,
    mixed ones 2 of 4, rx and ry. Elimination 2 + 3 + 3 + 3, substitution 5 + 5."""
    m = n - 2
    residuals = (4 * 2 + 2 + 4 * 3 + 2 * 4 + 2) * m * m
    solve = 2 * m + 11 * m * (m - 1) + (3 + 3) * m + 10 * m * (m - 1)
    return 2 * n * n + t * (residuals + 2 * m * m + solve + 6 * m * m), 2 * n * n + 5 * m * m


def sp(n, t):
    """m inner points in a line. Only the edges of the cube have no row of lhs: each other point lies on a
    line of some direction that goes through inner points."""
    m, points = n - 2, n ** 3
    derive = (2 + 3 * 3 + 8 + 3 + 4 + 5 * 2) * points
    flow = (7 + 3 * (9 + 5) + 6 + 11 + 11) * m ** 3
    dissipate = 5 * 7 * (m - 2) * m * m
    right = derive + 3 * (flow + dissipate)
    line = 8 * n + 2 * 15 + m * (1 + 3 + 3 + 3 + 1 + 2 * (2 + 3 + 2 + 3 + 2))
    for fields in (3, 1, 1):
        line += n * (1 + 4 + 2 * fields) + ((n - 1) + (n - 2)) * (8 + 4 * fields)
        line += fields * (4 + 6 * (n - 2))
    edges = 12 * m + 8
    return (10 * points + right + 20 * m ** 3 + t * (right + 3 * m * m * line + 15 * m ** 3),
            (3 * 5 + 7) * points + 15 * (points - edges) + 4 * n)


def sweep(n, t):
    """Six directions: a cell has 4 moments of the source, 3 faces and sigt, 2 of each face, 3 faces
    again, and 2 of each of 4 moments of the flux."""
    cell = 4 + 4 + 3 * 2 + 3 + 4 * 2
    octant = 6 * 3 * n * n + 6 * cell * n ** 3 + 6 * 3 * n * n
    return (1 + 4) * n ** 3 + t * ((4 * 2 + 4) * n ** 3 + 8 * octant), (4 + 4 + 1) * n ** 3 + 3 * 6 * n * n


SIZES = {"adi": ((2, 1), (9, 2), (50, 1)), "fft": ((2, 1), (16, 2), (32, 1)), "swim": ((2, 1), (7, 3), (20, 2)),
         "tomcatv": ((4, 2), (9, 3), (25, 5)), "sp": ((5, 1), (6, 3), (9, 1)), "sweep": ((1, 1), (3, 3), (6, 2))}

for name in NAMES:
    for size in SIZES[name]:
        what = f"{name} {size}"
        references, elements = globals()[name](*size)
        first = trace(name, *size)
        same((len(first), len(set(first))), (references, elements), f"{what}: references and elements")
        histograms = []
        for language in languages():
            if language:
                check(canonical(trace(name + language, *size)) == canonical(first),
                      f"{what}: Fortran refers to other elements than C")
            found = profile(name + language, *size)
            if found:
                same((found["accesses"], found["distinct"]), (references, elements),
                     f"{what}{language}: references and elements of the profile")
                histograms.append(found["histogram"])
        check(all(one == histograms[0] for one in histograms), f"{what}: the profiles of C and Fortran differ")
finish()
