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

interface Expected {
  lo: Float64Array | undefined;
  hi: Float64Array | undefined;
  /** Reuses of this bin and all above. */
  from: Float64Array;
}

const expected = new WeakMap<Prediction, Expected>();

function expectedOf(of: Prediction): Expected {
  let known = expected.get(of);
  if (!known) {
    const counts = of.histogram.numbers('count') ?? new Float64Array();
    const from = new Float64Array(counts.length + 1);
    for (let i = counts.length - 1; i >= 0; i--) from[i] = from[i + 1]! + counts[i]!;
    known = { lo: of.histogram.numbers('lo') as Float64Array, hi: of.histogram.numbers('hi') as Float64Array, from };
    expected.set(of, known);
  }
  return known;
}

/** Expected misses of a prediction: a bin that the size is in counts as if spread evenly. */
export function predictedMisses(of: Prediction, blocks: number): number {
  const { lo, hi, from } = expectedOf(of);
  let low = 0;
  let end = from.length - 1;
  while (low < end) {
    const middle = (low + end) >> 1;
    if (hi![middle]! < blocks) low = middle + 1;
    else end = middle;
  }
  if (low >= from.length - 1) return of.cold;
  const inside = from[low]! - from[low + 1]!;
  const part = lo![low]! >= blocks ? 1 : (hi![low]! + 1 - blocks) / (hi![low]! + 1 - lo![low]!);
  return of.cold + from[low + 1]! + inside * part;
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

/** The sharers of each class of blocks: bit i is sharer i, and there may be 64. */
function setsOf(of: SharingSection): bigint[] {
  let sets = sharerSets.get(of);
  if (!sets) sharerSets.set(of, (sets = of.sharing_classes.map((_, i) => of.sharing_classes.bits('sharers', i))));
  return sets;
}
const sharerSets = new WeakMap<SharingSection, bigint[]>();
const hasBit = (bits: bigint, i: number) => ((bits >> BigInt(i)) & 1n) === 1n;

/** Blocks that both sharers accessed, from the classes; undefined if they are not known. */
export function commonBlocks(of: SharingSection, a: number, b: number): number | undefined {
  if (of.sharing_classes.length === 0) return undefined;
  const blocks = of.sharing_classes.numbers('blocks')!;
  return setsOf(of).reduce((sum, bits, i) => (hasBit(bits, a) && hasBit(bits, b) ? sum + blocks[i]! : sum), 0);
}

/** The numbers of the sharers in each class. */
export function classMembers(of: SharingSection): number[][] {
  return setsOf(of).map((bits) => of.sharers.map((_, i) => i).filter((i) => hasBit(bits, i)));
}
