// SPDX-License-Identifier: MIT
// What differs between two profiles: totals, curves, and code and data. All rows are those of `deja diff`.
import { useMemo } from 'preact/hooks';
import { has, section } from '../data/index';
import type { Diff } from '../data/sections';
import { logBins, points } from '../model/curve';
import { type Profile, profile as loadProfile } from '../profile';
import type { State } from '../state';
import { CacheHandles } from '../ui/caches';
import { Chart, type ChartSpec } from '../ui/chart';
import { series } from '../ui/color';
import * as format from '../ui/format';
import { usePromise } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import { theme } from '../ui/theme';
import { Breakdowns } from './compare-rows';
import { Change, percentChange, type Values } from './compare-values';
import type { Tab, TabProps } from './registry';

/** The section, with what newer files say. */
export interface DiffSection extends Diff {
  measure?: string;
  estimated?: boolean;
  work?: ArrayLike<number>;
  ranked?: number;
}

export interface ComparePage {
  diff: DiffSection;
  sides: [Profile, Profile];
  names: [string, string];
  /** Counts are divided by the work of each run. */
  work: [number, number];
  estimated: boolean;
}

async function load(): Promise<ComparePage | undefined> {
  const [diff, before, after] = await Promise.all([section('diff') as Promise<DiffSection | undefined>, loadProfile(0), loadProfile(1)]);
  if (!diff || !before || !after) return undefined;
  const work = Array.from(diff.work ?? []);
  const estimated = diff.estimated ?? diff.totals.toArray().some((row) => row.error > 0);
  return { diff, sides: [before, after], names: [diff.names[0] ?? 'before', diff.names[1] ?? 'after'], work: [work[0] || 1, work[1] || 1], estimated };
}

interface Total extends Values {
  name: string;
  about: boolean;
  order: number;
}

// The totals of C, and the misses in the caches as dragged, from both exact curves.
function totalsOf(page: ComparePage, state: State): Total[] {
  const rows: Total[] = page.diff.totals.toArray().map((row, order) => ({ ...row, name: row.name.replace(/\.misses$/, ' misses'), about: row.error > 0, order }));
  const [a, b] = page.sides;
  if (!a.whole || !b.whole) return rows;
  const same = new Map(page.diff.caches.toArray().map((cache) => [cache.blocks, cache.name]));
  state.sizes.forEach((blocks, i) => {
    if (same.has(blocks)) return;
    const name = `${a.view.caches.at(i).name} misses at ${format.cacheSize(blocks, a.view.block_bytes, a.view.unit)}`;
    rows.push({ name, before: a.whole!.curve.misses(blocks), after: b.whole!.curve.misses(blocks), error: 0, about: page.estimated || !a.whole!.exactAt(blocks) || !b.whole!.exactAt(blocks), order: rows.length });
  });
  return rows;
}

function totalColumns(page: ComparePage, most: number): Column<Total>[] {
  const scaled = page.work[0] !== 1 || page.work[1] !== 1;
  const text = (row: Total, value: number, side: 0 | 1) => (row.about ? '≈' : '') + (scaled ? format.fraction(value / page.work[side]) : format.count(value));
  const change = (row: Total) => row.after / page.work[1] - row.before / page.work[0];
  const columns: Column<Total>[] = [
    { key: 'name', title: 'Count', kind: 'text', value: (r) => r.order, csv: (r) => r.name, format: (r) => r.name, ascending: true },
    { key: 'before', title: 'Before', kind: 'number', value: (r) => r.before / page.work[0], format: (r) => text(r, r.before, 0), width: '10em' },
    { key: 'after', title: 'After', kind: 'number', value: (r) => r.after / page.work[1], format: (r) => text(r, r.after, 1), width: '10em' },
    { key: 'difference', title: 'Difference', kind: 'number', value: change, format: (r) => format.difference(change(r), scaled ? format.fraction : format.count), width: '10em' },
    { key: 'percent', title: 'Change', kind: 'text', value: (r) => change(r) / (r.before / page.work[0] || 1), csv: (r) => (r.before ? (change(r) * page.work[0]) / r.before : ''), cell: (r) => <Change change={change(r)} before={r.before / page.work[0]} most={most} relative />, width: '15em', help: 'Relative to before' },
  ];
  if (page.estimated) columns.push({ key: 'error', title: '±', kind: 'number', value: (r) => r.error, format: (r) => (r.error > 0 ? format.short(r.error) : ''), help: 'A difference smaller than this may be no difference' });
  return columns;
}

function curveSpec(page: ComparePage): ChartSpec | undefined {
  const [a, b] = page.sides;
  if (!a.whole || !b.whole) return undefined;
  const end = Math.max(2, a.whole.curve.longest + 1, b.whole.curve.longest + 1);
  const { block_bytes: bytes, unit } = a.view;
  const bins = (profile: Profile, half: 0 | 1) =>
    logBins(profile.whole!.curve, 0).map((bin) => {
      // The left half of a range belongs to before, the right one to after.
      const [from, to] = [Math.max(0.5, bin.lo), Math.max(1, bin.hi + 1)];
      const middle = Math.sqrt(from * to);
      const y = bin.count / (profile.whole!.curve.accesses || 1);
      return half === 0 ? { lo: bin.lo, hi: middle - 1, y } : { lo: middle, hi: bin.hi, y };
    });
  return {
    x: { label: bytes ? 'cache size, reuse distance' : `cache size, reuse distance in ${unit}s`, format: (v) => (bytes ? format.bytes(v * bytes) : format.size(v)), log2: true, max: Math.max(end * 2, ...a.view.caches.map((cache) => (cache.blocks < 64 * end ? cache.blocks * 1.5 : 1))) },
    left: { label: 'miss ratio', format: (v) => `${Number((100 * v).toPrecision(3))}%`, min: 0 },
    right: { label: 'share of the accesses', format: (v) => `${Number((100 * v).toPrecision(3))}%` },
    bars: [
      { label: 'reuses before', color: `${series(1)}59`, right: true, bins: bins(a, 0) },
      { label: 'reuses after', color: `${series(0)}59`, right: true, bins: bins(b, 1) },
    ],
    lines: [
      { label: 'miss ratio before', color: series(1), ...points((n) => a.whole!.curve.ratio(n), end, 16), stepped: true, dash: [6, 3] },
      { label: 'miss ratio after', color: series(0), ...points((n) => b.whole!.curve.ratio(n), end, 16), stepped: true },
    ],
  };
}

function Curves(props: { page: ComparePage; state: State }) {
  const { page, state } = props;
  const spec = useMemo(() => curveSpec(page), [page, theme()]);
  if (!spec) return null;
  const [a, b] = page.sides;
  const ratios = (blocks: number) => `before ${format.percent(a.whole!.curve.ratio(blocks))}, after ${format.percent(b.whole!.curve.ratio(blocks))}`;
  const says = state.sizes.map((blocks, i) => `${a.view.caches.at(i).name} ${ratios(blocks)}`).join('; ');
  return (
    <Panel title="Curves and histograms">
      <Chart
        name="compare"
        label={`Chart of the miss ratios and reuse distances of both runs. ${says}`}
        spec={spec}
        height={320}
        overlay={(geometry) => <CacheHandles view={a.view} state={state} geometry={geometry} ratio={(blocks) => b.whole!.curve.ratio(blocks)} nearest={a.whole!.nearest} />}
        readout={(x) => `${format.cacheSize(Math.max(1, Math.round(x)), a.view.block_bytes, a.view.unit)}: ${ratios(Math.max(1, Math.round(x)))}`}
      />
      <p class="legend-text">The caches are fully associative LRU. In each range of distances, the left bar is before and the right bar is after.</p>
    </Panel>
  );
}

interface Point {
  size: number;
  before: number;
  after: number;
}

function pointColumns(page: ComparePage): Column<Point>[] {
  const { view } = page.sides[1];
  const most = Math.max(1e-9, ...page.diff.points.toArray().map((p) => Math.abs(p.after - p.before)));
  return [
    { key: 'size', title: 'Cache', kind: 'text', value: (p) => p.size, format: (p) => format.cacheSize(p.size, view.block_bytes, view.unit), ascending: true },
    { key: 'before', title: 'Before', kind: 'number', value: (p) => p.before, format: (p) => format.percent(p.before) },
    { key: 'after', title: 'After', kind: 'number', value: (p) => p.after, format: (p) => format.percent(p.after) },
    { key: 'difference', title: 'Points', kind: 'number', value: (p) => p.after - p.before, csv: (p) => 100 * (p.after - p.before), format: (p) => format.difference(100 * (p.after - p.before), (v) => v.toFixed(2)) },
    { key: 'change', title: 'Change', kind: 'text', value: (p) => p.after - p.before, csv: (p) => (p.before ? (p.after - p.before) / p.before : ''), cell: (p) => <Change change={p.after - p.before} before={p.before} most={most} />, width: '15em' },
  ];
}

function CompareTab(props: TabProps) {
  const { state } = props;
  const page = usePromise(load, []);
  const totals = useMemo(() => (page ? totalsOf(page, state) : []), [page, state.sizes]);
  const most = Math.max(0.01, ...totals.map((row) => Math.min(1, Math.abs(percentChange(row, page?.work ?? [1, 1])))));
  const columns = useMemo(() => (page ? totalColumns(page, most) : []), [page, most]);
  const pointList = useMemo(() => (page ? pointColumns(page) : []), [page]);
  if (!page) return null;
  const { diff } = page;
  return (
    <>
      <Panel title="What changed">
        {diff.verdict.map((sentence, i) => (
          <p key={i} class="say lead">
            {sentence}
          </p>
        ))}
        <p class="say muted">
          Before: {page.names[0]}. After: {page.names[1]}.{page.estimated && ' Estimates: a difference below its error (±) may be none.'}
          {(page.work[0] !== 1 || page.work[1] !== 1) && ` Counts are divided by the work: ${page.work[0]} before, ${page.work[1]} after.`}
        </p>
        <Table name="totals" label="Totals before and after" rows={totals} columns={columns} sort="name" ascending height={14} />
        {diff.not_compared && <p class="legend-text">Only in one of the profiles: {diff.not_compared}.</p>}
      </Panel>
      <Curves page={page} state={state} />
      <Breakdowns page={page} state={state} />
      {diff.points.length > 0 && (
        <Panel title="Miss ratios by cache size">
          <Table name="points" label="Miss ratios before and after" rows={diff.points.toArray()} columns={pointList} sort="size" ascending height={14} />
        </Panel>
      )}
    </>
  );
}

export const compare: Tab = { id: 'compare', label: 'Compare', present: () => has('diff'), view: CompareTab };
