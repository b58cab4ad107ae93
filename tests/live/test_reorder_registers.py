# SPDX-License-Identifier: MIT
"""`deja reorder`: traces do not show registers, but what goes through them keeps its order."""
from live import check, deja, finish, same
from reordering import N, compare, compiled, distances, long_of, recorded, reordered

# A sum on its way through registers: returned, in arguments, on several lines. In each, the third loop needs all
# of the second one, so its N reuses of a[i] stay long.
keys = [("a", i) for i in range(N)] * 2 + [k for i in range(N) for k in (("a", i), ("b", i))]
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

# A function that returns nothing has nothing in registers after it: the second call of each element may follow
# the first one. Without the order of reuse each reuse passes N - 1 others.
got = compare("void", """
static void set(int i)
{
    a[i] = i;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        set(i);
    for (int i = 0; i < N; i++)
        set(i);
    return 0;
}
""", [("a", i) for i in range(N)] * 2, 0, 0)

# Loops in functions that are called in turn, whose counters are at the same place of the stack.
compare("functions", """
static void fill(void)
{
    for (int i = 0; i < N; i++)
        a[i] = i;
}

static void twice(void)
{
    for (int i = 0; i < N; i++)
        b[i] = a[i] + a[i];
}

int main(void)
{
    fill();
    twice();
    return 0;
}
""", [("a", i) for i in range(N)] + [k for i in range(N) for k in (("a", i), ("b", i))], 0, 0)

# The same from a loop, in which each call is the first access of its statement: the loops of a step are fused, with a
# shift where the second one writes what the first one still reads, and the steps stay.
stepping = """
static void average(int n)
{
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
}

static void copy(int n)
{
    for (int i = 1; i < n - 1; i++)
        TARGET[i] = b[i] + b[i];
}

int main(void)
{
    for (int t = 0; t < STEPS; t++)
        CALLS
    return 0;
}
"""


def average(i):
    return ("a", i - 1), ("a", i + 1), ("b", i)


def copy(target, i):
    return ("b", i), (target, i)


for calls in "{\n        average(N);\n        copy(N);\n    }", "average(N), copy(N);":
    for count, target, shift in (1, "c", 0), (3, "a", 1):
        body = stepping.replace("STEPS", str(count)).replace("TARGET", target).replace("CALLS", calls)
        written = [k for t in range(count) for part in (average, lambda i, to=target: copy(to, i))
                 for i in range(1, N - 1) for k in part(i)]
        fused = [k for t in range(count) for i in range(1, N - 1 + shift)
                 for k in (average(i) if i < N - 1 else ()) + (copy(target, i - shift) if i > shift else ())]
        same(sorted(fused), sorted(written), "each access in both orders")
        compare("stepping", body, written, 0, long_of(distances(fused)))

# Loops that share their variables: each loop gives them new values, which need not wait for the old ones.
shared = """
int main(void)
{
    int i, square;
    for (i = 0; i < N; i++)
        a[i] = i;
    for (i = 0; i < N; i++) {
        square = i * i, square++;
        b[i] = a[i] + square;
    }
    for (i = 0; i < N; i++) {
        square = i * i, square--;
        c[i] = b[i] + square;
    }
    return 0;
}
"""
keys = [("a", i) for i in range(N)] + [k for i in range(N) for k in (("a", i), ("b", i))] + \
    [k for i in range(N) for k in (("b", i), ("c", i))]
compare("shared", shared, keys, 0, 0)
# But a value that is made of the old one must wait for it: the third loop for the whole second one, or at least for what
# is counted there.
compare("counted", shared.replace("square = i * i, square--;", "square--;"), keys, 0, N)

# The same with variables that are narrower than a word, two of them in one; only one carries a value.
narrow = """
int main(void)
{
    TYPE digit, other = 0;
    for (int i = 0; i < N; i++) {
        digit = i % 8;
        a[i] = digit;
    }
    for (int i = 0; i < N; i++) {
        digit = i % 8;
        FIRST
        b[i] = a[i] + digit;
    }
    for (int i = 0; i < N; i++) {
        digit = i % 8;
        SECOND
        c[i] = b[i] + digit;
    }
    return 0;
}
"""
for of_type in "char", "short", "_Bool", "long double":
    compare("narrow", narrow.replace("TYPE", of_type).replace("FIRST", "").replace("SECOND", ""), keys, 0, 0)
compare("carried", narrow.replace("TYPE", "char").replace("FIRST", "other++;").replace("SECOND", "digit = other;"), keys, 0, N)

# A variable of storage class register carries values that no trace shows, so the function keeps its order.
ran = deja("reorder", "--", compiled("register", """
int main(void)
{
    register long sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum + (long)a[i];
    b[0] = sum;
    return 0;
}
"""))
same(ran.returncode, 125, "status with a register variable")
check(b"register variables" in ran.stderr, f"the message names them: {ran.stderr.decode()[-300:]}")
finish()
