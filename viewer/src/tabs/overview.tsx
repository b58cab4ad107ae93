// SPDX-License-Identifier: MIT
// What was run, how sure its numbers are, and where its misses come from.
import { useMemo } from 'preact/hooks';
import { has, lanesWith } from '../data/index';
import type { Place, Places, View } from '../data/sections';
import { distances, logBins, points } from '../model/curve';
import { keysOf } from '../model/source';
import { misses } from '../model/tally';
import { bandAt, type Profile, type Whole } from '../profile';
import { open, type State, update } from '../state';
import { CacheHandles } from '../ui/caches';
import { Chart, type ChartSpec } from '../ui/chart';
import { changeColor, series, severity } from '../ui/color';
import { bytes, cacheSize, count, difference, fraction, percent, range, share, short, size } from '../ui/format';
import { about, missesOf, type Scale } from '../ui/places';
import { useSection, whereOf } from '../ui/section';
import { Panel } from '../ui/tabs';
import { theme } from '../ui/theme';
import './overview.css';
import { EstimatedTime, Simulated } from './overview-time';
import type { Tab, TabProps } from './registry';

// The change of a ratio from the profile before to the one after, in percentage points.
function Change(props: { from: number; to: number }) {
  const points = 100 * (props.to - props.from);
  return (
    <span class="delta" style={{ color: changeColor(points / 10) }} title="After less before, in percentage points">
      {' '}
      {difference(Number(points.toFixed(2)), (value) => value.toFixed(2))}
    </span>
  );
}

/** The misses of the simulated cache of this name and size, if it is one of the run. */
function WithSets(props: { side: number; name: string; blocks: number; accesses: number }) {
  const caches = useSection('hierarchy', { profile: props.side })?.caches.toArray() ?? [];
  const level = caches.find((one) => one.name === props.name && one.size_blocks === props.blocks && one.ways < one.size_blocks);
  return level ? <span class="small" data-simulated={level.name} data-value={level.misses}>{percent(level.misses, props.accesses)} with its sets</span> : null;
}

function CacheCard(props: { profile: Profile; other?: Profile; side: number; state: State; index: number }) {
  const { view, whole } = props.profile;
  const { index, state } = props;
  const { curve, lane } = whole!;
  const blocks = state.sizes[index]!;
  const missed = curve.misses(blocks);
  const exact = !view.estimated && whole!.exactAt(blocks);
  const band = bandAt(view, blocks);
  const mark = exact ? '' : '≈';
  const shared = has('sharing', { profile: props.side });
  const there = props.other?.whole?.curve.ratio(blocks);
  const here = curve.ratio(blocks);
  return (
    <button type="button" class="figure-card" aria-pressed={index === state.cache} onClick={() => update({ cache: index })}>
      <h3>
        <i class="swatch" style={{ color: series(index + 2) }} />
        {view.caches.at(index).name} misses <span class="size">{cacheSize(blocks, view.block_bytes, view.unit)}</span>
      </h3>
      <span class="big" data-number={`ratio-${index}`} data-value={here} data-exact={exact}>
        {mark}
        {percent(here)}
        {there !== undefined && !view.estimated && !props.other!.view.estimated && <Change from={props.side ? there : here} to={props.side ? here : there} />}
      </span>
      <span class="small" data-number={`misses-${index}`} data-value={missed} data-exact={exact} title={count(missed)}>
        {mark}
        {short(missed)} of {short(lane.accesses)}
      </span>
      <WithSets side={props.side} name={view.caches.at(index).name} blocks={blocks} accesses={lane.accesses} />
      {shared && <span class="small">one cache for all sharers</span>}
      {band && (
        <span class="small" data-number={`band-${index}`} data-low={band.low} data-high={band.high}>
          {view.certified ? 'certainly ' : 'probably '}
          {band.exact || band.low > 0 ? `${percent(band.low)} to ` : 'at most '}
          {percent(band.high)}
        </span>
      )}
    </button>
  );
}

function Headline(props: { profile: Profile; other?: Profile; side: number; state: State }) {
  const { view, whole } = props.profile;
  if (!whole) return null;
  const { lane } = whole;
  const dataBytes = view.block_bytes ? bytes(lane.distinct * view.block_bytes) : '';
  const { mean, median } = distances(whole);
  const mark = view.estimated ? '≈' : '';
  // Of a sample of the blocks, all accesses were counted; of bursts, they are an estimate.
  const traced = has('tracing', { profile: props.side }) || lanesWith('tracing', props.side).length > 0;
  return (
    <div class="headline">
      <div class="figure-card">
        <h3>Accesses</h3>
        <span class="big" data-number="accesses" data-value={lane.accesses} title={count(lane.accesses)}>{traced ? mark : ''}{short(lane.accesses)}</span>
        <span class="small" data-number="cold" data-value={lane.cold} title={count(lane.cold)}>{mark}{short(lane.cold)} cold</span>
      </div>
      <div class="figure-card">
        <h3>Data</h3>
        <span class="big" data-number="distinct" data-value={lane.distinct} title={`${count(lane.distinct)} ${view.unit}s`}>{mark}{dataBytes || short(lane.distinct)}</span>
        <span class="small">{short(lane.distinct)} {view.unit}s</span>
      </div>
      <div class="figure-card">
        <h3>Mean distance</h3>
        <span class="big">{mean === undefined ? '–' : mark + fraction(mean)}</span>
        <span class="small">median {median === undefined ? '–' : mark + fraction(median)}</span>
      </div>
      {props.state.sizes.map((_, i) => (
        <CacheCard key={i} profile={props.profile} other={props.other} side={props.side} state={props.state} index={i} />
      ))}
    </div>
  );
}

function curveSpec(view: View, whole: Whole, other: Whole | undefined, side: number): ChartSpec {
  const { curve, lane } = whole;
  const largest = Math.max(2, curve.longest + 1, ...view.caches.map((cache) => cache.blocks));
  const end = 2 ** Math.ceil(Math.log2(largest));
  const ratio = points((blocks) => curve.ratio(blocks), end / 1.001);
  const theirs = other && points((blocks) => other.curve.ratio(blocks), end / 1.001);
  const band = view.curve.toArray();
  return {
    x: { label: view.block_bytes ? `Reuse distance, and size of the cache, in ${view.unit}s of ${bytes(view.block_bytes)}` : `Reuse distance, and size of the cache, in ${view.unit}s`, format: size, log2: true, min: 0, max: end },
    left: { label: 'Share of accesses', format: (value) => percent(value).replace(/\.?0+%$/, '%') },
    right: { label: 'Miss ratio', format: (value) => percent(value).replace(/\.?0+%$/, '%'), max: 1 },
    bars: [{ label: 'Accesses by reuse distance', color: theme() === 'dark' ? '#3d4b63' : '#c3d0e2', bins: logBins(curve).map((bin) => ({ lo: bin.lo, hi: bin.hi, y: bin.count / Math.max(1, lane.accesses) })) }],
    lines: [
      { label: theirs ? `Miss ratio ${side ? 'after' : 'before'}` : 'Miss ratio', color: series(0), x: ratio.x, y: ratio.y, right: true, width: 2.2, stepped: true },
      ...(theirs ? [{ label: side ? 'before' : 'after', color: series(1), x: theirs.x, y: theirs.y, right: true, dash: [6, 4], stepped: true }] : []),
    ],
    bands: band.length ? [{ label: view.certified ? 'Certain range' : 'Probable range', color: series(0), x: band.map((p) => p.size), low: band.map((p) => p.low), high: band.map((p) => p.high), right: true }] : [],
    marks: (spread(view) ? [] : view.effective.toArray()).map((e) => ({ x: e.size, label: '', color: series(1) })),
  };
}

const MARKED = 5;

/** With reuses at most distances, no size is better than another. */
function spread(view: View): boolean {
  return view.effective.length > MARKED;
}

function MainChart(props: { profile: Profile; other?: Profile; side: number; state: State }) {
  const { view, whole } = props.profile;
  const spec = useMemo(() => curveSpec(view, whole!, props.other?.whole, props.side), [whole, props.other, theme()]);
  const { curve } = whole!;
  const readout = (x: number) => {
    const blocks = Math.max(1, Math.round(x));
    return `${cacheSize(blocks, view.block_bytes, view.unit)}: ${percent(curve.ratio(blocks))} miss`;
  };
  return (
    <Panel title="Reuse distances and miss ratio" note={view.effective.length && !spread(view) ? '▲ marks effective cache sizes. Drag a cache to change its size; hold Shift to stop between bins.' : 'Drag a cache to change its size; hold Shift to stop between bins.'}>
      <Chart
        name="reuse-distances"
        label="Histogram of reuse distances with the miss ratio by cache size"
        spec={spec}
        height={330}
        readout={readout}
        marks={props.state.sizes.map((blocks, i) => ({ x: blocks, label: `${view.caches.at(i).name} ${cacheSize(blocks, view.block_bytes, view.unit)}`, color: series(i + 2) }))}
        overlay={(geometry) => <CacheHandles view={view} state={props.state} geometry={geometry} ratio={(blocks) => curve.ratio(blocks)} nearest={whole!.nearest} />}
      />
    </Panel>
  );
}

function Effective(props: { view: View }) {
  const { view } = props;
  return (
    <Panel title="Effective cache sizes" note={spread(view) ? 'reuses are spread over most distances, so no size stands out' : 'beyond these sizes, a larger cache helps little'}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Cache</th>
            <th scope="col">Miss ratio</th>
            <th scope="col">Reuses at</th>
            <th scope="col">of long ones</th>
          </tr>
        </thead>
        <tbody>
          {view.effective.map((e) => (
            <tr>
              <td>{cacheSize(e.size, view.block_bytes, view.unit)}</td>
              <td>{percent(e.ratio)}</td>
              <td>{range(e.lo, e.hi)}</td>
              <td>{share(e.share, 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

type Ranked = 'functions' | 'loops' | 'lines' | 'objects';

function worst(places: Places, scale: Scale): { place: Place; index: number }[] {
  const value = (place: Place) => (scale.size > 0 ? missesOf(place, scale).value : place.tally.accesses);
  const ranked = places.rows.map((place, index) => ({ place, index, value: value(place) }));
  return ranked.sort((a, b) => b.value - a.value).slice(0, 6);
}

function TopRows(props: { name: Ranked; title: string; tab: string; profile: Profile; state: State }) {
  const places = useSection(props.name, whereOf(props.state));
  const keys = useMemo(() => keysOf(places?.rows.toArray() ?? []), [places]);
  if (!places || !places.rows.length) return null;
  const { view } = props.profile;
  const scale: Scale = { view, places, cache: props.state.cache, size: props.state.sizes[props.state.cache] ?? 0 };
  const whole = scale.size > 0 ? misses(places.total, view.edges, scale.size).value : places.total.accesses;
  const shared = has('sharing', whereOf(props.state)) ? ', shared by all' : '';
  const note = scale.size > 0 ? `by misses in ${view.caches.at(scale.cache).name}${shared}` : 'by accesses';
  return (
    <Panel title={props.title} note={note}>
      <div class="top-rows">
        {worst(places, scale).map(({ place, index }) => {
          const value = scale.size > 0 ? missesOf(place, scale) : { value: place.tally.accesses, exact: !view.estimated };
          const part = whole > 0 ? value.value / whole : 0;
          return (
            <>
              <button type="button" class="link name" title={place.path || place.name} onClick={() => open(props.tab, { sub: props.name, row: keys[index]!, source: '' })}>
                {place.name}
              </button>
              <span class="meter"><i style={{ width: `${100 * part}%`, background: severity(0.35 + 0.5 * Math.sqrt(part)) }} /></span>
              <span class="value">{about(value)} <span class="muted">{share(value.value, whole)}</span></span>
            </>
          );
        })}
      </div>
    </Panel>
  );
}

function Overview({ profile, other, side, state }: TabProps) {
  const { view, whole } = profile;
  return (
    <>
      {view.sentences.length > 0 && (
        <Panel class="diagnosis">
          {view.sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {view.caches.toArray().some((cache, i) => cache.blocks !== state.sizes[i]) && <p class="muted">These sentences describe the caches of the run, not the dragged sizes.</p>}
        </Panel>
      )}
      <Headline profile={profile} other={other} side={side} state={state} />
      {whole && <MainChart profile={profile} other={other} side={side} state={state} />}
      <div class="columns">
        {has('functions', { profile: side }) && <TopRows name="functions" title="Functions" tab="code" profile={profile} state={state} />}
        {has('lines', { profile: side }) && <TopRows name="lines" title="Lines" tab="code" profile={profile} state={state} />}
        {has('objects', { profile: side }) && <TopRows name="objects" title="Data" tab="data" profile={profile} state={state} />}
        {view.stall && <EstimatedTime view={view} known={view.stall} />}
        {whole && has('hierarchy', { profile: side }) && <Simulated view={view} whole={whole} side={side} />}
        {view.effective.length > 0 && <Effective view={view} />}
        <Panel title="What was measured">
          <dl class="facts">
            {view.facts.map((fact) => (
              <>
                {fact.label && <dt>{fact.label}</dt>}
                <dd class={fact.label ? '' : 'alone'}>{fact.value}</dd>
              </>
            ))}
          </dl>
        </Panel>
      </div>
    </>
  );
}

export const overview: Tab = { id: 'overview', label: 'Overview', present: () => true, view: Overview };
