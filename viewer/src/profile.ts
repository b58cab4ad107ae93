// SPDX-License-Identifier: MIT
// What every tab needs of the profile, loaded once: the view section and the exact curve of the trace.
import { rowsOf } from './data/columns';
import { lanesWith, section } from './data/index';
import type { Cache, Lane, View } from './data/sections';
import { Curve } from './model/curve';

/** The whole trace in blocks of one size. */
export interface Whole {
  lane: Lane;
  curve: Curve;
  /** Whether the histogram has bins; then sizes within a bin are not exact. */
  binned: boolean;
  /** Whether misses at a size are exact. */
  exactAt: (blocks: number) => boolean;
  /** The size nearest to one where they are. */
  nearest: (blocks: number) => number;
}

/** A profile of the page; of a comparison, one of the two. */
export interface Profile {
  view: View;
  whole: Whole | undefined;
}

const FINE_BITS = 9; // as in src/view/profile.c

/** The width of the bin of a distance, in histograms with too many distances. */
function binWidth(distance: number): number {
  return 2 ** Math.max(0, Math.floor(Math.log2(distance)) - FINE_BITS);
}

async function loadWhole(profile: number, view: Promise<View | undefined>): Promise<Whole | undefined> {
  const lane = lanesWith('lane', profile)[0];
  if (lane === undefined) return undefined;
  const [row, bins] = await Promise.all([section('lane', { profile, lane }), section('histogram', { profile, lane })]);
  if (!row || !bins) return undefined;
  const histogram = bins.histogram ?? { values: new Float64Array(), counts: new Float64Array() };
  const curve = new Curve(histogram, row.cold, row.accesses);
  // A value stands for a bin that ends with it. At the first distance of a bin, just above its last one, and
  // at the caches, everything is known.
  const ends = bins.binned ? new Set(Array.from(histogram.values, (value) => value + 1)) : undefined;
  for (const cache of (ends && (await view)?.caches) ?? []) ends!.add(cache.blocks);
  const exactAt = (blocks: number) => !ends || blocks % binWidth(blocks) === 0 || ends.has(blocks) || blocks > curve.longest;
  const nearest = (blocks: number) => (exactAt(blocks) ? blocks : Math.round(blocks / binWidth(blocks)) * binWidth(blocks));
  return { lane: row, curve, binned: bins.binned, exactAt, nearest };
}

// Where a profile names no caches (of keys, for example), some sizes to begin with: there is always a cache
// to drag.
function proposed(view: View, whole: Whole | undefined): Cache[] {
  if (view.caches.length || !whole || whole.curve.longest < 2) return view.caches.toArray();
  const top = Math.log2(whole.curve.longest + 1);
  const blocks = [...new Set([0.4, 0.6, 0.8].map((part) => 2 ** Math.max(1, Math.round(top * part))))];
  return blocks.map((size, i) => ({ name: `Cache ${i + 1}`, blocks: size, bytes: size * view.block_bytes }));
}

/**
 * The range of the miss ratio of an estimate at a size: undefined if it is exact, or unknown. Between stored sizes
 * (`exact` is false) it is the range of both neighbours, and above all of them `low` is 0.
 */
export function bandAt(view: View, blocks: number): { low: number; high: number; exact: boolean } | undefined {
  const points = view.curve;
  if (!points.length) return undefined;
  let at = 0;
  while (at + 1 < points.length && points.at(at + 1).size <= blocks) at++;
  const here = points.at(at);
  if (here.size > blocks) return undefined;
  if (here.size === blocks) return { low: here.low, high: here.high, exact: true };
  const low = at + 1 < points.length ? Math.min(points.at(at + 1).low, here.low) : 0;
  return { low, high: here.high, exact: false };
}

const loaded = new Map<number, Promise<Profile | undefined>>();

/** The profile: 0, or 1 for the second one of a comparison. */
export function profile(number = 0): Promise<Profile | undefined> {
  let promise = loaded.get(number);
  if (!promise) {
    const begun = section('view', { profile: number });
    const where = { profile: number };
    promise = Promise.all([begun, loadWhole(number, begun), section('header', where), section('spatial', where), section('stall', where)]).then(
      ([view, whole, header, spatial, stall]) => {
        if (!view) return undefined;
        const estimated = header?.provenance?.exact === false;
        const usage_block: number = spatial?.usage_block || view.block_bytes;
        return { view: { ...view, caches: rowsOf(proposed(view, whole)), estimated, usage_block, stall }, whole };
      },
    );
    loaded.set(number, promise);
  }
  return promise;
}

/** The second profile with the caches of the first, so that sizes mean the same in both. */
export async function aligned(side: number): Promise<Profile | undefined> {
  const [one, first] = await Promise.all([profile(side), profile(0)]);
  return one && first && side > 0 ? { ...one, view: { ...one.view, caches: first.view.caches } } : one;
}
