// SPDX-License-Identifier: MIT
// How much of each block is used before eviction: scores when the block size doubles, components by distance,
// scores of bins, the distribution map, and the code and data with poor spatial reuse.
import { useMemo, useState } from 'preact/hooks';
import { type BubbleSeries, Bubbles, SeriesMark } from '../charts/bubbles';
import { DistributionMap } from '../charts/map';
import { Scatter, type ScatterPoint } from '../charts/scatter';
import { Picture } from '../charts/scatter-frame';
import { has } from '../data/index';
import { setParams } from '../state';
import * as format from '../ui/format';
import { Panel, Segments, Toolbar } from '../ui/tabs';
import type { Tab, TabProps } from './registry';
import { RankingChanges, ScoreChanges } from './spatial-compare';
import { Components, componentName } from './spatial-components';
import { binHigh, binLow, scoreOf, total } from './spatial-model';
import { pairName, rangeText, readPair, score2, sideOf, type SpatialPage, useSpatialPage } from './spatial-page';
import { Ranking } from './spatial-ranking';
import { Scores } from './spatial-scores';

const percentOf = (share: number) => format.share(share, 1);

function choosePair(block: number): void {
  setParams({ pair: String(block), poor: '' }, true);
}

/** The slider that selects b → 2b. */
function PairSlider(props: { page: SpatialPage }) {
  const { page } = props;
  const { pairs, at } = page;
  if (pairs.length < 2) return <b>{pairName(page, page.pair.block)}</b>;
  return (
    <label class="slider">
      block size
      <input
        type="range"
        data-slider="pair"
        min={0}
        max={pairs.length - 1}
        step={1}
        value={at}
        aria-valuetext={pairName(page, page.pair.block)}
        onInput={(e) => choosePair(pairs[Number(e.currentTarget.value)]!.block)}
      />
      <output>{pairName(page, page.pair.block)}</output>
    </label>
  );
}

function cacheMarks(page: SpatialPage) {
  return page.levels.map((level) => ({ name: level.name, x: Math.floor(level.bytes / page.pair.block), chosen: level.chosen }));
}

function pointOf(page: SpatialPage, c: SpatialPage['components'][number], number: number): ScatterPoint {
  const here = c.pair === page.pair.block;
  const name = componentName(page, c, number);
  const estimated = rangeText(c.score_low, c.score_high, score2);
  const lines = [
    `${name} (${pairName(page, c.pair)})`,
    `${percentOf(c.size)} of the reuses`,
    `score ${estimated ? '≈' : ''}${score2(c.score)}${estimated ? `, probably ${estimated}` : ''}`,
    `mean distance ${format.short(c.mean)} blocks${page.inBytes ? `, ${format.bytes(Math.floor(c.mean * c.pair))}` : ''}`,
  ];
  if (c.serious) lines.push('serious: a possible problem');
  return {
    id: `${c.pair}/${c.kind}/${number}`,
    label: `${c.kind === 'peak' ? `c${number}` : c.cache}, ${percentOf(c.size)}`,
    x: Math.max(0.7, c.mean),
    y: c.score,
    share: c.size,
    serious: c.serious,
    faint: !here,
    series: page.pairs.findIndex((pair) => pair.block === c.pair) % 8,
    ...(estimated && (c.size >= 0.01 || c.serious) && here ? { low: c.score_low!, high: c.score_high! } : {}),
    lines,
  };
}

function ComponentScatter(props: { page: SpatialPage; kind: string; chosen: string }) {
  const { page, kind } = props;
  const numbers = new Map<number, number>();
  const points = page.components
    .filter((c) => c.kind === kind && c.reuses > 0)
    .map((c) => {
      const number = (numbers.get(c.pair) ?? 0) + 1;
      numbers.set(c.pair, number);
      return pointOf(page, c, number);
    })
    .filter((p) => !p.faint || p.share >= 0.002);
  const here = points.filter((p) => !p.faint);
  const serious = here.filter((p) => p.serious);
  const label = `Scatter of components by mean reuse distance and score at ${pairName(page, page.pair.block)}: ${here.length} components, ${serious.length} possible problem${serious.length === 1 ? '' : 's'}.`;
  const block = page.pair.block;
  return (
    <Picture
      name={`components-${block}`}
      label={label}
      legend={
        <>
          <span>area: share of the reuses</span>
          <span>
            <i class="key serious" /> possible problem
          </span>
          {page.pairs.length > 1 && <span>dashed: other block sizes</span>}
        </>
      }
    >
      <Scatter
        name="scatter"
        label={label}
        points={points}
        xName="mean reuse distance, in blocks"
        yName="score"
        xLabel={format.size}
        limits={{ x: page.limits.near, y: page.limits.good, text: 'long distances, low score' }}
        caches={cacheMarks(page)}
        chosen={props.chosen}
        onChoose={(id) => {
          const pair = Number(id.split('/')[0]);
          setParams({ component: id === props.chosen ? '' : id, ...(pair === block ? {} : { pair: String(pair) }) });
        }}
      />
    </Picture>
  );
}

// Bins with a score: shorter distances cannot shrink by that much. The smallest would be invisible.
function bubblesOf(page: SpatialPage, at: number): BubbleSeries['bubbles'] {
  const { rows } = readPair(page.pairs[at]!);
  const whole = total(rows).reuses;
  return rows.flatMap((row, bin) => {
    const share = row.reuses / (whole || 1);
    if (bin < 3 || share < 0.0002) return [];
    const score = scoreOf(row);
    return [
      {
        x: (binLow(bin) + binHigh(bin) + 1) / 2,
        y: score,
        share,
        lines: [`distance ${format.range(binLow(bin), binHigh(bin))}`, `${percentOf(share)} of the reuses`, `score ${score2(score)}`],
      },
    ];
  });
}

function BinBubbles(props: { page: SpatialPage; other: SpatialPage | undefined; mode: string }) {
  const { page, other, mode } = props;
  const compare = mode === 'runs' && other;
  const match = compare ? other.pairs.findIndex((pair) => pair.block === page.pair.block) : -1;
  const ordered = compare ? (page.side === 0 ? [page, other] : [other, page]) : [];
  const series: BubbleSeries[] =
    compare && match >= 0
      ? ordered.map((p, i) => ({ name: i === 0 ? 'before' : 'after', bubbles: bubblesOf(p, p === page ? page.at : match) }))
      : page.pairs.map((pair, i) => ({ name: pairName(page, pair.block), bubbles: bubblesOf(page, i), chosen: i === page.at }));
  const long = total(readPair(page.pair).rows, 3);
  const label = `Scores by reuse distance: ${series.map((s) => s.name).join(', ')}. At ${pairName(page, page.pair.block)}, reuses of at least 4 blocks score ${score2(scoreOf(long))}.`;
  return (
    <Picture
      name={`scores-${page.pair.block}`}
      label={label}
      legend={series.map((s, i) => (
        <span key={s.name} class={`series-key${s.chosen === false ? ' off' : ''}`}>
          <SeriesMark series={i} />
          {s.name}
        </span>
      ))}
    >
      <Bubbles
        name="bubbles"
        label={label}
        series={series}
        xName="reuse distance, in blocks of the smaller size"
        yName="score of the bin; area: its share"
        xLabel={format.size}
        caches={cacheMarks(page)}
        onChoose={(i) => !compare && choosePair(page.pairs[i]!.block)}
      />
    </Picture>
  );
}

function PairMap(props: { page: SpatialPage; byRow: boolean }) {
  const { page, byRow } = props;
  const { pair } = page;
  const drawn = useMemo(() => {
    const { map, rows } = readPair(pair);
    const whole = total(rows).reuses || 1;
    const firstUsed = Math.max(0, rows.findIndex((row) => row.reuses > 0));
    return {
      columns: map.map((_, j) => format.size(binLow(j))),
      rows: map.slice(firstUsed).map((cells, k) => {
        const bin = firstUsed + k;
        const row = rows[bin]!;
        return {
          label: format.size(binLow(bin)),
          cells,
          border: bin >= 3 ? bin - 2 : 0,
          share: row.reuses / whole,
          score: bin >= 3 && row.reuses > 0 ? scoreOf(row) : undefined,
          reuses: row.reuses,
        };
      }),
      cold: { cells: Array.from(pair.cold_row.bins).slice(0, map.length), both: pair.cold_row.cold },
    };
  }, [pair]);
  const all = total(readPair(pair).rows);
  const label = `Distribution map ${pairName(page, pair.block)}: ${format.count(all.reuses)} reuses, ${format.share(all.effective, all.reuses)} of them effective.`;
  return (
    <Picture
      name={`map-${pair.block}`}
      label={label}
      legend={
        <>
          <span>
            <i class="key effective" />
            effective
          </span>
          <span>
            <i class="key other" />
            not effective
          </span>
          <span>{byRow ? 'strength: share of the row' : 'strength: number of reuses, logarithmic'}</span>
        </>
      }
    >
      <DistributionMap
        name="map"
        label={label}
        rows={drawn.rows}
        columns={drawn.columns}
        cold={drawn.cold}
        rowsName={`distance at ${page.inBytes ? format.bytes(pair.block) : format.size(pair.block)} ↓`}
        columnsName={`at ${page.inBytes ? format.bytes(2 * pair.block) : format.size(2 * pair.block)} →`}
        count={format.count}
        share={format.share}
        byRow={byRow}
      />
    </Picture>
  );
}

function Verdict(props: { page: SpatialPage }) {
  const { page } = props;
  const text = page.explained.find((one) => one.pair === page.pair.block)?.text;
  let number = 0;
  const serious = page.components.flatMap((c) => {
    if (c.kind !== 'peak' || c.pair !== page.pair.block) return [];
    number++;
    return c.serious ? [{ c, number }] : [];
  });
  return (
    <>
      {text && <p class="say lead">{text}</p>}
      {serious.map((one) => (
        <p key={one.number} class="say">
          <span class="serious-word">⚠ Possible problem:</span> {componentName(page, one.c, one.number)} has {percentOf(one.c.size)} of the reuses and a
          score of {score2(one.c.score)}, at a mean distance of {format.short(one.c.mean)} blocks
          {page.inBytes && <> ({format.bytes(Math.floor(one.c.mean * one.c.pair))})</>}.
        </p>
      ))}
    </>
  );
}

function SpatialTab(props: TabProps) {
  const { state } = props;
  const page = useSpatialPage(state);
  const both = has('spatial') && has('spatial', { profile: 1 });
  const otherSide = sideOf(state, 'spatial') === 0 ? '1' : '';
  const other = useSpatialPage({ ...state, params: { ...state.params, side: both ? otherSide : (state.params.side ?? '') } });
  const [kind, setKind] = useState('peak');
  const mode = state.params.bubbles || 'sizes';
  if (!page) return null;
  const kinds = ['peak', 'cache'].filter((k) => page.components.some((c) => c.kind === k));
  return (
    <>
      <Panel title="When the block size doubles" actions={<PairSlider page={page} />}>
        <Verdict page={page} />
        <Scores page={page} onChoose={choosePair} />
      </Panel>
      {both && other && <ScoreChanges page={page} other={other} />}
      <div class="columns">
        {kinds.length > 0 && (
          <Panel title="Components: distance and score">
            {kinds.length > 1 && (
              <Toolbar>
                <Segments
                  label="Kind of components"
                  choices={[
                    { id: 'peak', label: 'peaks of the histogram' },
                    { id: 'cache', label: 'misses by cache' },
                  ]}
                  chosen={kind}
                  onChoose={setKind}
                />
              </Toolbar>
            )}
            <ComponentScatter page={page} kind={kinds.includes(kind) ? kind : kinds[0]!} chosen={state.params.component ?? ''} />
          </Panel>
        )}
        <Panel title="Scores by distance">
          {both && (
            <Toolbar>
              <Segments
                label="Series"
                choices={[
                  { id: 'sizes', label: 'block sizes' },
                  { id: 'runs', label: 'before and after' },
                ]}
                chosen={mode}
                onChoose={(id) => setParams({ bubbles: id })}
              />
            </Toolbar>
          )}
          <BinBubbles page={page} other={both ? other : undefined} mode={mode} />
        </Panel>
      </div>
      <div class="columns map-beside">
        <Panel title={`Distribution map ${pairName(page, page.pair.block)}`}>
          <Toolbar>
            <Segments
              label="Colour of the map"
              choices={[
                { id: '', label: 'number of reuses' },
                { id: 'row', label: 'share of the row' },
              ]}
              chosen={state.params.map === 'row' ? 'row' : ''}
              onChoose={(id) => setParams({ map: id })}
            />
          </Toolbar>
          <PairMap page={page} byRow={state.params.map === 'row'} />
          <p class="legend-text">
            Each reuse is in the row of its distance with the smaller block and in the column of its distance with the larger one. Left of the stepped line, the larger block makes the distance more than 4 times shorter:
            effective spatial reuse. Cold: first accesses that the larger block turns into reuses.
          </p>
        </Panel>
        <Components page={page} chosen={state.params.component ?? ''} />
      </div>
      {both && other && <RankingChanges page={page} other={other} state={state} />}
      <Ranking page={page} state={state} />
    </>
  );
}

export const spatial: Tab = { id: 'spatial', label: 'Spatial', present: () => has('spatial'), view: SpatialTab };
