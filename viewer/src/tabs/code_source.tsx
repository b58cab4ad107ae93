// SPDX-License-Identifier: MIT
// The right half of the tab Code: the source, what its chosen line did, its reuses, and advice about it.
import { useMemo } from 'preact/hooks';
import type { Places, Reuse, SourceFile, SpatialRanking, View } from '../data/sections';
import { linesOf, reusesAt, type SourceLine } from '../model/source';
import { setParams, type State } from '../state';
import { Detail } from '../ui/detail';
import { share, shortPath } from '../ui/format';
import { about, counted, marked, missesIn, poorOf } from '../ui/places';
import { useSection, whereOf } from '../ui/section';
import { type LineMeasure, Source } from '../ui/source';
import { Panel } from '../ui/tabs';

const ARROWS = 12;
const LISTED = 20;

/** Orders reuses by their misses in the chosen cache, or by accesses. */
function ranked(list: Reuse[], view: View, size: number): Reuse[] {
  const value = (r: Reuse) => (size > 0 ? missesIn(r.tally, view, size).value : r.tally.accesses);
  return list.map((r) => ({ r, value: value(r) })).sort((a, b) => b.value - a.value).map((e) => e.r);
}

function measureOf(view: View, size: number, cache: number, spatial: boolean, block: number): LineMeasure {
  const accesses = (line: SourceLine) => counted(line.tally.accesses, view);
  if (spatial) {
    const poor = (line: SourceLine) => line.places.reduce((sum, place) => sum + poorOf(place, block), 0);
    return { accesses, title: 'Poor', value: poor, text: (line) => counted(poor(line), view) };
  }
  if (size <= 0) return { accesses, title: 'Cold', value: (line) => line.tally.cold, text: (line) => counted(line.tally.cold, view) };
  return {
    accesses,
    title: view.caches.at(cache).name,
    value: (line) => missesIn(line.tally, view, size).value,
    text: (line) => about(missesIn(line.tally, view, size)),
  };
}

export function sourceLink(file: number, line: number): () => void {
  return () => setParams({ source: `${file}:${line}` });
}

function Location(props: { name: string; file: number; line: number; files: SourceFile[] }) {
  const known = props.file >= 0 && props.line > 0 && props.files[props.file];
  if (!known) return <span>{props.name}</span>;
  return (
    <button type="button" class="link" onClick={sourceLink(props.file, props.line)} title={`${known.path}:${props.line}`}>
      {props.name}
    </button>
  );
}

/** Uses and the reuses of their data, with advice. */
export function ReuseList(props: { reuses: Reuse[]; view: View; state: State; files: SourceFile[] }) {
  const { view, state, reuses } = props;
  const size = state.sizes[state.cache] ?? 0;
  const list = useMemo(() => ranked(reuses, view, size), [reuses, size]);
  if (!list.length) return null;
  return (
    <ul class="reuses" aria-label="Uses and reuses">
      {list.slice(0, LISTED).map((r, i) => {
        const missed = missesIn(r.tally, view, size);
        return (
          <li key={i}>
            <div class="route">
              <Location name={r.from} file={r.from_file} line={r.from_line} files={props.files} />
              <span aria-label="then">→</span>
              <Location name={r.to} file={r.to_file} line={r.to_line} files={props.files} />
              {r.data && <code class="muted">{r.data}</code>}
              {r.loop && <span class="muted">{r.next_iteration ? 'next iteration of' : 'in'} {r.loop}</span>}
              <span class="value">
                {size > 0 ? <>{about(missed)} {missed.value === 1 ? 'miss' : 'misses'} <span class="muted">{marked(missed, share(missed.value, r.tally.accesses))}</span></> : <>{counted(r.tally.accesses, view)} reuses</>}
              </span>
            </div>
            {r.text && <p class="advice">{r.text}</p>}
          </li>
        );
      })}
      {list.length > LISTED && <li class="muted">and {list.length - LISTED} more</li>}
    </ul>
  );
}

// The advice about the spatial locality of a line: the same for all caches but for its numbers.
function adviceAt(rankings: SpatialRanking[], file: number, line: number, block: number): string {
  const here = rankings.filter((r) => r.by === 'line').flatMap((r) => r.rows.toArray().map((row) => ({ row, pair: r.pair })));
  const known = here.filter(({ row }) => row.file === file && row.line === line && row.text);
  return (known.find(({ pair }) => pair === block) ?? known[0])?.row.text ?? '';
}

interface CodeSourceProps {
  view: View;
  state: State;
  file: number;
  line: number;
  spatial: boolean;
  block: number;
  /** Files with accesses, the busiest first. */
  busy: number[];
  onLine: (line: number, walking: boolean) => void;
}

function LineDetail(props: { line: SourceLine; path: string; lines: Places; view: View; state: State }) {
  const { line, lines, view, state } = props;
  const place = line.places.length === 1 ? line.places[0] : undefined;
  const within = [...new Set(line.places.map((p) => p.function).filter(Boolean))].join(', ');
  return <Detail name={`${props.path}:${line.line}`} about={within && `in ${within}`} tally={line.tally} place={place} view={view} state={state} total={lines.total} />;
}

export function CodeSource(props: CodeSourceProps) {
  const { view, state, file, line } = props;
  const where = whereOf(state);
  const files = useSection('files', where)?.rows;
  const lines = useSection('lines', where);
  const reuses = useSection('reuses', where)?.rows;
  const rankings = useSection('spatial_rows', where)?.rankings;
  const size = state.sizes[state.cache] ?? 0;
  const known = useMemo(() => linesOf(lines, file), [lines, file]);
  const measure = useMemo(() => measureOf(view, size, state.cache, props.spatial, props.block), [view, size, state.cache, props.spatial, props.block]);
  const here = useMemo(() => (reuses ? reusesAt(reuses.toArray(), file, known.has(line) ? line : 0) : []), [reuses, file, line, known]);
  const arrows = useMemo(() => ranked(here, view, size).slice(0, ARROWS), [here, size]);
  const advice = useMemo(() => adviceAt(rankings?.toArray() ?? [], file, line, props.block), [rankings, file, line, props.block]);
  if (!files || file < 0 || file >= files.length) return <Panel title="Source"><p class="empty">The source of this row is unknown.</p></Panel>;
  const of = files.at(file);
  const chosen = known.get(line);
  const choose = (
    <select aria-label="File" value={String(file)} onChange={(event) => setParams({ source: `${event.currentTarget.value}:0` })}>
      {[...new Set([...props.busy, file])].map((i) => (
        <option key={i} value={String(i)}>{shortPath(files.at(i).path)}</option>
      ))}
    </select>
  );
  return (
    <div class="side-panel">
      <Panel title="Source" note={<span title={of.path}>{of.path}</span>} actions={choose}>
        {of.newer && <p class="notice">This file is newer than the profile, so its lines may not match.</p>}
        {of.shown ? (
          <Source file={of} index={file} lines={known} measure={measure} selected={line} reuses={arrows} onSelect={props.onLine} />
        ) : (
          <p class="empty">The source is not in this page: {of.reason || 'it was left out'}.</p>
        )}
      </Panel>
      {lines && (chosen || here.length > 0) && (
        <Panel title={chosen ? 'The chosen line' : 'Reuses in this file'}>
          {chosen && <LineDetail line={chosen} path={shortPath(of.path)} lines={lines} view={view} state={state} />}
          {chosen && advice && <p class="advice spatial-advice">{advice}</p>}
          {here.length > 0 && chosen && <h3>Uses → reuses</h3>}
          <ReuseList reuses={here} view={view} state={state} files={files.toArray()} />
        </Panel>
      )}
    </div>
  );
}

