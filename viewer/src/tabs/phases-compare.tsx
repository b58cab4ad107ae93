// SPDX-License-Identifier: MIT
// Phases before and after; which ones correspond is decided in C.
import { useMemo } from 'preact/hooks';
import { type Pair, pairedBy } from '../model/match';
import type { Value } from '../model/tally';
import * as format from '../ui/format';
import { useSection } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import { percentColumn, sideColumns, type Sides } from './compare-values';
import { type Page, type Phase, phaseMisses } from './phases-page';

interface Row extends Sides {
  pair: Pair<Phase>;
  order: number;
  what: string;
  text: (value: number) => string;
}

function Name(props: { before: Page; after: Page; pair: Pair<Phase> }) {
  const { before, after, pair } = props;
  const color = pair.before ? before.colors[pair.before.phase - 1]! : after.colors[pair.after!.phase - 1]!;
  return (
    <>
      <i class={`key series-${color % 8}`} />
      {nameOf(pair)}
    </>
  );
}

const nameOf = (pair: Pair<Phase>) => (pair.before && pair.after ? `phase ${pair.before.phase} → ${pair.after.phase}` : pair.before ? `phase ${pair.before.phase} → none` : `none → phase ${pair.after!.phase}`);

type Level = { name: string; blocks: number } | undefined;

function rowsOf(before: Page, after: Page, pairs: Pair<Phase>[], level: Level): Row[] {
  const rows: Row[] = [];
  const { view } = before.profile;
  const blocks = `${view.unit || 'block'}s`;
  const exactly = (value: number): Value => ({ value, exact: true });
  const whole = [before, after].map((page) => page.rows.reduce((sum, row) => sum + row.accesses, 0)) as [number, number];
  for (const pair of pairs) {
    const add = (what: string, text: (value: number) => string, value: (phase: Phase, page: Page, all: number) => Value) =>
      rows.push({ pair, order: rows.length, what, text, before: pair.before && value(pair.before, before, whole[0]), after: pair.after && value(pair.after, after, whole[1]) });
    add('accesses', format.count, (phase) => exactly(phase.accesses));
    add('share of the run', (share) => format.percent(share), (phase, _, all) => exactly(phase.accesses / (all || 1)));
    if (level) {
      add(`misses in ${level.name}`, format.count, (phase) => phaseMisses(phase, level.blocks).misses);
      add(`miss ratio in ${level.name}`, (ratio) => format.percent(ratio), (phase) => {
        const { accesses, misses } = phaseMisses(phase, level.blocks);
        return { value: misses.value / (accesses || 1), exact: misses.exact };
      });
    }
    add(`distinct ${blocks} in a window`, format.short, (phase) => exactly(phase.distinct));
    add('best size', (size) => (size ? format.cacheSize(size, view.block_bytes, view.unit) : 'none'), (phase) => exactly(phase.best_size));
  }
  return rows;
}

function columnsOf(before: Page, after: Page, rows: Row[]): Column<Row>[] {
  return [
    { key: 'phase', title: 'Phase', kind: 'text', value: (r) => r.order, csv: (r) => nameOf(r.pair), cell: (r) => <Name before={before} after={after} pair={r.pair} />, ascending: true, width: 'minmax(10em, 1fr)' },
    { key: 'what', title: 'Count', kind: 'text', value: (r) => r.what, width: 'minmax(14em, 1fr)' },
    ...sideColumns<Row>((r) => r, (value, r) => r.text(value), { width: '10em' }),
    percentColumn<Row>(rows, (r) => r),
  ];
}

export function PhaseChanges(props: { before: Page; after: Page; level?: Level }) {
  const { before, after, level } = props;
  const pairs = useSection('pairs');
  const rows = useMemo(() => rowsOf(before, after, pairedBy(pairs?.phases ?? [], before.phases, after.phases), level), [pairs, before, after, level?.blocks, level?.name]);
  const columns = useMemo(() => columnsOf(before, after, rows), [rows]);
  return (
    <Panel title="Phases before and after">
      <Table name="phase-changes" label="Phases before and after" rows={rows} columns={columns} sort="phase" ascending height={18} />
      <p class="legend-text">
        Phases correspond in the order in which they first occur. If one run has more of them, those correspond that are most alike in their distinct data and
        miss ratios. Misses include the data that a phase brings in.
      </p>
    </Panel>
  );
}
