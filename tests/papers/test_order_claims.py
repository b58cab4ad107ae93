# SPDX-License-Identifier: MIT
"""The verdicts on the paper's statements about other orders, for histograms whose evadable reuses are known."""
import sys

from papers import check, finish, same

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/bench/papers")
import measure  # noqa: E402
import order_claims  # noqa: E402
import orders  # noqa: E402


def run_of(elements, **histograms):
    """A run with these reuses by distance in each order."""
    found = {}
    for name in orders.NAMES:
        rows = sorted(histograms[name.replace(" ", "_").replace("-", "_")].items())
        bins = [0] * (1 + rows[-1][0].bit_length())
        for distance, count in rows:
            bins[distance.bit_length()] += count
        found[name] = {"long": 0, "mean": 0, "bins": bins, "distances": measure.Distances(rows)}
    accesses = elements + sum(histograms["as_written"].values())
    return {"size": 0, "accesses": accesses, "elements": elements, "statements": 0, "long_from": 64, "orders": found}


def pair_of(shape):
    """`shape`: by size, the reuses by distance in each order; four times the data at the larger one."""
    return orders.Pair(run_of(1000, **shape(1000)), run_of(4000, **shape(4000)))


def verdict(said, words):
    found = [claim for claim in said if words in claim["paper"]]
    same(len(found), 1, words)
    return found[0]["verdict"]


def as_in_the_paper(n):
    """ADI: three groups; the third vanishes, the second has half of its reuses. All in percent of the reuses."""
    root = int(n ** 0.5)
    return {"as_written": {2: 45 * n // 100, 8 * root: 20 * n // 100, n - 1: 35 * n // 100},
            "reuse_driven": {5: 90 * n // 100, 8 * root: 10 * n // 100},
            "loops_fused": {2: 45 * n // 100, 8 * root: 55 * n // 100}}


def by_eye(pair):
    """The evadable shares that the shape implies."""
    for name, expected in ((orders.AS_WRITTEN, 0.55), (orders.REUSE_DRIVEN, 0.10), (orders.FUSED, 0.55)):
        for found in pair.evadable_share(name):
            check(abs(found - expected) < 0.0021, f"{name}: {found} evadable")
    # A fifth grows as the root of the data, and 35% as the data.
    check(abs(pair.rate(orders.AS_WRITTEN) - (20 * 0.5 + 35) / 55) < 0.01, f"rate {pair.rate(orders.AS_WRITTEN)}")
    same(pair.misses(orders.REUSE_DRIVEN, 506), 4000, "all but cold ones hit")
    same(pair.misses(orders.REUSE_DRIVEN, 504), 4400, "misses at the distance itself")


def drifting(n):
    """Distances 10, 20, … that stay, but at the larger input one in a hundred is 390 instead of 10."""
    more = n // 100 if n == 4000 else 0
    shape = {distance: n // 40 for distance in range(10, 400, 10)}
    shape[390] += more
    shape[10] -= more
    return {name: shape for name in ("as_written", "reuse_driven", "loops_fused")}


pair = pair_of(as_in_the_paper)
by_eye(pair)
adi = order_claims.judge("adi", pair)
for words in ("third locality group", "size of the second group", "first hill moves", "number of evadable",
              "average rate"):
    same(verdict(adi, words), "holds", words)
same(verdict(order_claims.judge("fft", pair), "reverse effect"), "differs", "evadable reuses become shorter")


def without_effect(n):
    shape = as_in_the_paper(n)
    return {**shape, "reuse_driven": shape["as_written"]}


adi = order_claims.judge("adi", pair_of(without_effect))
for words in ("third locality group", "size of the second group", "first hill moves", "number of evadable",
              "average rate", "many reuses are lengthened"):
    same(verdict(adi, words), "differs", words)
same(verdict(adi, "very similar"), "holds", "no change at either size")
sp = order_claims.judge("sp", pair_of(without_effect))
same((verdict(sp, "by 63%"), verdict(sp, "by 45%"), verdict(sp, "a large hill appears at 64-127")), ("differs",) * 3,
     "SP without an effect")
least, most = pair_of(drifting).evadable_share(orders.AS_WRITTEN)
same(least, 0, "evadable reuses if shares drift")
# A hundredth seems to be longer at each of the nine steps from 10 to 100 that are by 10.25% or more.
check(abs(most - 9 * 40 / 3900) < 0.002, f"the drift makes {most} evadable")

# A group is a thousandth of the reuses: means across the rows that it spans.
same(orders.groups([(4, 500), (8, 1500)])[249:251], [4, 8], "groups within rows")
same(orders.groups([(4, 1), (8, 1)])[::999], [4, 8], "groups of parts of a reuse")
same(orders.hills([0, 3, 50, 1, 0, 46]), [(1, 2), (5, 5)], "hills of 2% and more")
finish()
