// SPDX-License-Identifier: MIT
// Everything about one place: numbers, histogram with curve, and how it uses the blocks that it fetches.
import { useMemo } from 'preact/hooks';
import type { Place, Tally, Usage, View } from '../data/sections';
import { score, utilization } from '../model/spatial';
import { mean, median, misses, reuses } from '../model/tally';
import { current, type State } from '../state';
import { Chart, type ChartSpec } from './chart';
import { series } from './color';
import { bytes, cacheSize, count, difference, fraction, percent, range, share, short, size } from './format';
import { about, counted, marked, missesIn } from './places';
import { octaves } from './spark';
import { stallNote, stallRange, stallText } from './stall';
import { theme } from './theme';
import './detail.css';

function tallySpec(tally: Tally, view: View, sizes: number[]): ChartSpec {
  const { edges } = view;
  const bars = Array.from(octaves(tally, edges), (y, i) => ({ lo: i === 0 ? 0 : 2 ** (i - 1), hi: i === 0 ? 0 : 2 ** i - 1, y: y / Math.max(1, tally.accesses) }));
  const used = bars.filter((bar) => bar.y > 0);
  const end = 2 ** Math.ceil(Math.log2(Math.max(16, tally.max + 1, ...sizes)));
  const x: number[] = [];
  const y: number[] = [];
  for (const edge of edges) {
    if (edge < 1) continue;
    x.push(edge);
    y.push(misses(tally, edges, edge).value / Math.max(1, tally.accesses));
    if (edge >= end) break;
  }
  const plain = (value: number) => percent(value).replace(/\.?0+%$/, '%');
  return {
    x: { label: `Reuse distance, size of the cache (${view.unit}s)`, format: size, log2: true, min: 0, max: end },
    left: { label: 'Share of its accesses', format: plain },
    right: { label: 'Miss ratio', format: plain, max: 1 },
    bars: [{ label: 'Distances', color: theme() === 'dark' ? '#3d4b63' : '#c3d0e2', bins: used }],
    lines: [{ label: 'Miss ratio', color: series(0), x, y, right: true }],
    marks: sizes.map((blocks, i) => ({ x: blocks, label: view.caches.at(i).name, color: series(i + 2) })),
  };
}

function Numbers(props: { tally: Tally; place?: Place; view: View; state: State; total: Tally }) {
  const { tally, view, state, total } = props;
  const stall = view.stall && props.place?.stall;
  const some = reuses(tally) > 0;
  return (
    <dl class="figures">
      <div><dt>Accesses</dt><dd title={count(tally.accesses)}>{counted(tally.accesses, view)} <small>{share(tally.accesses, total.accesses)}</small></dd></div>
      <div><dt>Writes</dt><dd>{counted(tally.writes, view, (writes) => share(writes, tally.accesses))}</dd></div>
      <div><dt>Cold</dt><dd title={count(tally.cold)}>{counted(tally.cold, view)}</dd></div>
      <div><dt>Mean distance</dt><dd>{some ? counted(mean(tally), view, fraction) : '–'}</dd></div>
      <div><dt>Median</dt><dd>{some ? counted(median(tally, view.edges), view, fraction) : '–'}</dd></div>
      <div><dt>Longest</dt><dd>{some ? counted(tally.max, view) : '–'}</dd></div>
      {state.sizes.map((blocks, i) => {
        const missed = missesIn(tally, view, blocks);
        return (
          <div class={i === state.cache ? 'chosen' : ''} key={i}>
            <dt>{view.caches.at(i).name} misses</dt>
            <dd title={`${about(missed, count)} misses in ${cacheSize(blocks, view.block_bytes, view.unit)}: ${percent(missed.value, tally.accesses)} of its accesses`}>
              {about(missed)} <small>{marked(missed, share(missed.value, tally.accesses))}</small>
            </dd>
          </div>
        );
      })}
      {stall && (
        <div data-stall>
          <dt>Stall time</dt>
          <dd title={stallNote(view)}>{stallText(stall.estimate)} <small>{stallRange(stall)}, {stallNote(view)}</small></dd>
        </div>
      )}
    </dl>
  );
}

/** How much of the fetched blocks was used. */
export function UsageView(props: { usage: Usage; view: View }) {
  const { usage, view } = props;
  const part = utilization(usage, view.usage_block || 1);
  const steps = usage.strides.toArray().filter((s) => s.count > 0);
  return (
    <div class="usage">
      {part !== undefined && (
        <>
          <h3>Line utilization</h3>
          <div class="meter" role="img" aria-label={`${share(part, 1)} of the fetched bytes were used`}>
            <i style={{ width: `${100 * Math.min(1, part)}%` }} />
          </div>
          <p>
            <b>{share(part, 1)}</b> used: {view.block_bytes ? bytes(usage.used) : short(usage.used)} of{' '}
            {view.block_bytes ? bytes(usage.fetched * (view.usage_block ?? view.block_bytes)) : short(usage.fetched)} fetched in {short(usage.fetched)} blocks{view.usage_block ? ` of ${bytes(view.usage_block)}` : ''}
          </p>
        </>
      )}
      {steps.length > 0 && (
        <p class="muted">
          Strides: {steps.map((s) => `${difference(s.stride, String)} (${share(s.count, usage.steps)})`).join(', ')}
          {usage.grain > 0 && `; all are multiples of ${usage.grain}`}
        </p>
      )}
    </div>
  );
}

function Spatial(props: { place: Place; view: View }) {
  const rows = props.place.spatial?.toArray() ?? [];
  if (!rows.length) return null;
  return (
    <table class="plain-table">
      <thead>
        <tr><th scope="col">Block size</th><th scope="col">Score</th><th scope="col">Long reuses</th><th scope="col">Effective</th><th scope="col">Their score</th></tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.block}>
            <td>{bytes(row.block)} → {bytes(2 * row.block)}</td>
            <td>{row.reuses ? fraction(score(row)) : '–'}</td>
            <td>{short(row.long_reuses)}</td>
            <td>{share(row.long_effective, row.long_reuses)}</td>
            <td>{row.long_reuses ? fraction(score({ reuses: row.long_reuses, effective: row.long_effective })) : '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Detail(props: { name: string; about?: string; tally: Tally; place?: Place; view: View; state: State; total: Tally }) {
  const { tally, view, place } = props;
  const { sizes } = current();
  const spec = useMemo(() => tallySpec(tally, view, sizes), [tally, sizes.join(), theme()]);
  const bounds = reuses(tally) ? `, distances ${range(tally.min, tally.max)}` : '';
  return (
    <div class="detail">
      <h3 class="title"><code>{props.name}</code> {props.about && <span class="muted">{props.about}</span>}</h3>
      <Numbers tally={tally} place={place} view={view} state={props.state} total={props.total} />
      <Chart name={`distances-${props.name}`} label={`Histogram of reuse distances of ${props.name}${bounds}`} spec={spec} height={190} readout={(x) => {
        const missed = missesIn(tally, view, Math.max(1, Math.round(x)));
        return `${cacheSize(Math.max(1, Math.round(x)), view.block_bytes, view.unit)}: ${missed.exact ? '' : '≈'}${share(missed.value, tally.accesses)} miss`;
      }} />
      {place?.usage && <UsageView usage={place.usage} view={view} />}
      {place && <Spatial place={place} view={view} />}
    </div>
  );
}
