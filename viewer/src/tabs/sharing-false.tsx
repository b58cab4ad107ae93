// SPDX-License-Identifier: MIT
// False sharing by the data and the lines on both sides; and the data by what sharing costs it.
import { useMemo } from 'preact/hooks';
import type { Rows } from '../data/columns';
import type { Place } from '../data/sections';
import { setParams, type State } from '../state';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import type { SharingPage } from './sharing';
import { DataLink, SourceLink } from './spatial-page';

export interface FalseSharingRow {
  missed: string;
  written: string;
  missed_at: string;
  written_at: string;
  missed_file: number;
  missed_line: number;
  written_file: number;
  written_line: number;
  misses: number;
  true_sharing: number;
  sharers: number | string;
  text: string;
  match: number;
}

export interface FalseSharingSection {
  list?: Rows<FalseSharingRow>;
  rows?: Rows<FalseSharingRow>;
  left_out?: number;
  misses_left_out?: number;
  misses?: number;
  true_sharing?: number;
}

export const falseSharingRows = (of: FalseSharingSection | undefined) => (of?.list ?? of?.rows)?.toArray() ?? [];

/** The number of sharers, from a number or the digits of a set of bits. */
export function sharerCount(of: number | string): number {
  if (typeof of === 'number') return of;
  return [...of].reduce((sum, digit) => sum + [...parseInt(digit, 16).toString(2)].filter((bit) => bit === '1').length, 0);
}

function columnsOf(most: number, all: number): Column<FalseSharingRow>[] {
  return [
    { key: 'misses', title: 'Misses', kind: 'number', value: (r) => r.misses, heat: (r) => 0.85 * Math.sqrt(r.misses / most), format: (r) => format.short(r.misses), tip: (r) => `${format.count(r.misses)} misses`, width: '7em' },
    { key: 'share', title: 'Share', kind: 'number', value: (r) => r.misses / (all || 1), format: (r) => format.share(r.misses, all), width: '5em' },
    { key: 'missed', title: 'Missed data', kind: 'text', value: (r) => r.missed, cell: (r) => <DataLink name={r.missed} /> },
    { key: 'missed-at', title: 'Missed at', kind: 'text', value: (r) => r.missed_at, cell: (r) => <SourceLink file={r.missed_file} line={r.missed_line}>{r.missed_at}</SourceLink> },
    { key: 'written', title: 'Written data', kind: 'text', value: (r) => r.written, cell: (r) => <DataLink name={r.written} /> },
    { key: 'written-at', title: 'Written at', kind: 'text', value: (r) => r.written_at, cell: (r) => <SourceLink file={r.written_file} line={r.written_line}>{r.written_at}</SourceLink> },
    { key: 'true', title: 'True sharing', kind: 'number', value: (r) => r.true_sharing, format: (r) => format.short(r.true_sharing) },
    { key: 'sharers', title: 'Sharers', kind: 'number', value: (r) => sharerCount(r.sharers), width: '5.5em' },
  ];
}

const OBJECTS: Column<Place>[] = [
  { key: 'name', title: 'Data', kind: 'text', value: (o) => o.name, cell: (o) => <DataLink name={o.name} /> },
  { key: 'sharers', title: 'Sharers', kind: 'number', value: (o) => o.sharing!.sharers, width: '5.5em' },
  { key: 'broken', title: 'Broken', kind: 'number', value: (o) => o.sharing!.broken, format: (o) => format.short(o.sharing!.broken), help: 'Reuses of a block that another sharer accessed in between' },
  { key: 'true', title: 'True sharing', kind: 'number', value: (o) => o.sharing!.true_sharing, format: (o) => format.short(o.sharing!.true_sharing) },
  { key: 'false', title: 'False sharing', kind: 'number', value: (o) => o.sharing!.false_sharing, format: (o) => format.short(o.sharing!.false_sharing) },
];

// The numbers of the caches of the run: these do not follow the dragged ones.
function objectColumns(page: SharingPage): Column<Place>[] {
  return [
    ...OBJECTS,
    ...page.sharing.shared_caches.map((cache, i): Column<Place> => {
      const at = (o: Place) => (i < o.sharing!.caches.length ? o.sharing!.caches.at(i) : undefined);
      return { key: `cache-${i}`, title: `${cache.name} ${format.bytes(cache.bytes)} misses`, width: '10em', kind: 'number', value: (o) => at(o)?.misses ?? 0, format: (o) => format.short(at(o)?.misses ?? 0), tip: (o) => (at(o) ? `${format.count(at(o)!.alone)} if each ran alone, ${format.count(at(o)!.invalidated)} after writes of others` : ''), help: `In the ${cache.name} of the run, ${format.bytes(cache.bytes)}` };
    }),
  ];
}

export function FalseSharing(props: { page: SharingPage; state: State }) {
  const { page, state } = props;
  const rows = useMemo(() => falseSharingRows(page.falseSharing), [page.falseSharing]);
  const objects = useMemo(() => page.objects?.rows.toArray().filter((o) => o.sharing && o.sharing.sharers > 1) ?? [], [page.objects]);
  const total = page.falseSharing?.misses || rows.reduce((sum, row) => sum + row.misses, 0);
  const columns = useMemo(() => columnsOf(Math.max(1, ...rows.map((row) => row.misses)), total), [rows]);
  const objectList = useMemo(() => objectColumns(page), [page.sharing]);
  const at = state.params.false ? Number(state.params.false) : -1;
  const left = page.falseSharing?.left_out ?? 0;
  const leftMisses = page.falseSharing?.misses_left_out ?? 0;
  return (
    <>
      {rows.length > 0 && (
        <Panel title="False sharing" note="misses that deliver nothing another thread wrote">
          <Table name="false-sharing" label="False sharing by data and line" rows={rows} columns={columns} sort="misses" height={10} selected={at} onSelect={(_, i, walking) => setParams({ false: String(i) }, walking)} rest={left > 0 ? { missed: `${format.count(left)} more rows`, misses: { value: leftMisses, text: format.full(leftMisses) } } : null} />
          {rows[at] && (
            <p class="say" aria-live="polite">
              {rows[at]!.text}
            </p>
          )}
        </Panel>
      )}
      {objects.length > 0 && (
        <Panel title="Data by sharing" note="in the caches of the run, not as dragged">
          <Table name="sharing-objects" label="Data by sharing" rows={objects} columns={objectList} sort="false" height={10} />
        </Panel>
      )}
    </>
  );
}
