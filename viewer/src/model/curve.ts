// SPDX-License-Identifier: MIT
// Curves of the complete trace, from its histogram of reuse distances: exact at every size, unless the
// histogram is binned.
import type { Histogram } from '../data/columns';

/** Sums from the end: misses at any size take one binary search. */
export class Curve {
  private readonly above: Float64Array; // reuses with at least values[i]
  constructor(
    readonly histogram: Histogram,
    readonly cold: number,
    readonly accesses: number,
  ) {
    const { counts } = histogram;
    this.above = new Float64Array(counts.length + 1);
    for (let i = counts.length - 1; i >= 0; i--) this.above[i] = this.above[i + 1]! + counts[i]!;
  }

  /** The first value that is not below `blocks`. */
  private at(blocks: number): number {
    const { values } = this.histogram;
    let lo = 0;
    let hi = values.length;
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (values[middle]! < blocks) lo = middle + 1;
      else hi = middle;
    }
    return lo;
  }

  misses(blocks: number): number {
    return this.cold + this.above[this.at(blocks)]!;
  }

  ratio(blocks: number): number {
    return this.accesses > 0 ? this.misses(blocks) / this.accesses : 0;
  }

  get longest(): number {
    const { values } = this.histogram;
    return values.length ? values[values.length - 1]! : 0;
  }

  /** Reuses with distances lo to hi, both inclusive. */
  between(lo: number, hi: number): number {
    return this.above[this.at(lo)]! - this.above[this.at(hi + 1)]!;
  }
}

/** Points of a curve: sizes from 1 up to `end`, `each` per doubling, with the ratio at each. */
export function points(ratio: (blocks: number) => number, end: number, each = 16): { x: number[]; y: number[] } {
  const x: number[] = [];
  const y: number[] = [];
  for (let i = 0; ; i++) {
    const size = Math.round(2 ** (i / each));
    if (x.length && size === x[x.length - 1]) continue;
    x.push(size);
    y.push(ratio(size));
    if (size > end) break;
  }
  return { x, y };
}

/** The bins 0, 1, 2–3, 4–7, … of a histogram, halved `split` times (1: two bins per doubling). */
export function logBins(curve: Curve, split = 0): { lo: number; hi: number; count: number }[] {
  const out = [{ lo: 0, hi: 0, count: curve.between(0, 0) }];
  const parts = 2 ** split;
  for (let start = 1; start <= curve.longest; start *= 2) {
    const n = Math.min(parts, start);
    for (let k = 0; k < n; k++) {
      const lo = start + (start / n) * k;
      const hi = start + (start / n) * (k + 1) - 1;
      out.push({ lo, hi, count: curve.between(lo, hi) });
    }
  }
  return out;
}

/** Mean and median distance: those that the profile knows, or what its histogram says. */
export function distances(of: { lane: { distance?: { count: number; mean: number; median: number } }; curve: Curve }): { mean?: number; median?: number } {
  const known = of.lane.distance;
  if (known && known.count > 0) return known;
  const { values, counts } = of.curve.histogram;
  let reuses = 0;
  let sum = 0;
  values.forEach((value, i) => {
    reuses += counts[i]!;
    sum += value * counts[i]!;
  });
  if (reuses === 0) return {};
  const at = (rank: number) => {
    let below = 0;
    return values[counts.findIndex((n) => (below += n) > rank)]!;
  };
  const middle = Math.floor((reuses - 1) / 2);
  return { mean: sum / reuses, median: (at(middle) + at(Math.ceil((reuses - 1) / 2))) / 2 };
}
