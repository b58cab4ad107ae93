// SPDX-License-Identifier: MIT
// Arithmetic on the section `spatial`, as in deja/spatial.h: rows of the map of a pair, long reuses, and the
// score of the misses in a cache.
import type { Rows } from '../data/columns';
import type { Value } from '../model/tally';

export interface Pair {
  block: number;
  map: Rows<{ bins: Float64Array }>;
  cold_row: { cold: number; bins: Float64Array };
  intercepted: Float64Array;
  distance_sum: Float64Array;
  caches: Rows<Record<string, number>>;
  parts?: Rows<unknown>;
}

export interface Spatial {
  caches: Rows<{ name: string; bytes: number }>;
  usage_block: number;
  usage_cache: number;
  group_weight: number;
  group_accesses: Float64Array;
  pairs: Rows<Pair>;
}

export interface Count {
  reuses: number;
  effective: number;
}

/** A reuse is effective if its bin falls by this at least (DJ_SPATIAL_STEP). */
export const STEP = 3;

export const binLow = (bin: number) => (bin === 0 ? 0 : 2 ** (bin - 1));
export const binHigh = (bin: number) => (bin === 0 ? 0 : 2 ** bin - 1);
/** The bin of a distance: 0, 1, 2–3, 4–7, … */
export const binOf = (distance: number) => (distance < 1 ? 0 : Math.floor(Math.log2(distance)) + 1);

export const scoreOf = (of: Count) => (of.reuses > 0 ? (2 * of.effective) / of.reuses : 0);

/** The map as plain numbers, as many rows and columns as are in use. */
export function mapOf(pair: Pair): number[][] {
  const rows = pair.map.map((row) => Array.from(row.bins));
  while (rows.length && rows[rows.length - 1]!.every((n) => n === 0)) rows.pop();
  return rows.map((row) => row.slice(0, rows.length));
}

/** Reuses and effective ones of each row. */
export function rowsOf(map: number[][]): Count[] {
  return map.map((row, i) => ({
    reuses: row.reduce((sum, n) => sum + n, 0),
    effective: row.reduce((sum, n, j) => sum + (j <= i - STEP ? n : 0), 0),
  }));
}

export function total(rows: Count[], from = 0): Count {
  const sum = { reuses: 0, effective: 0 };
  for (let i = from; i < rows.length; i++) {
    sum.reuses += rows[i]!.reuses;
    sum.effective += rows[i]!.effective;
  }
  return sum;
}

/** Reuses from `near` blocks on: those in its bin and above, as in a ranking. */
export const longOf = (rows: Count[], near: number) => total(rows, binOf(near));

export function isEstimate(spatial: Spatial): boolean {
  return spatial.group_accesses.length > 0;
}

/** Scores of all pairs, each weighted by 1 / block. */
export function allBlocks(spatial: Spatial): number {
  let [weights, sum] = [0, 0];
  for (const pair of spatial.pairs) {
    weights += 1 / pair.block;
    sum += scoreOf(total(rowsOf(mapOf(pair)))) / pair.block;
  }
  return weights > 0 ? sum / weights : 0;
}

// The part of bin `bin` with distances of at least `size`, if they are spread evenly.
function partFrom(bin: number, size: number): number {
  const low = binLow(bin);
  const end = binHigh(bin) + 1;
  return size <= low ? 1 : size >= end ? 0 : (end - size) / (end - low);
}

const sum = (list: ArrayLike<number>) => {
  let all = 0;
  for (let i = 0; i < list.length; i++) all += list[i]!;
  return all;
};

/** First accesses at the block size of a pair. */
export const coldOf = (pair: Pair) => pair.cold_row.cold + sum(pair.cold_row.bins);

/**
 * Misses in a cache of `bytes` with blocks of `pair`, cold ones included, or of the double size: exact if the
 * profile has that cache or its blocks are a power of two; otherwise undefined.
 */
export function knownMisses(spatial: Spatial, pair: Pair, bytes: number, double: boolean): number | undefined {
  const blocks = Math.max(1, Math.floor(bytes / (double ? 2 * pair.block : pair.block)));
  const known = spatial.caches.toArray().findIndex((cache) => cache.bytes === bytes);
  if (!double && known >= 0 && known < pair.caches.length) return (pair.caches.at(known)['all reuses'] ?? 0) + coldOf(pair);
  if (!isPower(blocks)) return undefined;
  const from = binOf(blocks); // the first bin that misses
  const map = mapOf(pair);
  if (!double) return map.slice(from).reduce((all, row) => all + sum(row), 0) + coldOf(pair);
  return map.reduce((all, row) => all + sum(row.slice(from)), 0) + sum(pair.cold_row.bins.subarray(from)) + pair.cold_row.cold;
}

const scoreOrNone = (of: Count) => (of.reuses > 0 ? scoreOf(of) : NaN);

const isPower = (n: number) => n >= 1 && Number.isInteger(Math.log2(n));

/**
 * The score of the misses in a cache of `bytes` (or of so many units, without bytes): exact if the profile has
 * that cache, or if its blocks are a power of two; otherwise interpolated within bins. NaN without misses.
 */
export function scoreOfMisses(spatial: Spatial, pair: Pair, bytes: number): Value {
  const known = spatial.caches.toArray().findIndex((cache) => cache.bytes === bytes);
  if (known >= 0 && known < pair.caches.length) {
    const cache = pair.caches.at(known);
    return { value: scoreOrNone({ reuses: cache['all reuses'] ?? 0, effective: cache['all effective'] ?? 0 }), exact: true };
  }
  const here = Math.max(1, Math.floor(bytes / pair.block));
  const there = Math.max(1, Math.floor(bytes / (2 * pair.block)));
  const count = { reuses: 0, effective: 0 };
  mapOf(pair).forEach((row, i) => {
    const missing = partFrom(i, here);
    row.forEach((n, j) => {
      count.reuses += n * missing;
      count.effective += n * missing * (1 - partFrom(j, there));
    });
  });
  return { value: scoreOrNone(count), exact: isPower(here) && isPower(there) };
}
