# SPDX-License-Identifier: MIT
"""The results as text, with the paper's figures if it has any."""
from text import bar

# Score of the first component of swim by block size (4.1.3 and Table 2), as far as the paper gives it.
PAPER_SWIM = {16: "0.7", 32: "below 0.2", 64: "0.25", 128: "0.13"}


def span(number):
    """The distances of a bin."""
    return str(number) if number < 2 else f"{1 << (number - 1):,}–{(1 << number) - 1:,}"


def size_of(arguments):
    return " ".join(map(str, arguments))


def name_of(program):
    return program.split("/")[1].removesuffix("_off")


def component(part):
    return f"{100 * part['size']:5.1f}% {part['score']:5.2f} {part['mean_distance']:12,.0f}"


def figure(number, block, versions):
    print(f"\nFigure {number}: scores by reuse distance, {block} → {2 * block} bytes; share of the reuses, score\n")
    print(f"{'distance':>21}" + "".join(f"  {version:<28}" for version in versions).rstrip())
    rows = {version: {i: (share, score) for i, share, score in found["pairs"][block]["bins"]}
            for version, found in versions.items()}
    for i in sorted(set().union(*rows.values())):
        if all(bins.get(i, (0, 0))[0] < 0.0005 for bins in rows.values()):
            continue
        cells = [bins.get(i) for bins in rows.values()]
        print(f"{span(i):>21}" + "".join(f"  {100 * cell[0]:5.1f}% {cell[1]:5.2f} {bar(min(cell[1], 1), 1)[::2]:15}" if cell
                                         else f"  {'':28}" for cell in cells).rstrip())


def regrouping(result):
    versions = result["versions"]
    print(f"Shallow water {size_of(result['size'])}: arrays, the same regrouped, and the loops of the check interchanged")
    figure(5, 32, versions)
    figure(6, 64, versions)
    print("\nlong components: share of the reuses, score, mean distance in blocks\n")
    for block in (16, 32, 64, 128):
        for version, found in versions.items():
            parts = found["pairs"][block]["components"]
            print(f"  {block:4} → {2 * block:<4} {version:13}" + "   ".join(map(component, parts)) +
                  (f"   (paper's first: {PAPER_SWIM[block]})" if version == "arrays" else ""))
    print("\npredicted misses, fully associative, lines of 64 bytes\n")
    for version, found in versions.items():
        print(f"  {version:13}{found['accesses']:13,} accesses" +
              "".join(f"   {name} {count:11,} {100 * found['miss_ratios'][name]:5.2f}%"
                      for name, count in found["misses"].items()))
    print("\nprocessor time (s), fastest of several runs\n")
    for times in result["times"]:
        first = times["seconds"]["arrays"]
        print(f"  {size_of(times['size']):10}" + "".join(f"  {version} {seconds:.3f} ({100 * (seconds / first - 1):+.1f}%)"
                                                         for version, seconds in times["seconds"].items()))
    print()


def inputs(rows):
    print("Table 2: long components at 64 → 128 bytes by size of the input: share of the reuses, score, mean distance\n")
    for row in rows:
        print(f"  {name_of(row['program']):9}{size_of(row['size']):8}" + "   ".join(map(component, row["components"])))
    print("\nTable 3: processor time of the analysis and of the program alone (s)\n")
    for row in rows:
        print(f"  {name_of(row['program']):9}{size_of(row['size']):8}{row['accesses']:14,} accesses {row['analysis_seconds']:8.2f}"
              f" / {row['seconds']:.3f} {row['analysis_seconds'] / row['seconds']:6.0f} times")
    print()


def blocks(rows):
    print("Scores of the long components by block size (4.1.3)\n")
    print(f"  {'':18}" + "".join(f"{block:>5} → {2 * block:<13}" for block in (16, 32, 64, 128)) + "all sizes")
    for row in rows:
        print(f"  {name_of(row['program']):9}{size_of(row['size']):9}" + "".join(
            f"{', '.join(format(part['score'], '.2f') for part in row['components'][block]):21}"
            for block in (16, 32, 64, 128)) + f"{row['all_block_score']:5.2f}")
    print()


def lookup(result):
    before, after = result["seconds"]
    print("A table lookup in a library\n")
    for kind in (0, 1):
        worst = result["worst"][kind]
        print(f"  {('as it is', 'fixed')[kind]:9} {result['outputs'][kind]}")
        print(f"  {'':9} worst line: {worst['name']}, {worst['object']}: score {worst['long_score']:.2f} of "
              f"{worst['long_reuses']:,} long reuses, {100 * worst['share']:.0f}% of the poor ones")
        print(f"  {'':9} {result['accesses'][kind]:,} accesses, misses " +
              ", ".join(f"{name} {100 * ratio:.2f}%" for name, ratio in result["miss_ratios"][kind].items()))
    print(f"  {result['timed_pairs']} pairs: {before:.3f} s and {after:.3f} s, {before / after:.2f} times as fast "
          f"({100 * (1 - after / before):.0f}% less time)\n")


def advice(rows):
    print("A program for each thing that may help: predicted misses before and after, run time\n")
    for row in rows:
        misses = "".join(f"  {name} {count:9,} → {row['misses'][1][name]:9,}" for name, count in row["misses"][0].items())
        print(f"  {row['program']:12}{row['worst']['advice']:15}{misses}  {row['seconds'][0] / row['seconds'][1]:5.2f} times as fast")
        print(f"  {'':12}{row['worst']['name']}, {row['worst']['object']}: {row['worst']['text']}")
    print()


ALL = {"regrouping": regrouping, "inputs": inputs, "blocks": blocks, "lookup": lookup, "advice": advice}
