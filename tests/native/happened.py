# SPDX-License-Identifier: MIT
"""Which accesses of a recording are ordered by its synchronization events, whatever the order in which
they were recorded. Written from the definition in batch.h and docs/formats.md."""
import os
import subprocess
import sys

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "read_stream.py")
ACQUIRE, RELEASE, THREAD = 1, 2, 4
EVENT_THREAD, EVENT_SYNC = 8, 13
READS, WRITES = (0, 2), (1, 2)


def read(path):
    """Items of a stream in order: ("access", thread, address, bytes, kind) and ("sync", thread, bits, object)."""
    text = subprocess.run([sys.executable, "-B", READER, path], capture_output=True, text=True, check=True).stdout
    accesses, events = [], []
    for line in text.splitlines():
        words = line.split(" ")
        if words[0] == "A":
            accesses.append((int(words[2]), int(words[3]), int(words[9])))
        else:
            events.append(tuple(int(word) for word in words[1:6]))
    thread, at, items = None, 0, []
    for position, (address, size, kind) in enumerate(accesses + [(0, 0, 0)]):
        for _, event, a, b, _ in events[at:]:
            if events[at][0] > position:
                break
            at += 1
            if event == EVENT_THREAD:
                thread = a
            elif event == EVENT_SYNC:
                items.append(("sync", thread, a, b))
        items.append(("access", thread, address, size, kind))
    return items[:-1]


class Clock(dict):
    """Of each thread, how many of its steps happened before."""

    def join(self, other):
        for thread, steps in other.items():
            self[thread] = max(self.get(thread, 0), steps)

    def covers(self, event):
        return self.get(event[0], 0) >= event[1]


def races(items, begin, size, values=False):
    """Pairs of threads with conflicting accesses to the range, of which neither happened before the other.
    With `values`, a read outside of the range follows the last write."""
    clocks, released, written, seen, found = {}, {}, {}, {}, []
    for item in items:
        mine = clocks.setdefault(item[1], Clock({item[1]: 1}))
        if item[0] == "sync":
            bits, key = item[2], (item[2] & THREAD, item[3])
            if bits & ACQUIRE:
                mine.join(released.get(key, {}))
            if bits & RELEASE:
                released.setdefault(key, Clock()).join(mine)
                mine[item[1]] += 1
            continue
        _, thread, address, length, kind = item
        now = (thread, mine[thread])
        for word in range(address // 4, (address + length + 3) // 4) if values else ():
            if kind in READS and not begin <= address < begin + size:
                mine.join(released.get(word, {}))
            if kind in WRITES and not begin <= address < begin + size:
                released[word] = Clock(mine)
                mine[thread] += 1
        for cell in range(max(address, begin) // 4 * 4, min(address + length, begin + size), 4):
            before = [written[cell]] if cell in written else []
            if kind in WRITES:
                before += seen.get(cell, {}).items()
            found += [(event[0], thread) for event in before if event[0] != thread and not mine.covers(event)]
            if kind in WRITES:
                written[cell], seen[cell] = now, {}
            if kind in READS:
                seen.setdefault(cell, {})[thread] = now[1]
    return found


def without(items, begin, size):
    """The items without the synchronization by objects of the range."""
    return [item for item in items
            if item[0] != "sync" or item[2] & THREAD or not begin <= item[3] < begin + size]


def without_threads(items, bits, own):
    """Without the starts (ACQUIRE, own), joins (ACQUIRE, not own), creations (RELEASE, not own) or ends."""
    return [item for item in items
            if item[0] != "sync" or item[2] != bits | THREAD or (item[1] == item[3]) != own]


def waits(items, begin, size):
    """For each acquire of an object of the range: its thread, the object, and the threads that released the
    object before."""
    released = {}
    for item in items:
        if item[0] == "sync" and not item[2] & THREAD and begin <= item[3] < begin + size:
            if item[2] & ACQUIRE:
                yield item[1], item[3], released.get(item[3], [])
            if item[2] & RELEASE:
                released.setdefault(item[3], []).append(item[1])


def touched(items, begin, size, kinds=(0, 1, 2)):
    """Threads that access the range."""
    return {item[1] for item in items
            if item[0] == "access" and begin <= item[2] < begin + size and item[4] in kinds}
