// SPDX-License-Identifier: MIT
// Arithmetic of tallies: the same as dj_tally_misses and dj_tally_moments in src/profile/tally.c.
import type { Tally } from '../data/sections';

/** A number, and whether it is exact or interpolated within a bin (shown with ≈). */
export interface Value {
  value: number;
  exact: boolean;
}

/** The first edge that is not below `blocks`. */
export function edgeAt(edges: Float64Array, blocks: number): number {
  let lo = 0;
  let hi = edges.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (edges[middle]! < blocks) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

// The range [lo, end) of distances of a bin that the tally can contain.
function binRange(tally: Tally, edges: Float64Array, bin: number): [number, number] {
  const end = bin + 1 < edges.length ? edges[bin + 1]! : tally.max + 1;
  return [Math.max(edges[bin]!, tally.min), Math.min(end, tally.max + 1)];
}

/** Misses of a tally in a fully associative LRU cache of `blocks`. */
export function misses(tally: Tally, edges: Float64Array, blocks: number): Value {
  const edge = edgeAt(edges, blocks);
  const { bins, first } = tally;
  let whole = tally.cold;
  for (let i = edge > first ? edge - first : 0; i < bins.length; i++) whole += bins[i]!;
  const cut = edge - 1;
  if (edge === 0 || edges[edge] === blocks || cut < first || cut - first >= bins.length) return { value: whole, exact: true };
  const inBin = bins[cut - first]!;
  const [lo, end] = binRange(tally, edges, cut);
  if (inBin === 0 || blocks >= end) return { value: whole, exact: true };
  if (blocks <= lo) return { value: whole + inBin, exact: true };
  const share = end > lo ? (end - blocks) / (end - lo) : 0;
  return { value: whole + inBin * Math.min(1, Math.max(0, share)), exact: false };
}

export function reuses(tally: Tally): number {
  return tally.accesses - tally.cold;
}

export function mean(tally: Tally): number {
  const n = reuses(tally);
  return n > 0 ? tally.sum / n : 0;
}

export function median(tally: Tally, edges: Float64Array): number {
  const half = reuses(tally) / 2;
  let below = 0;
  for (let i = 0; i < tally.bins.length; i++) {
    const inBin = tally.bins[i]!;
    if (below + inBin >= half && inBin > 0) {
      const [lo, end] = binRange(tally, edges, tally.first + i);
      return end - lo <= 1 ? lo : lo + ((end - 1 - lo) * (half - below)) / inBin;
    }
    below += inBin;
  }
  return tally.max;
}

/** The bins of a tally with their bounds; `hi` is inclusive. */
export function binsOf(tally: Tally, edges: Float64Array): { lo: number; hi: number; count: number }[] {
  return Array.from(tally.bins, (count, i) => {
    const bin = tally.first + i;
    return { lo: edges[bin]!, hi: bin + 1 < edges.length ? edges[bin + 1]! - 1 : Math.max(tally.max, edges[bin]!), count };
  });
}

/** The sum of tallies, such as of the rows that a table shows. */
export function sum(tallies: Iterable<Tally>): Tally {
  const all: Tally = { accesses: 0, cold: 0, writes: 0, sum: 0, min: Infinity, max: 0, first: 0, bins: new Float64Array() };
  const bins: number[] = [];
  for (const t of tallies) {
    all.accesses += t.accesses;
    all.cold += t.cold;
    all.writes += t.writes;
    all.sum += t.sum;
    if (reuses(t) > 0) all.min = Math.min(all.min, t.min);
    all.max = Math.max(all.max, t.max);
    t.bins.forEach((n, i) => (bins[t.first + i] = (bins[t.first + i] ?? 0) + n));
  }
  if (all.min === Infinity) all.min = 0;
  all.bins = Float64Array.from({ length: bins.length }, (_, i) => bins[i] ?? 0);
  return all;
}
