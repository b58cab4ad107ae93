# SPDX-License-Identifier: MIT
"""The tables and plots as text."""
import textwrap

import claims
import figures

WIDTH = 100
BAR = 26
EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(value, most):
    cells = 8 * BAR * value / most if most else 0
    whole, part = divmod(round(cells), 8)
    if value and not whole and not part:
        part = 1
    return ("█" * whole + (EIGHTHS[part] if part else "")).ljust(BAR)


def size_name(program, size):
    return f"{size}{'²' if figures.PROGRAMS[program].dimensions == 2 else '³'}"


def against(ours, said, digit):
    """The difference of our value from a truncated figure."""
    if said <= ours < said + digit:
        return "same"
    return f"{100 * (ours / (said + digit / 2) - 1):+.1f}%"


def table(results, cpu_time):
    kind = "processor time" if cpu_time else "time"
    print(f"Table 2: references, elements, and the {kind} until the profile is there (s)\n")
    print(f"{'':14}{'references':>12}{'paper':>12}{'':>8}{'elements':>11}{'paper':>11}{'':>8}"
          f"{'C':>8}{'Fortran':>9}{'paper':>8}")
    for result in results:
        rows = figures.PROGRAMS[result["program"]].sizes
        for run in result["runs"]:
            row, c = rows.get(run["size"]), run["c"]
            fortran = f"{run['fortran']['seconds']:9.2f}" if run["fortran"] else f"{'-':>9}"
            name = f"{result['program']} {size_name(result['program'], run['size'])}"
            if not row:
                print(f"{name:14}{c['references']:12,}{'':20}{c['elements']:11,}{'':19}{c['seconds']:8.2f}{fortran}")
                continue
            print(f"{name:14}{c['references']:12,}{row.references:12,}{against(c['references'], row.references, row.digit):>8}"
                  f"{c['elements']:11,}{row.elements:11,}{against(c['elements'], row.elements, row.elements_digit):>8}"
                  f"{c['seconds']:8.2f}{fortran}{row.seconds:8.2f}")
    print()
    for line in textwrap.wrap("The paper's figures are cut off, not rounded: 'same' means that ours begin with the "
                              "same digits. Its times are wall times on a 250 MHz R12K.", WIDTH):
        print(line)
    different = [f"{r['program']} {size_name(r['program'], run['size'])}" for r in results for run in r["runs"]
                 if run["fortran"] and not run["same"]]
    compared = any(run["fortran"] for r in results for run in r["runs"])
    print("C and Fortran have " + (f"different histograms: {', '.join(different)}" if different
                                   else "the same histograms." if compared
                                   else "not been compared: the Fortran programs were not built (no gfortran)."))


def plot(result):
    name, runs = result["program"], result["runs"]
    titles = [size_name(name, run["size"]) for run in runs]
    most = max(count / run["c"]["references"] for run in runs for count in run["c"]["bins"])
    print(f"\nFigure 5: {name}, share of all references by reuse distance\n")
    print(f"{'x':>3} {'distance':>11}" + "".join(f"  {title:<{BAR + 7}}" for title in titles).rstrip())
    for x in range(max(len(run["c"]["bins"]) for run in runs)):
        line = f"{x:>3} {claims.span(x):>11}"
        for run in runs:
            counts = run["c"]["bins"]
            value = (counts[x] if x < len(counts) else 0) / run["c"]["references"]
            line += f"  {100 * value:5.1f}% {bar(value, most)}" if x < len(counts) else f"  {'':{BAR + 7}}"
        print(line.rstrip())
    print(f"{'':3} {'first use':>11}" + "".join(
        f"  {100 * run['c']['elements'] / run['c']['references']:5.1f}% {'':{BAR}}" for run in runs).rstrip())


def say(result):
    for said in result["claims"]:
        head = f"  {said['verdict']:<8}"
        lines = textwrap.wrap(f"Paper: {said['paper']}. Ours: {said['ours']}.", WIDTH - len(head))
        print(head + ("\n" + " " * len(head)).join(lines))
    if result["claims"]:
        print("\n".join(textwrap.wrap(result["differs"], WIDTH, initial_indent="  ", subsequent_indent="  ")))


def print_all(results, options):
    how = {"library": "libdeja-record.so in the program", "trace": "a trace that deja analyze read"}
    print(f"recorded by {how[options.through]}; every read and write of an array element counts\n")
    table(results, options.cpu_time)
    for result in results:
        plot(result)
        print()
        say(result)
    if not options.small:
        note = ("'holds' is within two points, or 2%, of what the paper says; 'more so' is beyond it. Shares are of the "
                "reuses, as in the paper's histograms, unless something else is named.")
        print("\n".join(["", *textwrap.wrap(note, WIDTH)]))
