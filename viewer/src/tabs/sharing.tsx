// SPDX-License-Identifier: MIT
// Programs or threads that share caches: curves of each alone, together and in private caches, misses by
// kind, and who invalidates whose data.
import { useMemo } from 'preact/hooks';
import { has, section } from '../data/index';
import type { IndexPair, Places } from '../data/sections';
import { points } from '../model/curve';
import { type Profile, aligned as loadProfile } from '../profile';
import { setParams, type State } from '../state';
import { series } from '../ui/color';
import { CacheHandles } from '../ui/caches';
import { Chart, type ChartSpec } from '../ui/chart';
import * as format from '../ui/format';
import { usePromise, useSection } from '../ui/section';
import { Panel, Toolbar } from '../ui/tabs';
import { theme } from '../ui/theme';
import type { Tab, TabProps } from './registry';
import { FalseSharing, type FalseSharingSection } from './sharing-false';
import { SharingChanges, type SharersOf } from './sharing-compare';
import { Kinds } from './sharing-misses';
import { ALL, curveOf, type Distances, predictedMisses, type Sharer, type SharingSection } from './sharing-model';
import { Pairs, type MatrixSection } from './sharing-pairs';
import { Schedules } from './sharing-schedules';
import { Classes, Predictions, Sharers, Speeds } from './sharing-tables';
import { sideOf } from './spatial-page';

/** A cache as dragged, and how many sharers it has. */
export interface Level {
  name: string;
  blocks: number;
  /** Number of sharers of each such cache; ALL. */
  width: number;
  chosen: boolean;
}

export interface SharingPage {
  side: number;
  profile: Profile;
  sharing: SharingSection;
  /** Of very many, the last one is the sum of those that are not listed. */
  sharers: Sharer[];
  /** How many there are. */
  sharerCount: number;
  falseSharing: FalseSharingSection | undefined;
  matrix: MatrixSection | undefined;
  objects: Places | undefined;
  levels: Level[];
  inBytes: boolean;
  blockBytes: number;
  unit: string;
}

async function load(side: number, compares = false) {
  if (compares && !has('sharing', { profile: side })) return undefined;
  const where = { profile: side };
  const names = has('sharing_matrix' as 'sharing', where);
  const [profile, sharing, falseSharing, matrix, objects] = await Promise.all([
    loadProfile(side),
    section('sharing', where) as Promise<SharingSection | undefined>,
    section('false_sharing', where) as Promise<FalseSharingSection | undefined>,
    names ? (section('sharing_matrix' as 'sharing', where) as Promise<MatrixSection>) : undefined,
    section('objects', where),
  ]);
  return profile && sharing ? { side, profile, sharing, falseSharing, matrix, objects, sharers: sharing.sharers.toArray() } : undefined;
}

// As the report does: a cache of a known name has its sharers; otherwise all share the largest.
function widthOf(sharing: SharingSection, name: string, last: boolean): number {
  const known = sharing.shared_caches.toArray().find((cache) => cache.name === name);
  if (known) return known.sharers || ALL;
  return last ? ALL : 1;
}

type Loaded = NonNullable<Awaited<ReturnType<typeof load>>>;

function pageOf(loaded: Loaded | undefined, state: State): SharingPage | undefined {
  if (!loaded) return undefined;
  const { view, whole } = loaded.profile;
  return {
    ...loaded,
    sharerCount: view.sharers || loaded.sharers.length,
    levels: state.sizes.map((blocks, i) => {
      const { name } = view.caches.at(i);
      return { name, blocks, width: widthOf(loaded.sharing, name, i === state.sizes.length - 1), chosen: i === state.cache };
    }),
    inBytes: view.block_bytes > 0,
    blockBytes: view.block_bytes || (whole?.lane.block_bytes ?? 1),
    unit: view.unit || 'block',
  };
}

/** "L1 32 KiB, private" */
export function levelName(page: SharingPage, level: Level): string {
  const width = level.width >= page.sharerCount ? 'shared by all' : level.width === 1 ? 'private' : `${level.width} each`;
  return `${level.name} ${format.cacheSize(level.blocks, page.inBytes ? page.blockBytes : 0, page.unit)}, ${width}`;
}

interface Line {
  label: string;
  dash?: number[];
  color: number;
  misses: (blocks: number) => number;
}

const accesses = (sharers: Sharer[]) => sharers.reduce((sum, s) => sum + s.standalone.accesses, 0);

function sumOf(sharers: Sharer[], which: (s: Sharer) => Distances | undefined): ((blocks: number) => number) | undefined {
  const list = sharers.map(which);
  if (list.some((d) => !d || d.accesses === 0) && !list.some((d) => d && d.accesses > 0)) return undefined;
  return (blocks) => list.reduce((sum, d) => sum + (d ? curveOf(d).misses(blocks) : 0), 0);
}

function linesOf(sharers: Sharer[]): Line[] {
  const lines: Line[] = [];
  const add = (label: string, color: number, misses: ((blocks: number) => number) | undefined, dash?: number[]) => {
    if (misses) lines.push({ label, color, misses, ...(dash ? { dash } : {}) });
  };
  add('alone', 0, sumOf(sharers, (s) => s.standalone), [6, 4]);
  add('one cache for all', 1, sumOf(sharers, (s) => s.concurrent));
  add('private, invalidated by writes', 2, sumOf(sharers, (s) => s.private));
  for (const width of new Set(sharers[0]?.groups.map((group) => group.sharers_per_cache) ?? []))
    add(`${width} per cache`, 4, sumOf(sharers, (s) => s.groups.toArray().find((group) => group.sharers_per_cache === width)));
  const models = new Set(sharers.flatMap((s) => s.predicted.map((p) => p.model)));
  let color = 3;
  for (const model of models) {
    const list = sharers.map((s) => s.predicted.toArray().find((p) => p.model === model));
    if (list.some((p) => !p)) continue;
    add(`predicted (${model})`, color, (blocks) => list.reduce((sum, p) => sum + predictedMisses(p!, blocks), 0), [2, 3]);
    color = 5;
  }
  return lines;
}

// Lines that the chart also has of the other profile.
const COMPARED = new Set(['one cache for all', 'private, invalidated by writes']);

function specOf(page: SharingPage, lines: Line[], whole: number, end: number, other: { lines: Line[]; whole: number }): ChartSpec {
  const { inBytes, blockBytes, unit } = page;
  const [here, there] = page.side ? ['after', 'before'] : ['before', 'after'];
  const drawn = (line: Line, of: number) => ({ color: series(line.color), ...points((blocks) => line.misses(blocks) / (of || 1), end, 8), stepped: true });
  return {
    x: { label: inBytes ? 'cache size' : `cache size in ${unit}s`, format: (v) => (inBytes ? format.bytes(v * blockBytes) : format.size(v)), log2: true, min: 1, max: Math.max(end * 2, ...page.levels.filter((level) => level.chosen || level.blocks < 64 * end).map((level) => level.blocks * 1.5)) },
    left: { label: 'miss ratio', format: (v) => `${Number((100 * v).toPrecision(3))}%`, min: 0 },
    lines: [
      ...lines.map((line) => ({ label: other.lines.length ? `${line.label}, ${here}` : line.label, ...drawn(line, whole), ...(line.dash ? { dash: line.dash } : {}) })),
      ...other.lines.map((line) => ({ label: `${line.label}, ${there}`, ...drawn(line, other.whole), width: 1, dash: [10, 3] })),
    ],
  };
}

function Curves(props: { page: SharingPage; other: SharingPage | undefined; who: SharersOf | undefined; state: State }) {
  const { page, other, who } = props;
  const chosen = Number(props.state.params.sharer || -1);
  const sharers = page.sharers[chosen] ? [page.sharers[chosen]!] : page.sharers;
  const lines = useMemo(() => linesOf(sharers), [page.sharing, chosen]);
  const whole = accesses(sharers);
  const theirs = who ? (page.side ? who.before : who.after) : [];
  const compared = useMemo(() => (other && theirs.length ? linesOf(theirs).filter((line) => COMPARED.has(line.label)) : []), [other?.sharing, who]);
  const end = useMemo(() => Math.max(2, ...[...sharers, ...theirs].flatMap((s) => [s.standalone, s.concurrent, s.private].map((d) => curveOf(d).longest + 1))), [page.sharing, chosen, who]);
  const spec = useMemo(() => specOf(page, lines, whole, end, { lines: compared, whole: accesses(theirs) }), [lines, compared, end, theme()]);
  const at = page.levels.find((level) => level.chosen) ?? page.levels[0];
  const says = at ? lines.map((line) => `${line.label} ${format.percent(line.misses(at.blocks), whole)}`).join(', ') : '';
  const name = page.sharers[chosen]?.name ?? 'all sharers';
  return (
    <Panel title="Miss ratios">
      <Toolbar>
        <label>
          sharer
          <select data-select="sharer" value={String(page.sharers[chosen] ? chosen : -1)} onChange={(e) => setParams({ sharer: e.currentTarget.value === '-1' ? '' : e.currentTarget.value })}>
            <option value="-1">all together</option>
            {page.sharers.map((sharer, i) => (
              <option key={i} value={String(i)}>
                {sharer.name}
              </option>
            ))}
          </select>
        </label>
        {at && (
          <span class="note">
            {at.name}: {says}
          </span>
        )}
      </Toolbar>
      <Chart
        name="sharing"
        label={`Chart of the miss ratios of ${name} by cache size${at ? `; in ${levelName(page, at)}: ${says}` : ''}`}
        spec={spec}
        height={300}
        overlay={(geometry) => <CacheHandles view={page.profile.view} state={props.state} geometry={geometry} ratio={(blocks) => (lines[1] ?? lines[0])!.misses(blocks) / (whole || 1)} />}
        readout={(x) => `${page.inBytes ? format.bytes(Math.round(x) * page.blockBytes) : format.size(Math.round(x))}: ${lines.map((line) => `${line.label} ${format.percent(line.misses(Math.round(x)), whole)}`).join(', ')}`}
      />
      <p class="legend-text">
        Fully associative LRU caches. Alone: as if the sharer ran without the others. Private: each has a cache of its own, and a write by another
        one removes the block from it.
        {lines.some((line) => line.label.startsWith('predicted')) && ' Predicted: one cache for all, from each sharer alone.'}
      </p>
    </Panel>
  );
}

/** The page of the chosen profile, and in a comparison that of the other one. */
function usePages(state: State): [SharingPage | undefined, SharingPage | undefined] {
  const side = sideOf(state, 'sharing');
  const loaded = usePromise(() => load(side), [side]);
  const other = usePromise(() => load(1 - side, true), [side]);
  return [pageOf(loaded, state), pageOf(other, state)];
}

// The chosen sharer on both sides, or all of them.
function chosenOf(page: SharingPage, other: SharingPage | undefined, pairs: IndexPair[], chosen: number): SharersOf | undefined {
  if (!other) return undefined;
  const mine = page.sharers[chosen] ? [page.sharers[chosen]!] : page.sharers;
  const pair = pairs.find((one) => (page.side ? one.after : one.before) === chosen);
  const counterpart = pair ? other.sharers[page.side ? pair.before : pair.after] : undefined;
  const theirs = !page.sharers[chosen] ? other.sharers : counterpart ? [counterpart] : [];
  return page.side ? { before: theirs, after: mine } : { before: mine, after: theirs };
}

function SharingTab(props: TabProps) {
  const [page, other] = usePages(props.state);
  const pairs = useSection('pairs');
  const chosen = Number(props.state.params.sharer || -1);
  const who = useMemo(() => (page ? chosenOf(page, other, pairs?.sharers.toArray() ?? [], chosen) : undefined), [page?.sharing, other?.sharing, pairs, chosen]);
  if (!page) return null;
  const { sharing } = page;
  return (
    <>
      <Panel title="Order of the accesses">
        <p class="say">
          Order: {sharing.interleaving}. Numbers are those of this order; on a machine, {page.sharers.some((s) => s.is_thread) ? 'threads' : 'programs'} alternate
          differently from run to run.{sharing.schedules && ` ${sharing.schedules.count} schedules were measured; all numbers but their spread are of the first.`}
        </p>
        <Speeds page={page} />
      </Panel>
      <Curves page={page} other={other} who={who} state={props.state} />
      {other && who && <SharingChanges page={page} other={other} who={who} name={page.sharers[chosen]?.name ?? 'all sharers together'} />}
      <Kinds page={page} />
      <Sharers page={page} onChoose={(i) => setParams({ sharer: String(i) })} />
      <div class="columns">
        <Pairs page={page} other={other} pairs={pairs?.sharers.toArray() ?? []} />
        <Classes page={page} />
      </div>
      <FalseSharing page={page} state={props.state} />
      <Schedules page={page} />
      <Predictions page={page} />
    </>
  );
}

export const sharing: Tab = { id: 'sharing', label: 'Sharing', present: () => has('sharing'), view: SharingTab };
