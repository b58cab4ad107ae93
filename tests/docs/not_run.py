# SPDX-License-Identifier: MIT
"""Lists the code blocks that no test runs, with their reasons: not_run.py SOURCE PAGE..."""
import collections
import pathlib
import sys

import blocks

source, kinds = pathlib.Path(sys.argv[1]), collections.Counter()
for page in map(pathlib.Path, sys.argv[2:]):
    for block in blocks.parse(page.read_text())[0]:
        kinds["not run" if block.not_run else block.language] += 1
        if block.not_run:
            print(f"{page.relative_to(source)}:{block.line}: {block.not_run}")
print(", ".join(f"{kind}: {count}" for kind, count in kinds.most_common()))
sys.exit(kinds["sh"] + kinds["console"] < kinds["not run"])
