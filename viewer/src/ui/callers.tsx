// SPDX-License-Identifier: MIT
// Functions with their callers: a tree whose rows open and close.
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Place, Stall } from '../data/sections';
import { hottest, treeOf, visible, type Tree } from '../model/tree';
import { misses } from '../model/tally';
import { type Column, type Remainder, Table } from './table';
import { duration, part, percent, short } from './format';
import { about, counted, missesIn, missesOf, poorOf, type Scale } from './places';
import { stallRange } from './stall';

/** What trees and flame graphs are weighted by. */
export type Weight = 'accesses' | 'misses' | 'stall' | 'poor';

export function weighted(rows: readonly Place[], scale: Scale, weight: Weight, block: number): Tree {
  if (weight === 'poor') return treeOf(rows, (row) => poorOf(row, block), () => undefined);
  if (weight === 'stall') return treeOf(rows, (row) => row.stall?.estimate ?? 0, (row) => row.inclusive_stall?.estimate);
  if (weight === 'accesses') return treeOf(rows, (row) => row.tally.accesses, (row) => row.inclusive?.accesses);
  const { edges } = scale.view;
  return treeOf(rows, (row) => missesOf(row, scale).value, (row) => (row.inclusive ? misses(row.inclusive, edges, scale.size).value : undefined));
}

/** Whether the weight of a row is exact, with its callees or without. */
export type Exactness = (row: Place, withCallees: boolean) => boolean;

export function exactness(scale: Scale, weight: Weight): Exactness {
  const { view, size } = scale;
  if (weight === 'stall') return (row, withCallees) => !(withCallees ? row.inclusive_stall : row.stall)?.estimate;
  if (weight !== 'misses') return () => !view.estimated;
  return (row, withCallees) => missesIn(withCallees && row.inclusive ? row.inclusive : row.tally, view, size).exact;
}

/** How weights are written, and what more is known of one. */
export interface Weighing {
  format: (value: number) => string;
  /** What CSV contains: seconds. */
  csv: (value: number) => number;
  detail: (row: Place, withCallees: boolean) => string;
}

export function weighing(weight: Weight): Weighing {
  if (weight !== 'stall') return { format: short, csv: (value) => value, detail: () => '' };
  const of = (row: Place, withCallees: boolean): Stall | null | undefined => (withCallees ? row.inclusive_stall : row.stall);
  return { format: duration, csv: (ns) => ns / 1e9, detail: (row, withCallees) => (of(row, withCallees) ? `, ${stallRange(of(row, withCallees)!)}` : '') };
}

/** Whether a node stands for inlined code. */
export const isInlined = (place: Place) => place.context !== undefined;

interface Entry {
  row: number;
  at: number;
  place: Place;
}

function Name(props: { entry: Entry; tree: Tree; open: boolean; onToggle: () => void }) {
  const { entry, tree } = props;
  const more = tree.children[entry.row]!.length > 0;
  return (
    <span class="tree-name" style={{ paddingLeft: `${Math.min(40, tree.depth[entry.row]!) * 12}px` }}>
      <button type="button" class="twisty" tabIndex={-1} aria-label={props.open ? 'Close' : 'Open'} aria-hidden={!more} disabled={!more} onClick={(event) => (event.stopPropagation(), props.onToggle())}>
        {more ? (props.open ? '▾' : '▸') : ''}
      </button>
      <span class="name">{entry.place.name}</span>
      {isInlined(entry.place) && <span class="tag">inlined</span>}
    </span>
  );
}

export function Callers(props: { rows: readonly Place[]; scale: Scale; tree: Tree; exact: Exactness; weighing: Weighing; unit: string; selected: number; onSelect: (row: number, walking: boolean) => void; rest: Remainder | null; children?: ComponentChildren }) {
  const { rows, tree, scale } = props;
  const { format, csv, detail } = props.weighing;
  const [opened, setOpened] = useState<ReadonlySet<number>>(() => hottest(tree));
  const toggle = (row: number, open: boolean) => {
    const next = new Set(opened);
    if (open) next.add(row);
    else next.delete(row);
    setOpened(next);
  };
  const entries = useMemo(() => visible(tree, opened).map((row, at): Entry => ({ row, at, place: rows[row]! })), [tree, opened, rows]);
  const total = tree.roots.reduce((sum, row) => sum + tree.inclusive[row]!, 0);
  const columns = useMemo((): Column<Entry>[] => [
    { key: 'name', title: 'Function', kind: 'text', value: (e) => e.at, csv: (e) => '  '.repeat(tree.depth[e.row]!) + e.place.name + (isInlined(e.place) ? ' (inlined)' : ''), cell: (e) => <Name entry={e} tree={tree} open={opened.has(e.row)} onToggle={() => toggle(e.row, !opened.has(e.row))} />, tip: (e) => e.place.name + (isInlined(e.place) ? ', inlined into the function above' : ''), help: 'Callers, with what they call below them; sorts as a tree', ascending: true },
    { key: 'inclusive', title: 'With callees', kind: 'bar', value: (e) => tree.inclusive[e.row]!, csv: (e) => csv(tree.inclusive[e.row]!), format: (e) => part(about({ value: tree.inclusive[e.row]!, exact: props.exact(e.place, true) }, format), tree.inclusive[e.row]!, total), share: (e) => tree.inclusive[e.row]! / total, tip: (e) => `${percent(tree.inclusive[e.row]!, total)} of ${props.unit}${detail(e.place, true)}` },
    { key: 'exclusive', title: 'Its own', kind: 'bar', value: (e) => tree.exclusive[e.row]!, csv: (e) => csv(tree.exclusive[e.row]!), format: (e) => part(about({ value: tree.exclusive[e.row]!, exact: props.exact(e.place, false) }, format), tree.exclusive[e.row]!, total), share: () => 0, heat: (e) => 0.85 * Math.sqrt(tree.exclusive[e.row]! / (total || 1)), tip: (e) => `${percent(tree.exclusive[e.row]!, total)} of ${props.unit}${detail(e.place, false)}` },
    { key: 'accesses', title: 'Accesses', kind: 'number', value: (e) => e.place.tally.accesses, format: (e) => counted(e.place.tally.accesses, scale.view) },
    { key: 'calls', title: 'Calls', kind: 'number', value: (e) => e.place.calls ?? 0, format: (e) => (e.place.calls ? short(e.place.calls) : '–') },
  ], [tree, opened, scale]);
  return (
    <Table
      name="contexts"
      label="Functions with their callers"
      rows={entries}
      columns={columns}
      sort="name"
      ascending
      selected={entries.findIndex((e) => e.row === props.selected)}
      onSelect={(e, _, walking) => props.onSelect(e.row, walking)}
      onExpand={(e, _, open) => toggle(e.row, open)}
      onOpen={(e) => toggle(e.row, !opened.has(e.row))}
      searchText={(e) => e.place.name}
      rest={props.rest}
      height={24}
    >
      {props.children}
      <button type="button" onClick={() => setOpened(new Set(rows.map((_, i) => i)))}>Open all</button>
      <button type="button" onClick={() => setOpened(new Set())}>Close all</button>
    </Table>
  );
}
