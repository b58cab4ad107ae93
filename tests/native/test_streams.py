# SPDX-License-Identifier: MIT
"""stdio: bytes copied through a buffer are recorded once; bytes that the kernel copies are not recorded."""
from build import check, finish, same, scratch
from stream import COPY, build, stream

BYTES, BUFFER = 50000, 4096
for flags in (("-O1",), ("-O1", "-static")):
    program = build("streams.c", *flags, output="streams" + "".join(flags))
    out, records = stream(program, scratch("copied"))
    source, target, line = (int(word, 16) for word in out.split())
    written, read = [], []
    for r in records:
        if r.type == COPY:
            _, to, from_, bytes = r.words
            if source <= from_ < source + BYTES:
                written.append((from_ - source, bytes))
            if target <= to < target + BYTES:
                read.append((to - target, bytes))
    # In order, without duplicates; omitted chunks are multiples of the buffer size.
    for what, chunks in (("written", written), ("read", read)):
        end = 0
        for at, bytes in chunks:
            check(at >= end and (at - end) % BUFFER == 0, f"{flags}: {what}: {bytes} at {at} after {end}")
            end = at + bytes
        check(end == BYTES or (BYTES - end) % BUFFER == 0, f"{flags}: {what} up to {end}")
        check(sum(bytes for _, bytes in chunks) > BYTES / 4, f"{flags}: {what}: {chunks}")
    same([r.words[3] for r in records if r.type == COPY and r.words[1] == line], [7], f"{flags}: fgets")
finish()
