// SPDX-License-Identifier: MIT
// Components of the chosen pair, as a table.
import { useMemo } from 'preact/hooks';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import { setParams } from '../state';
import { binLow, binOf } from './spatial-model';
import { type ComponentRow, rangeText, readPair, score2, type SpatialPage } from './spatial-page';

interface Row {
  c: ComponentRow;
  number: number;
  id: string;
  name: string;
}

const isOpen = (hi: number) => hi < 0 || hi >= 2 ** 63;

// The largest distance of a peak, without the empty bins of the trough after it.
function peakTop(page: SpatialPage, c: ComponentRow): number {
  const pair = page.pairs.find((one) => one.block === c.pair);
  if (!pair) return c.hi;
  const { rows } = readPair(pair);
  let bin = isOpen(c.hi) ? rows.length - 1 : Math.min(rows.length - 1, binOf(c.hi));
  while (bin > 0 && binLow(bin) > c.lo && !rows[bin]?.reuses) bin--;
  return bin === 0 ? 0 : 2 ** bin - 1;
}

/** "peak 1: 1K–4K" or "L1 misses: 512–16K" */
export function componentName(page: SpatialPage, c: ComponentRow, number: number): string {
  if (c.kind === 'peak') return `peak ${number}: ${format.range(c.lo, peakTop(page, c))}`;
  return `${c.cache} misses: ${format.range(c.lo, isOpen(c.hi) ? -1 : c.hi)}`;
}

function goodOf(row: Row): string {
  const { good_temporal: temporal, good_spatial: spatial } = row.c;
  return temporal && spatial ? 'both' : temporal ? 'temporal' : spatial ? 'spatial' : '–';
}

function columnsOf(page: SpatialPage, estimate: boolean): Column<Row>[] {
  const mark = estimate ? '≈' : '';
  const columns: Column<Row>[] = [
    { key: 'name', title: 'Component', kind: 'text', value: (r) => r.c.lo, csv: (r) => r.name, format: (r) => r.name, width: 'minmax(10.5em, 1fr)', ascending: true, help: 'Distances in blocks' },
    { key: 'share', title: 'Share', kind: 'bar', value: (r) => r.c.size, share: (r) => r.c.size, format: (r) => mark + format.share(r.c.size, 1), width: '6em' },
    { key: 'score', title: 'Score', kind: 'number', value: (r) => r.c.score, format: (r) => mark + score2(r.c.score), heat: (r) => (r.c.serious ? 0.35 + 0.6 * Math.max(0, 1 - r.c.score) : 0), width: '5em' },
  ];
  if (estimate)
    columns.push(
      { key: 'share-range', title: 'Probable share', kind: 'number', value: (r) => r.c.size_low ?? NaN, csv: (r) => rangeText(r.c.size_low, r.c.size_high, (v) => format.share(v, 1)), format: (r) => rangeText(r.c.size_low, r.c.size_high, (v) => format.share(v, 1)) },
      { key: 'score-range', title: 'Probable score', kind: 'number', value: (r) => r.c.score_low ?? NaN, csv: (r) => rangeText(r.c.score_low, r.c.score_high, score2), format: (r) => rangeText(r.c.score_low, r.c.score_high, score2) },
    );
  columns.push(
    { key: 'mean', title: 'Mean distance', kind: 'number', value: (r) => r.c.mean, format: (r) => `${mark}${format.short(r.c.mean)}${page.inBytes ? ` (${format.bytes(Math.floor(r.c.mean * r.c.pair))})` : ''}`, help: 'In blocks', width: '10em' },
    { key: 'reuses', title: 'Reuses', kind: 'number', value: (r) => r.c.reuses, format: (r) => mark + format.short(r.c.reuses), width: '5.5em' },
    { key: 'good', title: 'Good', kind: 'text', value: goodOf, width: '6em', help: `temporal: the mean distance is below ${page.limits.near} blocks; spatial: the score is above ${page.limits.good}` },
    { key: 'problem', title: 'Problem', kind: 'text', value: (r) => (r.c.serious ? 'serious' : ''), cell: (r) => (r.c.serious ? <span class="serious-word">⚠ serious</span> : ''), width: '7em' },
  );
  return columns;
}

export function Components(props: { page: SpatialPage; chosen: string }) {
  const { page } = props;
  const here = page.components.filter((c) => c.pair === page.pair.block);
  const numbers: Record<string, number> = {};
  const rows = here
    .map((c) => {
      const number = (numbers[c.kind] = (numbers[c.kind] ?? 0) + 1);
      return { c, number, id: `${c.pair}/${c.kind}/${number}`, name: componentName(page, c, number) };
    })
    .filter((row) => row.c.reuses > 0);
  const estimate = rows.some((row) => row.c.size_low !== undefined && !Number.isNaN(row.c.size_low));
  const columns = useMemo(() => columnsOf(page, estimate), [page.spatial, page.at, estimate]);
  if (!rows.length) return null;
  const lists: [string, string, Row[]][] = [
    ['components', 'Components by distance', rows.filter((row) => row.c.kind === 'peak')],
    ['components-cache', 'Components by cache', rows.filter((row) => row.c.kind === 'cache')],
  ];
  return (
    <Panel title="Components">
      {lists.map(([name, label, list]) => list.length > 0 && (
        <div key={name}>
          <h3>{label}</h3>
          <Table
            name={name}
            label={label}
            rows={list}
            columns={columns}
            sort="name"
            ascending
            height={10}
            selected={list.findIndex((row) => row.id === props.chosen)}
            onSelect={(row, _, walking) => setParams({ component: row.id }, walking)}
          />
        </div>
      ))}
      <p class="legend-text">
        A peak of the histogram of reuse distances, its share of the reuses and mean distance. Serious: the share is at least{' '}
        {format.share(page.limits.size, 1)}, the mean at least {page.limits.near} blocks, and the score at most {page.limits.good}. By cache: reuses that miss in
        it, but would hit in the next larger one; these caches are those of the run.
      </p>
    </Panel>
  );
}
