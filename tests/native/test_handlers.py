# SPDX-License-Identifier: MIT
"""Signal handlers behave as they do without Deja, traced or not."""
from build import finish, run, same
from stream import build, stream

for name, flags in (("handlers", ("-O1",)), ("handlers_0", ("-O0",)), ("handlers_static", ("-O1", "-static"))):
    program = build("handlers.c", *flags, output=name)
    same(run(program).stdout, "all passed\n", f"output of {name}")
    same(stream(program)[0], "all passed\n", f"output of {name}, traced")
finish()
