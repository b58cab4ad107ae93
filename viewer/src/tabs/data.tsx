// SPDX-License-Identifier: MIT
// Objects and fields: how their data is reused, how much of the fetched blocks is used, and who touches them.
import { useMemo } from 'preact/hooks';
import { has } from '../data/index';
import type { Rows } from '../data/columns';
import type { Place, SourceFile, Touch, View } from '../data/sections';
import { keysOf } from '../model/source';
import { open, setParams, type State } from '../state';
import { Detail } from '../ui/detail';
import { ElementStrips } from '../ui/element_map';
import { bytes, count, part, share, short } from '../ui/format';
import { about, cacheName, counted, missesIn, missesOf, Named, otherOf, restOf, type Scale, spatialColumns, temporalColumns, whereabouts } from '../ui/places';
import { useSection, whereOf } from '../ui/section';
import { TableNotes } from '../ui/stall';
import { type Column, Table } from '../ui/table';
import { Panel, Segments, Tabs } from '../ui/tabs';
import { ReuseList } from './code_source';
import './data.css';
import type { Tab, TabProps } from './registry';

type Sub = 'objects' | 'fields';
const SUBS: { id: Sub; label: string; help: string }[] = [
  { id: 'objects', label: 'Objects', help: 'Variables and allocations' },
  { id: 'fields', label: 'Fields', help: 'Elements and members of objects' },
];

function columnsOf(scale: Scale, sub: Sub, spatial: boolean, block: number, view: View, files: Rows<SourceFile> | undefined): Column<Place>[] {
  const seen = new Set<string>();
  const twice = new Set(scale.places.rows.map((row) => row.name).filter((name) => seen.has(name) || !seen.add(name)));
  const own: Column<Place>[] = [{ key: 'name', title: sub === 'fields' ? 'Field' : 'Object', kind: 'text', value: (row) => row.name, cell: (row) => <Named name={row.name} where={twice.has(row.name) ? whereabouts(row, files) : ''} />, tip: (row) => [row.name, row.type, whereabouts(row, files)].filter(Boolean).join('\n'), width: 'minmax(13em, 1fr)' }];
  const last: Column<Place>[] = [];
  if (sub === 'objects') {
    own.push({ key: 'size', title: 'Size', kind: 'number', width: '6.2em', value: (row) => row.bytes ?? 0, format: (row) => (row.bytes ? bytes(row.bytes) : '–'), help: view.block_bytes ? 'Bytes of all blocks of memory' : 'Size' });
    last.push(
      { key: 'type', title: 'Type', kind: 'text', value: (row) => row.type ?? '', width: 'minmax(8em, .6fr)' },
      { key: 'kind', title: 'Kind', kind: 'text', value: (row) => row.kind ?? '', width: '6em' },
      { key: 'blocks', title: 'Blocks', kind: 'number', width: '5.4em', value: (row) => row.blocks ?? 0, format: (row) => short(row.blocks ?? 0), help: 'Blocks of memory that were allocated here' },
    );
  }
  return [...own, ...(spatial ? spatialColumns(scale, block) : temporalColumns(scale)), ...last];
}

interface Touched extends Touch {
  place: Place;
  /** Of the line among the rows of `lines`. */
  key: string;
}

/** Lines that touch an object or field. */
function Touches(props: { scale: Scale; sub: Sub; index: number; state: State }) {
  const { scale, sub, index } = props;
  const where = whereOf(props.state);
  const touches = useSection('touches', where);
  const lines = useSection('lines', where);
  const rows = useMemo(() => {
    if (!touches || !lines) return [];
    const known = touches.rows.toArray().filter((t) => (sub === 'fields' ? t.field : t.object) === index && t.line >= 0);
    const keys = keysOf(lines.rows.toArray());
    return known.map((t): Touched => ({ ...t, place: lines.rows.at(t.line), key: keys[t.line]! }));
  }, [touches, lines, sub, index]);
  const columns = useMemo((): Column<Touched>[] => {
    const missed = (t: Touched) => missesIn(t.tally, scale.view, scale.size);
    const whole = rows.reduce((sum, t) => sum + missed(t).value, 0);
    const accesses = rows.reduce((sum, t) => sum + t.tally.accesses, 0);
    const list: Column<Touched>[] = [
      { key: 'name', title: 'Line', kind: 'text', value: (t) => t.place.name, cell: (t) => <span class="link">{t.place.name}</span>, tip: (t) => t.place.path ?? t.place.name },
      { key: 'function', title: 'Function', kind: 'text', value: (t) => t.place.function ?? '', width: 'minmax(7em, .6fr)' },
      { key: 'accesses', title: 'Accesses', kind: 'bar', width: '8.4em', value: (t) => t.tally.accesses, format: (t) => part(counted(t.tally.accesses, scale.view), t.tally.accesses, accesses), share: (t) => t.tally.accesses / (accesses || 1) },
      { key: 'writes', title: 'Writes', kind: 'number', width: '5.4em', value: (t) => t.tally.writes, format: (t) => share(t.tally.writes, t.tally.accesses), help: 'Share of writes' },
    ];
    if (scale.size > 0)
      list.push({ key: 'misses', title: `${cacheName(scale)} misses`, kind: 'bar', width: '9em', value: (t) => missed(t).value, format: (t) => part(about(missed(t)), missed(t).value, whole), share: () => 0, heat: (t) => 0.85 * Math.sqrt(missed(t).value / (whole || 1)) });
    return list;
  }, [rows, scale]);
  if (!rows.length) return null;
  return (
    <Panel title="Who touches it" note={touches?.rest?.rows ? `${count(touches.rest.rows)} rarer pairs of data and line are not listed` : ''}>
      <Table name="touches" label="Lines that touch it" rows={rows} columns={columns} sort={scale.size > 0 ? 'misses' : 'accesses'} height={8} onSelect={(t) => t.place.file !== undefined && open('code', { sub: 'lines', row: t.key, source: '' })} />
    </Panel>
  );
}

function Chosen(props: { scale: Scale; sub: Sub; index: number; state: State }) {
  const { scale, sub, index, state } = props;
  const place = scale.places.rows.at(index);
  const where = whereOf(state);
  const maps = useSection('elements', where)?.rows;
  const files = useSection('files', where)?.rows;
  const reuses = useSection('reuses', where)?.rows;
  const map = sub === 'objects' ? maps?.toArray().find((one) => one.object === index) : undefined;
  const mine = useMemo(() => (sub === 'objects' && reuses ? reuses.toArray().filter((r) => r.object === index) : []), [reuses, sub, index]);
  const facts = [place.type, place.kind, place.bytes ? bytes(place.bytes) : '', (place.blocks ?? 0) > 1 ? `${count(place.blocks!)} blocks` : ''].filter(Boolean).join(', ');
  return (
    <div class="side-panel">
      <Panel title={sub === 'fields' ? 'The chosen field' : 'The chosen object'} actions={(place.file ?? -1) >= 0 && !!place.line && (
        <button type="button" class="link" onClick={() => open('code', { source: `${place.file}:${place.line}`, row: '' })}>
          {place.kind === 'heap' ? 'Where it is allocated' : 'Where it is declared'}
        </button>
      )}>
        <Detail name={place.name} about={facts} tally={place.tally} place={place} view={scale.view} state={state} total={scale.places.total} />
      </Panel>
      {map && (
        <Panel title="Element map" note="from the first byte of the object to the last">
          <ElementStrips map={map} name={place.name} pairFrom={scale.view.pair_from} unit={scale.view.unit} />
        </Panel>
      )}
      <Touches scale={scale} sub={sub} index={index} state={state} />
      {mine.length > 0 && (
        <Panel title="Uses → reuses" note="of this object">
          <ReuseList reuses={mine} view={scale.view} state={state} files={files?.toArray() ?? []} />
        </Panel>
      )}
    </div>
  );
}

/** The row that the table shows first. */
function first(scale: Scale): number {
  let at = -1;
  let most = -1;
  scale.places.rows.toArray().forEach((place, i) => {
    const value = scale.size > 0 ? missesOf(place, scale).value : place.tally.accesses;
    if (value > most) [at, most] = [i, value];
  });
  return at;
}

function Data({ profile, other, side, state }: TabProps) {
  const { view } = profile;
  const { params } = state;
  const subs = SUBS.filter((sub) => has(sub.id, { profile: side }));
  const sub = subs.find((one) => one.id === params.sub) ?? subs[0] ?? SUBS[0]!;
  const places = useSection(sub.id, { profile: side });
  const others = useSection(sub.id, { profile: 1 - side });
  const diff = useSection('diff');
  const files = useSection('files', { profile: side })?.rows;
  const size = state.sizes[state.cache] ?? 0;
  const scale = useMemo(() => (places ? { view, places, cache: state.cache, size, other: otherOf(view, other?.view, places, others, side === 1, diff, sub.id) } : undefined), [view, places, others, other, diff, state.cache, size]);
  const rows = useMemo(() => places?.rows.toArray() ?? [], [places]);
  const keys = useMemo(() => keysOf(rows), [rows]);
  const blocks = useMemo(() => rows.find((row) => row.spatial?.length)?.spatial!.map((one) => one.block) ?? [], [rows]);
  const spatial = blocks.length > 0 && params.mode === 'spatial';
  const block = blocks.find((one) => String(one) === params.pair) ?? blocks[0] ?? 0;
  const columns = useMemo(() => (scale ? columnsOf(scale, sub.id, spatial, block, view, files) : []), [scale, sub, spatial, block, files]);
  const named = params.row ? keys.indexOf(params.row) : -1;
  const chosen = named >= 0 || !scale ? named : first(scale);
  return (
    <>
      {subs.length > 1 && <Tabs level={2} label="Parts of the data" choices={subs} chosen={sub.id} onChoose={(id) => setParams({ sub: id, row: '' })} />}
      <div class="split">
        <Panel>
          {!subs.length && <p class="empty">This profile has no data objects.</p>}
          {scale && (
            <Table key={sub.id} name={sub.id} label={sub.label} rows={rows} columns={columns} sort={spatial ? 'poor' : size > 0 ? 'misses' : 'accesses'} selected={chosen} onSelect={(_, i, walking) => setParams({ row: keys[i]! }, walking)} rest={restOf(scale, spatial ? block : undefined)} height={26} searchText={(row) => `${row.name} ${row.type ?? ''} ${row.path ?? ''}`}>
              {!spatial && <TableNotes view={view} side={side} />}
              {blocks.length > 0 && <Segments label="Kind of locality" choices={[{ id: '', label: 'Temporal' }, { id: 'spatial', label: 'Spatial' }]} chosen={spatial ? 'spatial' : ''} onChoose={(mode) => setParams({ mode })} />}
              {spatial && blocks.length > 1 && <Segments label="Block size" choices={blocks.map((one) => ({ id: String(one), label: `${bytes(one)} → ${bytes(2 * one)}` }))} chosen={String(block)} onChoose={(pair) => setParams({ pair })} />}
            </Table>
          )}
        </Panel>
        {scale && chosen >= 0 && <Chosen key={`${sub.id}${chosen}`} scale={scale} sub={sub.id} index={chosen} state={state} />}
      </div>
    </>
  );
}

export const data: Tab = { id: 'data', label: 'Data', present: () => has('objects') || has('fields'), view: Data };
