# SPDX-License-Identifier: MIT
"""The statements of section 3.2, each computed from the profiles of our programs.

The histograms of Figure 5 hold reuses, not first accesses. So where the paper gives a share of "memory references" at
some distance, its base is the reuses: 80 thousand are 35% of the 228.6 thousand reuses of ADI, not of its 258.6
thousand references."""
import math

import figures

LONG_X = 7  # the bin where reuses begin that the paper calls long: 64 and more
TOLERANCE = 0.02
HILL_LEAST = 0.02  # of the reuses, in each bin of a hill


def share(part, whole):
    return part / whole if whole else 0


def lengthening(small, large):
    """For each hill of the larger size: its bins, its share of the reuses, its middle at both sizes (where
    the same share of the reuses is shorter), and the power of the data size with which the middle grows."""
    counts, reuses = large["c"]["bins"], sum(large["c"]["bins"])
    growth = math.log(large["c"]["elements"] / small["c"]["elements"])
    rows = []
    for start, end in large["c"]["hills"]:
        height = sum(counts[start:end + 1])
        middle = (sum(counts[:start]) + height / 2) / reuses
        here, there = large["c"]["distances"].at(middle), small["c"]["distances"].at(middle)
        rows.append({"from": start, "to": end, "share": share(height, reuses), "small": there,
                     "large": here, "power": math.log((here + 1) / (there + 1)) / growth})
    return rows


def concentration(counts, points):
    """The share of the long reuses in the fullest bins, and these bins."""
    longs = sorted(range(LONG_X, len(counts)), key=lambda x: -counts[x])[:points]
    return share(sum(counts[x] for x in longs), sum(counts[LONG_X:])), sorted(longs)


def claim(says, ours, verdict):
    """`verdict`: whether it holds, or a word for it."""
    word = verdict if isinstance(verdict, str) else "holds" if verdict else "differs"
    return {"paper": says, "ours": ours, "verdict": word}


def percent(value):
    return f"{100 * value:.1f}%"


def short(number):
    for unit, letter in ((1024 * 1024, "M"), (1024, "K")):
        if number >= unit:
            return f"{number // unit}{letter}"
    return str(number)


def span(x):
    """Distances of bin x; from 1K on up to its end, as the paper writes them."""
    if x < 2:
        return str(x)
    return f"{2 ** (x - 1)}-{2 ** x - 1}" if x < 10 else f"{short(2 ** (x - 1))}-{short(2 ** x)}"


def near(value, said):
    """One tolerance for all shares, factors and powers."""
    return abs(value - said) <= TOLERANCE


def at_least(value, said):
    return "more so" if value > said + TOLERANCE else near(value, said)


def judge_adi(small, large):
    """All shares are of the reuses, or of the long reuses where it says so."""
    counts = large["c"]["bins"]
    reuses = sum(counts)
    longs, references = sum(counts[LONG_X:]), large["c"]["references"]
    middle_long, far_long = share(counts[9], longs), share(counts[15], longs)
    between = share(sum(counts[10:15]), longs)
    sizes = large["c"]["effective"]["sizes"]
    ends = [row["hi"] + 1 for row in sizes]
    rows = lengthening(small, large)
    powers = [row["power"] for row in rows]
    yield claim("80 thousand references, 35% (of the reuses), have a distance of 2 or 3",
                f"{counts[2]:,}, {percent(share(counts[2], reuses))}",
                near(share(counts[2], reuses), 0.35) and near(counts[2] / 80_000, 1))
    yield claim("a similar portion, 35%, has one between 16K and 32K",
                f"{counts[15]:,}, {percent(share(counts[15], reuses))}", near(share(counts[15], reuses), 0.35))
    yield claim("of the long ones, 20% lie in 256-511 and 74% in 16K-32K",
                f"{percent(middle_long)} and {percent(far_long)}", near(middle_long, 0.20) and near(far_long, 0.74))
    yield claim("the two most effective cache sizes are 512 and 32768",
                f"those that hold the ranges are {' and '.join(map(str, ends))}; "
                f"{' and '.join(str(row['size']) for row in sizes)} elements are enough", ends == [512, 32768])
    yield claim("sizes between them make no more than 6% difference",
                f"{percent(between)} of the long reuses, {percent(share(sum(counts[10:15]), references))} of the "
                "references", between <= 0.06)
    yield claim("three hills: the first stays, the second grows as the square root of the data, the third as the data",
                f"{len(rows)} hills, as the data to the power of " + ", ".join(f"{power:.2f}" for power in powers),
                len(rows) == 3 and all(near(a, b) for a, b in zip(powers, (0, 0.5, 1))))
    yield claim("the first hill has distances of no more than 8",
                f"up to {2 ** rows[0]['to'] - 1}", 2 ** rows[0]["to"] <= 8)
    fastest = max(rows, key=lambda row: row["power"])
    yield claim("the fastest moving hill has 35% of the references (of the reuses)", percent(fastest["share"]),
                near(fastest["share"], 0.35))


def judge_all(name, small, large):
    counts = large["c"]["bins"]
    if name in figures.CONCENTRATION:
        points, said = figures.CONCENTRATION[name]
        value, where = concentration(counts, points)
        yield claim(f"{said:.0%} of the long reuses lie at {points} points of the x-axis",
                    f"{percent(value)}, at {', '.join(span(x) for x in where)}", at_least(value, said))
    rows = lengthening(small, large)
    few = max(1, math.ceil(0.3 * len(counts)) - 1)
    value, _ = concentration(counts, few)
    yield claim("less than 30% of the points have the majority of the long reuses",
                f"{few} of {len(counts)} have {percent(value)}", value > 0.5)
    stays = [row for row in rows if abs(row["power"]) < 0.1]
    moves = [row for row in rows if row["power"] >= 0.1]
    yield claim("some hills stay, others move to the right as the data grows",
                f"{len(stays)} stay, {len(moves)} move, as the data to the power of "
                + ", ".join(f"{row['power']:.2f}" for row in moves), bool(stays and moves))
    ratio = sum(counts) / sum(small["c"]["bins"]) / (large["c"]["elements"] / small["c"]["elements"])
    yield claim("the height of the curves is in proportion to the size of the data",
                f"reuses per element grow by a factor of {ratio:.3f}", near(ratio, 1))
    if name == "sp":
        longs = sorted((share(count, sum(counts[LONG_X:])) for count in counts[LONG_X:]), reverse=True)
        yield claim("four ranges hold 8% to 32% of the long reuses each, no other more than 6%",
                    f"{percent(longs[3])} to {percent(longs[0])}, no other more than {percent(longs[4])}",
                    longs[0] <= 0.32 + TOLERANCE and longs[3] >= 0.08 - TOLERANCE and longs[4] <= 0.06)
    if name == "fft":
        fastest = max(rows, key=lambda row: row["power"])
        yield claim("the fastest moving hill has only 5% of the references (of the reuses)", percent(fastest["share"]),
                    near(fastest["share"], 0.05))


def judge(name, runs):
    small, large = runs
    said = list(judge_adi(small, large)) if name == "adi" else []
    return said + list(judge_all(name, small, large))
