// SPDX-License-Identifier: MIT
// What every tab needs of the profile, loaded once: the view section and the exact curve of the trace.
import { lanesWith, section } from './data/index';
import type { Lane, View } from './data/sections';
import { Curve } from './model/curve';

/** The whole trace in blocks of one size. */
export interface Whole {
  lane: Lane;
  curve: Curve;
  /** Whether the histogram has bins; then sizes within a bin are not exact. */
  binned: boolean;
  /** Whether misses at a size are exact. */
  exactAt: (blocks: number) => boolean;
}

/** What a program without a `view` section would have: nothing. */
export interface Profile {
  view: View;
  whole: Whole | undefined;
}

async function loadWhole(profile: number, view: Promise<View | undefined>): Promise<Whole | undefined> {
  const lane = lanesWith('lane', profile)[0];
  if (lane === undefined) return undefined;
  const [row, bins] = await Promise.all([section('lane', { profile, lane }), section('histogram', { profile, lane })]);
  if (!row || !bins) return undefined;
  const histogram = bins.histogram ?? { values: new Float64Array(), counts: new Float64Array() };
  const curve = new Curve(histogram, row.cold, row.accesses);
  // A value stands for a bin that ends with it: just above it, and at the caches, everything is known.
  const ends = bins.binned ? new Set(Array.from(histogram.values, (value) => value + 1)) : undefined;
  for (const cache of (ends && (await view)?.caches) ?? []) ends!.add(cache.blocks);
  return { lane: row, curve, binned: bins.binned, exactAt: (blocks) => !ends || ends.has(blocks) || blocks > curve.longest };
}

const loaded = new Map<number, Promise<Profile | undefined>>();

/** The profile: 0, or 1 for the second one of a comparison. */
export function profile(number = 0): Promise<Profile | undefined> {
  let promise = loaded.get(number);
  if (!promise) {
    const begun = section('view', { profile: number });
    promise = Promise.all([begun, loadWhole(number, begun)]).then(([view, whole]) =>
      view ? { view, whole } : undefined,
    );
    loaded.set(number, promise);
  }
  return promise;
}
