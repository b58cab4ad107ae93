// SPDX-License-Identifier: MIT
// Spatial locality before and after: scores and misses of each pair of block sizes, and rankings.
import { useMemo } from 'preact/hooks';
import type { SpatialRow } from '../data/sections';
import { type Pair as Match, paired } from '../model/match';
import type { Value } from '../model/tally';
import type { State } from '../state';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import { percentColumn, sideColumns, type Sides } from './compare-values';
import { isEstimate, longOf, type Pair, scoreOf, scoreOfMisses, total } from './spatial-model';
import { pairName, readPair, role, score2, type SpatialPage } from './spatial-page';
import { chosenRanking } from './spatial-ranking';
import { pairMisses } from './spatial-scores';

interface ScoreRow extends Sides {
  order: number;
  block: number;
  what: string;
  text: (value: number) => string;
}

type Pages = { before: SpatialPage; after: SpatialPage };

const sides = (page: SpatialPage, other: SpatialPage): Pages => (page.side ? { before: other, after: page } : { before: page, after: other });

// NaN means that there is no such number.
const known = (value: Value) => (Number.isNaN(value.value) ? undefined : value);

function scoreRows(of: Pages): ScoreRow[] {
  const rows: ScoreRow[] = [];
  const blocks = [...new Set([...of.before.pairs, ...of.after.pairs].map((pair) => pair.block))].sort((a, b) => a - b);
  for (const block of blocks) {
    const add = (what: string, text: (value: number) => string, value: (page: SpatialPage, pair: Pair) => Value) => {
      const at = (page: SpatialPage) => {
        const pair = page.pairs.find((one) => one.block === block);
        const found = pair && known(value(page, pair));
        return found && { ...found, exact: found.exact && !isEstimate(page.spatial) };
      };
      const [before, after] = [at(of.before), at(of.after)];
      if (before || after) rows.push({ order: rows.length, block, what, text, before, after });
    };
    const exactly = (value: number): Value => ({ value, exact: true });
    add('score', score2, (_, pair) => exactly(scoreOf(total(readPair(pair).rows))));
    add('score of long reuses', score2, (page, pair) => exactly(scoreOf(longOf(readPair(pair).rows, page.limits.near))));
    add('share of long reuses', (share) => format.percent(share), (page, pair) => exactly(longOf(readPair(pair).rows, page.limits.near).reuses / (total(readPair(pair).rows).reuses || 1)));
    for (const level of of.before.levels) {
      add(`score of the misses in ${level.name}`, score2, (page, pair) => scoreOfMisses(page.spatial, pair, level.bytes));
      if (level.chosen) {
        add(`misses in ${level.name}`, format.count, (page, pair) => pairMisses(page, pair, level.bytes, false));
        add(`misses in ${level.name}, doubled blocks`, format.count, (page, pair) => pairMisses(page, pair, level.bytes, true));
      }
    }
  }
  return rows;
}

export function ScoreChanges(props: { page: SpatialPage; other: SpatialPage }) {
  const { page, other } = props;
  const key = page.levels.map((level) => `${level.bytes}${level.chosen}`).join();
  const rows = useMemo(() => scoreRows(sides(page, other)), [page.spatial, other.spatial, key]);
  const columns = useMemo(
    (): Column<ScoreRow>[] => [
      { key: 'pair', title: 'Block size', kind: 'text', value: (r) => r.order, csv: (r) => pairName(page, r.block), format: (r) => [pairName(page, r.block), role(page, r.block)].filter(Boolean).join('  '), ascending: true, width: '17em' },
      { key: 'what', title: 'Count', kind: 'text', value: (r) => r.what, width: 'minmax(14em, 1fr)' },
      ...sideColumns<ScoreRow>((r) => r, (value, r) => r.text(value), { width: '10em' }),
      percentColumn<ScoreRow>(rows, (r) => r, (r) => r.text !== score2),
    ],
    [rows],
  );
  return (
    <Panel title="Before and after">
      <Table name="score-changes" label="Scores and misses before and after" rows={rows} columns={columns} sort="pair" ascending height={16} />
    </Panel>
  );
}

type RankRow = Match<SpatialRow>;

const rankName = (row: RankRow) => (row.after ?? row.before)!;
const wasNamed = (row: RankRow) => (row.before && row.after && row.before.name !== row.after.name ? `was ${row.before.name}` : row.before && row.after ? '' : row.after ? 'new' : 'gone');

export function RankingChanges(props: { page: SpatialPage; other: SpatialPage; state: State }) {
  const { page, other, state } = props;
  const chosen = chosenRanking(page, state);
  const theirs = chosen && other.rankings.find((one) => one.by === chosen.by && one.pair === chosen.pair);
  const rows = useMemo(() => {
    if (!chosen || !theirs) return [];
    const [before, after] = page.side ? [theirs, chosen] : [chosen, theirs];
    return paired(before.rows.toArray(), after.rows.toArray());
  }, [chosen, theirs]);
  const columns = useMemo((): Column<RankRow>[] => {
    if (!chosen || !theirs) return [];
    const exact = !isEstimate(page.spatial) && !isEstimate(other.spatial);
    // A row that only one profile lists has none in the other, or fewer than all that are listed there.
    const [left, right] = page.side ? [theirs.left_out, chosen.left_out] : [chosen.left_out, theirs.left_out];
    const poor = (row: RankRow): Sides => ({
      before: { value: row.before?.poor ?? 0, exact: exact && (!!row.before || left === 0) },
      after: { value: row.after?.poor ?? 0, exact: exact && (!!row.after || right === 0) },
    });
    const score = (row: SpatialRow | undefined) => (row && row.far_reuses ? { value: scoreOf({ reuses: row.far_reuses, effective: row.far_effective }), exact } : undefined);
    return [
      { key: 'name', title: chosen.by === 'loop' ? 'Loop' : 'Line', kind: 'text', value: (r) => rankName(r).name, cell: (r) => <>{rankName(r).name} {wasNamed(r) && <span class="tag">{wasNamed(r)}</span>}</>, tip: (r) => [rankName(r).name, rankName(r).path, wasNamed(r)].filter(Boolean).join(' '), width: 'minmax(14em, 2fr)' },
      { key: 'object', title: 'Data', kind: 'text', value: (r) => rankName(r).object, width: 'minmax(9em, 1fr)' },
      ...sideColumns<RankRow>(poor, format.short, { width: '7.6em', help: 'Poor reuses: long ones without spatial reuse' }),
      percentColumn<RankRow>(rows, poor),
      ...sideColumns<RankRow>((r) => ({ before: score(r.before), after: score(r.after) }), score2, { key: 'score-', title: 'Score', width: '8.4em', help: 'Of the long reuses' }).slice(0, 2),
    ];
  }, [rows]);
  if (!chosen || !theirs) return null;
  const left = chosen.left_out + theirs.left_out;
  return (
    <Panel title="Poor spatial reuse before and after" note={`by ${chosen.by}, ${pairName(page, chosen.pair)}`}>
      <Table name="ranking-changes" label="Poor spatial reuses before and after" rows={rows} columns={columns} sort="difference" height={14} searchText={(r) => `${rankName(r).name} ${rankName(r).object} ${rankName(r).path}`} />
      <p class="legend-text">
        In {chosen.cache ? `${chosen.cache} of the run` : `reuses from ${page.limits.near} blocks on`}; these rows do not follow the dragged caches.
        {left > 0 && ` ${format.count(left)} rows with fewer poor reuses are not listed; a row whose counterpart is among them looks new or gone (≈).`}
      </p>
    </Panel>
  );
}
