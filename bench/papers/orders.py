# SPDX-License-Identifier: MIT
"""The statements of a program in three orders (deja reorder), at two sizes: which reuses are evadable, and what
another order does to their distances."""
import math

from claims import HILL_LEAST, lengthening, share

AS_WRITTEN, REUSE_DRIVEN, FUSED = NAMES = ("as written", "reuse-driven", "loops fused")

GROUPS = 1000  # of the reuses of an order, sorted by distance
DRIFT = 20  # groups: two percent of the reuses
GROWTH = 1.05  # as deja predict: by 5%, and by one element, when the data doubles
DOUBLED = 2  # a distance that changes by less than this factor stays about the same


def groups(distances):
    """The mean distance of each of GROUPS parts of the reuses, all of the same size."""
    size = sum(count for _, count in distances) / GROUPS
    rows, means = iter(distances), []
    distance, left = next(rows, (0, 0))
    for _ in range(GROUPS):
        total, missing = 0, size
        while missing > left:
            total, missing = total + left * distance, missing - left
            following = next(rows, None)
            if following is None:  # rounding
                left = missing
                break
            distance, left = following
        means.append((total + missing * distance) / size if size else 0)
        left -= missing
    return means


def hills(counts):
    """As in deja predict: runs of bins with at least 2% of the reuses each."""
    least, found = HILL_LEAST * sum(counts), []
    for x, count in enumerate(counts):
        if count < least or not count:
            continue
        if found and found[-1][1] == x - 1:
            found[-1] = (found[-1][0], x)
        else:
            found.append((x, x))
    return found


class Pair:
    """A program at two sizes."""

    def __init__(self, small, large):
        self.small, self.large = small, large
        self.doublings = math.log2(large["elements"] / small["elements"])
        self.groups = {name: tuple(groups(run["orders"][name]["distances"]) for run in (small, large))
                       for name in NAMES}
        self.evadable = {name: self.growing(name) for name in NAMES}

    def bins(self, name):
        return self.large["orders"][name]["bins"]

    def grows(self, here, there):
        return there >= here * GROWTH ** self.doublings and there - here >= self.doublings

    def growing(self, name, drift=DRIFT):
        """By group, whether its distance grows with the input. The shares of short reuses differ a little between
        inputs, so that a constant distance seems to grow where one group is compared with a neighbour. So groups
        count only from the first one that also grows in comparison with what is longer by `drift` groups."""
        small, large = self.groups[name]
        first = next((at for at in range(GROUPS - drift) if self.grows(small[at + drift], large[at])), GROUPS)
        return [at >= first and self.grows(small[at], large[at]) for at in range(GROUPS)]

    def evadable_share(self, name):
        """At least, and at most: if shares do not drift."""
        return sum(self.evadable[name]) / GROUPS, sum(self.growing(name, 0)) / GROUPS

    def evadable_change(self, name):
        """From that as written, with both ways to count: the lower and the higher."""
        own, base = self.evadable_share(name), self.evadable_share(AS_WRITTEN)
        changes = [share(own[i], base[i]) - 1 for i in (0, 1)]
        return min(changes), max(changes)

    def rate(self, name):
        """The mean power of the data with which evadable distances grow."""
        small, large = self.groups[name]
        powers = [math.log2((there + 1) / (here + 1)) / self.doublings
                  for here, there, evadable in zip(small, large, self.evadable[name]) if evadable]
        return share(sum(powers), len(powers))

    def evadable_mean(self, name):
        """The mean distance of evadable reuses at the larger size."""
        found = [there for there, evadable in zip(self.groups[name][1], self.evadable[name]) if evadable]
        return share(sum(found), len(found))

    def hills(self, name):
        """Each hill at the larger size, and how it moves."""
        run = [{"c": {"bins": run["orders"][name]["bins"], "elements": run["elements"],
                      "hills": hills(run["orders"][name]["bins"]),
                      "distances": run["orders"][name]["distances"]}} for run in (self.small, self.large)]
        return lengthening(*run)

    def share_at(self, name, x):
        counts = self.bins(name)
        return share(counts[x], sum(counts)) if x < len(counts) else 0

    def is_top(self, name, x):
        """Whether a bin is fuller than its neighbours."""
        return self.share_at(name, x) > max(self.share_at(name, x - 1), self.share_at(name, x + 1))

    def evadable_at(self, name, x):
        """The evadable part of the groups in a bin."""
        inside = [evadable for there, evadable in zip(self.groups[name][1], self.evadable[name])
                  if int(there).bit_length() == x]
        return share(sum(inside), len(inside))

    def misses(self, name, size):
        """Of a cache that holds `size` elements."""
        return self.large["elements"] + sum(count for distance, count in self.large["orders"][name]["distances"]
                                            if distance >= size)

    def lengthened(self, of_evadable):
        """The share of the reuses as written that reuse-driven execution makes longer, if reuses keep their rank."""
        before, after = self.groups[AS_WRITTEN][1], self.groups[REUSE_DRIVEN][1]
        longer = [there > here for here, there, evadable in zip(before, after, self.evadable[AS_WRITTEN])
                  if evadable == of_evadable]
        return share(sum(longer), len(longer))

    def similar(self):
        """The share of the ranks at which reuse-driven execution does the same at both sizes: makes the distance
        shorter or longer by a factor of DOUBLED or more, or neither."""
        def change(which, at):
            before, after = (self.groups[name][which][at] + 1 for name in (AS_WRITTEN, REUSE_DRIVEN))
            return (after >= DOUBLED * before) - (before >= DOUBLED * after)
        return sum(change(0, at) == change(1, at) for at in range(GROUPS)) / GROUPS

    def long_change(self, name):
        """Of the reuses that `deja reorder` calls long."""
        longs = {order: self.large["orders"][order]["long"] for order in (name, AS_WRITTEN)}
        return share(longs[name], longs[AS_WRITTEN]) - 1

    def summary(self):
        """All but the distances, of which there are as many as rows in the histograms."""
        runs = [{**run, "orders": {name: {key: value for key, value in order.items() if key != "distances"}
                                   for name, order in run["orders"].items()}} for run in (self.small, self.large)]
        evadable = {name: {"share": self.evadable_share(name), "change": self.evadable_change(name),
                           "rate": self.rate(name), "mean": self.evadable_mean(name), "hills": self.hills(name)}
                    for name in NAMES}
        return {"runs": runs, "evadable": evadable}
