# SPDX-License-Identifier: MIT
"""Random programs whose loops log themselves, and the carriers of their reuses by the definition."""
import random
import struct
from collections import Counter

LONG = 300    # blocks
OTHERS = 24   # blocks of the stack and of scalars that may come between two uses, which are not logged
HEADER = r"""
#include <stdio.h>
#include <stdlib.h>
enum { MOST = 1500 };
static volatile int data[4][MOST][16] __attribute__((aligned(64)));
static volatile unsigned zero = 0, three = 3, n0 = 3, n1 = 10, n2 = 0, n3 = 5;
#ifdef LOG
static FILE *out;
static unsigned long budget = 60000;
static void put(unsigned what, unsigned a, unsigned b)
{
    unsigned words[3] = {what, a, b};
    fwrite(words, sizeof words, 1, out);
}
#define LEAVE(what, a, b) put(what, a, b)
#define TOUCH(k, i, line) (budget-- == 0 ? exit(77) : put(6, line, (k) * MOST + (i)))
#define START() (out = fopen(getenv("LOGFILE"), "w"))
#define STOP(s) do { fclose(out); return (s) == 12345; } while (0)
#else
#define LEAVE(what, a, b) (void)0
#define TOUCH(k, i, line) (void)0
#define START() (void)0
#define STOP(s) return (s) == 12345
#endif
#define ENTER(k) LEAVE(1, k, 0)
#define ITER(k) LEAVE(2, k, 0)
#define LEFT(k) LEAVE(3, k, 0)
#define CALLED() LEAVE(4, 0, 0)
#define RETURN(s) do { LEAVE(5, 0, 0); return s; } while (0)
#define GET(k, i, line) (TOUCH(k, i, line), s += data[k][i][0])
#define PUT(k, i, line) (TOUCH(k, i, line), data[k][i][0] = s)
"""


class Program:
    """Nested loops of all forms, with early exits, calls and recursion; each statement has its own line."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.indent = [], 0
        self.loops = {}  # number: first line, last line, depth in its function
        self.count, self.used, self.in_function = 0, set(), False
        self.arrays, self.size = self.random.randint(1, 4), self.random.choice([200, 400, 700, 1500])
        self.text = HEADER.strip().split("\n")
        self.lines = list(self.text)
        self.write()

    def out(self, text):
        self.lines.append("    " * self.indent + text)

    def access(self, names):
        terms = [f"{v} * {self.random.choice([1, 1, 1, 2, 7, 31])}" for v in names
                 if self.random.random() < .7] or ["3"]
        index = f"(unsigned)({' + '.join(terms)} + {self.random.randint(0, 50)}) % N"
        verb = "PUT" if self.random.random() < .4 else "GET"
        self.out(f"{verb}({self.random.randrange(self.arrays)}, {index}, {len(self.lines) + 1});")

    def condition(self, names):
        modulus = self.random.choice([2, 3, 5, 7])
        return f"({self.random.choice(names)} + c) % {modulus} == {self.random.randrange(modulus)}"

    def block(self, names, depth, loops, callees, most):
        for _ in range(self.random.randint(1, most)):
            self.statement(names, depth, loops, callees)

    def inner(self, names, depth, loops, callees):
        self.indent += 1
        self.block(names, depth + 1, loops, callees, 2)
        self.indent -= 1

    def statement(self, names, depth, loops, callees):
        x = self.random.random()
        if x < .38 and depth < 4:
            self.loop(names, depth, loops, callees)
        elif x < .66:
            self.access(names)
        elif x < .76:
            self.out(f"if ({self.condition(names)}) {{")
            self.inner(names, depth, loops, callees)
            if self.random.random() < .5:
                self.out("} else {")
                self.inner(names, depth, loops, callees)
            self.out("}")
        elif x < .86 and callees:
            self.out(f"s += {self.random.choice(callees)}({self.random.choice(names)}, d + 1);")
        elif x < .93 and loops:
            self.leave(names, loops)
        else:  # a loop without accesses to data
            self.out(f"for (unsigned e = 0; e < n{self.random.randrange(4)} % 7; e++) s += e * s;")

    def leave(self, names, loops):
        what = self.random.random()
        if what < .4:
            self.out(f"if ({self.condition(names)}) continue;")
        elif what < .7:
            self.out(f"if ({self.condition(names)}) break;")
        elif what < .85 and len(loops) > 1:
            self.out(f"if ({self.condition(names)}) goto next{loops[-2]};")
            self.used.add(loops[-2])
        elif self.in_function:
            self.out(f"if ({self.condition(names)}) RETURN(s);")

    def loop(self, names, depth, loops, callees):
        self.count += 1
        k, v = self.count, f"i{self.count}"
        trips = [3, 4, 6, 12] if depth == 0 else [0, 1, 2, 5, 20, 60, 150] if depth < 3 else [0, 1, 2, 4, 9]
        bound = f"(unsigned)({self.random.choice(trips)} + z)"
        form = self.random.choice(["for", "for", "for", "while", "do", "down"])
        self.out(f"ENTER({k});")
        first = len(self.lines) + 1
        self.out({"for": f"for (unsigned {v} = 0; {v} < {bound}; {v}++) {{",
                  "down": f"for (unsigned {v} = {bound}; {v}-- > 0;) {{",
                  "while": f"unsigned {v} = 0 - 1u; while (++{v} < {bound}) {{",
                  "do": f"unsigned {v} = 0 - 1u; do {{ {v}++;"}[form])
        self.indent += 1
        self.out(f"ITER({k});")
        if self.random.random() < .3 and depth < 3:
            self.loop(names + [v], depth + 1, loops + [k], callees)
        else:
            self.block(names + [v], depth + 1, loops + [k], callees, 4)
        if k in self.used:
            self.out(f"next{k}:;")
        self.indent -= 1
        self.out(f"}} while ({v} + 1 < {bound});" if form == "do" else "}")
        self.loops[k] = (first, len(self.lines), len(loops) + 1)
        self.out(f"LEFT({k});")

    def write(self):
        self.out(f"enum {{ N = {self.size} }};")
        names = [f"f{i}" for i in range(self.random.randint(0, 3))]
        self.in_function = True
        for i, name in enumerate(names):
            self.out(f"static __attribute__((noinline, noclone)) unsigned {name}(unsigned p, unsigned d)")
            self.out("{")
            self.indent = 1
            self.out("unsigned s = p, z = zero, c = three;")
            self.out("CALLED();")
            callees = names[:i]
            if self.random.random() < .3:
                self.out("if (d > 3) RETURN(s);")
                callees = callees + [name]
            self.block(["p"], 1, [], callees, 4)
            self.out("RETURN(s);")
            self.indent = 0
            self.out("}")
        self.in_function = False
        self.out("int main(void)")
        self.out("{")
        self.indent = 1
        self.out("unsigned s = 1, z = zero, c = three, p = three, d = 0; (void)d;")
        self.out("START();")
        for _ in range(self.random.randint(1, 3)):
            self.loop(["p"], 0, [], names)
        self.out("STOP(s);")
        self.indent = 0
        self.out("}")

    def loop_at(self, depth, first, last):
        """The loop of the source that covers about these lines, preferably at this depth."""
        def likeness(k):
            lo, hi, own = self.loops[k]
            common = min(hi, last) - max(lo, first) + 1
            alike = common / (max(hi, last) - min(lo, first) + 1)
            return alike + (own == depth and alike > .2)
        return max(self.loops, key=likeness)


class Distinct:
    """Counts the last uses after a time (Fenwick tree)."""

    def __init__(self, times):
        self.tree = [0] * (times + 2)

    def add(self, time, value):
        time += 1
        while time < len(self.tree):
            self.tree[time] += value
            time += time & -time

    def upto(self, time):
        total, time = 0, time + 1
        while time > 0:
            total += self.tree[time]
            time -= time & -time
        return total


def carriers(log):
    """Of each reuse that is long or nearly so: both lines, distance, how it is carried, and the loop."""
    words = struct.unpack(f"<{len(log) // 4}I", log)
    steps = list(zip(words[0::3], words[1::3], words[2::3]))
    times = sum(what == 6 for what, _, _ in steps)
    distinct, last, time = Distinct(times), {}, 0
    stack, frames, found = [], [0], []  # a loop: number, entered, current iteration, whether one has begun
    for what, a, b in steps:
        if what == 1:
            stack.append([a, time, time, False])
        elif what == 2:
            while stack[-1][0] != a:
                stack.pop()
            stack[-1][2:] = time, True
        elif what == 3:
            while any(loop[0] == a for loop in stack[frames[-1]:]):
                stack.pop()
        elif what == 4:
            frames.append(len(stack))
        elif what == 5:
            del stack[frames.pop():]
        else:
            if b in last:
                before, line = last[b]
                distance = distinct.upto(times) - distinct.upto(before)
                if distance >= LONG - OTHERS:
                    found.append((line, a, distance, *carrier(stack, before)))
                distinct.add(before, -1)
            distinct.add(time, 1)
            last[b] = (time, a)
            time += 1
    return found


def carrier(stack, before):
    around = None
    for number, entered, began, iterates in stack:
        if not iterates:
            continue
        if entered <= before < began:
            return "loop", number
        if entered > before:
            break
        around = number
    return "none", around


def counted(program, attribution):
    """The same from a profile, counted, with the loops of the source."""
    t, got = attribution, Counter()
    for a, b, tally, carried, loop in t["pairs"]:
        places = t["places"][a], t["places"][b]
        if any(t["objects"][place[2]][0] != "data" for place in places):
            continue
        row = t["loops"][loop] if loop is not None else None
        number = program.loop_at(row[2], row[4], row[5]) if row else None
        got[(*(t["sites"][place[0]][4] for place in places), carried, number)] += tally[0]
    return got


def differences(expected, got):
    """Rows that cannot be right: key, count, least and most that are."""
    least, most = Counter(), Counter()
    for line, to, distance, carried, loop in expected:
        most[line, to, carried, loop] += 1
        least[line, to, carried, loop] += distance >= LONG
    return [(key, got[key], least[key], most[key]) for key in set(least) | set(got)
            if not least[key] <= got[key] <= most[key]]
