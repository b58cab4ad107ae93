// SPDX-License-Identifier: MIT
// Functions, loops and lines, ranked by misses or by poor spatial reuse, next to their source.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { has } from '../data/index';
import type { Rows } from '../data/columns';
import type { Place, Places, SourceFile, View } from '../data/sections';
import { withInlined } from '../model/inlined';
import { busiestFiles, keysOf, parseSource } from '../model/source';
import { misses } from '../model/tally';
import { setParams, type State } from '../state';
import { Callers, exactness, type Weight, weighted, weighing } from '../ui/callers';
import { Detail } from '../ui/detail';
import { Flame } from '../ui/flame';
import { bytes, short, shortPath } from '../ui/format';
import { missesOf, Named, otherOf, restOf, type Scale, spatialColumns, temporalColumns, whereabouts } from '../ui/places';
import { useSection } from '../ui/section';
import { stallNote, TableNotes } from '../ui/stall';
import { type Column, Table } from '../ui/table';
import { type Choice, Panel, Segments, Tabs } from '../ui/tabs';
import './code.css';
import { CodeSource } from './code_source';
import type { Tab, TabProps } from './registry';

type Sub = 'functions' | 'loops' | 'lines' | 'threads' | 'contexts' | 'flame';
const SUBS: { id: Sub; label: string; of: 'functions' | 'loops' | 'lines' | 'threads' | 'contexts'; help: string }[] = [
  { id: 'functions', label: 'Functions', of: 'functions', help: 'Functions, without calling context' },
  { id: 'loops', label: 'Loops', of: 'loops', help: 'Loops, with the loops within them' },
  { id: 'lines', label: 'Lines', of: 'lines', help: 'Lines of source' },
  { id: 'threads', label: 'Threads', of: 'threads', help: 'What each thread did' },
  { id: 'contexts', label: 'Callers', of: 'contexts', help: 'Functions with calling context, as a tree' },
  { id: 'flame', label: 'Flame graph', of: 'contexts', help: 'Functions with calling context, as a picture' },
];

/** The block sizes for which rows have spatial numbers. */
function blocksOf(places: Places | undefined): number[] {
  const blocks = new Set<number>();
  for (const place of places?.rows ?? []) {
    for (const count of place.spatial ?? []) blocks.add(count.block);
    if (blocks.size) break;
  }
  return [...blocks];
}

function nameColumn(sub: Sub, rows: readonly Place[], files: Rows<SourceFile> | undefined): Column<Place> {
  const titles: Record<Sub, string> = { functions: 'Function', loops: 'Loop', lines: 'Line', threads: 'Thread', contexts: 'Function', flame: 'Function' };
  const seen = new Set<string>();
  const twice = new Set(rows.map((row) => row.name).filter((name) => seen.has(name) || !seen.add(name)));
  return {
    key: 'name',
    title: titles[sub],
    kind: 'text',
    value: (row) => row.name,
    cell: (row) => <Named name={row.name} where={sub === 'functions' || twice.has(row.name) ? whereabouts(row, files) : ''} />,
    tip: (row) => [row.name, files && (row.file ?? -1) >= 0 ? files.at(row.file!).path : '', row.function && `in ${row.function}`, row.module].filter(Boolean).join('\n'),
    width: 'minmax(13em, 1fr)',
  };
}

interface Choices {
  controls: ComponentChildren;
  scale: Scale;
  sub: Sub;
  spatial: boolean;
  block: number;
  state: State;
}

function Ranking(props: Choices & { files: Rows<SourceFile> | undefined; keys: string[]; onSelect: (row: Place, index: number, walking: boolean) => void }) {
  const { scale, sub, spatial, block, keys } = props;
  const rows = useMemo(() => scale.places.rows.toArray(), [scale.places]);
  const columns = useMemo(() => {
    const last: Column<Place>[] = [];
    if (sub === 'lines' || sub === 'loops') last.push({ key: 'function', title: 'Function', kind: 'text', value: (row) => row.function ?? '', width: 'minmax(7em, .5fr)' });
    if (sub === 'loops') last.push({ key: 'iterations', title: 'Iterations', kind: 'number', value: (row) => row.iterations ?? 0, format: (row) => (row.iterations ? short(row.iterations) : '–') });
    return [nameColumn(sub, rows, props.files), ...(spatial ? spatialColumns(scale, block) : temporalColumns(scale)), ...last];
  }, [scale, sub, spatial, block, props.files]);
  const sort = spatial ? 'poor' : scale.size > 0 ? 'misses' : 'accesses';
  const selected = props.state.params.row ? keys.indexOf(props.state.params.row) : -1;
  return (
    <Table name={sub} label={SUBS.find((s) => s.id === sub)!.label} rows={rows} columns={columns} sort={sort} selected={selected} onSelect={props.onSelect} rest={restOf(scale, spatial ? block : undefined)} height={26} searchText={(row) => `${row.name} ${row.function ?? ''} ${row.path ?? ''}`}>
      {props.controls}
    </Table>
  );
}

function Contexts(props: Choices & { weight: Weight; row: number; onSelect: (row: number, walking: boolean) => void }) {
  const { scale, sub, weight, block } = props;
  const rows = useMemo(() => scale.places.rows.toArray(), [scale.places]);
  const tree = useMemo(() => weighted(rows, scale, weight, block), [rows, scale, weight, block]);
  const exact = useMemo(() => exactness(scale, weight), [scale, weight]);
  const { edges } = scale.view;
  const unit = { accesses: 'accesses', misses: `misses in ${scale.view.caches.length ? scale.view.caches.at(scale.cache).name : ''}`, stall: 'estimated stall time', poor: 'poor spatial reuses' }[weight];
  const how = useMemo(() => weighing(weight), [weight]);
  if (sub === 'contexts') {
    const known = restOf(scale);
    const rest = known && { name: known.name!, exclusive: weight === 'misses' ? known.misses! : weight === 'accesses' ? known.accesses! : weight === 'stall' ? (known.stall ?? '') : '', accesses: known.accesses! };
    return <Callers rows={rows} scale={scale} tree={tree} exact={exact} weighing={how} unit={unit} selected={props.row} onSelect={props.onSelect} rest={rest}>{props.controls}</Callers>;
  }
  const heat = (i: number) => {
    const of = rows[i]!.inclusive ?? rows[i]!.tally;
    return scale.size > 0 && of.accesses ? misses(of, edges, scale.size).value / of.accesses : 0;
  };
  const zoom = Number(props.state.params.zoom || -1);
  return <><div class="toolbar">{props.controls}</div><Flame rows={rows} tree={tree} exact={exact} weighing={how} unit={unit} heat={heat} zoom={zoom < rows.length ? zoom : -1} selected={props.row} onSelect={(row) => props.onSelect(row, false)} onZoom={(row) => setParams({ zoom: row < 0 ? '' : String(row) })} /></>;
}

/** The worst row, if possible one with a source in the page: what is shown before anything is chosen. */
function worstPlace(places: Places, files: Rows<SourceFile> | undefined, scale: Scale): Place | undefined {
  let worst: Place | undefined;
  let most = -1;
  for (const place of places.rows) {
    if ((place.file ?? -1) < 0 || !place.line) continue;
    const shown = files?.at(place.file!).shown;
    const value = (scale.size > 0 ? missesOf(place, scale).value : place.tally.accesses) + (shown ? places.total.accesses : 0);
    if (value > most) [worst, most] = [place, value];
  }
  return worst;
}

function Controls(props: { side: number; spatial: boolean; canSpatial: boolean; blocks: number[]; block: number; contexts: boolean; weight: Weight; view: View; cache: number }) {
  const weights: Choice[] = [{ id: 'accesses', label: 'Accesses' }];
  if (props.view.caches.length) weights.unshift({ id: 'misses', label: `${props.view.caches.at(props.cache).name} misses` });
  if (props.view.stall) weights.push({ id: 'stall', label: 'Estimated time' });
  if (props.canSpatial) weights.push({ id: 'poor', label: 'Poor spatial reuse' });
  return (
    <>
      {props.contexts && <Segments label="Weight" choices={weights} chosen={props.weight} onChoose={(weight) => setParams({ weight })} />}
      {props.contexts && props.weight === 'stall' && <span class="muted" data-stall-note>{stallNote(props.view)}</span>}
      {!props.contexts && !props.spatial && <TableNotes view={props.view} side={props.side} />}
      {!props.contexts && props.canSpatial && (
        <Segments label="Kind of locality" choices={[{ id: '', label: 'Temporal', help: 'How far apart uses of a block are' }, { id: 'spatial', label: 'Spatial', help: 'How much of the fetched blocks is used' }]} chosen={props.spatial ? 'spatial' : ''} onChoose={(mode) => setParams({ mode })} />
      )}
      {(props.spatial || props.weight === 'poor') && props.blocks.length > 1 && (
        <Segments label="Block size" choices={props.blocks.map((block) => ({ id: String(block), label: `${bytes(block)} → ${bytes(2 * block)}` }))} chosen={String(props.block)} onChoose={(pair) => setParams({ pair })} />
      )}
    </>
  );
}

function Code({ profile, other, side, state }: TabProps) {
  const { view } = profile;
  const { params } = state;
  const subs = SUBS.filter((sub) => has(sub.of, { profile: side }));
  const sub = subs.find((one) => one.id === params.sub) ?? subs.find((one) => one.id === 'lines') ?? subs[0] ?? SUBS[0]!;
  const listed = useSection(sub.of, { profile: side });
  const inlined = useSection('inlined', { profile: side });
  const places = useMemo(() => (listed && sub.of === 'contexts' ? withInlined(listed, inlined) : listed), [listed, inlined, sub.of]);
  const others = useSection(sub.of, { profile: 1 - side });
  const lines = useSection('lines', { profile: side });
  const diff = useSection('diff');
  const files = useSection('files', { profile: side })?.rows;
  const busy = useMemo(() => busiestFiles(lines), [lines]);
  const blocks = useMemo(() => blocksOf(places), [places]);
  const size = state.sizes[state.cache] ?? 0;
  const scale = useMemo(() => (places ? { view, places, cache: state.cache, size, other: otherOf(view, other?.view, places, others, side === 1, diff, sub.of) } : undefined), [view, places, others, other, diff, state.cache, size]);
  const keys = useMemo(() => (places ? keysOf(places.rows.toArray()) : []), [places]);
  const canSpatial = blocks.length > 0;
  const spatial = canSpatial && params.mode === 'spatial';
  const block = blocks.find((one) => String(one) === params.pair) ?? blocks[0] ?? 0;
  const contexts = sub.of === 'contexts';
  const wanted = params.weight === 'stall' && !view.stall ? '' : params.weight;
  const weight = (wanted || (view.caches.length ? 'misses' : 'accesses')) as Weight;
  const chosen = params.row ? keys.indexOf(params.row) : -1;
  const fallback = useMemo(() => (lines && scale ? worstPlace(lines, files, scale) : undefined), [lines, files, scale]);
  const place = chosen >= 0 ? places!.rows.at(chosen) : undefined;
  const source = parseSource(params.source) ?? (place && (place.file ?? -1) >= 0 ? { file: place.file!, line: place.line ?? 0 } : !place && fallback ? { file: fallback.file!, line: fallback.line! } : undefined);

  const controls = <Controls side={side} spatial={spatial} canSpatial={canSpatial} blocks={blocks} block={block} contexts={contexts} weight={weight} view={view} cache={state.cache} />;
  const onSelect = (index: number, walking: boolean) => setParams({ row: keys[index]!, source: '' }, walking);
  const onLine = (line: number, walking: boolean) => {
    const row = sub.id === 'lines' ? places!.rows.toArray().findIndex((one) => one.file === source!.file && one.line === line) : -1;
    setParams({ source: `${source!.file}:${line}`, ...(row >= 0 ? { row: keys[row]! } : {}) }, walking);
  };
  return (
    <>
      <Tabs level={2} label="Parts of the code" choices={subs.map(({ id, label, help }) => ({ id, label, help }))} chosen={sub.id} onChoose={(id) => setParams({ sub: id, row: '' })} />
      <div class={sub.id === 'flame' ? 'below' : 'split'}>
        <div>
          <Panel>
            {!places && !subs.length && <p class="empty">This profile has no code.</p>}
            {scale && !contexts && <Ranking key={sub.id} scale={scale} sub={sub.id} spatial={spatial} block={block} state={state} controls={controls} files={files} keys={keys} onSelect={(_, i, walking) => onSelect(i, walking)} />}
            {scale && contexts && <Contexts key={sub.id} scale={scale} sub={sub.id} spatial={spatial} block={block} state={state} controls={controls} weight={weight} row={chosen} onSelect={onSelect} />}
          </Panel>
          {place && sub.id !== 'lines' && (
            <Panel title={contexts ? 'The chosen context' : 'The chosen row'}>
              <Detail name={place.name} about={[place.path && place.path !== place.name ? shortPath(place.path) : '', place.module].filter(Boolean).join(', ')} tally={place.tally} place={place} view={view} state={state} total={places!.total} />
            </Panel>
          )}
        </div>
        <CodeSource view={view} state={state} file={source?.file ?? -1} line={source?.line ?? 0} spatial={contexts ? canSpatial && weight === 'poor' : spatial} block={block} busy={busy} onLine={onLine} />
      </div>
    </>
  );
}

export const code: Tab = {
  id: 'code',
  label: 'Code',
  present: () => SUBS.some((sub) => has(sub.of)),
  view: Code,
};
