// SPDX-License-Identifier: MIT
// Scores of spatial locality, as in deja/spatial.h.
import type { Place, SpatialCount, Usage } from '../data/sections';

/** The share of reuses that are effective, relative to the 1/2 of a contiguous traversal. */
export function score(count: { reuses: number; effective: number }): number {
  return count.reuses > 0 ? (2 * count.effective) / count.reuses : 0;
}

/** Reuses without effective spatial reuse beyond those of a contiguous traversal. */
export function poor(reuses: number, effective: number): number {
  return Math.max(0, reuses - 2 * effective);
}

/** The count of a place for a block size; the first one without a size. */
export function spatialAt(place: { spatial?: Place['spatial'] }, block?: number): SpatialCount | undefined {
  const list = place.spatial;
  if (!list || list.length === 0) return undefined;
  if (block === undefined) return list.at(0);
  return list.toArray().find((count) => count.block === block);
}

/** The share of the fetched bytes that were used before eviction; undefined if nothing was fetched. */
export function utilization(usage: Usage | null | undefined, blockBytes: number): number | undefined {
  return usage && usage.fetched > 0 ? usage.used / (usage.fetched * blockBytes) : undefined;
}
