// SPDX-License-Identifier: MIT
// The breakdowns of `deja diff`: objects, functions, loops, lines, contexts and threads, before and after.
import { useMemo } from 'preact/hooks';
import type { Rows } from '../data/columns';
import { has } from '../data/index';
import type { DiffRow, DiffValue } from '../data/sections';
import { open, setParams, type State } from '../state';
import * as format from '../ui/format';
import { type Column, type Remainder, type RestCell, Table } from '../ui/table';
import { Panel, Segments, Toolbar } from '../ui/tabs';
import type { ComparePage } from './compare';
import { Change, type Values } from './compare-values';

const NAMES: Record<string, string> = { objects: 'Data', functions: 'Functions', loops: 'Loops', lines: 'Lines', contexts: 'Contexts', threads: 'Threads' };

interface RestRow {
  rows: number;
  accesses_before?: number;
  accesses_after?: number;
  misses?: Rows<DiffValue>;
}

const plural = (by: string) => (by.endsWith('s') ? by : `${by}s`);

// The count of a row: accesses (-1), or misses at a cache of both runs.
function valuesOf(row: { accesses_before?: number; accesses_after?: number; misses?: Rows<DiffValue> }, measure: number): Values {
  if (measure < 0) return { before: row.accesses_before ?? 0, after: row.accesses_after ?? 0, error: 0 };
  return row.misses && measure < row.misses.length ? row.misses.at(measure) : { before: 0, after: 0, error: 0 };
}

const status = (row: DiffRow) => (row.was ? `was ${row.was}` : row.in_before && row.in_after ? '' : row.in_after ? 'new' : 'removed');

function openRow(by: string, row: DiffRow): void {
  const sub = plural(by);
  const side = row.in_before ? '' : '1';
  if (sub === 'objects') open('data', { sub, row: row.name, side });
  else open('code', { sub, row: row.name, side });
}

function Name(props: { by: string; row: DiffRow }) {
  const { row } = props;
  const note = status(row);
  const known = has(plural(props.by) as 'lines');
  return (
    <>
      {known ? (
        <button type="button" class="link" onClick={(e) => (e.stopPropagation(), openRow(props.by, row))}>
          {row.name}
        </button>
      ) : (
        row.name
      )}{' '}
      {note && <span class="tag">{note}</span>}
    </>
  );
}

function columnsOf(page: ComparePage, by: string, measure: number, rows: DiffRow[]): Column<DiffRow>[] {
  const scaled = page.work[0] !== 1 || page.work[1] !== 1;
  const value = (row: DiffRow, side: 0 | 1) => valuesOf(row, measure)[side === 0 ? 'before' : 'after'] / page.work[side];
  const change = (row: DiffRow) => value(row, 1) - value(row, 0);
  const number = scaled ? format.fraction : format.short;
  const exactly = scaled ? String : format.count;
  const most = rows.reduce((max, row) => Math.max(max, Math.abs(change(row))), 1e-12);
  const highest = rows.reduce((max, row) => Math.max(max, value(row, 0), value(row, 1)), 1e-12);
  const mark = page.estimated ? '≈' : '';
  const uncertain = (row: DiffRow) => Math.abs(change(row)) <= valuesOf(row, measure).error;
  const side = (key: string, title: string, at: 0 | 1): Column<DiffRow> => ({ key, title, kind: 'bar', value: (r) => value(r, at), share: (r) => value(r, at) / highest, format: (r) => mark + number(value(r, at)), tip: (r) => exactly(value(r, at)), width: '8em' });
  const columns: Column<DiffRow>[] = [
    { key: 'name', title: NAMES[plural(by)] ?? by, kind: 'text', value: (r) => r.name, cell: (r) => <Name by={by} row={r} />, tip: (r) => [r.name, status(r)].filter(Boolean).join(' '), width: 'minmax(16em, 2fr)' },
    side('before', 'Before', 0),
    side('after', 'After', 1),
    { key: 'difference', title: 'Difference', kind: 'number', value: (r) => Math.abs(change(r)), csv: change, format: (r) => format.difference(change(r), number), tip: (r) => format.difference(change(r), exactly), width: '8em', help: 'Sorted by its size' },
    { key: 'change', title: 'Change', kind: 'text', value: (r) => change(r), csv: (r) => (value(r, 0) ? change(r) / value(r, 0) : ''), cell: (r) => <Change change={change(r)} before={value(r, 0)} most={most} uncertain={page.estimated && uncertain(r)} />, width: '15em', help: 'Sorted by the difference, with its sign' },
  ];
  if (page.estimated) columns.push({ key: 'error', title: '±', kind: 'number', value: (r) => valuesOf(r, measure).error, format: (r) => (valuesOf(r, measure).error > 0 ? number(valuesOf(r, measure).error) : '') });
  return columns;
}

function restOf(page: ComparePage, rest: RestRow | null | undefined, measure: number): Remainder | null {
  if (!rest || rest.rows === 0) return null;
  const values = valuesOf(rest, measure);
  const [before, after] = [values.before / page.work[0], values.after / page.work[1]];
  const number = page.work[0] === 1 && page.work[1] === 1 ? format.full : format.fraction;
  const cell = (value: number): RestCell => ({ value, text: (page.estimated ? '≈' : '') + number(value) });
  return { name: `${format.count(rest.rows)} more rows`, before: cell(before), after: cell(after), difference: { value: after - before, text: format.difference(after - before, number) } };
}

export function Breakdowns(props: { page: ComparePage; state: State }) {
  const { page, state } = props;
  const { diff } = page;
  const lists = useMemo(() => diff.breakdowns.toArray().filter((one) => one.rows.length > 0), [diff]);
  const caches = diff.caches.toArray();
  const first = diff.ranked !== undefined && diff.ranked >= 0 ? diff.ranked : diff.ranked === -2 ? -1 : caches.length ? 0 : -1;
  const wanted = state.params.measure === undefined || state.params.measure === '' ? first : Number(state.params.measure);
  const measure = wanted >= -1 && wanted < caches.length ? wanted : first;
  const list = lists.find((one) => one.by === state.params.by) ?? lists[0];
  const rows = useMemo(() => list?.rows.toArray() ?? [], [list]);
  const columns = useMemo(() => (list ? columnsOf(page, list.by, measure, rows) : []), [page, list, measure]);
  if (!list) return null;
  const at = rows.findIndex((row) => row.name === state.params.diff);
  const measureName = measure < 0 ? 'accesses' : `${caches[measure]!.name} misses`;
  return (
    <Panel title="Code and data" note={`${measureName}, the largest change first`}>
      <Toolbar>
        <Segments label="Breakdown" choices={lists.map((one) => ({ id: one.by, label: NAMES[plural(one.by)] ?? one.by }))} chosen={list.by} onChoose={(by) => setParams({ by, diff: '' })} />
        <Segments
          label="Count"
          choices={[{ id: '-1', label: 'accesses' }, ...caches.map((cache, i) => ({ id: String(i), label: `${cache.name} misses`, help: format.cacheSize(cache.blocks, page.sides[0].view.block_bytes, page.sides[0].view.unit) }))]}
          chosen={String(measure)}
          onChoose={(id) => setParams({ measure: id })}
        />
      </Toolbar>
      <Table
        key={`${list.by}${measure}`}
        name={`diff-${list.by}`}
        label={`${NAMES[plural(list.by)] ?? list.by}: ${measureName} before and after`}
        rows={rows}
        columns={columns}
        sort="difference"
        height={18}
        selected={at}
        onSelect={(row, _, walking) => setParams({ diff: row.name }, walking)}
        onOpen={(row) => openRow(list.by, row)}
        rest={restOf(page, list.rest as RestRow | null | undefined, measure)}
        searchText={(row) => `${row.name} ${row.was} ${row.function}`}
      />
      <p class="legend-text">
        Rows are those of <code>deja diff</code>, in the caches that both profiles have; they do not follow the dragged ones. Parts without a counterpart are
        new or removed.
      </p>
    </Panel>
  );
}
