// SPDX-License-Identifier: MIT
// Sharers before and after: misses in each cache as dragged, and what the others change.
import { useMemo } from 'preact/hooks';
import type { Value } from '../model/tally';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import { percentColumn, sideColumns, type Sides } from './compare-values';
import type { SharingPage } from './sharing';
import { curveOf, type Distances, inCache, predictedMisses, type Sharer } from './sharing-model';

interface Row extends Sides {
  order: number;
  what: string;
  where: string;
}

/** The sharers of each side that a row adds up. */
export interface SharersOf {
  before: Sharer[];
  after: Sharer[];
}

const COUNTS: [string, (s: Sharer) => number][] = [
  ['accesses', (s) => s.standalone.accesses],
  ['distinct blocks, each for itself', (s) => s.blocks],
  ['of these, shared with others', (s) => s.shared],
  ['broken reuses', (s) => s.broken],
  ['misses by true sharing', (s) => s.true_sharing],
  ['misses by false sharing', (s) => s.false_sharing],
];

function sum(sharers: Sharer[], value: (s: Sharer) => Value | undefined): Value | undefined {
  const all: Value = { value: 0, exact: true };
  for (const sharer of sharers) {
    const part = value(sharer);
    if (!part) return undefined;
    all.value += part.value;
    all.exact &&= part.exact;
  }
  return sharers.length ? all : undefined;
}

const missesOf = (of: Distances | undefined, blocks: number): Value | undefined => of && of.accesses > 0 ? { value: curveOf(of).misses(blocks), exact: !of.binned } : undefined;

function rowsOf(page: SharingPage, other: SharingPage, who: SharersOf): Row[] {
  const rows: Row[] = [];
  const add = (what: string, where: string, value: (s: Sharer, all: number) => Value | undefined) => {
    const [mine, theirs] = page.side ? [who.after, who.before] : [who.before, who.after];
    const here = sum(mine, (s) => value(s, page.sharerCount));
    const there = sum(theirs, (s) => value(s, other.sharerCount));
    if (here || there) rows.push({ order: rows.length, what, where, before: page.side ? there : here, after: page.side ? here : there });
  };
  for (const [what, count] of COUNTS) add(what, '', (s) => ({ value: count(s), exact: true }));
  const models = new Set([...who.before, ...who.after].flatMap((s) => s.predicted.map((p) => p.model)));
  for (const level of page.levels) {
    const where = `${level.name} ${format.cacheSize(level.blocks, page.inBytes ? page.blockBytes : 0, page.unit)}`;
    add('misses alone', where, (s) => missesOf(s.standalone, level.blocks));
    add('misses in one cache for all', where, (s) => missesOf(s.concurrent, level.blocks));
    add('misses in private caches', where, (s, all) => missesOf(inCache(s, 1, all), level.blocks));
    for (const model of models)
      add(`predicted (${model})`, where, (s) => {
        const of = s.predicted.toArray().find((p) => p.model === model);
        return of && { value: predictedMisses(of, level.blocks), exact: false };
      });
  }
  return rows;
}

function columnsOf(rows: Row[]): Column<Row>[] {
  return [
    { key: 'where', title: 'Cache', kind: 'text', value: (r) => r.order, csv: (r) => r.where, format: (r) => r.where, ascending: true, width: '11em' },
    { key: 'what', title: 'Count', kind: 'text', value: (r) => r.what, width: 'minmax(14em, 1fr)' },
    ...sideColumns<Row>((r) => r, format.count, { width: '10em' }),
    percentColumn<Row>(rows, (r) => r),
  ];
}

export function SharingChanges(props: { page: SharingPage; other: SharingPage; who: SharersOf; name: string }) {
  const { page, other, who } = props;
  const key = page.levels.map((level) => level.blocks).join();
  const rows = useMemo(() => rowsOf(page, other, who), [page.sharing, other.sharing, who, key]);
  const columns = useMemo(() => columnsOf(rows), [rows]);
  return (
    <Panel title="Before and after" note={props.name}>
      <Table name="sharing-changes" label="Sharing before and after" rows={rows} columns={columns} sort="where" ascending height={18} />
      <p class="legend-text">
        All caches as dragged. Private: each sharer has a cache of its own, and a write by another one removes the block from it. Threads correspond by their
        number, programs by their name. Each run has its own order of the accesses, which alone changes these numbers a little.
      </p>
    </Panel>
  );
}
