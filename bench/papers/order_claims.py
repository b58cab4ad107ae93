# SPDX-License-Identifier: MIT
"""The statements of section 3.3 on Figure 6, each computed from what `deja reorder` says of our programs. Shares are of
the reuses. All are about the larger of two sizes."""
from claims import TOLERANCE, claim, near, percent, share, short, span
from figures import CACHES_OF_SWEEP, EVADABLE_OF_SP
from orders import AS_WRITTEN, FUSED, REUSE_DRIVEN

SAME = 0.9  # of the ranks change alike at both sizes: "very similar"
SHORT_MOST = 64


def signed(value):
    return f"{100 * value:+.1f}%"


def between(ends, form):
    """Two values as one if they look the same."""
    words = [form(value) for value in ends]
    return words[0] if words[0] == words[1] else " to ".join(words)


def evadable(pair, name):
    return f"{between(pair.evadable_share(name), percent)} {name}"


def fewer_evadable(pair):
    changes = pair.evadable_change(REUSE_DRIVEN)
    yield claim("the number of evadable reuses is decreased",
                f"{evadable(pair, AS_WRITTEN)}, {evadable(pair, REUSE_DRIVEN)} ({between(changes, signed)})",
                max(changes) < -TOLERANCE)
    rates = pair.rate(AS_WRITTEN), pair.rate(REUSE_DRIVEN)
    yield claim("the average rate of lengthening is decreased",
                "evadable distances grow as the data to the power of {:.2f}, then {:.2f} (mean)".format(*rates),
                rates[1] < rates[0] - TOLERANCE)


def hill_appears(pair, name, x, says):
    before, after = pair.share_at(AS_WRITTEN, x), pair.share_at(name, x)
    return claim(says, f"{percent(before)} as written, {percent(after)} {name}, where "
                 f"{percent(pair.share_at(name, x - 1))} are in the range before and "
                 f"{percent(pair.share_at(name, x + 1))} in the next",
                 after - before > TOLERANCE and pair.is_top(name, x))


def of_power(pair, name, power):
    """The reuses in hills that move about like this power of the data, and the bins of these hills."""
    rows = [row for row in pair.hills(name) if abs(row["power"] - power) < 0.25]
    return sum(row["share"] for row in rows), [x for row in rows for x in range(row["from"], row["to"] + 1)]


def judge_adi(pair):
    third, bins = of_power(pair, AS_WRITTEN, 1)
    left = sum(pair.share_at(REUSE_DRIVEN, x) for x in bins)
    yield claim("the third locality group, which lengthens as the data, is removed",
                f"{percent(third)} of the reuses as written; at its distances {percent(left)} remain, and "
                f"{percent(of_power(pair, REUSE_DRIVEN, 1)[0])} lie in hills that move as the data",
                third > 0 and left < TOLERANCE and of_power(pair, REUSE_DRIVEN, 1)[0] < TOLERANCE)
    second, bins = of_power(pair, AS_WRITTEN, 0.5)
    left = of_power(pair, REUSE_DRIVEN, 0.5)[0]
    yield claim("the size of the second group, which lengthens as the square root of the data, is reduced",
                f"{percent(second)} as written, {percent(left)} reuse-driven; at the distances that it has as written, "
                f"{percent(sum(pair.share_at(REUSE_DRIVEN, x) for x in bins))}", left < second - TOLERANCE)
    tops = [max(range(SHORT_MOST.bit_length()), key=lambda x, name=name: pair.share_at(name, x))
            for name in (AS_WRITTEN, REUSE_DRIVEN)]
    yield claim("the first hill moves from fewer than 4 elements to fewer than 8",
                f"its top moves from {span(tops[0])} to {span(tops[1])}; as written, "
                f"{percent(pair.share_at(AS_WRITTEN, 3))} are at 4-7 already", tops == [2, 3])
    yield from fewer_evadable(pair)


def judge_fft(pair):
    means = pair.evadable_mean(AS_WRITTEN), pair.evadable_mean(REUSE_DRIVEN)
    yield claim("the reverse effect: evadable reuses become longer",
                f"their mean distance is {means[0]:,.0f} as written, {means[1]:,.0f} reuse-driven; "
                f"{evadable(pair, AS_WRITTEN)}, {evadable(pair, REUSE_DRIVEN)}", means[1] > means[0] * (1 + TOLERANCE))


def judge_sp(pair):
    yield from fewer_evadable(pair)
    for name, what in ((REUSE_DRIVEN, "trace reordering"), (FUSED, "source-level loop fusion")):
        said, changes = EVADABLE_OF_SP[name], pair.evadable_change(name)
        yield claim(f"{what} reduces the number of evadable reuses by {-said:.0%}",
                    f"{between(changes, signed)}; of those of {short(pair.large['long_from'])} or more "
                    f"{signed(pair.long_change(name))}",
                    "more so" if max(changes) < said - TOLERANCE else all(near(change, said) for change in changes))
    yield hill_appears(pair, FUSED, 7, "the fusion curve has a large hill at 64-127")


def judge_sweep(pair):
    yield from fewer_evadable(pair)
    for size, said in CACHES_OF_SWEEP.items():
        change = share(pair.misses(REUSE_DRIVEN, size), pair.misses(AS_WRITTEN, size)) - 1
        yield claim(f"the miss rate of a cache of {short(size)} changes by {said:+.0%}", signed(change),
                    "more so" if said < 0 and change < said - TOLERANCE else near(change, said))
    yield hill_appears(pair, REUSE_DRIVEN, 17, "even some evadable reuses are lengthened: a larger hill at 64K-128K")


def judge_sp_and_sweep(pair):
    yield hill_appears(pair, REUSE_DRIVEN, 7, "a large hill appears at 64-127")
    before, after = pair.share_at(AS_WRITTEN, 6), pair.share_at(REUSE_DRIVEN, 6)
    moves = pair.evadable_at(REUSE_DRIVEN, 6)
    yield claim("a new concentration of non-evadable reuses at 32-63",
                f"{percent(before)} as written, {percent(after)} reuse-driven, {percent(moves)} of these evadable",
                after - before > TOLERANCE and moves < 0.5)


def judge_all(pair):
    others, own = pair.lengthened(False), pair.lengthened(True)
    yield claim("many reuses are lengthened, especially non-evadable ones",
                f"{percent(others)} of the non-evadable ones, {percent(own)} of the evadable ones",
                others > TOLERANCE and others > own)
    yield claim("the change at the two input sizes is very similar",
                f"the same at {percent(pair.similar())} of the ranks", pair.similar() >= SAME)


OF_PROGRAM = {"adi": (judge_adi,), "fft": (judge_fft,), "sp": (judge_sp, judge_sp_and_sweep),
              "sweep": (judge_sweep, judge_sp_and_sweep)}


def judge(name, pair):
    return [said for judges in (*OF_PROGRAM.get(name, ()), judge_all) for said in judges(pair)]
