// SPDX-License-Identifier: MIT
// What the parts of the Spatial tab have in common: the section, the chosen pair, the caches as dragged.
import type { ComponentChildren } from 'preact';
import { has, lanesWith, section } from '../data/index';
import type { Component, SpatialRanking } from '../data/sections';
import { Curve } from '../model/curve';
import type { Value } from '../model/tally';
import { type Profile, aligned as loadProfile } from '../profile';
import { open, type State } from '../state';
import * as format from '../ui/format';
import { usePromise } from '../ui/section';
import { mapOf, type Pair, rowsOf, type Spatial } from './spatial-model';

/** A component with what newer files say about it. */
export type ComponentRow = Component & {
  intercepted?: number;
  size_low?: number;
  size_high?: number;
  score_low?: number;
  score_high?: number;
};

export interface Explained {
  pair: number;
  text: string;
  score_low?: number;
  score_high?: number;
  far_low?: number;
  far_high?: number;
}

export interface SpatialPage {
  side: number;
  profile: Profile;
  spatial: Spatial;
  pairs: Pair[];
  /** Index of the chosen pair. */
  at: number;
  pair: Pair;
  limits: { size: number; near: number; good: number };
  components: ComponentRow[];
  explained: Explained[];
  rankings: SpatialRanking[];
  /** Exact curves by block size. */
  curves: Map<number, Curve>;
  binned: boolean;
  /** The caches as dragged, in bytes, or in units without a size. */
  levels: { name: string; bytes: number; chosen: boolean }[];
  inBytes: boolean;
  unit: string;
}

const LIMITS = { size: 0.05, near: 256, good: 0.97 };

interface Loaded {
  profile: Profile;
  spatial: Spatial;
  components: { rows?: Iterable<ComponentRow>; explain?: Iterable<Explained>; size?: number; near_blocks?: number; good?: number } | undefined;
  rankings: SpatialRanking[];
  curves: Map<number, Curve>;
  binned: boolean;
}

async function load(side: number): Promise<Loaded | undefined> {
  const where = { profile: side };
  const [profile, spatial, components, rows] = await Promise.all([
    loadProfile(side),
    section('spatial', where) as Promise<Spatial | undefined>,
    section('components', where) as Promise<Loaded['components']>,
    section('spatial_rows', where),
  ]);
  if (!profile || !spatial || spatial.pairs.length === 0) return undefined;
  const curves = new Map<number, Curve>();
  let binned = false;
  for (const lane of lanesWith('lane', side)) {
    const [row, bins] = await Promise.all([section('lane', { profile: side, lane }), section('histogram', { profile: side, lane })]);
    if (!row || !bins?.histogram) continue;
    curves.set(row.block_bytes, new Curve(bins.histogram, row.cold, row.accesses));
    binned ||= bins.binned;
  }
  return { profile, spatial, components, rankings: rows?.rankings.toArray() ?? [], curves, binned };
}

/** Which profile a tab shows; the second one of a comparison only if it has the section. */
export function sideOf(state: State, name: Parameters<typeof has>[0]): number {
  return state.params.side === '1' && has(name, { profile: 1 }) ? 1 : 0;
}

export function useSpatialPage(state: State): SpatialPage | undefined {
  const side = sideOf(state, 'spatial');
  const loaded = usePromise(() => load(side), [side]);
  if (!loaded) return undefined;
  const { profile, spatial, components, rankings } = loaded;
  const pairs = spatial.pairs.toArray();
  const wanted = Number(state.params.pair ?? 0) || rankings[0]?.pair || 32;
  const at = Math.max(0, pairs.findIndex((pair) => pair.block === wanted));
  const unit = profile.view.block_bytes || profile.whole?.lane.block_bytes || pairs[0]!.block;
  return {
    ...loaded,
    side,
    pairs,
    at,
    pair: pairs[at]!,
    limits: { size: components?.size ?? LIMITS.size, near: components?.near_blocks ?? LIMITS.near, good: components?.good ?? LIMITS.good },
    components: [...(components?.rows ?? [])],
    explained: [...(components?.explain ?? [])],
    rankings,
    levels: state.sizes.map((size, i) => ({ name: profile.view.caches.at(i).name, bytes: size * unit, chosen: i === state.cache })),
    inBytes: profile.view.block_bytes > 0,
    unit: profile.view.unit || 'block',
  };
}

/** "32 → 64 B" */
export function pairName(page: { inBytes: boolean; unit: string }, block: number): string {
  if (!page.inBytes) return `${format.size(block)} → ${format.size(2 * block)} ${page.unit}s`;
  return block < 512 ? `${block} → ${2 * block} B` : `${format.bytes(block)} → ${format.bytes(2 * block)}`;
}

/** What a doubling means for lines of 64 bytes. */
export function role(page: SpatialPage, block: number): string {
  if (!page.inBytes) return '';
  return block === 32 ? 'within a line' : block === 64 ? 'adjacent lines' : '';
}

export const score2 = (value: number) => value.toFixed(2);

/** A number with ≈ unless it is exact. */
export function about(value: Value, text: (value: number) => string): string {
  return (value.exact ? '' : '≈') + text(value.value);
}

const signed = (value: number, text: (value: number) => string) => (value < 0 ? `−${text(-value)}` : text(value));

/** "0.12–0.31", "−4k to 9k"; '' without a range. */
export function rangeText(low: number | undefined, high: number | undefined, text: (value: number) => string): string {
  return low === undefined || high === undefined || Number.isNaN(low) || Number.isNaN(high) ? '' : `${signed(low, text)}${low < 0 ? ' to ' : '–'}${signed(high, text)}`;
}

/** Rows of the map of each pair, kept. */
const kept = new WeakMap<Pair, { map: number[][]; rows: ReturnType<typeof rowsOf> }>();
export function readPair(pair: Pair) {
  let read = kept.get(pair);
  if (!read) {
    const map = mapOf(pair);
    kept.set(pair, (read = { map, rows: rowsOf(map) }));
  }
  return read;
}

/** A name that leads to its source line; plain text if that is unknown. */
export function SourceLink(props: { file: number; line: number; children: ComponentChildren }) {
  if (!(props.file >= 0 && props.line > 0)) return <span>{props.children}</span>;
  const go = (e: Event) => {
    e.stopPropagation();
    open('code', { sub: 'lines', source: `${props.file}:${props.line}` });
  };
  return (
    <button type="button" class="link" onClick={go}>
      {props.children}
    </button>
  );
}

/** The object of "grid[*].x": grid. */
export const objectOf = (data: string) => data.replace(/(\[|\.).*$/, '') || data;

/** A data object that leads to its row in the Data tab. */
export function DataLink(props: { name: string; children?: ComponentChildren }) {
  if (!props.name || !has('objects')) return <span>{props.children ?? props.name}</span>;
  const go = (e: Event) => {
    e.stopPropagation();
    open('data', { sub: 'objects', row: objectOf(props.name) });
  };
  return (
    <button type="button" class="link" onClick={go}>
      {props.children ?? props.name}
    </button>
  );
}
