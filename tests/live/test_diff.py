# SPDX-License-Identifier: MIT
"""What `deja diff` says about versions of a program: the same, with code moved, a file renamed, a loop turned
into the wrong order, an array added, and an access removed."""
import json
import os

from live import check, deja, finish, native, need, same, scratch

need("valgrind", "gcc")

HEAD = """#include <stdlib.h>
enum { N = 300 };
double a[N][N], b[N];
"""
SUM = """static double sum_rows(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j];
    return sum;
}
"""
SCALE = """static void scale(double by)
{
    for (int i = 0; i < N; i++)
        b[i] *= by;
}
"""
MAIN = """int main(void)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += sum_rows();
        scale(1.5);
    }
    return sum > 1;
}
"""
WRONG = SUM.replace("a[i][j]", "a[j][i]")
LONGER = SCALE.replace("{\n    for", "{\n    // A remark\n    // of two lines.\n    for")
LESS = MAIN.replace("k < 3", "k < 2")


def profile(name, *parts, file="program.c"):
    folder, saved = scratch(name), scratch(f"{name}.dejap")
    os.mkdir(folder)
    with open(os.path.join(folder, file), "w") as out:
        out.write("".join(parts))
    built = native("gcc", "-g", "-O1", "-fno-inline", "-o", "program", file, cwd=folder)
    same(built.returncode, 0, f"{name} compiles")
    ran = deja("run", "--tool", "valgrind", "--caches", "L1=16K,L2=1M", "-o", saved, "--", "./program", cwd=folder)
    same(ran.returncode, 0, f"status of {name}")
    return saved


def equal(a, b, what):
    """Sums of what was divided by the work are rounded."""
    if isinstance(a, float) or isinstance(b, float):
        check(abs(a - b) < 1e-6 * max(1, abs(b)), f"{what}: {a}, not {b}")
    else:
        same(a, b, what)


def diff(before, after, *options):
    ran = deja("diff", "--json", *options, before, after)
    same((ran.returncode, ran.stderr), (0, b""), f"status of diff {options}")
    found = json.loads(ran.stdout)
    for by in ("objects", "functions", "lines", "loops", "contexts"):
        for at, total in enumerate(found["totals"][3:]):  # after accesses, distinct, cold
            changes = sum(r["misses"][at]["after"] - r["misses"][at]["before"] for r in found.get(by, []))
            if by in found:
                equal(changes, total["after"] - total["before"], f"{by} add up to {total['name']}")
        if by in found:
            changes = sum(r["accesses"]["after"] - r["accesses"]["before"] for r in found[by])
            equal(changes, found["totals"][0]["after"] - found["totals"][0]["before"], f"{by} add up to accesses")
    return found


def ours(found, by):
    """The rows of the program itself, not of the loader."""
    return [row for row in found[by] if "program.c" in row["name"] or "moved.c" in row["name"] or row["name"] in
            ("sum_rows", "scale", "main", "a", "b", "c")]


original = profile("original", HEAD, SUM, SCALE, MAIN)
ALL = ("--by", "object,function,line,loop,context")
itself = diff(original, original, *ALL)
same([itself[by] for by in ("objects", "functions", "lines", "loops", "contexts")], [[]] * 5, "differences from itself")
check(all(t["before"] == t["after"] for t in itself["totals"]), "totals of itself")
same(itself["verdict"], "No difference.", "verdict on itself")

# Functions in another order, with more lines, in a file of another name: nothing changed.
moved = profile("moved", HEAD, "\n\n", LONGER, "\n", SUM, MAIN, file="moved.c")
found = diff(original, moved, *ALL)
for by in ("functions", "lines", "loops"):
    same(ours(found, by), [], f"{by} that moved")

# One line of comment shifts every line below by one, where the next line often has a similar count.
remark = profile("remark", HEAD, SUM.replace("{\n    double", "{\n    // A remark.\n    double"), SCALE, MAIN)
found = diff(original, remark, *ALL)
for by in ("functions", "lines", "loops"):
    same(ours(found, by), [], f"{by} below a comment")
for limit in ("line: accesses > +0", "line: L1.misses > +1%", "loop: L1.misses > +1%"):
    ran = deja("diff", "--fail-if", limit, original, remark)
    same((ran.returncode, ran.stderr), (0, b""), f"{limit} after a comment")

# Another name for the function with most of the accesses, and other accesses in it.
other = profile("renamed", HEAD, WRONG.replace("sum_rows", "sum_columns").replace("by;", "by + 1;"), SCALE,
                MAIN.replace("sum_rows", "sum_columns"))
same(diff(original, other, *ALL)["measure"], "L1", "a renamed function")

# The planted one: a loop over columns.
wrong = profile("wrong", HEAD, "\n\n\n", SCALE, WRONG, MAIN)
found = diff(original, wrong, *ALL)
same(found["measure"], "L1", "what changed most")
lines, objects, functions = (ours(found, by) for by in ("lines", "objects", "functions"))
same([(r["name"], r.get("function")) for r in lines[:1]], [("program.c:17", "sum_rows")], "the line")
same([r["name"] for r in objects[:1]], ["a"], "the array")
same([r["name"] for r in functions[:1]], ["sum_rows"], "the function")
same((lines[0]["was"], lines[0]["in"]), ("program.c:9", "both"), "where the line was")
check(lines[0]["after"] > 7 * lines[0]["before"], f"misses of the line: {lines[0]}")
check("program.c:17 of sum_rows" in found["verdict"] and "on a" in found["verdict"], f"verdict: {found['verdict']}")
check(not any(r["name"] in ("scale", "b") for r in functions + objects), "what did not change")
back = diff(wrong, original, *ALL)
check("fell" in back["verdict"], f"verdict on the way back: {back['verdict']}")
same([(t["before"], t["after"]) for t in back["totals"]], [(t["after"], t["before"]) for t in found["totals"]], "totals of the way back")

# Data that is new, and a function with another name.
more = profile("more", HEAD, "double c[64 * N];\n", SUM, SCALE.replace("scale", "rescale"),
               MAIN.replace("scale", "rescale").replace("return", "for (int i = 0; i < 64 * N; i++)\n        sum += c[i];\n    return"))
found = diff(original, more, *ALL)
row = [r for r in found["objects"] if r["name"] == "c"]
same([(r["in"], r["accesses"]["before"], r["accesses"]["after"]) for r in row], [("after", 0, 19200)], "an array that is new")
check("of main (new)" in found["verdict"], f"verdict: {found['verdict']}")
row = [r for r in found["functions"] if "scale" in r["name"]]
check(all(r["in"] == "both" for r in row), f"a function that was renamed: {row}")

# Another amount of work.
less = profile("less", HEAD, SUM, SCALE, LESS)
found = diff(original, less, "--per", "3,2")
row = [r for r in found["lines"] if r["name"] == "program.c:9"]
check(not row or abs(row[0]["accesses"]["after"] - row[0]["accesses"]["before"]) < 1, f"accesses of a pass: {row}")
shown = deja("diff", original, less)
check(b"rose" not in shown.stdout.splitlines()[0], "less work is no regression")

# Counts of less than one are not shown as 0, nor two that differ as the same.
totals = {t["name"]: t for t in diff(original, wrong)["totals"]}
shown = deja("diff", "--per", "access", original, wrong).stdout.decode()
for run in ("before", "after"):
    ratio = totals["L1.misses"][run] / totals["accesses"][run]
    check(f"{ratio:.3g}" in shown.split("\n\n")[1], f"misses of an access {run}: {shown}")

# That the only thread has all of a change is no news.
check("thread" not in diff(original, wrong, "--by", "thread")["verdict"], "the only thread is no cause")

# Limits. Nothing crosses one if only places moved.
for limit, before, after, status, named in (
        ("L1.misses > +2%", original, wrong, 1, b"L1.misses"), ("L1.misses > +2%", original, moved, 0, b""),
        ("function: L1.misses > +2%", original, wrong, 1, b"sum_rows"), ("function: L1.misses > +2%", wrong, original, 0, b""),
        ("object=a: L1.misses > +2%", original, wrong, 1, b"'a'"), ("object=b: L1.misses > +2%", original, wrong, 0, b""),
        ("line: L1.misses > +200000", original, wrong, 1, b"program.c:17"),
        ("16K.ratio > +50pp", original, wrong, 1, b"16K.ratio"), ("curve.ratio > +1%", original, moved, 0, b""),
        ("L1.misses < -80%", wrong, original, 1, b"L1.misses"), ("accesses > +0.1%", original, moved, 0, b"")):
    ran = deja("diff", "--fail-if", limit, before, after)
    same(ran.returncode, status, f"status of {limit}: {ran.stderr}")
    check(named in ran.stderr, f"what crossed {limit}: {ran.stderr}")
    check((b"crossed" in ran.stdout) == (status == 1), f"the report on {limit}")
crossed = json.loads(deja("diff", "--json", "--fail-if", "function: L1.misses > +2%", original, wrong).stdout)["crossed"]
same([(c["limit"], c["measure"], c["by"], c["name"]) for c in crossed],
     [("function: L1.misses > +2%", "L1.misses", "function", "sum_rows")], "crossed")
same(json.loads(deja("diff", "--json", "--fail-if", "cold > +9", original, wrong).stdout)["crossed"], [], "not crossed")
path = os.path.join(scratch("wrong"), "program")
CACHES = ("--tool", "valgrind", "--caches", "L1=16K,L2=1M")
for options, status, named in ((("function=sum_rows: L1.ratio > 90%",), 1, b"sum_rows"), (("L1.ratio > 99%",), 0, b""),
                               (("L1.ratio > 99%", "L1.ratio > 50%"), 1, b"> 50%"), (("L1.misses > +2%",), 2, b"deja diff"),
                               (("L3.misses > 2",), 2, b"no cache"), (("function=none: L1.misses > 2",), 2, b"no function")):
    given = [word for limit in options for word in ("--fail-if", limit)]
    ran = deja("run", *CACHES, *given, "--", path)
    same(ran.returncode, status, f"status of run with {options}: {ran.stderr[-200:]}")
    check(named in ran.stderr, f"run with {options}: {ran.stderr[-200:]}")
ran = deja("run", *CACHES, "--fail-if", "accesses > 1", "--", "sh", "-c", "exit 7")
same(ran.returncode, 7, "the status of the program comes first")
same(deja("mrc", "--fail-if", "16K.ratio > 50%", wrong).returncode, 1, "mrc above the limit")
same(deja("mrc", "--fail-if", "16K.ratio > 50%", original).returncode, 0, "mrc within the limit")

# What cannot be compared, and says why.
other = scratch("other.dejap")
deja("run", "--tool", "valgrind", "-b", "128", "-o", other, "--", os.path.join(scratch("original"), "program"))
for words, why in (((original, other), b"different block sizes"), ((original,), b"name two"),
                   (("--per", "0,1", original, less), b"two positive numbers"),
                   (("--by", "nothing", original, less), b"nothing"),
                   (("--sizes", "all", original, less), b"list the cache sizes")):
    refused = deja("diff", *words)
    same(refused.returncode, 2, f"status of {words}")
    check(why in refused.stderr and not refused.stdout, f"{words}: {refused.stderr}")
for form in ("text", "csv", "markdown", "svg"):
    shown = deja("diff", "--export", form, original, wrong)
    same(shown.returncode, 0, f"status of --export {form}")
    check(b"sum_rows" in shown.stdout, f"--export {form}")
finish()
