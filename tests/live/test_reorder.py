# SPDX-License-Identifier: MIT
"""`deja reorder`: programs whose long reuses in each order follow from their source."""
from live import check, deja, finish, same, scratch
from reordering import N, compare, compiled, distances, histogram, long_of, recorded, reordered

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
same(ran.returncode, 125, "status with optimized code")
check(ran.returncode != 0 and b"-g -O0" in ran.stderr, f"says what to do: {ran.stderr.decode()[-300:]}")

# A program that is run: its output and status are its own.
speaking = compiled("speaking", '#include <stdio.h>\nint main(void)\n{\n    for (int i = 0; i < N; i++)\n        a[i] = i;\n'
                    '    for (int i = 0; i < N; i++)\n        b[i] = a[i];\n    puts("hello");\n    return 7;\n}\n')
ran = deja("reorder", "--", speaking)
same((ran.returncode, ran.stdout), (7, b"hello\n"), "status and output of the program")
check(b"reuses are long" in ran.stderr, "the report is on standard error")
finish()
