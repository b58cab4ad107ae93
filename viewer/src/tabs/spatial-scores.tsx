// SPDX-License-Identifier: MIT
// The first table: a row for each doubling of the block size.
import { useMemo } from 'preact/hooks';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import type { Value } from '../model/tally';
import { allBlocks, coldOf, isEstimate, knownMisses, longOf, type Pair, scoreOf, scoreOfMisses, total } from './spatial-model';
import { about, pairName, rangeText, readPair, role, score2, type SpatialPage } from './spatial-page';

interface Row {
  block: number;
  pair: Pair;
}

const sum = (list: ArrayLike<number>) => Array.from(list).reduce((a, b) => a + b, 0);

function columnsOf(page: SpatialPage): Column<Row>[] {
  const estimate = isEstimate(page.spatial);
  const mark = estimate ? '≈' : '';
  const rows = (row: Row) => readPair(row.pair).rows;
  const explained = (row: Row) => page.explained.find((one) => one.pair === row.block);
  const columns: Column<Row>[] = [
    {
      key: 'pair',
      title: 'Block size',
      kind: 'text',
      value: (row) => row.block,
      csv: (row) => pairName(page, row.block),
      format: (row) => [pairName(page, row.block), role(page, row.block)].filter(Boolean).join('  '),
      width: 'minmax(14em, 1.4fr)',
      ascending: true,
    },
    { key: 'score', title: 'Score', kind: 'number', value: (row) => scoreOf(total(rows(row))), format: (row) => mark + score2(scoreOf(total(rows(row)))), help: '1 if both halves of the larger block are used together, 0 if only one is used' },
  ];
  if (estimate)
    columns.push({ key: 'probably', title: 'Probable score', kind: 'number', value: (row) => explained(row)?.score_low ?? NaN, csv: (row) => rangeText(explained(row)?.score_low, explained(row)?.score_high, score2), format: (row) => rangeText(explained(row)?.score_low, explained(row)?.score_high, score2) });
  columns.push(
    { key: 'long', title: 'Long', kind: 'number', value: (row) => longOf(rows(row), page.limits.near).reuses / (total(rows(row)).reuses || 1), format: (row) => mark + format.share(longOf(rows(row), page.limits.near).reuses, total(rows(row)).reuses), help: `Share of the reuses with a distance of at least ${page.limits.near} blocks` },
    { key: 'long-score', title: 'Long score', kind: 'number', value: (row) => scoreOf(longOf(rows(row), page.limits.near)), format: (row) => (longOf(rows(row), page.limits.near).reuses ? mark + score2(scoreOf(longOf(rows(row), page.limits.near))) : '–'), heat: (row) => heatOf(page, row), help: 'Score of the long reuses, which says more about a program than the score of all' },
  );
  if (estimate)
    columns.push({ key: 'probably-long', title: 'Probable long score', kind: 'number', value: (row) => explained(row)?.far_low ?? NaN, csv: (row) => rangeText(explained(row)?.far_low, explained(row)?.far_high, score2), format: (row) => rangeText(explained(row)?.far_low, explained(row)?.far_high, score2) });
  for (const level of page.levels)
    columns.push({
      key: `score-${level.name}`,
      title: `${level.name} score`,
      kind: 'number',
      value: (row) => scoreOfMisses(page.spatial, row.pair, level.bytes).value,
      format: (row) => {
        const value = scoreOfMisses(page.spatial, row.pair, level.bytes);
        return Number.isNaN(value.value) ? '–' : about({ value: value.value, exact: value.exact && !estimate }, score2);
      },
      help: `Score of the misses in ${level.name}, ${page.inBytes ? format.bytes(level.bytes) : format.size(level.bytes)}. ≈: the size lies within a bin`,
    });
  const chosen = page.levels.find((level) => level.chosen);
  if (chosen && page.curves.size > 1) columns.push(...missColumns(page, chosen));
  columns.push(
    { key: 'reuses', title: 'Reuses', kind: 'number', value: (row) => total(rows(row)).reuses, format: (row) => mark + format.short(total(rows(row)).reuses) },
    { key: 'intercepted', title: 'Intercepted', kind: 'number', value: (row) => sum(row.pair.intercepted) / (total(rows(row)).reuses || 1), format: (row) => format.share(sum(row.pair.intercepted), total(rows(row)).reuses), help: 'The other half of the larger block was used in between' },
    { key: 'cold', title: 'Cold', kind: 'number', value: (row) => coldOf(row.pair), format: (row) => mark + format.short(coldOf(row.pair)) },
    { key: 'spatial', title: 'Cold spatial', kind: 'number', value: (row) => sum(row.pair.cold_row.bins) / (coldOf(row.pair) || 1), format: (row) => format.share(sum(row.pair.cold_row.bins), coldOf(row.pair)), help: 'Cold with the smaller block, but fetched with the other half of the larger one' },
  );
  return columns;
}

// The range of an estimate that is too wide to be useful.
const TOO_WIDE = 0.5;

// A low score matters as much as its reuses do.
function heatOf(page: SpatialPage, row: Row): number {
  const { rows } = readPair(row.pair);
  const one = page.explained.find((e) => e.pair === row.block);
  if ((one?.far_high ?? 0) - (one?.far_low ?? 0) > TOO_WIDE) return 0;
  const long = longOf(rows, page.limits.near);
  const share = long.reuses / (total(rows).reuses || 1);
  return share < 0.01 ? 0 : Math.max(0, 1 - scoreOf(long)) * Math.min(1, 0.2 + share * 3) * 0.85;
}

/** Misses in a cache with blocks of b, or of 2b. NaN: unknown. */
export function pairMisses(page: SpatialPage, pair: Pair, bytes: number, double: boolean): Value {
  const estimate = isEstimate(page.spatial);
  const next = double ? page.pairs.find((one) => one.block === 2 * pair.block) : undefined;
  const known = next ? knownMisses(page.spatial, next, bytes, false) : knownMisses(page.spatial, pair, bytes, double);
  if (known !== undefined) return { value: known, exact: !estimate };
  const block = double ? 2 * pair.block : pair.block;
  const blocks = Math.max(1, Math.floor(bytes / block));
  const { whole } = page.profile;
  const exact = whole?.lane.block_bytes === block ? whole.exactAt(blocks) : !page.binned;
  return { value: page.curves.get(block)?.misses(blocks) ?? NaN, exact: exact && !estimate };
}

// In the chosen cache.
function missColumns(page: SpatialPage, level: { name: string; bytes: number }): Column<Row>[] {
  const misses = (row: Row, double: boolean) => pairMisses(page, row.pair, level.bytes, double);
  const column = (key: string, title: string, double: boolean, size: string): Column<Row> => ({
    key,
    title,
    kind: 'number',
    value: (row) => misses(row, double).value,
    format: (row) => (Number.isNaN(misses(row, double).value) ? '–' : about(misses(row, double), format.short)),
    tip: (row) => about(misses(row, double), format.count),
    help: `Misses in ${level.name} with blocks of the ${size} size`,
  });
  return [column('misses', `${level.name} misses`, false, 'smaller'), column('misses-double', 'Doubled', true, 'larger')];
}

export function Scores(props: { page: SpatialPage; onChoose: (block: number) => void }) {
  const { page } = props;
  const rows = page.pairs.map((pair) => ({ block: pair.block, pair }));
  const columns = useMemo(() => columnsOf(page), [page.spatial, page.levels.map((l) => `${l.bytes}${l.chosen}`).join()]);
  return (
    <>
      <Table name="scores" label="Scores when the block size doubles" rows={rows} columns={columns} sort="pair" ascending selected={page.at} onSelect={(row) => props.onChoose(row.block)} height={12} />
      <p class="legend-text">
        {page.pairs.length > 1 && <>All block sizes, each score weighted by 1/size: {score2(allBlocks(page.spatial))}. </>}
        Long means a distance of {page.limits.near} blocks or more. A score near 1 leaves nothing to gain at that size.
      </p>
    </>
  );
}
