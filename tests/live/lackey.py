# SPDX-License-Identifier: MIT
"""A reference that does not use Deja: Valgrind's lackey prints every instruction
and access, binutils map them to functions and lines, and reuse distances come
from a linear search of an LRU stack. Slow, but simple enough to trust."""
import bisect
import re
import subprocess
import tempfile
from collections import namedtuple

# context: function names from the region inwards, innermost last.
# distance: None for the first access to a block; previous: index of the previous access to the block.
Access = namedtuple("Access", "pc address size kind function line context block distance previous")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Code:
    """Functions, lines and calls of one source file in a static program."""

    def __init__(self, program, first, last):
        rows = [line.split() for line in output("nm", "-S", "--defined-only", program).splitlines()]
        self.functions = sorted((int(r[0], 16), int(r[1], 16), r[3]) for r in rows
                                if len(r) == 4 and r[2] in "tTwWi")
        self.starts = [f[0] for f in self.functions]
        self.entry = {name: start for start, _, name in self.functions}
        size = {name: bytes for _, bytes, name in self.functions}
        self.low, self.high = self.entry[first], self.entry[last] + size[last]
        listing = output("objdump", "-d", "--no-show-raw-insn", f"--start-address={self.low}",
                         f"--stop-address={self.high}", program)
        addresses, calls = [], set()
        for line in listing.splitlines():
            found = re.match(r"\s+([0-9a-f]+):\s+(\S+)", line)
            if found:
                addresses.append(int(found[1], 16))
                if found[2].startswith("call"):
                    calls.add(addresses[-1])
        self.after_call = {a: b for a, b in zip(addresses, addresses[1:]) if a in calls}
        text = "\n".join(f"{a:x}" for a in addresses)
        places = subprocess.run(["addr2line", "-e", program], input=text, check=True, capture_output=True,
                                text=True).stdout.splitlines()
        self.lines = {a: int(re.sub(r" .*", "", t.rsplit(":", 1)[1]).replace("?", "0"))
                      for a, t in zip(addresses, places)}

    def function(self, pc):
        at = bisect.bisect_right(self.starts, pc) - 1
        return self.functions[at][2]

    def inside(self, pc):
        return self.low <= pc < self.high


def trace(program, code, region):
    """Yields the accesses of the first call of `region`, then the program's output."""
    kinds = {"L": "read", "S": "write", "M": "modify"}
    with tempfile.NamedTemporaryFile("r") as log:
        printed = output("valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no",
                         f"--log-file={log.name}", program)
        pc, stack, pending, end = 0, None, None, None
        for line in log:
            if line.startswith("=="):
                continue
            kind, rest = line[:3].strip(), line[3:].strip()
            address, size = rest.split(",")
            address = int(address, 16)
            if kind != "I":
                if stack is not None:
                    path = tuple(name for name, _ in stack)
                    yield pc, address, int(size), kinds[kind], path
                continue
            before, pc = pc, address
            if stack is None:
                if pc == code.entry[region]:
                    stack, end = [(region, code.after_call[before])], code.after_call[before]
                continue
            if before in code.after_call:
                stack.append((code.function(pc), code.after_call[before]))
            elif len(stack) > 1 and pc == stack[-1][1]:
                stack.pop()
            if pc == end:
                break
    yield printed


def follow(program, first, last, region, block_bytes=64):
    """Returns (accesses with their distances, the program's output) for one region."""
    code = Code(program, first, last)
    stack, accesses, printed = [], [], ""
    for item in trace(program, code, region):
        if isinstance(item, str):
            printed = item
            continue
        pc, address, size, kind, path = item
        block = address // block_bytes
        assert (address + size - 1) // block_bytes == block, "an access crosses a block boundary"
        distance, previous = None, None
        for depth, (other, index) in enumerate(stack):
            if other == block:
                distance, previous = depth, index
                del stack[depth]
                break
        stack.insert(0, (block, len(accesses)))
        accesses.append(Access(pc, address, size, kind, code.function(pc), code.lines.get(pc, 0), path, block,
                               distance, previous))
    return accesses, printed
