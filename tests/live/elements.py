# SPDX-License-Identifier: MIT
"""What the program `annotated random` accesses, by what it prints; and reuse distances by searching a list."""
import collections


class Memory:
    """Every byte of recorded data has an identity; that of an element is its first byte's."""

    def __init__(self):
        self.live, self.entries, self.identity, self.fresh = {}, {}, {}, 0

    def clean(self):
        covered = {at for base, (size, _) in self.live.items() for at in range(base, base + size)}
        self.identity = {at: i for at, i in self.identity.items() if at in covered}

    def forget(self, base):
        if self.live.pop(base, None):
            self.entries = {entry: to for entry, to in self.entries.items() if to != base}
            self.clean()

    def data(self, base, size, element):
        self.forget(base)
        self.entries.pop(base, None)
        self.live[base] = (size, element)
        for at in range(base, base + size):
            if at not in self.identity:
                self.fresh += 1
                self.identity[at] = self.fresh

    def find(self, base):
        base = base if base in self.live else self.entries.get(base)
        return base if base in self.live else None

    def partial(self, base, entry):
        base = self.find(base)
        if base is not None and base <= entry < base + self.live[base][0] and entry not in self.live:
            self.entries[entry] = base

    def access(self, base, at):
        base = self.find(base)
        if base is None or not base <= at < base + self.live[base][0]:
            return None
        element = self.live[base][1]
        return self.identity[base + (at - base) // element * element]


def distances(stream):
    recent, found, cold = [], collections.Counter(), 0
    for element in stream:
        if element in recent:
            at = recent.index(element)
            found[at] += 1
            del recent[at]
        else:
            cold += 1
        recent.insert(0, element)
    return found, cold


def replay(text):
    """The identities of the elements that were accessed, in order, and how many accesses were to no data."""
    memory, stream, outside = Memory(), [], 0
    for line in text.splitlines():
        what, *numbers = line.split()
        numbers = [int(n) for n in numbers]
        if what == "D":
            memory.data(*numbers)
        elif what == "P":
            memory.partial(*numbers)
        elif what == "F":
            memory.forget(*numbers)
        else:
            element = memory.access(*numbers)
            outside += element is None
            if element is not None:
                stream.append(element)
    return stream, outside
