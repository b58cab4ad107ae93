// SPDX-License-Identifier: MIT
// The parts of a run in which the working set stays the same: a timeline, and the best cache for each.
import { useMemo } from 'preact/hooks';
import { Timeline } from '../charts/timeline';
import { Picture } from '../charts/scatter-frame';
import { has, lanesWith } from '../data/index';
import { setParams, type State } from '../state';
import * as format from '../ui/format';
import { usePromise } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Panel, Toolbar } from '../ui/tabs';
import { PhaseChanges } from './phases-compare';
import { countRange, load, type Page, type Phase, phaseMisses, place, type RangeCount, ratioText, runsOf, sizeName, type Stretch, windowMisses } from './phases-page';
import type { Tab, TabProps } from './registry';
import { sideOf } from './spatial-page';

/** A cache as dragged. */
interface Level {
  name: string;
  blocks: number;
}

function Verdict(props: { page: Page }) {
  const { page } = props;
  const { phases, stretches } = page;
  if (!phases.length) return null;
  const named = phases.slice(0, 3).map((p) => `phase ${p.phase}: ${p.best_size ? sizeName(page, p.best_size) : 'no cache that helps'}`);
  const best = phases.length === 1 ? (phases[0]!.best_size ? sizeName(page, phases[0]!.best_size) : 'no cache that helps') : named.join(', ');
  const count =
    page.rows.length === 1 ? 'One window, too long to show phases' : phases.length > 1 ? `${phases.length} phases in ${page.stretches.length + (page.rest?.rows ?? 0)} stretches` : stretches.length > 1 ? `One phase, whose data change ${stretches.length - 1} time${stretches.length === 2 ? '' : 's'}` : 'One phase';
  return (
    <p class="say lead">
      {count}; best cache size{phases.length === 1 ? '' : 's'}: {best}
      {phases.length > 3 ? ', …' : '.'}
    </p>
  );
}

/** The name of a phase, with its colour. */
function PhaseName(props: { page: Page; phase: number }) {
  return (
    <>
      <i class={`key series-${props.page.colors[props.phase - 1]! % 8}`} />
      phase {props.phase}
    </>
  );
}

function phaseColumns(page: Page, level: Level | undefined): Column<Phase>[] {
  const whole = page.rows.reduce((sum, row) => sum + row.accesses, 0);
  const counts = new Map(level ? page.phases.map((p) => [p.phase, phaseMisses(p, level.blocks)]) : []);
  const columns: Column<Phase>[] = [
    { key: 'phase', title: 'Phase', kind: 'text', value: (p) => p.phase, cell: (p) => <PhaseName page={page} phase={p.phase} />, ascending: true, width: 'minmax(8em, 1fr)' },
    { key: 'times', title: 'Times', kind: 'number', value: (p) => p.stretches, width: '5em', help: 'How often the phase occurs' },
    { key: 'accesses', title: 'Accesses', kind: 'bar', value: (p) => p.accesses, share: (p) => p.accesses / (whole || 1), format: (p) => `${format.short(p.accesses)} (${format.share(p.accesses, whole)})` },
    { key: 'distinct', title: 'Distinct', kind: 'number', value: (p) => p.distinct, format: (p) => format.short(p.distinct), help: 'Distinct data in a window, on average' },
    { key: 'best', title: 'Best size', kind: 'number', value: (p) => p.best_size, format: (p) => sizeName(page, p.best_size), width: '16em', help: `The smallest power of two whose miss ratio is at most ${format.percent(page.tolerance)} above that of a cache of any size` },
    { key: 'misses', title: 'Misses there', kind: 'number', value: (p) => p.best_ratio, format: (p) => format.percent(p.best_ratio), help: 'Miss ratio at the best size, without the data that the phase brings in' },
    { key: 'least', title: 'At least', kind: 'number', value: (p) => p.least_ratio, format: (p) => format.percent(p.least_ratio), help: 'Miss ratio in a cache of any size' },
    { key: 'cold', title: 'Cold', kind: 'number', value: (p) => p.cold, format: (p) => format.short(p.cold), help: 'Accesses to data that is new in the run' },
  ];
  if (level) columns.push({ key: 'here', title: `Misses in ${level.name}`, kind: 'number', value: (p) => counts.get(p.phase)!.misses.value / (counts.get(p.phase)!.accesses || 1), format: (p) => ratioText(counts.get(p.phase)!), heat: (p) => Math.min(0.85, counts.get(p.phase)!.misses.value / (counts.get(p.phase)!.accesses || 1)), help: 'Including the data that the phase brings in. ≈: the size is not a power of two' });
  return columns;
}

const stretchColumns = (page: Page): Column<Stretch>[] => [
  { key: 'from', title: page.inTime ? 'From' : 'From access', kind: 'text', value: (s) => s.window, csv: (s) => (page.inTime ? s.time / 1e9 : s.first), format: (s) => (page.inTime ? place(page, s.window) : format.count(s.first)), ascending: true, width: 'minmax(10em, 1fr)' },
  { key: 'phase', title: 'Phase', kind: 'text', value: (s) => s.phase, cell: (s) => <PhaseName page={page} phase={s.phase} />, width: '8em' },
  { key: 'windows', title: 'Windows', kind: 'number', value: (s) => s.windows },
  { key: 'accesses', title: 'Accesses', kind: 'number', value: (s) => s.accesses, format: (s) => format.short(s.accesses) },
  { key: 'cold', title: 'Cold', kind: 'number', value: (s) => s.cold, format: (s) => format.short(s.cold), help: 'Accesses to data that is new in the run; a phase may return with other data' },
];

function selection(page: Page, state: State): [number, number] | undefined {
  const [first, last] = (state.params.windows ?? '').split('-').map(Number);
  if (first === undefined || last === undefined || !(first >= 0 && last >= first && last < page.rows.length)) return undefined;
  return [first, last];
}

interface Selected {
  name: string;
  count: RangeCount;
}

const SELECTED: Column<Selected>[] = [
  { key: 'cache', title: 'Cache', kind: 'text', value: (s) => s.name },
  { key: 'misses', title: 'Misses', kind: 'number', value: (s) => s.count.misses.value, format: (s) => `${s.count.misses.exact ? '' : '≈'}${format.count(s.count.misses.value)}`, width: '10em' },
  { key: 'ratio', title: 'Ratio', kind: 'number', value: (s) => s.count.misses.value / (s.count.accesses || 1), format: (s) => ratioText(s.count) },
];

function Selection(props: { page: Page; range: [number, number]; levels: { name: string; blocks: number }[] }) {
  const { page, range } = props;
  const [first, last] = range;
  const rows = props.levels.map((level) => ({ name: `${level.name} ${format.cacheSize(level.blocks, page.profile.view.block_bytes, page.profile.view.unit)}`, count: countRange(page, first, last, level.blocks) }));
  const count = countRange(page, first, last, 0);
  let [sum, most] = [0, 0];
  for (let i = first; i <= last; i++) {
    sum += page.rows[i]!.distinct;
    most = Math.max(most, page.rows[i]!.distinct);
  }
  return (
    <Panel title={first === last ? `Window ${first + 1}` : `Windows ${first + 1} to ${last + 1}`} note={`from ${place(page, first)} to ${place(page, last + 1)}`} actions={<button type="button" class="plain" onClick={() => setParams({ windows: '' })}>Show all</button>}>
      <p class="say">
        {format.count(count.accesses)} accesses, {format.count(count.cold)} of them to data that are new in the run. Distinct data in a window:{' '}
        {format.short(sum / (last - first + 1))} on average{page.joined === 1 && `, ${format.short(most)} at most`}.
      </p>
      <Table name="window-range" label="Misses in the selected windows" rows={rows} columns={SELECTED} sort="misses" height={6} />
    </Panel>
  );
}

interface Ends {
  x: number;
  ratio: number;
  distinct: number;
}

const missesIn = (page: Page, blocks: number) => Float64Array.from(page.rows, (row) => windowMisses(row, blocks).value);

// The ends of axes that show two runs.
function endsOf(pages: Page[], blocks: number): Ends {
  const ends = { x: 0, ratio: 0.01, distinct: 1 };
  for (const page of pages) {
    const misses = missesIn(page, blocks);
    ends.x = Math.max(ends.x, page.starts[page.rows.length]!);
    page.rows.forEach((row, i) => {
      ends.ratio = Math.max(ends.ratio, misses[i]! / (row.accesses || 1));
      ends.distinct = Math.max(ends.distinct, row.distinct);
    });
  }
  return ends;
}

interface OverTimeProps {
  page: Page;
  blocks: number;
  cache: string;
  title?: string;
  ends?: Ends;
  range: [number, number] | undefined;
  chosen: number;
  onSelect: (windows: string, done: boolean) => void;
}

/** The timeline of one run. */
function OverTime(props: OverTimeProps) {
  const { page, blocks, range } = props;
  const { rows } = page;
  const exact = Number.isInteger(Math.log2(blocks));
  const misses = useMemo(() => missesIn(page, blocks), [page, blocks]);
  const runs = useMemo(() => runsOf(page).map((run) => ({ ...run, phase: page.colors[run.phase]! })), [page]);
  const whole = countRange(page, 0, rows.length - 1, blocks);
  const label = `Timeline of ${rows.length} windows in ${page.phases.length} phase${page.phases.length === 1 ? '' : 's'}${props.title ? ` of ${props.title}` : ''}: miss ratio in ${props.cache}, ${ratioText(whole)} overall, and distinct data in a window.`;
  const name = props.title ? `-${props.title.toLowerCase()}` : '';
  return (
    <>
      {props.title && <h3>{props.title}</h3>}
      <Verdict page={page} />
      <Picture name={`phases${name}`} label={label} legend={page.phases.slice(0, 8).map((p) => <span key={p.phase}><PhaseName page={page} phase={p.phase} /></span>)}>
        <Timeline
          name={`timeline${name}`}
          label={label}
          count={rows.length}
          starts={page.starts}
          accesses={rows.map((row) => row.accesses)}
          misses={misses}
          distinct={rows.map((row) => row.distinct)}
          phase={page.phaseOf.map((phase) => page.colors[phase] ?? 0)}
          stretches={runs}
          {...(range ? { selected: range } : {})}
          {...(props.ends ? { ends: props.ends } : {})}
          onSelect={(first, last, done) => props.onSelect(first === 0 && last === rows.length - 1 ? '' : `${first}-${last}`, done)}
          ratioName={`${exact ? '' : '≈ '}miss ratio in ${props.cache}`}
          distinctName={`distinct ${page.profile.view.unit || 'block'}s in a window`}
          xName={page.inTime ? 'time, in seconds' : 'position, in accesses'}
          xLabel={(v) => (page.inTime ? String(v) : format.short(v))}
          yLabel={format.short}
          phaseChosen={props.chosen > 0 ? (page.colors[props.chosen - 1] ?? -1) : -1}
          describe={(first, last) => {
            const count = countRange(page, first, last, blocks);
            return [`window ${first + 1}, from ${place(page, first)}`, `phase ${page.phaseOf[first]! + 1}`, `miss ratio ${ratioText(count)}`, `${format.count(rows[first]!.distinct)} distinct`];
          }}
        />
      </Picture>
    </>
  );
}

const SIDES = ['Before', 'After'];

function PhasesTab(props: TabProps) {
  const { state } = props;
  const side = sideOf(state, 'windows');
  const page = usePromise(() => load(side), [side]);
  const compares = has('view', { profile: 1 });
  const other = usePromise(() => (compares ? load(1 - side) : Promise.resolve(undefined)), [side]);
  const sizes = state.sizes.join();
  const levels = useMemo(() => state.sizes.map((blocks, i) => ({ name: page?.profile.view.caches.at(i).name ?? '', blocks })), [page, sizes]);
  const level = levels[state.cache];
  const blocks = level?.blocks ?? page?.phases[0]?.best_size ?? 1;
  const columns = useMemo(() => (page ? phaseColumns(page, level) : []), [page, level]);
  const stretchList = useMemo(() => (page ? stretchColumns(page) : []), [page]);
  const both = useMemo(() => (page && other ? (side ? [other, page] : [page, other]) : undefined), [page, other, side]);
  const ends = useMemo(() => (both && both[0]!.inTime === both[1]!.inTime ? endsOf(both, blocks) : undefined), [both, blocks]);
  if (!page) return null;
  const range = selection(page, state);
  const chosen = Number(state.params.phase || 0);
  const cache = level ? `${level.name} (${format.cacheSize(level.blocks, page.profile.view.block_bytes, page.profile.view.unit)})` : sizeName(page, blocks);
  return (
    <>
      <Panel title="Over time" note={ends && 'both runs on the same axes; phases that correspond have the same colour'}>
        {(both ?? [page]).map((one) => (
          <OverTime
            key={both ? SIDES[both.indexOf(one)] : ''}
            page={one}
            blocks={blocks}
            cache={cache}
            {...(both ? { title: SIDES[both.indexOf(one)]! } : {})}
            {...(ends ? { ends } : {})}
            range={one === page ? range : undefined}
            chosen={one === page ? chosen : 0}
            onSelect={(windows, done) => setParams({ windows, ...(one === page ? {} : { side: side ? '' : '1', phase: '' }) }, !done)}
          />
        ))}
        <p class="legend-text">
          The cache keeps its contents from one window to the next. Click a stretch of one phase, or drag across windows, to select them.
          {page.joined > 1 && ` The run has more windows than a page can show. Each one here stands for ${format.count(page.joined)} of them, with their mean distinct data and the phase of the first.`}
          {!Number.isInteger(Math.log2(blocks)) && ' Windows have bins of powers of two, so misses at other sizes are interpolated.'}
        </p>
      </Panel>
      {range && <Selection page={page} range={range} levels={levels} />}
      {both && <PhaseChanges before={both[0]!} after={both[1]!} {...(level ? { level } : {})} />}
      {page.phases.length > 0 && (
        <Panel title="Phases" {...(both ? { note: SIDES[side]!.toLowerCase() } : {})}>
          <Table
            name="phases"
            label="Phases"
            rows={page.phases}
            columns={columns}
            sort="phase"
            ascending
            height={12}
            selected={page.phases.findIndex((p) => p.phase === chosen)}
            onSelect={(p, _, walking) => setParams({ phase: p.phase === chosen && !walking ? '' : String(p.phase) }, walking)}
          />
          <p class="legend-text">
            A phase is a part of the run in which the working set stays the same; one that returns has one row. Only powers of two are known as best
            sizes. The data that a phase brings in when it begins are not counted in them.
          </p>
        </Panel>
      )}
      {page.stretches.length > 1 && (
        <Panel title="Course of the phases" {...(both ? { note: SIDES[side]!.toLowerCase() } : {})}>
          <Toolbar>
            <span class="note">select a row to select its windows</span>
          </Toolbar>
          <Table
            name="stretches"
            label="Course of the phases"
            rows={page.stretches}
            columns={stretchList}
            sort="from"
            ascending
            height={12}
            rest={page.rest && { from: `${format.count(page.rest.rows)} more rows`, windows: { value: page.rest.windows, text: format.count(page.rest.windows) }, accesses: { value: page.rest.accesses, text: format.full(page.rest.accesses) }, cold: { value: page.rest.cold, text: format.full(page.rest.cold) } }}
            selected={range ? page.stretches.findIndex((s) => s.window === range[0] && s.last === range[1]) : -1}
            onSelect={(s, _, walking) => setParams({ windows: `${s.window}-${s.last}` }, walking)}
          />
        </Panel>
      )}
    </>
  );
}

export const phases: Tab = { id: 'phases', label: 'Phases', present: () => lanesWith('windows').length > 0 || has('windows'), view: PhasesTab };
