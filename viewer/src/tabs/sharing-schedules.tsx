// SPDX-License-Identifier: MIT
// How much the misses depend on the order: their spread over several schedules.
import { useMemo } from 'preact/hooks';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import type { SharingPage } from './sharing';
import type { Schedules as Section, Spread } from './sharing-model';

interface Row {
  cache: string;
  order: number;
  sharer: string;
  spread: Spread;
  distance: boolean;
}

function rowsOf(page: SharingPage, schedules: Section): Row[] {
  const rows: Row[] = [];
  const name = (i: number) => page.sharers[i]?.name ?? '';
  const known = page.sharing.shared_caches.toArray();
  schedules.misses.toArray().forEach((of, order) => {
    const list = of.sharers.toArray();
    // These caches are not the dragged ones: their sizes say so.
    const bytes = known.find((one) => one.name === of.cache)?.bytes;
    const cache = { ...of, cache: bytes ? `${of.cache} ${format.bytes(bytes)}` : of.cache };
    rows.push({ cache: cache.cache, order, sharer: 'all', spread: cache.all, distance: false });
    list.forEach((spread, i) => rows.push({ cache: cache.cache, order, sharer: name(i), spread, distance: false }));
  });
  const order = schedules.misses.length;
  const list = schedules.distances.toArray();
  rows.push({ cache: 'mean distance', order, sharer: 'all', spread: schedules.distance, distance: true });
  list.forEach((spread, i) => rows.push({ cache: 'mean distance', order, sharer: name(i), spread, distance: true }));
  return rows;
}

function Picture(props: { row: Row }) {
  const { spread } = props.row;
  const most = spread.maximum || 1;
  const at = (value: number) => `${(97 * value) / most}%`;
  return (
    <span class="spread" role="img" aria-label={`from ${spread.minimum} to ${spread.maximum}, median ${spread.median}`}>
      <i style={{ left: at(spread.minimum), width: `${Math.max(0.5, (97 * (spread.maximum - spread.minimum)) / most)}%` }} />
      <b style={{ left: at(spread.median) }} />
    </span>
  );
}

const text = (row: Row, value: number) => (row.distance ? format.fraction(value) : format.count(value));

const COLUMNS: Column<Row>[] = [
  { key: 'cache', title: 'Cache', kind: 'text', value: (r) => r.order, csv: (r) => r.cache, format: (r) => r.cache, ascending: true, width: '10em' },
  { key: 'sharer', title: 'Sharer', kind: 'text', value: (r) => r.sharer, width: 'minmax(8em, 1fr)' },
  { key: 'minimum', title: 'Minimum', kind: 'number', value: (r) => r.spread.minimum, format: (r) => text(r, r.spread.minimum), width: '9em' },
  { key: 'median', title: 'Median', kind: 'number', value: (r) => r.spread.median, format: (r) => text(r, r.spread.median), width: '9em' },
  { key: 'maximum', title: 'Maximum', kind: 'number', value: (r) => r.spread.maximum, format: (r) => text(r, r.spread.maximum), width: '9em' },
  { key: 'spread', title: 'Spread', kind: 'text', value: (r) => (r.spread.maximum - r.spread.minimum) / (r.spread.median || 1), csv: null, cell: (r) => <Picture row={r} />, width: 'minmax(14em, 2fr)', help: 'The bar leads from the lowest to the highest number; the mark is the median' },
];

export function Schedules(props: { page: SharingPage }) {
  const { page } = props;
  const { schedules } = page.sharing;
  const rows = useMemo(() => (schedules ? rowsOf(page, schedules) : []), [page.sharing]);
  if (!schedules || page.sharers.length < 2) return null;
  return (
    <Panel title={`Spread over ${schedules.count} schedule${schedules.count === 1 ? '' : 's'}`}>
      <Table name="schedules" label="Misses over schedules" rows={rows} columns={COLUMNS} sort="cache" ascending height={12} />
      <p class="legend-text">
        Orders in which the threads could have run, with turns of {format.count(schedules.quantum)} accesses and consecutive seeds from {schedules.seed}. Only
        the order of the recorded accesses varies. Mean distance: in one cache for all. These caches are those of the run.
        {schedules.forced > 0.9 && ` What threads wait for leaves almost no other order than the recorded one: only ${format.percent(1 - schedules.forced)} of the accesses had a choice.`}
      </p>
    </Panel>
  );
}
