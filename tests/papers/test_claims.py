# SPDX-License-Identifier: MIT
"""The verdicts on the paper's statements: shares are of the reuses, as in its histograms, and a share that holds of all
references alone does not hold."""
import sys

from papers import check, finish, same

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/bench/papers")
import claims  # noqa: E402


class Distances(list):
    def at(self, share):
        rest = share * sum(count for _, count in self)
        for distance, count in self:
            rest -= count
            if rest < 0:
                return distance
        return self[-1][0]


def run_of(counts, references, elements):
    """A run with these counts by bin, none of which has a neighbour that is not empty; each bin at its lowest
    distance."""
    return {"c": {"bins": counts, "references": references, "elements": elements,
                  "hills": [(x, x) for x, count in enumerate(counts) if count],
                  "effective": {"sizes": [{"hi": 511, "size": 500}, {"hi": 32767, "size": 30000}]},
                  "distances": Distances((2 ** x // 2, count) for x, count in enumerate(counts) if count)}}


def adi(first, last, references):
    """The verdicts on ADI by statement, for `first` reuses at distances 2 and 3, and `last` at 16K to 32K."""
    reuses = references - 30_000
    middle = round(last * 20 / 74)
    large = [reuses - first - last - middle - round(last * 6 / 74), 0, first] + [0] * 6 + [middle, 0, 0, 0,
                                                                                        round(last * 6 / 74), 0, last]
    same(sum(large), reuses, "the counts add up")
    small = [count // 4 for count in large[:8]] + [middle // 4, 0, 0, 0, large[13] // 4, last // 4]
    said = claims.judge("adi", (run_of(small, references // 4, 7_500), run_of(large, references, 30_000)))
    return {claim["paper"]: claim for claim in said}


def verdict(said, words):
    found = [claim for paper, claim in said.items() if words in paper]
    same(len(found), 1, words)
    return found[0]["verdict"], found[0]["ours"]


# The paper's own figures hold: 80 thousand of 228.6 thousand reuses are 35.0%.
paper = adi(80_000, 80_000, 258_600)
same(verdict(paper, "80 thousand"), ("holds", "80,000, 35.0%"), "80 thousand of the reuses")
same(verdict(paper, "between 16K and 32K"), ("holds", "80,000, 35.0%"), "a similar portion")
same(verdict(paper, "fastest moving hill"), ("holds", "35.0%"), "the fastest hill")
same(verdict(paper, "20% lie in"), ("holds", "20.0% and 74.0%"), "the long reuses")
# 89,000 are 34.4% of the references, but 38.9% of the reuses; 74,528 are 32.6%.
ours = adi(89_000, 74_528, 258_600)
same(verdict(ours, "80 thousand"), ("differs", "89,000, 38.9%"), "89 thousand of the reuses")
same(verdict(ours, "between 16K and 32K"), ("differs", "74,528, 32.6%"), "the last hill")
# 35% of the reuses of another number of references are not 80 thousand.
same(verdict(adi(160_000, 80_000, 487_200), "80 thousand")[0], "differs", "35%, but not 80 thousand")
check(claims.near(0.3699, 0.35) and not claims.near(0.3701, 0.35), "two points")
finish()
