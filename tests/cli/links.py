# SPDX-License-Identifier: MIT
"""Lists relative links, and paths in code spans, that lead to no file or no heading: links.py ROOT

Paths in code spans are checked if ROOT is the folder of the sources, not if it contains installed pages."""
import pathlib
import re
import sys


def prose(page):
    """Lines outside of code blocks, without code spans."""
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line), line


def anchors(page):
    """Headings as links name them."""
    for _, _, line in prose(page):
        if line.startswith("#"):
            yield re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")


def paths(line):
    """Code spans that name a file or folder of the sources; capital letters and `*` are placeholders."""
    for span in re.findall(r"`([^`]*)`", line):
        if re.fullmatch(r"(bench|cmake|docs|examples|include|src|tests|tracer)/[a-z0-9_./-]+", span):
            yield span


def broken(root):
    pages = sorted(root.glob("*.md"))
    for folder in ("docs", "examples", "tests"):
        pages += sorted((root / folder).rglob("*.md"))
    sources = (root / "tests").is_dir()
    for page in pages:
        for number, line, text in prose(page):
            for path in paths(text) if page.name != "CHANGELOG.md" else []:  # which mentions old names
                if sources and not (root / path).exists():
                    yield f"{page.relative_to(root)}:{number}: there is no {path}"
            for link in re.findall(r"\]\(([^()\s]*)\)", line):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = page.parent / path if path else page
                if not target.exists():
                    yield f"{page.relative_to(root)}:{number}: there is no {link}"
                elif anchor and anchor not in anchors(target):
                    yield f"{page.relative_to(root)}:{number}: {target.name} has no heading #{anchor}"


found = list(broken(pathlib.Path(sys.argv[1])))
for line in found:
    print(line)
sys.exit(bool(found))
