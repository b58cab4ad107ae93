// SPDX-License-Identifier: MIT
// Tables of sharers: what the others change, how fast they ran, the blocks they have in common, predictions.
import { useMemo } from 'preact/hooks';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import type { SharingPage } from './sharing';
import { classMembers, isPredictable, type Prediction, type Sharer } from './sharing-model';

const reuses = (s: Sharer) => s.standalone.accesses - s.standalone.cold;

function part(key: string, title: string, count: (s: Sharer) => number, whole: (s: Sharer) => number, help: string, heat = 0): Column<Sharer> {
  const share = (s: Sharer) => count(s) / (whole(s) || 1);
  return { key, title, kind: 'number', value: share, format: (s) => format.share(count(s), whole(s)), tip: (s) => `${format.count(count(s))} of ${format.count(whole(s))}`, help, ...(heat ? { heat: (s: Sharer) => Math.min(0.85, heat * share(s)) } : {}) };
}

function sharerColumns(unit: string): Column<Sharer>[] {
  return [
    { key: 'name', title: 'Sharer', kind: 'text', value: (s) => s.name },
    { key: 'accesses', title: 'Accesses', kind: 'number', value: (s) => s.standalone.accesses, format: (s) => format.short(s.standalone.accesses) },
    { key: 'blocks', title: unit === 'block' ? 'Blocks' : `${unit}s`, kind: 'number', value: (s) => s.blocks, format: (s) => format.short(s.blocks), help: `Distinct ${unit}s` },
    part('shared', 'Shared', (s) => s.shared, (s) => s.blocks, `Share of its ${unit}s that another sharer accesses too`),
    part('shared-accesses', 'Accesses to these', (s) => s.shared_accesses, (s) => s.standalone.accesses, `Accesses to shared ${unit}s`),
    part('broken', 'Broken', (s) => s.broken, reuses, `Reuses of a ${unit} that another sharer accessed in between`, 0.8),
    part('shorter', 'Shorter', (s) => s.shortened, reuses, 'Reuses with a shorter distance in one cache for all than alone'),
    part('longer', 'Longer', (s) => s.stretched, reuses, 'Reuses with a longer distance in one cache for all than alone', 0.8),
    part('found', 'Found', (s) => s.found, (s) => s.standalone.cold, 'First accesses to blocks that another sharer had accessed before'),
    { key: 'true', title: 'True sharing', kind: 'number', value: (s) => s.true_sharing, format: (s) => format.short(s.true_sharing), tip: (s) => format.count(s.true_sharing), help: 'Misses in private caches that fetch data another sharer wrote' },
    { key: 'false', title: 'False sharing', kind: 'number', value: (s) => s.false_sharing, format: (s) => format.short(s.false_sharing), tip: (s) => format.count(s.false_sharing), heat: (s) => Math.min(0.9, (4 * s.false_sharing) / (s.standalone.accesses || 1)), help: 'Misses in private caches after another sharer wrote to other words of the block; padding would avoid them' },
  ];
}

export function Sharers(props: { page: SharingPage; onChoose: (sharer: number) => void }) {
  const { page } = props;
  const columns = useMemo(() => sharerColumns(page.unit), [page.sharing]);
  const unknown = page.sharers.filter((s) => s.kinds_unknown).length;
  return (
    <Panel title="What the others change" note="shares of the reuses of each sharer">
      <Table name="sharers" label="Sharers and what the others change" rows={page.sharers} columns={columns} sort="accesses" height={12} onSelect={(_, i) => props.onChoose(i)} />
      {unknown > 0 && (
        <p class="legend-text">
          {unknown === page.sharers.length ? 'The trace does not say which accesses are writes, so the misses that writes of others cause in private caches are unknown.' : `For ${unknown} of them, the trace does not say which accesses are writes. All of these count as reads, so the misses that they cause for others are missing.`}
        </p>
      )}
      <p class="legend-text">True and false sharing are counted in words of {page.sharing.word_bytes} bytes, for private caches of any size.</p>
    </Panel>
  );
}

interface Timed {
  sharer: Sharer;
}

/** Speeds that were given or measured. */
export function Speeds(props: { page: SharingPage }) {
  const rows = props.page.sharers.filter((s) => s.speed > 0 || s.cpu_seconds > 0 || s.native_cpu_seconds > 0).map((sharer) => ({ sharer }));
  const columns = useMemo((): Column<Timed>[] => {
    const seconds = (n: number) => (n > 0 ? `${format.fraction(n)} s` : '–');
    return [
      { key: 'name', title: 'Sharer', kind: 'text', value: (r) => r.sharer.name },
      { key: 'speed', title: 'Speed', kind: 'number', value: (r) => r.sharer.speed, format: (r) => (r.sharer.speed > 0 ? format.fraction(r.sharer.speed) : '–'), help: 'Speed relative to the others' },
      { key: 'native', title: 'CPU', kind: 'number', value: (r) => r.sharer.native_cpu_seconds, format: (r) => seconds(r.sharer.native_cpu_seconds), help: 'Processor time of a run without a tracer' },
      { key: 'traced', title: 'CPU traced', kind: 'number', value: (r) => r.sharer.cpu_seconds, format: (r) => seconds(r.sharer.cpu_seconds) },
    ];
  }, []);
  const speeds = new Set(rows.map((row) => row.sharer.speed));
  if (!rows.length || (speeds.size < 2 && rows.every((row) => row.sharer.cpu_seconds <= 0))) return null;
  return <Table name="speeds" label="Relative speeds" rows={rows} columns={columns} sort="speed" height={6} />;
}

interface ClassRow {
  names: string[];
  on: number[];
  blocks: number;
  share: number;
}

/** Blocks by exactly who accesses them. */
export function Classes(props: { page: SharingPage }) {
  const { page } = props;
  const { sharers } = page;
  const rows = useMemo((): ClassRow[] => {
    const list = page.sharing.sharing_classes.toArray();
    const all = list.reduce((sum, c) => sum + c.blocks, 0) || 1;
    const members = classMembers(page.sharing);
    return list.map((c, i) => {
      const on = members[i]!;
      return { on, names: on.map((i) => sharers[i]?.name ?? `sharer ${i + 1}`), blocks: c.blocks, share: c.blocks / all };
    });
  }, [page.sharing]);
  const columns = useMemo(
    (): Column<ClassRow>[] => [
      {
        key: 'sharers',
        title: 'Accessed by exactly',
        kind: 'text',
        value: (r) => r.names.join(', '),
        tip: (r) => r.names.join(', '),
        cell: (r) => (
          <>
            {sharers.length <= 16 && (
              <span class="dots" aria-hidden="true">
                {sharers.map((_, i) => (
                  <i key={i} class={r.on.includes(i) ? 'on' : ''} />
                ))}
              </span>
            )}{' '}
            {r.on.length === sharers.length && sharers.length > 2 ? `all ${sharers.length}` : r.names.join(', ')}
          </>
        ),
        width: 'minmax(14em, 1fr)',
      },
      { key: 'number', title: 'Sharers', kind: 'number', value: (r) => r.on.length, width: '5.5em' },
      { key: 'blocks', title: 'Blocks', kind: 'bar', value: (r) => r.blocks, format: (r) => format.short(r.blocks), share: (r) => r.share, width: '8em' },
      { key: 'share', title: 'Share', kind: 'number', value: (r) => r.share, format: (r) => format.share(r.share, 1), width: '5em' },
    ],
    [page.sharing],
  );
  if (!rows.length) return null;
  return (
    <Panel title="Classes of blocks" note="who accesses the same data">
      <Table name="classes" label="Blocks by the sharers that access them" rows={rows} columns={columns} sort="blocks" height={10} />
    </Panel>
  );
}

interface PredictionRow {
  sharer: Sharer;
  of: Prediction;
}

const PREDICTIONS: Column<PredictionRow>[] = [
  { key: 'name', title: 'Sharer', kind: 'text', value: (r) => r.sharer.name },
  { key: 'model', title: 'Model', kind: 'text', value: (r) => r.of.model, width: '8em' },
  { key: 'accuracy', title: 'Accuracy', kind: 'number', value: (r) => r.of.accuracy, format: (r) => format.percent(r.of.accuracy), help: 'The share of the predicted histogram that overlaps the measured one, in bars of width 1' },
  { key: 'coarse', title: 'Bars of 1%', kind: 'number', value: (r) => r.of.accuracy_coarse, format: (r) => format.percent(r.of.accuracy_coarse), help: 'The same, in bars as wide as 1% of their distance' },
  { key: 'broken', title: 'Broken (predicted)', kind: 'number', value: (r) => r.of.broken, format: (r) => `≈${format.short(r.of.broken)}` },
  { key: 'measured', title: 'Broken (measured)', kind: 'number', value: (r) => r.sharer.broken, format: (r) => format.short(r.sharer.broken) },
  { key: 'correlation', title: 'Correlation', kind: 'number', value: (r) => r.of.correlation, format: (r) => r.of.correlation.toFixed(2), help: 'How similar the order of the first accesses to common blocks is; 1 means the same order' },
  { key: 'verdict', title: 'Predictable', kind: 'text', value: (r) => (isPredictable(r.sharer, r.of) ? 'yes' : 'not predictable') },
];

export function Predictions(props: { page: SharingPage }) {
  const rows = useMemo(() => props.page.sharers.flatMap((sharer) => sharer.predicted.map((of) => ({ sharer, of }))), [props.page.sharing]);
  if (!rows.length) return null;
  return (
    <Panel title="Predicted from each alone" note="the distances in one cache for all">
      <Table name="predictions" label="Predictions" rows={rows} columns={PREDICTIONS} sort="name" ascending height={8} />
      {rows.some((row) => !isPredictable(row.sharer, row.of)) && (
        <p class="legend-text">
          Not predictable: the sharers do not access their common blocks independently. They access them in the same order, in step or with a delay, or
          use mostly a few of them. Use the measured distances.
        </p>
      )}
    </Panel>
  );
}
