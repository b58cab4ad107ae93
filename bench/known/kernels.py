# SPDX-License-Identifier: MIT
"""Kernels with a known answer: what their first comment says, and the loops of their source."""
import os
import re
import shlex
from collections import namedtuple

# Lines of a loop, from its head to its last statement, and the name that a mark `// [name]` gives it.
Loop = namedtuple("Loop", "first last mark")
HEAD = re.compile(r"\b(?:for|while)\s*\(")
FIELDS = ("model", "object", "level", "accept", "reject", "also", "carrier", "ways", "native")


class Bad(Exception):
    pass


def lines_of_version(lines, fixed):
    """The lines that one of the two versions compiles; others are empty."""
    kept, stack = [], []
    for line in lines:
        words = line.split()
        if words[:1] in (["#ifdef"], ["#ifndef"], ["#if"]):
            about = words[1:2] == ["FIXED"]
            stack.append((about, (words[0] == "#ifdef") == fixed if about else True))
        elif words[:1] in (["#else"], ["#elif"]):
            about, on = stack.pop()
            stack.append((about, not on if about else True))
        elif words[:1] == ["#endif"]:
            stack.pop()
        kept.append(line if all(on for _, on in stack) and not line.startswith("#") else "")
    return kept


def closing(text, at, pair):
    """The position after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return i + 1
    raise Bad("unbalanced brackets")


def loops_of(lines):
    text = "\n".join(lines)
    code = re.sub(r"//[^\n]*", lambda comment: " " * len(comment.group()), text)
    loops = []
    for head in HEAD.finditer(code):
        body = closing(code, head.end() - 1, "()")
        after = len(code[body:]) - len(code[body:].lstrip()) + body
        end = closing(code, after, "{}") if code[after] == "{" else code.index(";", after) + 1
        inside = code[head.start():end].rstrip("} \n")
        first = code.count("\n", 0, head.start()) + 1
        mark = re.search(r"// \[(\w+)\]", lines[first - 1])
        loops.append(Loop(first, first + inside.count("\n"), mark.group(1) if mark else ""))
    return loops


class Kernel:
    def __init__(self, path):
        self.path, self.name = path, os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        fields = {}
        for line in lines:
            field = re.match(r"// (\w+):(.*)", line)
            if field and field.group(1) in FIELDS:
                fields[field.group(1)] = shlex.split(field.group(2))
            elif not line.startswith("//"):
                break
        missing = {"object", "level", "accept"} - set(fields)
        if missing:
            raise Bad(f"{path}: no line {', '.join(sorted(missing))}")
        self.model = " ".join(fields.get("model", []))
        self.level = fields["level"][0]
        self.objects, self.accept = set(fields["object"]), fields["accept"]
        self.reject, self.also = fields.get("reject", []), fields.get("also", [])
        self.carriers, self.native = fields.get("carrier", []), fields.get("native", [])
        self.ways = int(fields.get("ways", ["0"])[0])
        self.known_fix = self.accept != ["none"]
        self.loops = loops_of(lines_of_version(lines, False))
        unknown = set(self.carriers) - {loop.mark for loop in self.loops}
        if unknown:
            raise Bad(f"{path}: no loop has the mark {', '.join(sorted(unknown))}")

    def loop_at(self, first, last):
        """The loop that these lines are, or None. `last` may be unknown: then the loop that begins at `first`, or the
        innermost one around it."""
        if last is None:
            around = [loop for loop in self.loops if loop.first <= first <= loop.last]
            return max(around, key=lambda loop: (loop.first == first, loop.first), default=None)

        def likeness(loop):
            common = min(last, loop.last) - max(first, loop.first) + 1
            return max(common, 0) / (max(last, loop.last) - min(first, loop.first) + 1)
        # Compilers give instructions that they move into a loop lines from before it, so the end is more reliable.
        ending = [loop for loop in self.loops if loop.last == last]
        best = max(ending or self.loops, key=likeness, default=None)
        return best if best and likeness(best) > (0.2 if ending else 0.3) else None


def all_kernels(folder, only):
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith((".c", ".cc")))
    kernels = [Kernel(path) for path in paths]
    unknown = set(only) - {kernel.name for kernel in kernels}
    if unknown:
        raise Bad(f"no kernel {', '.join(sorted(unknown))} in {folder}")
    return [kernel for kernel in kernels if not only or kernel.name in only]
