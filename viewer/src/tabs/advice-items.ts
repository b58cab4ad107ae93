// SPDX-License-Identifier: MIT
// All advice of a profile in one list: reuses that are too far apart, poor spatial reuse, false sharing.
import type { Reuse, SpatialRanking, SpatialRow } from '../data/sections';
import { misses, type Value } from '../model/tally';
import * as format from '../ui/format';
import { type FalseSharingRow, sharerCount } from './sharing-false';

export type Kind = 'reuse' | 'spatial' | 'sharing';

export interface Link {
  text: string;
  file?: number;
  line?: number;
  object?: string;
}

export interface Item {
  kind: Kind;
  /** What may help, in a word or two. */
  word: string;
  title: string;
  text: string;
  /** Misses that it may avoid in the chosen cache; of spatial advice and false sharing, in that of the run. */
  weight: Value;
  evidence: { label: string; value: string }[];
  links: Link[];
  /** Other places to which the same applies. */
  others: string[];
  /** The rows that it is about, as in `weightsOf`. */
  rows: string[];
}

export interface Level {
  name: string;
  blocks: number;
  /** All misses of the run at this size. */
  misses: number;
}

const about = (value: Value) => (value.exact ? '' : '≈') + format.short(value.value);
const isAdvice = (word: string, text: string) => text !== '' && word !== '' && word !== 'none';

// Rows of two profiles that correspond have the same key.
const keyOf = (kind: Kind, match: number) => `${kind}${match}`;

function ofReuse(row: Reuse, of: Sources, levels: Level[], chosen: number): Item {
  const known = (value: Value): Value => (of.estimated ? { ...value, exact: false } : value);
  const at = levels.map((level) => known(misses(row.tally, of.edges, level.blocks)));
  const same = row.from === row.to;
  return {
    kind: 'reuse',
    word: row.advice,
    title: `${row.data || 'data'}: ${same ? row.to : `${row.from} → ${row.to}`}`,
    text: row.text,
    weight: at[chosen] ?? known({ value: row.tally.accesses, exact: true }),
    evidence: [
      ...levels.map((level, i) => ({ label: `misses in ${level.name}`, value: `${about(at[i]!)} (${format.share(at[i]!.value, level.misses)})` })),
      { label: 'reuses', value: about(known({ value: row.tally.accesses, exact: true })) },
      { label: 'mean distance', value: about(known({ value: row.tally.sum / (row.tally.accesses || 1), exact: true })) },
      ...(row.evidence ? [{ label: 'evidence', value: row.evidence }] : []),
      ...(row.saves ? [{ label: 'would save, in the caches of the run', value: row.saves }] : []),
    ],
    links: [
      { text: same ? row.to : `last used: ${row.from}`, file: row.from_file, line: row.from_line },
      ...(same ? [] : [{ text: `used again: ${row.to}`, file: row.to_file, line: row.to_line }]),
      ...(row.data ? [{ text: row.data, object: row.data }] : []),
    ],
    others: [],
    rows: [keyOf('reuse', row.match)],
  };
}

const scoreText = (reuses: number, effective: number) => (reuses ? ((2 * effective) / reuses).toFixed(2) : '–');

function ofSpatial(row: SpatialRow, ranking: SpatialRanking, usageBlock: number): Item {
  const ranged = !Number.isNaN(row.low) && row.low !== row.high;
  return {
    kind: 'spatial',
    word: row.advice,
    title: `${row.object} at ${row.name}`,
    text: row.text,
    weight: { value: row.saved, exact: !ranged },
    evidence: [
      { label: `misses saved at most${ranked(ranking)}${ranking.cache ? ' of the run' : ''}`, value: (ranged ? '≈' : '') + format.short(row.saved) },
      { label: `of all poor reuses${ranked(ranking)}`, value: (ranged ? '≈' : '') + format.share(row.share, 1) },
      ...(ranged ? [{ label: 'poor reuses, range', value: `${format.short(row.low)} to ${format.short(row.high)}` }] : []),
      { label: 'score of long reuses', value: scoreText(row.far_reuses, row.far_effective) },
      ...(row.fetched && usageBlock ? [{ label: `of ${usageBlock} bytes used`, value: format.fraction(row.used / row.fetched) }] : []),
    ],
    links: [
      { text: row.name, file: row.file, line: row.line },
      { text: row.object, object: row.object },
    ],
    others: [],
    rows: [keyOf('spatial', row.match)],
  };
}

const ranked = (ranking: SpatialRanking) => (ranking.cache ? ` in ${ranking.cache}` : '');

function ofSharing(row: FalseSharingRow): Item {
  return {
    kind: 'sharing',
    word: 'separate',
    title: `${row.missed} at ${row.missed_at}`,
    text: row.text,
    weight: { value: row.misses, exact: true },
    evidence: [
      { label: 'misses by false sharing', value: format.short(row.misses) },
      { label: 'by true sharing', value: format.short(row.true_sharing) },
      { label: 'sharers', value: String(sharerCount(row.sharers)) },
    ],
    links: [
      { text: `missed: ${row.missed_at}`, file: row.missed_file, line: row.missed_line },
      { text: `written: ${row.written_at}`, file: row.written_file, line: row.written_line },
      { text: row.missed, object: row.missed },
      ...(row.written !== row.missed ? [{ text: row.written, object: row.written }] : []),
    ],
    others: [],
    rows: [keyOf('sharing', row.match)],
  };
}

// The same word about the same data, or the same text, is said once: of the worst one.
function join(items: Item[], key: (item: Item) => string): Item[] {
  const known = new Map<string, Item>();
  for (const item of items.sort((a, b) => b.weight.value - a.weight.value)) {
    const first = known.get(key(item));
    if (first) first.rows.push(...item.rows);
    if (!first) known.set(key(item), item);
    else if (first.title !== item.title && !first.others.includes(item.title)) first.others.push(item.title);
  }
  return [...known.values()];
}

export interface Sources {
  reuses: Reuse[];
  edges: Float64Array;
  rankings: SpatialRanking[];
  usageBlock: number;
  falseSharing: FalseSharingRow[];
  /** Counts are those of a sample. */
  estimated: boolean;
}

/** Worst first. */
export function itemsOf(of: Sources, levels: Level[], chosen: number): Item[] {
  const reuses = of.reuses.filter((row) => isAdvice(row.advice, row.text)).map((row) => ofReuse(row, of, levels, chosen));
  // The same accesses are in several rankings; loops say most, then lines.
  const order = ['loop', 'line', 'line in context'];
  const rankings = of.rankings.slice().sort((a, b) => order.indexOf(a.by) - order.indexOf(b.by));
  const spatial = rankings
    .filter((ranking) => ranking.by !== 'line in context' || rankings.length === 1)
    .flatMap((ranking) => ranking.rows.toArray().filter((row) => isAdvice(row.advice, row.text) && !row.weak).map((row) => ofSpatial(row, ranking, of.usageBlock)));
  return [
    ...join(reuses, (item) => item.text),
    ...join(spatial, (item) => `${item.word}|${item.links[1]!.object!.replace(/[[.].*$/, '')}`),
    ...join(of.falseSharing.filter((row) => row.text).map(ofSharing), (item) => item.text),
  ].sort((a, b) => b.weight.value - a.weight.value);
}

/** What each row weighs, with advice or without: of several with one key, the heaviest. */
export function weightsOf(of: Sources, levels: Level[], chosen: number): Map<string, Value> {
  const weights = new Map<string, Value>();
  const add = (kind: Kind, match: number, value: Value) => {
    const known = weights.get(keyOf(kind, match));
    if (match >= 0 && (!known || known.value < value.value)) weights.set(keyOf(kind, match), value);
  };
  const blocks = levels[chosen]?.blocks ?? 0;
  for (const row of of.reuses) {
    const value = blocks > 0 ? misses(row.tally, of.edges, blocks) : { value: row.tally.accesses, exact: true };
    add('reuse', row.match, { ...value, exact: value.exact && !of.estimated });
  }
  for (const ranking of of.rankings) for (const row of ranking.rows) add('spatial', row.match, { value: row.saved, exact: !of.estimated });
  for (const row of of.falseSharing) add('sharing', row.match, { value: row.misses, exact: true });
  return weights;
}
