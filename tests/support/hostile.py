# SPDX-License-Identifier: MIT
"""A string that attacks terminals, tables, pictures and messages, and what every output must be in spite of it."""
import csv
import html.parser
import io
import json
import os
import re
import xml.etree.ElementTree as xml

import page

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.html")
with open(TEMPLATE, encoding="utf-8") as template:
    page_template = template.read()

FORGED = "deja: forged line"
BAD = ("cmd|' /C calc'!A0 \x1b[31mred\x1b]0;title\x07 \x9b31m\x85\x90\x7f \u061c\u200b\u200e\u200f\u2028\u202a\u202e"
       "\u2060\u2066\u2069\ufeff\ufe0f\u3164\U000e0041 \r\n" + FORGED + "\n\ttab \"q\",'r'; | `a` ``` **b** [c](d) "
       "<script>&]]></text></svg></details><!-- -->%s%n \\ größe → 数 " + "\u202elong" * 400)
RAW = b"\x9b31m\x80\xff\xfe\xc0\xaf\xed\xa0\x80\xf5\xe2\x80"  # C1 as a byte, and what is not UTF-8
STARTS = "=+-@\t\r"  # of formulas


def hidden(c):
    """Controls, and characters that change the direction or that nobody sees."""
    return (c < 0x20 and c not in (9, 10) or 0x7f <= c <= 0x9f or c in (0xad, 0x34f, 0x61c, 0x3164, 0xfeff, 0xffa0)
            or 0x200b <= c <= 0x200f or 0x2028 <= c <= 0x202e or 0x2060 <= c <= 0x206f or 0xfe00 <= c <= 0xfe0f
            or 0xe0000 <= c <= 0xe0fff)


def check_svg(text):
    names = {element.tag.split("}")[1] for element in xml.fromstring(text).iter()}
    assert names <= {"svg", "title", "desc", "style", "rect", "text", "tspan", "line", "path", "circle"}, names
    assert not re.search(r"href=|url\(|@import|<!", text)


def check_csv(text):
    for table in text.strip("\n").split("\n\n"):
        rows = list(csv.reader(io.StringIO(table)))
        assert rows and all(len(row) == len(rows[0]) for row in rows), table
        for cell in (cell for row in rows for cell in row if cell):
            assert cell[0] not in "=+@\t\r", cell
            assert cell[0] != "-" or re.fullmatch(r"-\d+(\.\d+)?(e[-+]\d+)?", cell), cell


def check_markdown(text):
    prose = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.S | re.M)  # fences, then code
    prose = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", prose)
    assert not re.search(r"<(?!/?(details|summary|sub|br)\b)", prose), prose
    assert prose.count("<details>") == prose.count("</details>"), prose
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(columns) == 1, table


def check_callgrind(text):
    line = (r"# callgrind format|(version|creator|cmd|desc|positions|event|events|totals|summary): ?.*|"
            r"c?(ob|fl|fi|fe|fn|cob|cfi|cfn)=(\?\?\?|\(\d+\).*)|calls=\d+ \d+|\d+( \d+)*|")
    for at in text.split("\n"):
        assert re.fullmatch(line, at), at


def check_folded(text):
    for at in text.splitlines():
        assert re.fullmatch(r".+ \d+", at), at


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, sorted(attrs)))


def texts_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from texts_of(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts_of(member)


def check_page(text):
    """Only the elements of the template, and data of which nothing can be markup; decoded, all of it is harmless."""
    found = Tags()
    found.feed(text)
    kinds = {"application/octet-stream", "application/json"}
    for tag, attributes in found.tags:
        assert tag in ("html", "head", "meta", "title", "body", "script"), tag
        assert tag != "script" or [name for name, _ in attributes] == ["id", "type"] and dict(attributes)["type"] in kinds, attributes
    read = page.Page(text)
    assert text.count("<") == 2 * len(read.scripts) + len(re.findall("<", page_template)) - 2, "a raw <"
    for name, data in read.scripts.items():
        assert re.fullmatch(r"[A-Za-z0-9+/]*={0,2}" if name != "deja-index" else r"[^<]*", data), name
    for entry in read.index["sections"]:
        for value in texts_of(read.section(entry["name"], entry["profile"], entry["lane"])):
            bad = sorted({hex(ord(c)) for c in value if hidden(ord(c)) or (c in "\r\n" and entry["name"] != "files")})
            assert not bad, f"section {entry['name']} has characters {bad}"


FORMS = {"page": check_page, "svg": check_svg, "csv": check_csv, "markdown": check_markdown, "json": json.loads,
         "callgrind": check_callgrind, "folded": check_folded}


def check(form, output):
    """Raises an exception unless the bytes are harmless text of this form."""
    text = output.decode("utf-8")
    bad = sorted({hex(ord(c)) for c in text if hidden(ord(c))})
    assert not bad, f"characters {bad}"
    assert form != "ascii" or text.isascii(), "not ASCII"
    assert not re.search("^" + FORGED, text, flags=re.M), "a forged line"
    if form in FORMS:
        FORMS[form](text)
