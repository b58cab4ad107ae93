// SPDX-License-Identifier: MIT
// Phases of a profile with its windows, and what they count in a cache of any size.
import type { Rows } from '../data/columns';
import { lanesWith, section } from '../data/index';
import type { IndexPair, Windows } from '../data/sections';
import type { Value } from '../model/tally';
import { type Profile, aligned as loadProfile } from '../profile';
import * as format from '../ui/format';

export interface Phase {
  phase: number;
  stretches: number;
  windows: number;
  accesses: number;
  cold: number;
  distinct: number;
  best_size: number;
  best_ratio: number;
  least_ratio: number;
  /** The sum of its windows. */
  bins: Float64Array;
}

export interface Stretch {
  phase: number;
  /** The first and the last window here; `windows` are those of the run. */
  window: number;
  last: number;
  windows: number;
  first: number;
  time: number;
  accesses: number;
  cold: number;
}

/** The sum of the stretches that are not listed. */
export interface StretchRest {
  rows: number;
  windows: number;
  accesses: number;
  cold: number;
}

interface PhasesSection {
  tolerance: number;
  joined: number;
  phase_of: Float64Array;
  list: Rows<Phase>;
  stretches: Rows<Stretch>;
  rest: StretchRest | null;
}

export interface Page {
  profile: Profile;
  windows: Windows;
  rows: { first: number; time: number; accesses: number; cold: number; distinct: number; bins: Float64Array }[];
  phases: Phase[];
  /** The colour of each phase: phases of two profiles that correspond have the same. */
  colors: number[];
  stretches: Stretch[];
  tolerance: number;
  /** Where windows begin, and the end of the last one: accesses, or seconds. */
  starts: Float64Array;
  /** Index of the phase of each window. */
  phaseOf: Int32Array;
  inTime: boolean;
  /** How many windows of the run are one here. */
  joined: number;
  rest: StretchRest | null;
}

function startsOf(windows: Windows, rows: Page['rows']): Float64Array {
  const starts = new Float64Array(rows.length + 1);
  rows.forEach((row, i) => (starts[i] = windows.duration > 0 ? row.time / 1e9 : row.first));
  const last = rows[rows.length - 1]!;
  starts[rows.length] = windows.duration > 0 ? (last.time + windows.duration) / 1e9 : last.first + last.accesses;
  return starts;
}

// Of the second profile, phases without a counterpart have colours that the first one, with `taken` phases,
// does not use.
function colorsOf(count: number, side: number, taken: number, pairs: IndexPair[]): number[] {
  let next = taken;
  const known = new Map(pairs.map((pair) => [pair.after, pair.before]));
  return Array.from({ length: count }, (_, i) => (side ? (known.get(i) ?? next++) : i));
}

/** The windows and phases of a profile; undefined if it has none. */
export async function load(side: number): Promise<Page | undefined> {
  const lane = lanesWith('windows', side)[0] ?? 0;
  const [profile, windows, phases, first, pairs] = await Promise.all([
    loadProfile(side),
    section('windows', { profile: side, lane }),
    section('phases', { profile: side }) as Promise<PhasesSection | undefined>,
    section('phases') as Promise<PhasesSection | undefined>,
    section('pairs'),
  ]);
  if (!profile || !windows || windows.rows.length === 0) return undefined;
  const rows = windows.rows.toArray();
  const list = phases?.list.toArray() ?? [];
  const stretches = phases?.stretches.toArray() ?? [];
  const phaseOf = Int32Array.from(phases?.phase_of ?? new Float64Array(rows.length));
  return { profile, windows, rows, phases: list, colors: colorsOf(list.length, side, first?.list.length ?? 0, pairs?.phases.toArray() ?? []), stretches, tolerance: phases?.tolerance ?? 0.01, starts: startsOf(windows, rows), phaseOf, inTime: windows.duration > 0, joined: phases?.joined ?? 1, rest: phases?.rest ?? null };
}

/** Misses of a window in a cache of `blocks`, whose content is kept: exact at powers of two. */
export function windowMisses(window: { cold: number; bins: Float64Array }, blocks: number): Value {
  const { bins } = window;
  const power = Math.log2(Math.max(1, blocks));
  const bin = Math.floor(power) + 1; // the bin that contains `blocks`
  let sum = window.cold;
  for (let i = bin + 1; i < bins.length; i++) sum += bins[i]!;
  const low = 2 ** (bin - 1);
  const inBin = bins[bin] ?? 0;
  if (blocks <= 0) return { value: sum + inBin + (bins[0] ?? 0), exact: bin <= 1 };
  const exact = Number.isInteger(power) || inBin === 0;
  return { value: sum + (inBin * (2 * low - blocks)) / low, exact };
}

export interface RangeCount {
  accesses: number;
  cold: number;
  misses: Value;
}

export function countRange(page: Page, first: number, last: number, blocks: number): RangeCount {
  const sum = { accesses: 0, cold: 0, misses: { value: 0, exact: true } };
  for (let i = first; i <= last; i++) {
    const window = page.rows[i]!;
    const misses = windowMisses(window, blocks);
    sum.accesses += window.accesses;
    sum.cold += window.cold;
    sum.misses.value += misses.value;
    sum.misses.exact &&= misses.exact;
  }
  return sum;
}

export const ratioText = (count: RangeCount) => `${count.misses.exact ? '' : '≈'}${format.percent(count.misses.value, count.accesses)}`;

export function place(page: Page, window: number): string {
  return page.inTime ? `${format.fraction(page.starts[window]!)} s` : format.short(page.starts[window]!);
}

export function sizeName(page: Page, blocks: number): string {
  const { view } = page.profile;
  if (!blocks) return 'none';
  const text = `${format.count(blocks)} ${view.unit || 'block'}${blocks === 1 ? '' : 's'}`;
  return view.block_bytes > 0 ? `${text} (${format.bytes(blocks * view.block_bytes)})` : text;
}

/** The misses of a phase in a cache, with the data that it brings in. */
export function phaseMisses(phase: Phase, blocks: number): RangeCount {
  return { accesses: phase.accesses, cold: phase.cold, misses: windowMisses(phase, blocks) };
}

/** Consecutive windows of one phase. */
export function runsOf(page: Page): { first: number; count: number; phase: number }[] {
  const out: { first: number; count: number; phase: number }[] = [];
  page.phaseOf.forEach((phase, i) => {
    const last = out[out.length - 1];
    if (last?.phase === phase) last.count++;
    else out.push({ first: i, count: 1, phase });
  });
  return out;
}
