# SPDX-License-Identifier: MIT
"""The code blocks of a page, and what their fences say.

    ```sh                      commands; all must succeed
    ```sh not run: REASON      listed by the test "docs/not-run"
    ```console                 "$ command" lines and their exact output; a line "…" stands for any lines
    ```console numbers vary    the same, but numbers are not compared
    ```c                       a program that compiles, or lines of a file below tests/ or examples/
    ```c NAME                  the same, saved as NAME for the commands that follow; also cpp and fortran
    ```cmake                   lines of a CMakeLists.txt
    ```trace FORMAT            lines of a trace that the reader FORMAT accepts
    ```output                  what the program before it prints; the test "package/install" compares it
    ```json                    a JSON value
    ```text                    anything that is neither a program nor a command
"""
import dataclasses
import re

LANGUAGES = ("sh", "console", "c", "cpp", "fortran", "cmake", "yaml", "trace", "output", "json", "text")
COMMAND = re.compile(r"\s*(\$ )?(deja|\./dev|gcc|cc|gfortran|cmake|make|valgrind) ")


@dataclasses.dataclass
class Block:
    line: int  # of the opening fence, from 1
    language: str
    note: str
    text: str

    @property
    def not_run(self):
        """Why the block is not run; empty if it is."""
        return self.note.removeprefix("not run:").strip() if self.note.startswith("not run:") else ""


def parse(text):
    """Returns the blocks of a page, and a complaint for each mistake: (line, sentence)."""
    blocks, wrong, fence = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*```\s*(\S*)\s*(.*)$", line)
        if found and fence is None:
            fence = Block(number, found[1], found[2].strip(), "")
        elif found:
            blocks.append(fence)
            wrong += [(fence.line, sentence) for sentence in mistakes(fence)]
            fence = None
        elif fence is not None:
            fence.text += line + "\n"
        elif line.startswith("    ") and COMMAND.match(line):
            wrong.append((number, "a command outside of a fenced block"))
    if fence is not None:
        wrong.append((fence.line, "the block does not end"))
    return blocks, wrong


def mistakes(block):
    if block.language not in LANGUAGES:
        yield f"no runner for the language '{block.language}'; the languages are {', '.join(LANGUAGES)}"
    elif block.note.startswith("not run") and not block.not_run:
        yield "a block that is not run gives its reason: not run: REASON"
    elif block.language == "sh" and block.note and not block.not_run:
        yield f"unknown note '{block.note}'"
    elif block.language == "console" and block.note not in ("", "numbers vary") and not block.not_run:
        yield f"unknown note '{block.note}'"
    elif block.language == "console" and not block.text.startswith("$ "):
        yield "a console block begins with '$ ' and a command"
    elif block.language == "trace" and not block.note:
        yield "a trace names its format"
    elif block.language == "yaml" and not block.not_run:
        yield "nothing here runs yaml: not run: REASON"
    elif block.language == "text" and any(COMMAND.match(line) for line in block.text.splitlines()):
        yield "a command in a block of the language text"


def session(text):
    """Splits a console block into pairs: a command, and the lines shown as its output."""
    steps, continued = [], False
    for line in text.splitlines():
        if continued:
            steps[-1][0] += "\n" + line
        elif line.startswith("$ "):
            steps.append([line[2:], []])
        else:
            steps[-1][1].append(line)
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    return [(command, shown) for command, shown in steps]
