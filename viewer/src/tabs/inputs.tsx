// SPDX-License-Identifier: MIT
// Where the distances of one profile lie: its hills, which are the locality groups that other inputs may move.
import { useMemo } from 'preact/hooks';
import type { Rows } from '../data/columns';
import { logBins } from '../model/curve';
import { type Pair, pairedBy } from '../model/match';
import { type Profile, aligned as loadProfile } from '../profile';
import { Chart, type ChartSpec } from '../ui/chart';
import { series } from '../ui/color';
import * as format from '../ui/format';
import { usePromise, useSection } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import { theme } from '../ui/theme';
import { percentColumn, sideColumns, type Sides } from './compare-values';
import type { Tab, TabProps } from './registry';
import { DataLink, sideOf } from './spatial-page';

interface Part {
  name: string;
  share: number;
}

interface Hill {
  lo: number;
  hi: number;
  reuses: number;
  share: number;
  name: string;
  middle?: number;
  objects?: Rows<Part>;
  lines?: Rows<Part>;
}

const list = (parts: Rows<Part> | undefined) => parts?.toArray() ?? [];
const said = (parts: Part[]) => parts.map((part) => `${part.name} ${format.share(part.share, 1)}`).join(', ');

interface Change extends Sides {
  order: number;
  where: string;
  what: string;
  text: (value: number) => string;
}

const rangeOf = (hill: Hill | undefined) => (hill ? format.range(hill.lo, hill.hi) : 'none');

function changesOf(pairs: Pair<Hill>[], exact: boolean): Change[] {
  const rows: Change[] = [];
  for (const pair of pairs) {
    const [from, to] = [rangeOf(pair.before), rangeOf(pair.after)];
    const add = (what: string, text: (value: number) => string, value: (hill: Hill) => number) => {
      const side = (hill: Hill | undefined) => hill && { value: value(hill), exact };
      rows.push({ order: rows.length, where: from === to ? from : `${from} → ${to}`, what, text, before: side(pair.before), after: side(pair.after) });
    };
    add('reuses', format.count, (hill) => hill.reuses);
    add('share of the reuses', (share) => format.percent(share), (hill) => hill.share);
    add('median distance', format.short, (hill) => hill.middle ?? 0);
  }
  return rows;
}

function HillChanges(props: { before: Profile; after: Profile }) {
  const { before, after } = props;
  const pairs = useSection('pairs');
  const rows = useMemo(() => {
    const [from, to] = [before, after].map((profile) => profile.view.hills.toArray() as Hill[]) as [Hill[], Hill[]];
    return changesOf(pairedBy(pairs?.hills ?? [], from, to), !before.view.estimated && !after.view.estimated);
  }, [pairs, before, after]);
  const columns = useMemo((): Column<Change>[] => [
    { key: 'distances', title: 'Distances', kind: 'text', value: (r) => r.order, csv: (r) => r.where, format: (r) => r.where, ascending: true, width: 'minmax(15em, 1fr)' },
    { key: 'what', title: 'Count', kind: 'text', value: (r) => r.what, width: 'minmax(12em, 1fr)' },
    ...sideColumns<Change>((r) => r, (value, r) => r.text(value), { width: '10em' }),
    percentColumn<Change>(rows, (r) => r),
  ], [rows]);
  return (
    <Panel title="Hills before and after">
      <Table name="hill-changes" label="Hills before and after" rows={rows} columns={columns} sort="distances" ascending height={15} />
      <p class="legend-text">Hills correspond if their distances overlap, each more than with any other hill.</p>
    </Panel>
  );
}

// The histogram of the other profile, as a line.
function otherLine(profile: Profile, label: string): NonNullable<ChartSpec['lines']>[number] | undefined {
  if (!profile.whole) return undefined;
  const reuses = profile.whole.curve.accesses - profile.whole.curve.cold || 1;
  const bins = logBins(profile.whole.curve, 1);
  return { label, color: series(7), x: bins.map((bin) => Math.max(0.5, bin.lo)), y: bins.map((bin) => bin.count / reuses), stepped: true, dash: [5, 3] };
}

function specOf(profile: Profile, hills: Hill[], other: Profile | undefined, side: number): ChartSpec | undefined {
  const { whole, view } = profile;
  if (!whole) return undefined;
  const bins = logBins(whole.curve, 1);
  const reuses = whole.curve.accesses - whole.curve.cold || 1;
  const bars = (color: string, label: string, inside: (bin: { lo: number; hi: number }) => boolean) => ({
    label,
    color,
    bins: bins.filter(inside).map((bin) => ({ lo: bin.lo, hi: bin.hi, y: bin.count / reuses })),
  });
  const within = (hill: Hill) => (bin: { lo: number; hi: number }) => bin.lo >= hill.lo && bin.hi <= hill.hi;
  return {
    x: { label: `reuse distance in ${view.unit || 'block'}s${view.block_bytes ? ` of ${format.bytes(view.block_bytes)}` : ''}`, format: format.size, log2: true },
    left: { label: 'share of the reuses', format: (v) => `${Number((100 * v).toPrecision(3))}%` },
    bars: [...hills.map((hill, i) => bars(series(i), `hill ${i + 1}: ${format.range(hill.lo, hill.hi)}`, within(hill))), bars(`${series(6)}66`, 'between hills', (bin) => !hills.some((hill) => within(hill)(bin)))],
    lines: [other && otherLine(other, side ? 'reuses before' : 'reuses after')].filter((line) => line !== undefined),
  };
}

function columnsOf(hills: Hill[], mark: string): Column<Hill>[] {
  const named = hills.some((hill) => hill.objects || hill.lines);
  const columns: Column<Hill>[] = [
    { key: 'distances', title: 'Distances', kind: 'text', value: (h) => h.lo, csv: (h) => `${h.lo}–${h.hi}`, cell: (h) => <><i class={`key series-${hills.indexOf(h) % 8}`} />{format.range(h.lo, h.hi)}</>, ascending: true, width: '11em' },
    { key: 'share', title: 'Share', kind: 'bar', value: (h) => h.share, share: (h) => h.share, format: (h) => mark + format.share(h.share, 1), width: '8em' },
    { key: 'reuses', title: 'Reuses', kind: 'number', value: (h) => h.reuses, format: (h) => mark + format.short(h.reuses) },
  ];
  if (hills.some((hill) => hill.middle !== undefined)) columns.push({ key: 'middle', title: 'Middle', kind: 'number', value: (h) => h.middle ?? NaN, format: (h) => mark + format.short(h.middle ?? 0), help: 'The median distance' });
  if (named)
    columns.push(
      { key: 'objects', title: 'Data', kind: 'text', value: (h) => said(list(h.objects)), cell: (h) => list(h.objects).map((part, i) => <span key={part.name}>{i > 0 && ', '}<DataLink name={part.name} /> {format.share(part.share, 1)}</span>) },
      { key: 'lines', title: 'Lines', kind: 'text', value: (h) => said(list(h.lines)) },
    );
  else if (hills.some((hill) => hill.name)) columns.push({ key: 'name', title: 'Data', kind: 'text', value: (h) => h.name });
  return columns;
}

// How many ranges hold a share of the reuses.
function concentration(profile: Profile): string {
  const { whole } = profile;
  if (!whole) return '';
  const counts = logBins(whole.curve).map((bin) => bin.count);
  const reuses = counts.reduce((a, b) => a + b, 0);
  const first = counts.findIndex((n) => n > 0);
  if (first < 0) return '';
  const sorted = counts.slice().sort((a, b) => b - a);
  const needed = (share: number) => {
    let sum = 0;
    return sorted.findIndex((n) => (sum += n) >= share * reuses) + 1;
  };
  return `Of the reuses, ${needed(0.9)} of ${counts.length - first} ranges of powers of two hold 90%, ${needed(0.95)} hold 95%, and ${needed(0.99)} hold 99%.`;
}

function InputsTab(props: TabProps) {
  const side = sideOf(props.state, 'view');
  const profile = usePromise(() => loadProfile(side), [side]);
  const hills = useMemo(() => (profile?.view.hills.toArray() ?? []) as Hill[], [profile]);
  const { other } = props;
  const spec = useMemo(() => (profile ? specOf(profile, hills, other, side) : undefined), [profile, other, theme()]);
  const columns = useMemo(() => columnsOf(hills, profile?.view.estimated ? '≈' : ''), [hills]);
  if (!profile) return null;
  const label = `Chart of the reuse distances by hill: ${hills.map((hill) => `${format.range(hill.lo, hill.hi)} ${format.share(hill.share, 1)}`).join(', ')}`;
  return (
    <>
      <Panel title="Locality groups">
        <p class="say lead">
          {hills.length} hill{hills.length === 1 ? '' : 's'} in the histogram of reuse distances. {concentration(profile)}
        </p>
        {spec && <Chart name="hills" label={label} spec={spec} height={280} />}
        <p class="legend-text">A hill is a series of adjacent ranges between powers of two, each with at least 2% of the reuses.</p>
      </Panel>
      <Panel title="Hills">
        <Table name="hills" label="Hills" rows={hills} columns={columns} sort="distances" ascending height={12} />
        <p class="legend-text">Shares of data and lines refer to the reuses of the hill.</p>
      </Panel>
      {other && <HillChanges before={side ? other : profile} after={side ? profile : other} />}
      <Panel title="Which of them grow with the input?">
        <p class="say">
          One profile cannot tell, and neither can two. Reuses whose distance grows with the input miss in any cache once the input is large enough. To
          find them, profile at least four inputs of different sizes, and name them: <code>deja predict SMALLEST … LARGEST</code>.
        </p>
      </Panel>
    </>
  );
}

export const inputs: Tab = { id: 'inputs', label: 'Across inputs', present: (profile) => profile.view.hills?.length > 0, view: InputsTab };
