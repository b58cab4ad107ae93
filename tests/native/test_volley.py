# SPDX-License-Identifier: MIT
"""Signals to threads that constantly hand over frames: each arrives with its siginfo and is recorded."""
from build import finish, same
from stream import MODIFY, WRITE, accesses, build, stream

for flags in ((), ("-static",)):
    program = build("volley.c", "-O1", "-pthread", *flags, output="volley" + "".join(flags))
    out, records = stream(program)
    turn, turns, arrived, signals = (int(word, base) for word, base in zip(out.split(), (16, 10, 16, 10)))
    same(len(accesses(records, turn, kinds=(WRITE,))), turns, f"{flags}: turns")
    same(len(accesses(records, arrived, kinds=(MODIFY,))), signals, f"{flags}: signals")
finish()
