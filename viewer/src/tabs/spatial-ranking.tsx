// SPDX-License-Identifier: MIT
// Lines, lines in context and loops by poor spatial reuse (Figure 7 of the paper of 2009), with advice.
import { useMemo } from 'preact/hooks';
import type { SpatialRanking, SpatialRow } from '../data/sections';
import { setParams, type State } from '../state';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel, Segments } from '../ui/tabs';
import { scoreOf } from './spatial-model';
import { DataLink, pairName, rangeText, score2, SourceLink, type SpatialPage } from './spatial-page';

const longScore = (row: SpatialRow) => scoreOf({ reuses: row.far_reuses, effective: row.far_effective });
const hasRange = (row: SpatialRow) => !Number.isNaN(row.low) && !Number.isNaN(row.high) && (row.low !== 0 || row.high !== 0);

function columnsOf(page: SpatialPage, ranking: SpatialRanking): Column<SpatialRow>[] {
  const rows = ranking.rows.toArray();
  const most = Math.max(...rows.map((row) => row.share), 1e-9);
  const estimate = rows.some(hasRange);
  const mark = estimate ? '≈' : '';
  const block = page.spatial.usage_block;
  const columns: Column<SpatialRow>[] = [
    { key: 'name', title: ranking.by === 'loop' ? 'Loop' : 'Line', kind: 'text', value: (r) => r.name, cell: (r) => <SourceLink file={r.file} line={r.line}>{r.name}</SourceLink>, tip: (r) => (r.path ? `${r.name}: ${r.path}` : r.name) },
    { key: 'object', title: 'Data', kind: 'text', value: (r) => r.object, cell: (r) => <DataLink name={r.object} /> },
  ];
  if (rows.some((row) => row.path)) columns.push({ key: 'path', title: 'Context', kind: 'text', value: (r) => r.path });
  columns.push({ key: 'poor', title: 'Poor', kind: 'number', value: (r) => r.share, heat: (r) => (r.weak ? 0 : 0.9) * Math.sqrt(Math.max(0, r.share / most)) * Math.min(1, r.share * 8), format: (r) => mark + format.share(r.share, 1) + (r.weak ? ' ?' : ''), help: 'Share of all poor reuses: long reuses without spatial reuse', width: '7em' });
  if (estimate)
    columns.push({ key: 'range', title: 'Range of poor', kind: 'number', value: (r) => r.low, csv: (r) => (hasRange(r) ? `${r.low} to ${r.high}` : ''), format: (r) => (hasRange(r) ? rangeText(r.low, r.high, format.short) : ''), width: '12em' });
  columns.push(
    { key: 'score', title: 'Score', kind: 'number', value: longScore, format: (r) => (r.far_reuses ? mark + score2(longScore(r)) : '–'), help: 'Score of the long reuses', width: '5em' },
    { key: 'long', title: 'Long', kind: 'number', value: (r) => r.far_reuses, format: (r) => mark + format.short(r.far_reuses), help: 'Long reuses', width: '5.5em' },
    { key: 'overall', title: 'Overall', kind: 'number', value: (r) => scoreOf(r), format: (r) => mark + score2(scoreOf(r)), help: 'Score of all reuses', width: '5.5em' },
  );
  if (block > 0)
    columns.push({ key: 'used', title: `Used/${block}`, kind: 'number', value: (r) => (r.fetched ? r.used / r.fetched : NaN), format: (r) => (r.fetched ? mark + format.fraction(r.used / r.fetched) : '–'), help: `Bytes used of each block of ${block} while it is in the cache of ${format.bytes(page.spatial.usage_cache)}`, width: '6em' });
  columns.push(
    { key: 'saves', title: 'Saves', kind: 'number', value: (r) => r.saved, format: (r) => (r.saved ? mark + format.short(r.saved) : '–'), help: 'Misses in the cache that would be hits if the score were 1', width: '5.5em' },
    { key: 'advice', title: 'May help', kind: 'text', value: (r) => r.advice, cell: (r) => (r.advice && r.advice !== 'none' ? <span class="word">{r.advice}</span> : ''), width: '9em' },
  );
  return columns;
}

function Detail(props: { page: SpatialPage; row: SpatialRow }) {
  const { row, page } = props;
  return (
    <div class="card kind-spatial" aria-live="polite">
      <header>
        <b>
          {row.object} at {row.name}
        </b>
        {row.advice && row.advice !== 'none' && <span class="word">{row.advice}</span>}
      </header>
      <p>{row.text || (row.weak ? 'No advice: the range is too wide.' : 'Only the worst rows have advice.')}</p>
      {row.path && <p class="muted">{row.path}</p>}
      <div class="evidence">
        <span>
          <b>{format.count(row.poor)}</b> poor reuses
        </span>
        <span>
          <b>{format.count(row.far_reuses)}</b> long reuses
        </span>
        <span>
          <b>{format.count(row.accesses)}</b> accesses
        </span>
        {row.saved > 0 && (
          <span>
            <b>{format.count(row.saved)}</b> misses saved at most
          </span>
        )}
        {row.fetched > 0 && (
          <span>
            <b>{format.fraction(row.used / row.fetched)}</b> of {page.spatial.usage_block} bytes used
          </span>
        )}
      </div>
      <div class="links">
        <SourceLink file={row.file} line={row.line}>
          Show the source
        </SourceLink>
        <DataLink name={row.object}>Show the data</DataLink>
      </div>
    </div>
  );
}

// The rankings of the chosen pair of block sizes.
function rankingsOf(page: SpatialPage): SpatialRanking[] {
  const here = page.rankings.filter((one) => one.pair === page.pair.block);
  return here.length ? here : page.rankings.slice(0, 3);
}

export function chosenRanking(page: SpatialPage, state: State): SpatialRanking | undefined {
  const list = rankingsOf(page);
  return list.find((one) => one.by === state.params.rank) ?? list[0];
}

export function Ranking(props: { page: SpatialPage; state: State }) {
  const { page, state } = props;
  const list = rankingsOf(page);
  const ids = list.map((one) => one.by);
  const chosen = chosenRanking(page, state);
  const rows = useMemo(() => chosen?.rows.toArray() ?? [], [chosen]);
  const columns = useMemo(() => (chosen ? columnsOf(page, chosen) : []), [chosen, page.spatial]);
  if (!chosen) return null;
  const at = rows.findIndex((row) => keyOf(row) === state.params.poor);
  const label = `${chosen.by}s by poor spatial reuse`;
  return (
    <Panel
      title={`${label.charAt(0).toUpperCase()}${label.slice(1)}`}
      note={`${pairName(page, chosen.pair)}, ${chosen.cache ? `misses in ${chosen.cache} of the run, not as dragged` : `reuses from ${page.limits.near} blocks on`}`}
    >
      <Table
        name={`ranking-${chosen.by.replace(/\s+/g, '-')}`}
        label={label}
        rows={rows}
        columns={columns}
        sort="poor"
        selected={at}
        onSelect={(row, _, walking) => setParams({ poor: keyOf(row) }, walking)}
        height={14}
        rest={chosen.left_out > 0 ? { name: `${format.count(chosen.left_out)} more rows`, poor: { value: chosen.poor_left_out, text: format.full(chosen.poor_left_out) } } : null}
        searchText={(row) => `${row.name} ${row.object} ${row.path} ${row.advice}`}
      >
        <Segments label="Ranked by" choices={ids.map((by) => ({ id: by, label: by }))} chosen={chosen.by} onChoose={(by) => setParams({ rank: by, poor: '' })} />
      </Table>
      {at >= 0 && <Detail page={page} row={rows[at]!} />}
      <p class="legend-text">
        Poor reuses are long reuses minus twice the effective ones. They add up over rows. A negative number means that more than half of the long reuses are effective, thanks to accesses of other rows.
      </p>
    </Panel>
  );
}

const keyOf = (row: SpatialRow) => [row.name, row.object, row.path].join('|');
