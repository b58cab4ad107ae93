# SPDX-License-Identifier: MIT
"""Reads what `deja view` puts into a page, as docs/formats.md describes it. Independent of the program and of the
code in the page.

    page = Page(text)
    page.section("lines")["rows"]"""
import base64
import html.parser
import json
import struct
import zlib


class Elements(html.parser.HTMLParser):
    """The contents of all scripts with an id, and the title."""

    def __init__(self):
        super().__init__()
        self.scripts, self.title, self.inside = {}, "", None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "script" and "id" in attributes:
            self.inside = attributes["id"]
            self.scripts[self.inside] = ""
        elif tag == "title":
            self.inside = "title"

    def handle_endtag(self, tag):
        if tag in ("script", "title"):
            self.inside = None

    def handle_data(self, data):
        if self.inside == "title":
            self.title += data
        elif self.inside:
            self.scripts[self.inside] += data


class Reader:
    """The numbers and bytes of a section: all of its blocks are one stream."""

    def __init__(self, data, name):
        magic, version, length, profile, lane, coding, size = struct.unpack_from("<4sHHIIIQ", data)
        assert magic == b"\x89DJS" and coding == 1, (magic, coding)
        assert data[28:28 + length].decode() == name
        self.head = {"version": version, "profile": profile, "lane": lane}
        at = 28 + length + 8
        assert len(data) == at + size, "the payload is not as long as its head says"
        self.bytes, self.at, ended = b"", 0, False
        while at < len(data):
            assert not ended, "something follows the last block"
            plain, stored, _ = struct.unpack_from("<IIQ", data, at)
            at += 16
            block = zlib.decompress(data[at:at + stored], -15) if stored else b""
            assert len(block) == plain
            ended = plain == 0
            self.bytes += block
            at += stored
        assert ended, "no empty block at the end"

    def number(self):
        value = shift = 0
        while True:
            byte = self.bytes[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def column(self, count):
        """Differences to the number before, modulo 2^64."""
        out, before = [], 0
        for _ in range(count):
            step = self.number()
            before = (before + (step >> 1 if step & 1 == 0 else ~(step >> 1))) % 2 ** 64
            out.append(before)
        return out

    def raw(self, count):
        self.at += count
        return self.bytes[self.at - count:self.at]


def signed(number):
    return number - 2 ** 64 if number >= 2 ** 63 else number


def real(number):
    return struct.unpack("<d", struct.pack("<Q", number))[0]


def read_numbers(reader, field, count):
    column = reader.column(count)
    kind = field["t"]
    if kind == "i":
        return [signed(number) for number in column]
    if kind == "b":
        return [bool(number) for number in column]
    if kind == "r":
        return [real(number) for number in column]
    if kind == "h":
        return [f"{number:016x}" for number in column]
    if kind == "e":
        return [field["names"][number] for number in column]
    if kind == "x":
        return [number - 1 if number else None for number in column]
    assert kind == "u", kind
    return column


def read_texts(reader, count):
    return [reader.raw(length).decode("utf-8", "replace") for length in reader.column(count)]


def divide(values, sizes):
    at = 0
    for size in sizes:
        yield values[at:at + size]
        at += size


def read_pairs(reader, count):
    """Histograms and sketches: how many pairs each has plus one, the first of each pair, the second."""
    sizes = [size - 1 for size in reader.column(count)]
    total = sum(size for size in sizes if size > 0)
    firsts, seconds = reader.column(total), reader.column(total)
    pairs = divide(list(zip(firsts, seconds)), [max(size, 0) for size in sizes])
    return [dict(part) if size >= 0 else None for size, part in zip(sizes, pairs)]


def read_field(reader, field, count, before):
    kind = field["t"]
    if kind == "s":
        return read_texts(reader, count)
    if kind in "Hk":
        return read_pairs(reader, count)
    if kind in "oM":
        return read_rows(reader, field["of"], count)
    if kind not in "pl":
        return read_numbers(reader, field, count)
    if field.get("shared"):
        sizes = before
    elif field.get("nc"):
        sizes = [field["count"]] * count
    else:
        sizes = reader.column(count)
    before[:] = sizes
    rows = list(divide(read_rows(reader, field["of"], sum(sizes)), sizes))
    return [row[0] if row else None for row in rows] if kind == "p" else rows


def read_rows(reader, layout, count):
    """Rows as dicts. A row of one number or text without a name of its own is that value."""
    before = []
    columns = {field["n"]: read_field(reader, field, count, before) for field in layout}
    if list(columns) in (["number"], ["text"]):
        return next(iter(columns.values()))
    return [{name: column[i] for name, column in columns.items()} for i in range(count)]


class Page:
    def __init__(self, text):
        found = Elements()
        found.feed(text)
        found.close()
        self.title = found.title
        self.scripts = found.scripts
        self.index = json.loads(found.scripts["deja-index"])
        assert self.index["format"] == 1
        ids = [f"deja-{entry['id']}" for entry in self.index["sections"]]
        assert sorted(ids + ["deja-index"]) == sorted(found.scripts), "the index does not list the sections"

    def has(self, name, profile=0, lane=0):
        return self.find(name, profile, lane) is not None

    def find(self, name, profile, lane):
        found = [entry for entry in self.index["sections"]
                 if (entry["name"], entry["profile"], entry["lane"]) == (name, profile, lane)]
        assert len(found) <= 1, f"section {name} appears twice"
        return found[0] if found else None

    def section(self, name, profile=0, lane=0):
        entry = self.find(name, profile, lane)
        reader = Reader(base64.b64decode(self.scripts[f"deja-{entry['id']}"], validate=True), name)
        assert reader.head == {key: entry[key] for key in ("version", "profile", "lane")}, reader.head
        layout = entry["layout"]
        if isinstance(layout, int):  # that of another section
            layout = self.index["sections"][layout]["layout"]
        row = read_rows(reader, layout, 1)[0]
        assert reader.at == len(reader.bytes), f"section {name} has {len(reader.bytes) - reader.at} bytes too many"
        return row


def misses(tally, edges, size):
    """Exact if the size is an edge."""
    return tally["cold"] + sum(count for i, count in enumerate(tally["bins"]) if edges[tally["first"] + i] >= size)
