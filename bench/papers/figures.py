# SPDX-License-Identifier: MIT
"""The paper's data: Table 2, whose figures are truncated (64.3K is anything from 64,300 to 64,399), and the
statements of section 3.2 on Figure 5."""
import collections

# Seconds on a 250 MHz R12K; references and elements with the value of their last digit.
Row = collections.namedtuple("Row", "seconds references digit elements elements_digit")
Program = collections.namedtuple("Program", "dimensions sizes small differs")

PROGRAMS = {
    "adi": Program(2, {50: Row(0.38, 64_300, 100, 7_500, 100), 100: Row(0.53, 258_000, 1_000, 30_000, 1_000)},
                   (6, 12),
                   "The paper's program was not published. The loops of ours were chosen to give the counts of Table 2 "
                   "(26n² - 14n references) and with Figure 5 in view: where they agree with it, that is no "
                   "confirmation of the paper. With these loops the counts come out only if each read "
                   "and each write is counted; the paper does not say."),
    "fft": Program(2, {64: Row(0.99, 697_000, 1_000, 16_500, 100), 128: Row(4.29, 2_850_000, 10_000, 65_700, 100)},
                   (8, 16),
                   "The paper's program was not published. Ours goes there and back by radix 2, which fits the count "
                   "of 64²; it has log2 n stages, so its references grow faster than the paper's."),
    "sweep": Program(3, {10: Row(4.45, 2_890_000, 10_000, 11_100, 100), 20: Row(59.5, 21_900_000, 100_000, 79_600, 100)},
                     (3, 4),
                     "Not the source of Sweep3D: no blocks of planes and angles, no repair of negative fluxes. Two "
                     "iterations come nearest to its references."),
    "tomcatv": Program(2, {150: Row(25.7, 6_760_000, 10_000, 155_000, 1_000),
                           250: Row(168, 19_000_000, 100_000, 433_000, 1_000)}, (6, 12),
                       "Not the source of SPEC95: a mesh of our own; five iterations come nearest to its "
                       "references."),
    "swim": Program(2, {256: Row(82.2, 10_900_000, 100_000, 464_000, 1_000),
                        384: Row(342, 24_500_000, 100_000, 1_040_000, 10_000)}, (6, 12),
                    "Not the source of SPEC95; two iterations come nearest to its references. All 14 arrays are counted, each in elements of its own "
                    "(14 (n+1)²); the paper has half as many elements, about 7.1 n², and does not say why."),
    "sp": Program(3, {18: Row(19.8, 5_500_000, 10_000, 212_000, 1_000), 28: Row(243, 23_300_000, 100_000, 811_000, 1_000)},
                  (5, 6),
                  "Not NASA's source: one iteration, the forcing by the same code instead of formulas, no "
                  "change of variables between the directions."),
}

# For the larger size: the share of the reuses longer than 64 in that many bins.
CONCENTRATION = {"adi": (2, 0.95), "fft": (3, 0.96), "sp": (4, 0.69), "sweep": (3, 0.69)}

# Section 3.3: how the number of evadable reuses of SP changes, and the miss rate of the larger Sweep3D by the size of
# the cache in elements.
EVADABLE_OF_SP = {"reuse-driven": -0.63, "loops fused": -0.45}
CACHES_OF_SWEEP = {4096: -0.56, 8192: -0.62, 16384: -0.61, 32768: -0.54, 65536: 0.86}
