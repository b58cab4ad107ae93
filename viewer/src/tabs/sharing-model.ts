// SPDX-License-Identifier: MIT
// Arithmetic on the section `sharing`, as in deja/sharing.h: curves of sharers, and misses by kind.
import type { Histogram, Rows } from '../data/columns';
import { Curve } from '../model/curve';

export interface Distances {
  sharers_per_cache: number;
  accesses: number;
  distinct: number;
  cold: number;
  invalidated: number;
  binned: boolean;
  histogram: Histogram | null;
}

export interface Prediction {
  model: string;
  accuracy: number;
  accuracy_coarse: number;
  cold: number;
  reuses: number;
  histogram: Rows<{ lo: number; hi: number; count: number }>;
  correlation: number;
  broken: number;
}

export interface Sharer {
  name: string;
  thread: number;
  is_thread: boolean;
  speed: number;
  cpu_seconds: number;
  native_cpu_seconds: number;
  kinds_unknown: boolean;
  blocks: number;
  shared: number;
  shared_accesses: number;
  broken: number;
  shortened: number;
  stretched: number;
  found: number;
  true_sharing: number;
  false_sharing: number;
  standalone: Distances;
  concurrent: Distances;
  private: Distances;
  groups: Rows<Distances>;
  predicted: Rows<Prediction>;
}

export interface Spread {
  minimum: number;
  median: number;
  maximum: number;
}

export interface Schedules {
  count: number;
  quantum: number;
  seed: number;
  waits: number;
  forced: number;
  misses: Rows<{ cache: string; all: Spread; sharers: Rows<Spread> }>;
  distance: Spread;
  distances: Rows<Spread>;
}

export interface SharingSection {
  interleaving: string;
  random: boolean;
  word_bytes: number;
  sharers: Rows<Sharer>;
  sharing_classes: Rows<{ sharers: number; blocks: number }>;
  shared_caches: Rows<{ name: string; bytes: number; sharers: number }>;
  schedules: Schedules | null;
}

/** What DJ_SHARED_BY_ALL is in a file. */
export const ALL = 4294967295;

const NONE: Histogram = { values: new Float64Array(), counts: new Float64Array() };
const curves = new WeakMap<Distances, Curve>();

export function curveOf(of: Distances): Curve {
  let curve = curves.get(of);
  if (!curve) curves.set(of, (curve = new Curve(of.histogram ?? NONE, of.cold, of.accesses)));
  return curve;
}

/** The distances of a sharer in caches that so many share. */
export function inCache(sharer: Sharer, width: number, sharers: number): Distances | undefined {
  if (width >= sharers) return sharer.concurrent;
  if (width === 1) return sharer.private;
  return sharer.groups.toArray().find((group) => group.sharers_per_cache === width);
}

/** Expected misses of a prediction: bins that the size is in count as if spread evenly. */
export function predictedMisses(of: Prediction, blocks: number): number {
  let sum = of.cold;
  for (const bin of of.histogram) {
    if (bin.lo >= blocks) sum += bin.count;
    else if (bin.hi >= blocks) sum += (bin.count * (bin.hi + 1 - blocks)) / (bin.hi + 1 - bin.lo);
  }
  return sum;
}

/** From this correlation on, sharers access common blocks in the same order (DJ_SAME_ORDER). */
const SAME_ORDER = 0.8;
const BROKEN_OTHERWISE = 0.2;

export function isPredictable(sharer: Sharer, of: Prediction): boolean {
  const reuses = sharer.standalone.accesses - sharer.standalone.cold;
  return of.correlation < SAME_ORDER && Math.abs(of.broken - sharer.broken) <= BROKEN_OTHERWISE * reuses;
}

/** The misses of a sharer in a cache, by kind. They add up to `all`. */
export interface Kinds {
  all: number;
  alone: number;
  cold: number;
  /** After a write of another cache. */
  coherence: number;
  /** Evicted, as far as the sharer alone evicts too. */
  capacity: number;
  /** The rest: evicted because of what the others access. */
  interference: number;
  /** Whether the histograms have each distance. */
  exact: boolean;
}

export function kindsOf(sharer: Sharer, here: Distances, blocks: number): Kinds {
  const alone = curveOf(sharer.standalone).misses(blocks);
  const all = blocks > 0 ? curveOf(here).misses(blocks) : here.accesses;
  const evicted = all - here.cold;
  const capacity = Math.min(evicted, Math.max(0, alone - sharer.standalone.cold));
  return {
    all,
    alone: blocks > 0 ? alone : sharer.standalone.accesses,
    cold: here.cold - here.invalidated,
    coherence: here.invalidated,
    capacity,
    interference: evicted - capacity,
    exact: !here.binned && !sharer.standalone.binned,
  };
}

/** Blocks that both sharers accessed, from the classes; undefined if they are not known. */
export function commonBlocks(of: SharingSection, a: number, b: number): number | undefined {
  if (of.sharing_classes.length === 0) return undefined;
  const has = (bits: number, i: number) => Math.floor(bits / 2 ** i) % 2 === 1;
  let sum = 0;
  for (const c of of.sharing_classes) if (has(c.sharers, a) && has(c.sharers, b)) sum += c.blocks;
  return sum;
}

/** The numbers of the sharers in a class. */
export function sharersIn(bits: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => i).filter((i) => Math.floor(bits / 2 ** i) % 2 === 1);
}
