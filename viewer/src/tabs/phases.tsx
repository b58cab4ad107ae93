// SPDX-License-Identifier: MIT
// The parts of a run in which the working set stays the same: a timeline, and the best cache for each.
import { useMemo } from 'preact/hooks';
import { Timeline } from '../charts/timeline';
import { Picture } from '../charts/scatter-frame';
import type { Rows } from '../data/columns';
import { has, lanesWith, section } from '../data/index';
import type { Windows } from '../data/sections';
import type { Value } from '../model/tally';
import { type Profile, aligned as loadProfile } from '../profile';
import { setParams, type State } from '../state';
import * as format from '../ui/format';
import { usePromise } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Panel, Toolbar } from '../ui/tabs';
import type { Tab, TabProps } from './registry';
import { sideOf } from './spatial-page';

export interface Phase {
  phase: number;
  stretches: number;
  windows: number;
  accesses: number;
  cold: number;
  distinct: number;
  best_size: number;
  best_ratio: number;
  least_ratio: number;
}

export interface Stretch {
  phase: number;
  window: number;
  windows: number;
  first: number;
  time: number;
  accesses: number;
  cold: number;
}

interface PhasesSection {
  tolerance: number;
  list: Rows<Phase>;
  stretches: Rows<Stretch>;
}

interface Page {
  profile: Profile;
  windows: Windows;
  rows: { first: number; time: number; accesses: number; cold: number; distinct: number; bins: Float64Array }[];
  phases: Phase[];
  stretches: Stretch[];
  tolerance: number;
  /** Where windows begin, and the end of the last one: accesses, or seconds. */
  starts: Float64Array;
  /** Index of the phase of each window. */
  phaseOf: Int32Array;
  inTime: boolean;
}

function startsOf(windows: Windows, rows: Page['rows']): Float64Array {
  const starts = new Float64Array(rows.length + 1);
  rows.forEach((row, i) => (starts[i] = windows.duration > 0 ? row.time / 1e9 : row.first));
  const last = rows[rows.length - 1]!;
  starts[rows.length] = windows.duration > 0 ? (last.time + windows.duration) / 1e9 : last.first + last.accesses;
  return starts;
}

async function load(side: number): Promise<Page | undefined> {
  const lane = lanesWith('windows', side)[0] ?? 0;
  const [profile, windows, phases] = await Promise.all([
    loadProfile(side),
    section('windows', { profile: side, lane }),
    section('phases', { profile: side }) as Promise<PhasesSection | undefined>,
  ]);
  if (!profile || !windows || windows.rows.length === 0) return undefined;
  const rows = windows.rows.toArray();
  const stretches = phases?.stretches.toArray() ?? [];
  const phaseOf = new Int32Array(rows.length);
  for (const s of stretches) phaseOf.fill(s.phase - 1, s.window, s.window + s.windows);
  return { profile, windows, rows, phases: phases?.list.toArray() ?? [], stretches, tolerance: phases?.tolerance ?? 0.01, starts: startsOf(windows, rows), phaseOf, inTime: windows.duration > 0 };
}

/** Misses of a window in a cache of `blocks`, whose content is kept: exact at powers of two. */
export function windowMisses(window: { cold: number; bins: Float64Array }, blocks: number): Value {
  const { bins } = window;
  const power = Math.log2(Math.max(1, blocks));
  const bin = Math.floor(power) + 1; // the bin that contains `blocks`
  let sum = window.cold;
  for (let i = bin + 1; i < bins.length; i++) sum += bins[i]!;
  const low = 2 ** (bin - 1);
  const inBin = bins[bin] ?? 0;
  if (blocks <= 0) return { value: sum + inBin + (bins[0] ?? 0), exact: bin <= 1 };
  const exact = Number.isInteger(power) || inBin === 0;
  return { value: sum + (inBin * (2 * low - blocks)) / low, exact };
}

interface RangeCount {
  accesses: number;
  cold: number;
  misses: Value;
}

function countRange(page: Page, first: number, last: number, blocks: number): RangeCount {
  const sum = { accesses: 0, cold: 0, misses: { value: 0, exact: true } };
  for (let i = first; i <= last; i++) {
    const window = page.rows[i]!;
    const misses = windowMisses(window, blocks);
    sum.accesses += window.accesses;
    sum.cold += window.cold;
    sum.misses.value += misses.value;
    sum.misses.exact &&= misses.exact;
  }
  return sum;
}

const ratioText = (count: RangeCount) => `${count.misses.exact ? '' : '≈'}${format.percent(count.misses.value, count.accesses)}`;

function place(page: Page, window: number): string {
  return page.inTime ? `${format.fraction(page.starts[window]!)} s` : format.short(page.starts[window]!);
}

function sizeName(page: Page, blocks: number): string {
  const { view } = page.profile;
  if (!blocks) return 'none';
  const text = `${format.count(blocks)} ${view.unit || 'block'}${blocks === 1 ? '' : 's'}`;
  return view.block_bytes > 0 ? `${text} (${format.bytes(blocks * view.block_bytes)})` : text;
}

function Verdict(props: { page: Page }) {
  const { page } = props;
  const { phases, stretches } = page;
  if (!phases.length) return null;
  const named = phases.slice(0, 3).map((p) => `phase ${p.phase}: ${p.best_size ? sizeName(page, p.best_size) : 'no cache that helps'}`);
  const best = phases.length === 1 ? (phases[0]!.best_size ? sizeName(page, phases[0]!.best_size) : 'no cache that helps') : named.join(', ');
  const count =
    page.rows.length === 1 ? 'One window, too long to show phases' : phases.length > 1 ? `${phases.length} phases in ${stretches.length} stretches` : stretches.length > 1 ? `One phase, whose data change ${stretches.length - 1} time${stretches.length === 2 ? '' : 's'}` : 'One phase';
  return (
    <p class="say lead">
      {count}; best cache size{phases.length === 1 ? '' : 's'}: {best}
      {phases.length > 3 ? ', …' : '.'}
    </p>
  );
}

function phaseColumns(page: Page, level: { name: string; blocks: number } | undefined): Column<Phase>[] {
  const whole = page.rows.reduce((sum, row) => sum + row.accesses, 0);
  const inPhase = (p: Phase): RangeCount => {
    const sum: RangeCount = { accesses: 0, cold: 0, misses: { value: 0, exact: true } };
    for (const s of page.stretches) {
      if (s.phase !== p.phase) continue;
      const part = countRange(page, s.window, s.window + s.windows - 1, level!.blocks);
      sum.accesses += part.accesses;
      sum.misses.value += part.misses.value;
      sum.misses.exact &&= part.misses.exact;
    }
    return sum;
  };
  const counts = new Map(level ? page.phases.map((p) => [p.phase, inPhase(p)]) : []);
  const columns: Column<Phase>[] = [
    { key: 'phase', title: 'Phase', kind: 'text', value: (p) => p.phase, cell: (p) => <><i class={`key series-${(p.phase - 1) % 8}`} />phase {p.phase}</>, ascending: true, width: 'minmax(8em, 1fr)' },
    { key: 'times', title: 'Times', kind: 'number', value: (p) => p.stretches, width: '5em', help: 'How often it occurs' },
    { key: 'accesses', title: 'Accesses', kind: 'bar', value: (p) => p.accesses, share: (p) => p.accesses / (whole || 1), format: (p) => `${format.short(p.accesses)} (${format.share(p.accesses, whole)})` },
    { key: 'distinct', title: 'Distinct', kind: 'number', value: (p) => p.distinct, format: (p) => format.short(p.distinct), help: 'Different data in a window, mean' },
    { key: 'best', title: 'Best size', kind: 'number', value: (p) => p.best_size, format: (p) => sizeName(page, p.best_size), width: '16em', help: `The smallest power of two whose miss ratio is at most ${format.percent(page.tolerance)} above that of a cache of any size` },
    { key: 'misses', title: 'Misses there', kind: 'number', value: (p) => p.best_ratio, format: (p) => format.percent(p.best_ratio), help: 'Miss ratio at the best size, without the data that the phase brings in' },
    { key: 'least', title: 'At least', kind: 'number', value: (p) => p.least_ratio, format: (p) => format.percent(p.least_ratio), help: 'Miss ratio of a cache of any size' },
    { key: 'cold', title: 'Cold', kind: 'number', value: (p) => p.cold, format: (p) => format.short(p.cold), help: 'Accesses to data that are new in the run' },
  ];
  if (level) columns.push({ key: 'here', title: `Misses in ${level.name}`, kind: 'number', value: (p) => counts.get(p.phase)!.misses.value / (counts.get(p.phase)!.accesses || 1), format: (p) => ratioText(counts.get(p.phase)!), heat: (p) => Math.min(0.85, counts.get(p.phase)!.misses.value / (counts.get(p.phase)!.accesses || 1)), help: 'Including the data that the phase brings in. ≈: the size is no power of two' });
  return columns;
}

const stretchColumns = (page: Page): Column<Stretch>[] => [
  { key: 'from', title: page.inTime ? 'From' : 'From access', kind: 'text', value: (s) => s.window, csv: (s) => (page.inTime ? s.time / 1e9 : s.first), format: (s) => (page.inTime ? place(page, s.window) : format.count(s.first)), ascending: true, width: 'minmax(10em, 1fr)' },
  { key: 'phase', title: 'Phase', kind: 'text', value: (s) => s.phase, cell: (s) => <><i class={`key series-${(s.phase - 1) % 8}`} />phase {s.phase}</>, width: '8em' },
  { key: 'windows', title: 'Windows', kind: 'number', value: (s) => s.windows },
  { key: 'accesses', title: 'Accesses', kind: 'number', value: (s) => s.accesses, format: (s) => format.short(s.accesses) },
  { key: 'cold', title: 'Cold', kind: 'number', value: (s) => s.cold, format: (s) => format.short(s.cold), help: 'A phase may return with other data: accesses to data that are new in the run' },
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
        {format.short(sum / (last - first + 1))} on average, {format.short(most)} at most.
      </p>
      <Table name="window-range" label="Misses in the selected windows" rows={rows} columns={SELECTED} sort="misses" height={6} />
    </Panel>
  );
}

function PhasesTab(props: TabProps) {
  const { state } = props;
  const side = sideOf(state, 'windows');
  const page = usePromise(() => load(side), [side]);
  const sizes = state.sizes.join();
  const levels = useMemo(() => state.sizes.map((blocks, i) => ({ name: page?.profile.view.caches.at(i).name ?? '', blocks })), [page, sizes]);
  const level = levels[state.cache];
  const blocks = level?.blocks ?? page?.phases[0]?.best_size ?? 1;
  const misses = useMemo(() => (page ? Float64Array.from(page.rows, (row) => windowMisses(row, blocks).value) : new Float64Array()), [page, blocks]);
  const columns = useMemo(() => (page ? phaseColumns(page, level) : []), [page, level]);
  const stretchList = useMemo(() => (page ? stretchColumns(page) : []), [page]);
  if (!page) return null;
  const { rows } = page;
  const range = selection(page, state);
  const chosen = Number(state.params.phase || 0);
  const exact = Number.isInteger(Math.log2(blocks));
  const name = level ? `${level.name} (${format.cacheSize(level.blocks, page.profile.view.block_bytes, page.profile.view.unit)})` : sizeName(page, blocks);
  const whole = countRange(page, 0, rows.length - 1, blocks);
  const label = `Timeline of ${rows.length} windows in ${page.phases.length} phase${page.phases.length === 1 ? '' : 's'}: miss ratio in ${name}, ${ratioText(whole)} overall, and distinct data in a window.`;
  return (
    <>
      <Panel title="Over time">
        <Verdict page={page} />
        <Picture
          name="phases"
          label={label}
          legend={page.phases.slice(0, 8).map((p) => (
            <span key={p.phase}>
              <i class={`key series-${(p.phase - 1) % 8}`} />
              phase {p.phase}
            </span>
          ))}
        >
          <Timeline
            name="timeline"
            label={label}
            count={rows.length}
            starts={page.starts}
            accesses={rows.map((row) => row.accesses)}
            misses={misses}
            distinct={rows.map((row) => row.distinct)}
            phase={page.phaseOf}
            stretches={page.stretches.map((s) => ({ first: s.window, count: s.windows, phase: s.phase - 1 }))}
            {...(range ? { selected: range } : {})}
            onSelect={(first, last, done) => setParams({ windows: first === 0 && last === rows.length - 1 ? '' : `${first}-${last}` }, !done)}
            ratioName={`${exact ? '' : '≈ '}miss ratio in ${name}`}
            distinctName={`distinct ${page.profile.view.unit || 'block'}s in a window`}
            xName={page.inTime ? 'time, in seconds' : 'position, in accesses'}
            xLabel={(v) => (page.inTime ? String(v) : format.short(v))}
            yLabel={format.short}
            phaseChosen={chosen > 0 ? chosen - 1 : -1}
            describe={(first, last) => {
              const count = countRange(page, first, last, blocks);
              return [`window ${first + 1}, from ${place(page, first)}`, `phase ${page.phaseOf[first]! + 1}`, `miss ratio ${ratioText(count)}`, `${format.count(rows[first]!.distinct)} distinct`];
            }}
          />
        </Picture>
        <p class="legend-text">
          The cache keeps its content from window to window. Click a stretch or drag over windows to select them.
          {!exact && ' Windows have bins of powers of two, so misses at other sizes are interpolated.'}
        </p>
      </Panel>
      {range && <Selection page={page} range={range} levels={levels} />}
      {page.phases.length > 0 && (
        <Panel title="Phases">
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
        <Panel title="Course of the phases">
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
            selected={range ? page.stretches.findIndex((s) => s.window === range[0] && s.window + s.windows - 1 === range[1]) : -1}
            onSelect={(s, _, walking) => setParams({ windows: `${s.window}-${s.window + s.windows - 1}` }, walking)}
          />
        </Panel>
      )}
    </>
  );
}

export const phases: Tab = { id: 'phases', label: 'Phases', present: () => lanesWith('windows').length > 0 || has('windows'), view: PhasesTab };
