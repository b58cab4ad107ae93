#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second reader of the stream `deja`, written only from docs/formats.md.

usage: read_stream.py FILE

Prints one line for each event and access: "E position type a b c text" and
"A position address size device site place - time kind" ('-' for a
missing column).
"""
import ctypes
import ctypes.util
import struct
import sys

zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

WORD = 1 << 64
WIDTH = {0: 8, 1: 8, 2: 4, 3: 4, 4: 4, 5: 4, 6: 8, 7: 1, 11: 4, 12: 4, 13: 8, 16: 8, 17: 4, 18: 8, 19: 8, 20: 8,
         21: 4, 24: 8, 25: 1, 26: 8, 27: 4, 28: 8, 29: 8}
RESIDUAL_BYTES = [0, 1, 2, 3, 4, 5, 6, 8]


def need(condition, what):
    if not condition:
        sys.exit(f"read_stream.py: {what}")


def check(data, expected, what):
    need(xxhash.XXH3_64bits(data, len(data)) == expected, f"checksum of {what}")


def unzigzag(code):
    return (code >> 1) ^ -(code & 1)


class Frame:
    def __init__(self, data, at):
        (magic, self.type, self.flags, sections, size, self.count, self.columns, reserved, self.first, payload_sum,
         header_sum) = struct.unpack_from("<4sBBHIIIIQQQ", data, at)
        need(magic == b"\x89DJF" and reserved == 0, f"no frame at {at}")
        check(data[at : at + 40], header_sum, f"the frame header at {at}")
        payload = data[at + 48 : at + 48 + size]
        check(payload, payload_sum, f"the frame at {at}")
        self.end = at + 48 + size
        self.parts = {}
        where = 12 * sections
        for i in range(sections):
            field, part, coding, compression, plain, stored = struct.unpack_from("<BBBBII", payload, 12 * i)
            section = payload[where : where + stored]
            where += stored
            if compression == 1:
                buffer = ctypes.create_string_buffer(plain)
                need(zstd.ZSTD_decompress(buffer, plain, section, stored) == plain, "zstd")
                section = buffer.raw
            need(len(section) == plain and (field, part) not in self.parts, "sections")
            self.parts[field, part] = (coding, section)
        need(where == size, "gaps after the sections")

    def raw(self, field):
        return self.parts.get((field, 0), (0, b""))[1]

    def numbers(self, field, count):
        width = WIDTH[field]
        coding, section = self.parts.get((field, 0), (1, b""))
        if coding == 0:
            return [int.from_bytes(section[i * width : (i + 1) * width], "little") for i in range(count)]
        codes = [0] * count
        coding = 1
        for part in range(width):
            if (field, part) in self.parts:
                coding, section = self.parts[field, part]
                need(len(section) == count, "length of a plane")
                codes = [code | byte << 8 * part for code, byte in zip(codes, section)]
        if coding == 2:
            last = 0
            for i, code in enumerate(codes):
                last = codes[i] = (last + unzigzag(code)) % (1 << 8 * width)
        return codes


def sited(frame):
    """Returns (address, site, property) of each access."""
    slot_count = frame.numbers(11, 1)[0]
    site, properties = frame.numbers(12, slot_count), frame.numbers(13, slot_count)
    steps, residuals, jumps = frame.raw(8), frame.raw(9), frame.raw(10)
    address, stride, recent, following = [], [], [], []
    slot = last = residual = jump = 0
    for i in range(frame.count):
        step = steps[i // 2] >> 4 * (i % 2) & 15
        if step & 8:
            target = int.from_bytes(jumps[jump : jump + 2], "little")
            jump += 2
            if target == len(address):
                for values, start in ((address, last), (stride, 0), (recent, 0), (following, 0)):
                    values.append(start)
            following[slot] = target
            slot = target
        else:
            slot = following[slot]
        size = RESIDUAL_BYTES[step & 7]
        d = (stride[slot] + unzigzag(int.from_bytes(residuals[residual : residual + size], "little"))) % WORD
        residual += size
        if d % 65536 == recent[slot]:
            stride[slot] = d
        recent[slot] = d % 65536
        last = address[slot] = (address[slot] + d) % WORD
        yield last, site[slot], properties[slot]
    need(residual == len(residuals) and jump == len(jumps) and len(address) == slot_count, "sited sections")


def access_columns(frame):
    columns = {field: frame.numbers(field, frame.count) for field in range(8)
               if field == 0 or frame.columns >> field - 1 & 1}
    if frame.flags & 1:
        triples = list(sited(frame))
        columns[0] = [triple[0] for triple in triples]
        columns[3] = [triple[1] for triple in triples]
        if frame.flags & 2 and 1 in columns:
            columns[1] = [triple[2] >> 8 for triple in triples]
        if frame.flags & 2 and 7 in columns:
            columns[7] = [triple[2] & 255 for triple in triples]
    return [columns.get(field) for field in range(8)]


def print_events(frame, out):
    fields = [frame.numbers(field, frame.count) for field in (16, 17, 18, 19, 20, 21)]
    text, at = frame.raw(22), 0
    for position, kind, a, b, c, size in zip(*fields):
        out.write(f"E {position} {kind} {a} {b} {c} {text[at : at + size].decode()}\n")
        at += size
    need(at == len(text), "texts")


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    magic, version, _, size = struct.unpack_from("<8sHHI", data)
    need(magic == b"\x89DEJA\r\n\x1a" and version == 1, "magic and version")
    check(data[: size - 8], struct.unpack_from("<Q", data, size - 8)[0], "the header")
    at, position, events, frames, index = size, 0, 0, [], []
    while True:
        frame = Frame(data, at)
        if frame.type in (1, 2):
            frames.append((at, frame.type, frame.first, frame.count))
        if frame.type == 1:
            need(frame.first == position, "positions")
            for values in zip(*(column or ["-"] * frame.count for column in access_columns(frame))):
                sys.stdout.write(f"A {position} {' '.join(map(str, values))}\n")
                position += 1
        elif frame.type == 2:
            events += frame.count
            print_events(frame, sys.stdout)
        elif frame.type == 3:
            index += zip(*(frame.numbers(field, frame.count) for field in (24, 25, 26, 27)))
        elif frame.type == 4:
            need(frame.numbers(29, 3)[:2] == [position, events], "totals")
            break
        at = frame.end
    need(frame.end == len(data) and index == frames, "end or index")


main()
