# SPDX-License-Identifier: MIT
"""Each program passes its own check, with its annotations, without them, and while it is recorded; C and
Fortran compute the same."""
from papers import NAMES, TRACER, check, finish, languages, recorder, run, scratch

SIZES = {"adi": ((2,), (37,), (12, 3)), "fft": ((2,), (32,), (8, 2)), "swim": ((2,), (24,), (9, 5)),
         "tomcatv": ((4,), (30,), (11, 4)), "sp": ((5,), (12,), (7, 3)), "sweep": ((1,), (6,), (4, 3))}


def near(one, other):
    return abs(one - other) <= 1e-11 * max(abs(one), abs(other))


def ways():
    yield "", {}
    yield "_off", {}
    yield "", {"DEJA_RECORDER": TRACER, "TRACE": scratch("trace")}
    if recorder():
        yield "", {"DEJA_RECORDER": recorder(), "DEJA_RECORD": scratch("profile.json")}


for name in NAMES:
    for size in SIZES[name]:
        first = run(name, *size)
        for language in languages():
            for kind, environment in ways():
                answer = run(name + language + kind, *size, **environment)
                check(near(answer.checksum, first.checksum),
                      f"{name}{language}{kind} {size}: checksum {answer.checksum}, {first.checksum} in C")
finish()
