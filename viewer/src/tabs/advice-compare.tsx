// SPDX-License-Identifier: MIT
// Advice before and after: what no longer applies, what is new, and what remains.
import { useMemo } from 'preact/hooks';
import type { Value } from '../model/tally';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import type { Item, Kind, Level } from './advice-items';
import { percentColumn, sideColumns, type Sides } from './compare-values';

/** The advice of one profile. */
export interface Advised {
  items: Item[];
  /** What rows weigh, with advice or without. */
  weights: Map<string, Value>;
  levels: Level[];
}

type Fate = 'gone' | 'new' | 'kept';

interface Row extends Sides {
  item: Item;
  fate: Fate;
  /** Of all misses in the chosen cache; false sharing has no such share. */
  shares: Sides;
}

const HELP: Record<Fate, string> = {
  gone: 'It applied before, and does not apply any more',
  new: 'It applies only after',
  kept: 'It applies before and after',
};

// What the rows of an item weigh in the other profile; 0 if they are not there, or too light to be listed.
function elsewhere(item: Item, other: Advised): Value {
  let most: Value = { value: 0, exact: true };
  for (const key of item.rows) {
    const value = other.weights.get(key);
    if (value && value.value > most.value) most = value;
  }
  return most;
}

function shareOf(value: Value, item: Item, level: Level | undefined): Value | undefined {
  return item.kind === 'sharing' || !level?.misses ? undefined : { value: value.value / level.misses, exact: value.exact };
}

/** Items correspond if they say the same of rows that correspond. */
export function compareAdvice(before: Advised, after: Advised, chosen: number): Row[] {
  const rows: Row[] = [];
  const taken = new Set<Item>();
  const add = (item: Item, fate: Fate, from: Value, to: Value) =>
    rows.push({ item, fate, before: from, after: to, shares: { before: shareOf(from, item, before.levels[chosen]), after: shareOf(to, item, after.levels[chosen]) } });
  for (const item of before.items) {
    const same = after.items.find((other) => !taken.has(other) && other.kind === item.kind && other.word === item.word && other.rows.some((key) => item.rows.includes(key)));
    if (same) taken.add(same);
    add(item, same ? 'kept' : 'gone', item.weight, same ? same.weight : elsewhere(item, after));
  }
  for (const item of after.items) if (!taken.has(item)) add(item, 'new', elsewhere(item, before), item.weight);
  return rows;
}

const FATES: Fate[] = ['gone', 'new', 'kept'];

function columnsOf(rows: Row[], kinds: Record<Kind, string>): Column<Row>[] {
  return [
    { key: 'fate', title: 'Advice', kind: 'text', value: (r) => FATES.indexOf(r.fate), csv: (r) => r.fate, cell: (r) => <span class={`tag fate-${r.fate}`} title={HELP[r.fate]}>{r.fate}</span>, ascending: true, width: '5.6em' },
    { key: 'word', title: 'May help', kind: 'text', value: (r) => r.item.word, cell: (r) => <span class="word">{r.item.word}</span>, width: '9.6em' },
    { key: 'title', title: 'Where', kind: 'text', value: (r) => r.item.title, tip: (r) => r.item.text, width: 'minmax(20em, 2fr)' },
    ...sideColumns<Row>((r) => r, format.short, { width: '7.6em' }),
    ...sideColumns<Row>((r) => r.shares, (value) => format.share(value, 1), { key: 'share-', title: 'Share', width: '8.8em', help: 'Of all misses in the chosen cache' }).slice(0, 2),
    percentColumn<Row>(rows, (r) => r),
    { key: 'kind', title: 'Kind', kind: 'text', value: (r) => kinds[r.item.kind], width: '7.6em' },
  ];
}

export function AdviceChanges(props: { before: Advised; after: Advised; chosen: number; kinds: Record<Kind, string> }) {
  const { before, after, chosen } = props;
  const rows = useMemo(() => compareAdvice(before, after, chosen), [before, after, chosen]);
  const columns = useMemo(() => columnsOf(rows, props.kinds), [rows]);
  const count = (fate: Fate) => rows.filter((row) => row.fate === fate).length;
  const level = before.levels[chosen];
  return (
    <Panel title="Before and after" {...(level ? { note: `misses in ${level.name}` } : {})}>
      <p class="say lead">
        {count('gone')} no longer appl{count('gone') === 1 ? 'ies' : 'y'}, {count('new')} {count('new') === 1 ? 'is' : 'are'} new, and {count('kept')} remain{count('kept') === 1 ? 's' : ''}.
      </p>
      <Table name="advice-changes" label="Advice before and after" rows={rows} columns={columns} sort="difference" height={14} searchText={(r) => `${r.item.title} ${r.item.word} ${r.fate} ${r.item.text}`} />
      <p class="legend-text">
        Misses as in the list below. Advice remains if it says the same of code and data that correspond. For advice of one profile alone, the other number is
        that of the same accesses in the other profile; 0 means that they are not among its worst.
      </p>
    </Panel>
  );
}
