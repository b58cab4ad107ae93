# SPDX-License-Identifier: MIT
"""`deja reorder`: programs whose long reuses in each order follow from their source."""
import json
import os

from live import check, deja, finish, need, same, scratch, skip
import subprocess

need("valgrind", "cc")

N, LONG = 300, 64
HEAD = f"enum {{ N = {N} }};\ndouble a[N], b[N], c[N];\n"


def compiled(name, body, *flags):
    source = scratch(name + ".c")
    with open(source, "w") as file:
        file.write(HEAD + body)
    made = subprocess.run(["cc", "-g", *(flags or ("-O0",)), "-o", scratch(name), source], capture_output=True)
    if made.returncode:
        skip("cc cannot compile a program: " + made.stderr.decode()[-300:])
    return scratch(name)


def recorded(program):
    path = program + ".deja"
    ran = deja("record", "--statements", "-o", path, "--", program)
    same(ran.returncode, 0, f"status of record ({ran.stderr.decode()[-500:]})")
    return path


def reordered(path, *options):
    ran = deja("reorder", "--json", *options, path)
    if not same(ran.returncode, 0, f"status of reorder ({ran.stderr.decode()[-500:]})"):
        finish()
    return json.loads(ran.stdout)


def distances(keys):
    """Reuse distances by searching a list."""
    stack, counts = [], {}
    for key in keys:
        if key in stack:
            distance = len(stack) - 1 - stack.index(key)
            counts[distance] = counts.get(distance, 0) + 1
            stack.remove(key)
        stack.append(key)
    return counts


def histogram(order):
    return {row["distance"]: row["count"] for row in order["histogram"]}


def long_of(counts):
    return sum(count for distance, count in counts.items() if distance >= LONG)


def compare(name, body, keys, reuse, fused):
    """`keys`: the array elements in the order of the source; `reuse`, `fused`: long reuses in these orders."""
    got = reordered(recorded(compiled(name, body)), "--long", str(LONG))
    expected = distances(keys)
    written, driven, together = got["orders"]
    check(histogram(written) == expected, f"{name}: distances as written")
    same(got["accesses"], len(keys), f"{name}: accesses")
    same(got["distinct"], len(set(keys)), f"{name}: distinct")
    same([order["long_reuses"] for order in got["orders"]],
         [long_of(expected), long_of(expected) if reuse is None else reuse, long_of(expected) if fused is None else fused],
         f"{name}: long reuses in each order")
    for order in (driven, together):
        same(sum(histogram(order).values()), sum(expected.values()), f"{name}: reuses, {order['order']}")
    for rows in ("objects", "lines"):
        same([sum(row["long_reuses"][k] for row in got[rows]) for k in range(3)],
             [order["long_reuses"] for order in got["orders"]], f"{name}: {rows} add up")
    return got


# Loops that read what the one before wrote: everything can be next to each other.
chain = """
int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int i = 0; i < N; i++)
        b[i] = a[i] + a[i];
    for (int i = 0; i < N; i++)
        c[i] = a[i] + b[i];
    return 0;
}
"""
keys = [("a", i) for i in range(N)] + [k for i in range(N) for k in (("a", i), ("b", i))] + \
    [k for i in range(N) for k in (("a", i), ("b", i), ("c", i))]
got = compare("chain", chain, keys, 0, 0)
same({row["name"]: row["long_reuses"] for row in got["objects"] if row["long_reuses"][0]},
     {"a": [long_of(distances(keys)) - N, 0, 0], "b": [N, 0, 0]}, "chain: long reuses by object")

# The second loop reads backwards: fusing them does not help, the order of reuse does.
backwards = """
int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int i = 0; i < N; i++)
        b[i] = a[N - 1 - i];
    return 0;
}
"""
compare("backwards", backwards, [("a", i) for i in range(N)] + [k for i in range(N) for k in (("a", N - 1 - i), ("b", i))],
        0, None)

# Time steps over one array: only one loop in each step, so there is nothing to fuse.
steps = """
int main(void)
{
    for (int t = 0; t < 6; t++)
        for (int i = 0; i < N; i++)
            a[i] = a[i] + t;
    return 0;
}
"""
compare("steps", steps, [("a", i) for t in range(6) for i in range(N)], 0, None)

# Two loops in each of several time steps: those of a step are fused, the steps stay.
pairs = """
int main(void)
{
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < N; i++)
            a[i] = a[i] + t;
        for (int i = 0; i < N; i++)
            a[i] = 2 * a[i];
    }
    return 0;
}
"""
compare("pairs", pairs, [("a", i) for t in range(8) for i in range(N)], 0, 3 * N)

# A recurrence that keeps everything in order.
recurrence = """
int main(void)
{
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < N; i++)
            a[i] = a[i] + a[i ? i - 1 : N - 1];
    return 0;
}
"""
compare("recurrence", recurrence,
        [k for t in range(4) for i in range(N) for k in (("a", i), ("a", (i - 1) % N))], None, None)

# What a function returns must be known before it is used, and the function needs its argument.
calls = """
static double next(double x)
{
    return x + x;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int i = 0; i < N; i++)
        b[i] = next(a[i]);
    for (int i = 0; i < N; i++)
        c[i] = next(b[i]) + next(a[i]);
    return 0;
}
"""
keys = [("a", i) for i in range(N)] + [k for i in range(N) for k in (("a", i), ("b", i))] + \
    [k for i in range(N) for k in (("b", i), ("a", i), ("c", i))]
compare("calls", calls, keys, 0, 0)

# A scalar that carries a value from one iteration to the next.
sum_of = """
int main(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int i = 0; i < N; i++)
        sum = sum + a[i];
    for (int i = 0; i < N; i++)
        b[i] = a[i] / sum;
    return 0;
}
"""
keys = [("a", i) for i in range(N)] * 2 + [k for i in range(N) for k in (("a", i), ("b", i))]
# The second loop is fused with the first; the third needs the sum, so all its reuses stay long.
compare("sum", sum_of, keys, N, N)

# The same, with the sum on its way through registers: returned, in arguments, on several lines. In each, the
# third loop needs all of the second one, so its N reuses of a[i] stay long.
through_registers = """
double get(double *p)
{
    return *p;
}

double same(double x)
{
    return x;
}

double add(double x, double y)
{
    return x
        + y;
}

double held(double *p)
{
    static double w[20000];
    for (int i = 0; i < 20000; i++)
        w[i] = i;
    return *p;
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int i = 0; i < N; i++)
        STATEMENT
    for (int i = 0; i < N; i++)
        b[i] = a[i] / sum;
    return 0;
}
"""
for name, statement in {
        "returned": "sum = sum + get(&a[i]);",
        "through two calls": "sum = sum + same(get(&a[i]));",
        "two lines": "sum = sum\n    + a[i];",
        "a line for each argument": "sum = add(\n    sum,\n    a[i]);",
        "either line": "sum = sum + (i < 0\n    ? 1\n    : a[i]);"}.items():
    compare("registers", through_registers.replace("STATEMENT", statement), keys, N, N)

# A call of 20,000 accesses between the two accesses to the sum, which a recording merges.
got = reordered(recorded(compiled("held", through_registers.replace("STATEMENT", "sum = sum + held(&a[i]);")
                                  .replace("< N; i++", "< 20; i++"))), "--long", "19")
same([row["long_reuses"][1] for row in got["objects"] if row["name"] == "a"], [20], "held: reuses of a after the sum")

# --within, and what cannot be reordered.
path = scratch("chain.deja")
ran = deja("reorder", "--within", "nothing_of_that_name", path)
same(ran.returncode, 3, "status with an unknown function")
check(b"nothing_of_that_name" in ran.stderr, "the message names the function")
got = reordered(path, "--long", "1")
same([order["long_reuses"] for order in got["orders"]],
     [sum(c for d, c in histogram(order).items() if d >= 1) for order in got["orders"]], "--long 1")
optimized = compiled("optimized", chain, "-O2")
ran = deja("reorder", "--", optimized)
same(ran.returncode, 2 if ran.returncode != 125 else 125, "status with optimized code")
check(ran.returncode != 0 and b"-g -O0" in ran.stderr, f"says what to do: {ran.stderr.decode()[-300:]}")

# A program that is run: its output and status are its own.
speaking = compiled("speaking", '#include <stdio.h>\nint main(void)\n{\n    for (int i = 0; i < N; i++)\n        a[i] = i;\n'
                    '    for (int i = 0; i < N; i++)\n        b[i] = a[i];\n    puts("hello");\n    return 7;\n}\n')
ran = deja("reorder", "--", speaking)
same((ran.returncode, ran.stdout), (7, b"hello\n"), "status and output of the program")
check(b"reuses are long" in ran.stderr, "the report is on standard error")
finish()
