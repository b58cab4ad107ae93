// SPDX-License-Identifier: MIT
// The breakdowns of `deja diff`: objects, functions, loops, lines, contexts and threads, before and after.
import { useMemo } from 'preact/hooks';
import { has } from '../data/index';
import type { DiffRest, DiffRow, DiffTallies, Place, Places } from '../data/sections';
import { byMatch } from '../model/match';
import { keysOf } from '../model/source';
import { misses, type Value } from '../model/tally';
import { open, setParams, type State } from '../state';
import * as format from '../ui/format';
import { useSection } from '../ui/section';
import { type Column, type Remainder, type RestCell, Table } from '../ui/table';
import { Panel, Segments, Toolbar } from '../ui/tabs';
import type { ComparePage } from './compare';
import { Change, type Values } from './compare-values';

type By = 'objects' | 'functions' | 'loops' | 'lines' | 'contexts' | 'threads';
const NAMES: Record<string, string> = { objects: 'Data', functions: 'Functions', loops: 'Loops', lines: 'Lines', contexts: 'Contexts', threads: 'Threads' };

interface Counts extends Values {
  /** Whether both counts are exact; otherwise one is interpolated, or an estimate. */
  exact: boolean;
}

/** A row with the rows of the profiles that it stands for. */
interface Row extends DiffRow {
  places: [Place[], Place[]];
}

/** What rows are compared by: accesses, or misses in a cache as dragged. */
interface Measure {
  id: number;
  name: string;
  /** 0: accesses. */
  blocks: number;
  /** Index of the cache in the rows of C, if it has this size there; -1: the counts follow from the tallies. */
  known: number;
}

function measuresOf(page: ComparePage, state: State): Measure[] {
  const { view } = page.sides[0];
  const known = page.diff.caches.toArray();
  const caches = state.sizes.map((blocks, id) => ({ id, name: `${view.caches.at(id).name} misses`, blocks, known: known.findIndex((cache) => cache.blocks === blocks) }));
  return [{ id: -1, name: 'accesses', blocks: 0, known: -1 }, ...caches];
}

// Adds up what one side of a row has in a cache of any size.
function missesOf(page: ComparePage, side: 0 | 1, row: DiffTallies, places: Place[], blocks: number): Value {
  const { edges } = page.sides[side].view;
  const own = side ? row.tally_after : row.tally_before;
  const sum: Value = { value: 0, exact: !page.estimated };
  for (const tally of own ? [own] : places.map((place) => place.tally)) {
    const part = misses(tally, edges, blocks);
    sum.value += part.value;
    sum.exact &&= part.exact;
  }
  return sum;
}

function countsOf(page: ComparePage, row: Row | (DiffRest & { places?: undefined }), measure: Measure): Counts {
  if (measure.id < 0) return { before: row.accesses_before, after: row.accesses_after, error: 0, exact: !page.estimated };
  if (measure.known >= 0) return { ...row.misses.at(measure.known), exact: !page.estimated };
  const [before, after] = ([0, 1] as const).map((side) => missesOf(page, side, row, row.places?.[side] ?? [], measure.blocks)) as [Value, Value];
  return { before: before.value, after: after.value, error: 0, exact: before.exact && after.exact };
}

const status = (row: DiffRow) => (row.was ? `was ${row.was}` : row.in_before && row.in_after ? '' : row.in_after ? 'new' : 'removed');

// Opens the row in the profile that has it.
function openRow(by: By, row: Row, lists: [Places | undefined, Places | undefined]): void {
  const side = row.places[0].length ? 0 : 1;
  const place = row.places[side][0];
  if (!place) return;
  const rows = lists[side]!.rows.toArray();
  open(by === 'objects' ? 'data' : 'code', { sub: by, row: keysOf(rows)[rows.indexOf(place)]!, source: '', side: side ? '1' : '' });
}

function Name(props: { row: Row; onOpen: () => void }) {
  const { row } = props;
  const note = status(row);
  return (
    <>
      {row.places[0].length || row.places[1].length ? (
        <button type="button" class="link" onClick={(e) => (e.stopPropagation(), props.onOpen())}>
          {row.name}
        </button>
      ) : (
        row.name
      )}{' '}
      {note && <span class="tag">{note}</span>}
    </>
  );
}

function columnsOf(page: ComparePage, by: By, measure: Measure, rows: Row[], onOpen: (row: Row) => void): Column<Row>[] {
  const scaled = page.work[0] !== 1 || page.work[1] !== 1;
  const counts = new Map(rows.map((row) => [row, countsOf(page, row, measure)]));
  const of = (row: Row) => counts.get(row)!;
  const value = (row: Row, side: 0 | 1) => of(row)[side === 0 ? 'before' : 'after'] / page.work[side];
  const change = (row: Row) => value(row, 1) - value(row, 0);
  const number = scaled ? format.fraction : format.short;
  const exactly = scaled ? String : format.count;
  const most = rows.reduce((max, row) => Math.max(max, Math.abs(change(row))), 1e-12);
  const highest = rows.reduce((max, row) => Math.max(max, value(row, 0), value(row, 1)), 1e-12);
  const mark = (row: Row) => (of(row).exact ? '' : '≈');
  const uncertain = (row: Row) => Math.abs(change(row)) <= of(row).error;
  const side = (key: string, title: string, at: 0 | 1): Column<Row> => ({ key, title, kind: 'bar', value: (r) => value(r, at), share: (r) => value(r, at) / highest, format: (r) => mark(r) + number(value(r, at)), tip: (r) => mark(r) + exactly(value(r, at)), width: '8em' });
  const columns: Column<Row>[] = [
    { key: 'name', title: NAMES[by]!, kind: 'text', value: (r) => r.name, cell: (r) => <Name row={r} onOpen={() => onOpen(r)} />, tip: (r) => [r.name, status(r)].filter(Boolean).join(' '), width: 'minmax(16em, 2fr)' },
    side('before', 'Before', 0),
    side('after', 'After', 1),
    { key: 'difference', title: 'Difference', kind: 'number', value: (r) => Math.abs(change(r)), csv: change, format: (r) => mark(r) + format.difference(change(r), number), tip: (r) => mark(r) + format.difference(change(r), exactly), width: '8em', help: 'Sorted by the size of the difference' },
    { key: 'change', title: 'Change', kind: 'text', value: (r) => change(r), csv: (r) => (value(r, 0) ? change(r) / value(r, 0) : ''), cell: (r) => <Change change={change(r)} before={value(r, 0)} most={most} uncertain={page.estimated && uncertain(r)} />, width: '15em', help: 'Sorted by the difference, with its sign' },
  ];
  if (page.estimated && (measure.id < 0 || measure.known >= 0)) columns.push({ key: 'error', title: '±', kind: 'number', value: (r) => of(r).error, format: (r) => (of(r).error > 0 ? number(of(r).error) : '') });
  return columns;
}

function restOf(page: ComparePage, rest: DiffRest | null | undefined, measure: Measure): Remainder | null {
  if (!rest || rest.rows === 0) return null;
  const counts = countsOf(page, rest, measure);
  const [before, after] = [counts.before / page.work[0], counts.after / page.work[1]];
  const number = page.work[0] === 1 && page.work[1] === 1 ? format.full : format.fraction;
  const mark = counts.exact ? '' : '≈';
  const cell = (value: number): RestCell => ({ value, text: mark + number(value) });
  return { name: `${format.count(rest.rows)} more rows`, before: cell(before), after: cell(after), difference: { value: after - before, text: mark + format.difference(after - before, number) } };
}

/** The cache by which `deja diff` ranks its rows, or the first one. */
function firstMeasure(page: ComparePage): number {
  const { caches, ranked } = page.diff;
  if (ranked === -2 || !page.sides[0].view.caches.length) return -1;
  const name = ranked !== undefined && ranked >= 0 && ranked < caches.length ? caches.at(ranked).name : '';
  return Math.max(0, page.sides[0].view.caches.toArray().findIndex((cache) => cache.name === name));
}

export function Breakdowns(props: { page: ComparePage; state: State }) {
  const { page, state } = props;
  const { diff } = page;
  const lists = useMemo(() => diff.breakdowns.toArray().filter((one) => one.rows.length > 0), [diff]);
  const list = lists.find((one) => one.by === state.params.by) ?? lists[0];
  const by = (list?.by ?? 'lines') as By;
  const before = useSection(by, { profile: 0 });
  const after = useSection(by, { profile: 1 });
  const loaded = (!has(by) || before) && (!has(by, { profile: 1 }) || after);
  const measures = measuresOf(page, state);
  const wanted = state.params.measure === undefined || state.params.measure === '' ? firstMeasure(page) : Number(state.params.measure);
  const measure = measures.find((one) => one.id === wanted) ?? measures.find((one) => one.id === firstMeasure(page)) ?? measures[0]!;
  const rows = useMemo((): Row[] => {
    if (!list || !loaded) return [];
    const known = [byMatch(before?.rows ?? []), byMatch(after?.rows ?? [])];
    return list.rows.map((row) => ({ ...row, places: [known[0]!.get(row.match) ?? [], known[1]!.get(row.match) ?? []] }));
  }, [list, loaded, before, after]);
  const onOpen = (row: Row) => openRow(by, row, [before, after]);
  const columns = useMemo(() => columnsOf(page, by, measure, rows, onOpen), [page, by, measure.id, measure.blocks, rows]);
  if (!list || !loaded) return null;
  const at = rows.findIndex((row) => row.name === state.params.diff);
  const { view } = page.sides[0];
  const size = measure.blocks > 0 ? ` at ${format.cacheSize(measure.blocks, view.block_bytes, view.unit)}` : '';
  return (
    <Panel title="Code and data" note={`${measure.name}${size}, the largest change first`}>
      <Toolbar>
        <Segments label="Breakdown" choices={lists.map((one) => ({ id: one.by, label: NAMES[one.by] ?? one.by }))} chosen={list.by} onChoose={(to) => setParams({ by: to, diff: '' })} />
        <Segments
          label="Count"
          choices={measures.map((one) => ({ id: String(one.id), label: one.name, ...(one.blocks ? { help: format.cacheSize(one.blocks, view.block_bytes, view.unit) } : {}) }))}
          chosen={String(measure.id)}
          onChoose={(id) => setParams({ measure: id })}
        />
      </Toolbar>
      <Table
        key={`${by}${measure.id}`}
        name={`diff-${by}`}
        label={`${NAMES[by] ?? by}: ${measure.name} before and after`}
        rows={rows}
        columns={columns}
        sort="difference"
        height={18}
        selected={at}
        onSelect={(row, _, walking) => setParams({ diff: row.name }, walking)}
        onOpen={onOpen}
        rest={restOf(page, list.rest, measure)}
        searchText={(row) => `${row.name} ${row.was} ${row.function}`}
      />
      <p class="legend-text">
        Rows are matched as by <code>deja diff</code>; those without a counterpart are new or removed. Misses follow the caches as dragged; ≈ marks sizes within
        a bin{page.estimated && ', and estimates'}.{page.estimated && measure.known < 0 && measure.id >= 0 && ' At this size, the error of a difference is not known.'}
      </p>
    </Panel>
  );
}
