// SPDX-License-Identifier: MIT
// Each pair of sharers: who removes whose blocks by writing, and how many blocks they have in common.
import { useMemo, useState } from 'preact/hooks';
import { Matrix } from '../charts/matrix';
import { Picture } from '../charts/scatter-frame';
import type { Rows } from '../data/columns';
import * as format from '../ui/format';
import { downloadCsv } from '../ui/download';
import { Panel, Segments, Toolbar } from '../ui/tabs';
import type { IndexPair } from '../data/sections';
import type { SharingPage } from './sharing';
import { commonBlocks } from './sharing-model';

export interface MatrixSection {
  rows: Rows<{ from: number; to: number; true_sharing: number; false_sharing: number }>;
}

const MOST = 64;

const MODES = {
  false: { label: 'false sharing', rows: 'wrote ↓', columns: 'missed →' },
  true: { label: 'true sharing', rows: 'wrote ↓', columns: 'missed →' },
  blocks: { label: 'blocks in common', rows: '', columns: '' },
};
type Mode = keyof typeof MODES;

function cellsOf(page: SharingPage, mode: Mode): (number | undefined)[][] {
  const count = Math.min(MOST, page.sharers.length);
  const cells = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count }, (_, j) => (i === j ? undefined : mode === 'blocks' ? commonBlocks(page.sharing, i, j) : 0)),
  );
  if (mode !== 'blocks')
    for (const row of page.matrix?.rows ?? []) {
      const of = cells[row.from];
      if (of && row.to < count && row.from !== row.to) of[row.to] = (of[row.to] ?? 0) + (mode === 'false' ? row.false_sharing : row.true_sharing);
    }
  return cells;
}

// After less before, for sharers of `page` that have a counterpart.
function changesOf(page: SharingPage, other: SharingPage, pairs: IndexPair[], mode: Mode): (number | undefined)[][] {
  const there = new Map(pairs.map((pair) => (page.side ? [pair.after, pair.before] : [pair.before, pair.after])));
  const [mine, theirs] = [cellsOf(page, mode), cellsOf(other, mode)];
  return mine.map((row, i) =>
    row.map((value, j) => {
      const counterpart = theirs[there.get(i) ?? -1]?.[there.get(j) ?? -1];
      if (value === undefined || counterpart === undefined) return undefined;
      return page.side ? value - counterpart : counterpart - value;
    }),
  );
}

export function Pairs(props: { page: SharingPage; other: SharingPage | undefined; pairs: IndexPair[] }) {
  const { page, other } = props;
  const modes: Mode[] = [...(page.matrix ? (['false', 'true'] as Mode[]) : []), ...(page.sharing.sharing_classes.length ? (['blocks'] as Mode[]) : [])];
  const [wanted, want] = useState<Mode>('false');
  const mode = modes.includes(wanted) ? wanted : modes[0];
  const comparable = !!other && !!mode && (mode === 'blocks' ? other.sharing.sharing_classes.length > 0 : !!other.matrix);
  const [wantsChange, wantChange] = useState(false);
  const change = wantsChange && comparable;
  const cells = useMemo(() => (!mode ? [] : change ? changesOf(page, other!, props.pairs, mode) : cellsOf(page, mode)), [page.sharing, other?.sharing, props.pairs, mode, change]);
  if (!mode || page.sharers.length < 2) return null;
  const names = page.sharers.slice(0, MOST).map((s) => s.name);
  const number = change ? (value: number) => format.difference(value) : format.short;
  const say = (i: number, j: number, value: number) =>
    change ? `${names[i]} and ${names[j]}: ${format.difference(value, format.count)} ${mode === 'blocks' ? `${page.unit}s in common` : `misses by ${MODES[mode].label}`}, after less before` :
    mode === 'blocks' ? `${names[i]} and ${names[j]} have ${format.count(value)} ${page.unit}s in common` : `${names[i]} writes, and ${names[j]} misses: ${format.count(value)} misses by ${MODES[mode].label}`;
  let worst: [number, number, number] = [0, 1, 0];
  cells.forEach((row, i) => row.forEach((v, j) => v !== undefined && Math.abs(v) > Math.abs(worst[2]) && (worst = [i, j, v])));
  const label = `Matrix of ${MODES[mode].label} by pairs of sharers. Largest: ${say(...worst)}.`;
  const toCsv = () => downloadCsv(`sharing-${mode}`, [[mode === 'blocks' ? 'sharer' : 'wrote \\ missed', ...names], ...cells.map((row, i) => [names[i]!, ...row.map((v) => v ?? '')])]);
  return (
    <Panel title="Pairs of sharers">
      <Toolbar>
        <Segments label="What the matrix shows" choices={modes.map((id) => ({ id, label: MODES[id].label }))} chosen={mode} onChoose={(id) => want(id as Mode)} />
        {comparable && <Segments label="Profile of the matrix" choices={[{ id: '', label: page.side ? 'after' : 'before' }, { id: 'change', label: 'difference', help: 'After less before' }]} chosen={change ? 'change' : ''} onChoose={(id) => wantChange(id !== '')} />}
        <span class="grow" />
        <button type="button" data-export="csv" aria-label="Export the matrix as CSV" onClick={toCsv}>
          CSV
        </button>
      </Toolbar>
      <Picture name={`sharing-${mode}`} label={label}>
        <Matrix
          name="pairs"
          label={label}
          rows={names}
          columns={names}
          rowsName={MODES[mode].rows}
          columnsName={MODES[mode].columns}
          value={(i, j) => cells[i]?.[j]}
          format={number}
          say={say}
        />
      </Picture>
      <p class="legend-text">
        {mode === 'blocks'
          ? 'Blocks that both sharers accessed. A block with more than two sharers counts in each pair.'
          : 'Misses in private caches of any size, by the thread that wrote (row) and the thread that missed (column).'}
        {page.sharers.length > MOST && ` The first ${MOST} of ${page.sharers.length} sharers are shown.`}
      </p>
    </Panel>
  );
}
