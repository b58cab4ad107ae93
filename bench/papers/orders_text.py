# SPDX-License-Identifier: MIT
"""Figure 6 as text, or as the tables of docs/papers.md."""
import textwrap

import claims
from order_claims import between
from orders import AS_WRITTEN, FUSED, NAMES, REUSE_DRIVEN
from text import BAR, WIDTH, bar, say, size_name

OTHERS = (REUSE_DRIVEN, FUSED)


def whole(value):
    return f"{round(100 * value):+d}%"


def change(value, base):
    return whole(value / base - 1) if base else "-"


def long_rows(results):
    """The long reuses of each program and size, as deja reorder reports them."""
    yield "program", "accesses", "long from", *NAMES[:1], *(word for name in OTHERS for word in (name, ""))
    for result in results:
        for run in result["reordered"]["runs"]:
            longs = {name: run["orders"][name]["long"] for name in NAMES}
            yield (f"{result['program']} {size_name(result['program'], run['size'])}", f"{run['accesses']:,}",
                   claims.short(run["long_from"]), f"{longs[AS_WRITTEN]:,}",
                   *(word for name in OTHERS for word in (f"{longs[name]:,}", change(longs[name], longs[AS_WRITTEN]))))


def evadable_rows(results):
    """Evadable reuses at the larger size: their share, mean distance and rate."""
    yield "program", "order", "evadable", "change", "mean distance", "power of the data", "mean of all reuses"
    for result in results:
        run = result["reordered"]["runs"][-1]
        for name in NAMES:
            row = result["reordered"]["evadable"][name]
            yield (f"{result['program']} {size_name(result['program'], run['size'])}", name,
                   between(row["share"], claims.percent),
                   "" if name == AS_WRITTEN else between(row["change"], whole),
                   f"{row['mean']:,.0f}", f"{row['rate']:.2f}", f"{run['orders'][name]['mean']:,.0f}")


def claim_rows(results):
    yield "program", "the paper says", "ours", ""
    for result in results:
        for said in result["reordered"]["claims"]:
            yield result["program"], said["paper"], said["ours"], said["verdict"]


def markdown(rows, numbers_from):
    """Columns from `numbers_from` on are aligned to the right."""
    head, *body = rows
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---:" if i >= numbers_from else "---" for i in range(len(head))) + " |")
    for row in body:
        print("| " + " | ".join(row) + " |")
    print()


def columns(rows, numbers_from):
    rows = list(rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(word.rjust(width) if i >= numbers_from else word.ljust(width)
                        for i, (word, width) in enumerate(zip(row, widths))).rstrip())
    print()


def plot(result):
    run = result["reordered"]["runs"][-1]
    name, orders = result["program"], run["orders"]
    most = max(count for order in orders.values() for count in order["bins"])
    print(f"\nFigure 6: {name} {size_name(name, run['size'])}, share of the accesses by reuse distance\n")
    print(f"{'x':>3} {'distance':>11}" + "".join(f"  {title:<{BAR + 7}}" for title in NAMES).rstrip())
    for x in range(max(len(order["bins"]) for order in orders.values())):
        line = f"{x:>3} {claims.span(x):>11}"
        for title in NAMES:
            counts = orders[title]["bins"]
            count = counts[x] if x < len(counts) else 0
            line += f"  {100 * count / run['accesses']:5.1f}% {bar(count, most)}"
        print(line.rstrip())


def variant_rows(measured):
    yield "program", "order", "evadable", "mean distance", "power of the data", "mean of all reuses"
    for program, pairs in measured:
        pair = next(iter(pairs.values()))
        size = size_name(program, pair.large["size"])
        for title, one, order in [(AS_WRITTEN, pair, AS_WRITTEN)] + [
                (variant, one, REUSE_DRIVEN) for variant, one in pairs.items()]:
            yield (f"{program} {size}", title, between(one.evadable_share(order), claims.percent),
                   f"{one.evadable_mean(order):,.0f}", f"{one.rate(order):.2f}",
                   f"{one.large['orders'][order]['mean']:,.0f}")


def print_variants(measured):
    markdown(variant_rows(measured), 2)


def print_text(results, judged):
    print("\nFigure 6: statements in other orders, recorded by deja record --statements; an element counts once in a\n"
          "statement\n")
    columns(long_rows(results), 1)
    columns(evadable_rows(results), 2)
    for result in results:
        plot(result)
        print()
        say({"claims": result["reordered"]["claims"], "differs": result["differs"]})
    if judged:
        print("\n" + "\n".join(textwrap.wrap(
            "Evadable are the reuses whose distance grows from the smaller size to the larger, by at least 5% and one "
            "element when the data doubles: the reuses of each order are compared by rank, in 1000 groups. The second "
            "number counts all such groups, the first not those where ranks that differ by up to two percent of the "
            "reuses would explain it. A hill appears where the share of the reuses grows by more than two points, and "
            "is larger than in both ranges beside it.", WIDTH)))


def print_all(results, options):
    if not options.markdown:
        print_text(results, not options.small)
        return
    markdown(long_rows(results), 1)
    markdown(evadable_rows(results), 2)
    markdown(claim_rows(results), 9)
