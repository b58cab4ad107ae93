// SPDX-License-Identifier: MIT
// What may help: all advice of the profile, worst first, with its evidence.
import { useMemo, useState } from 'preact/hooks';
import { has, section } from '../data/index';
import type { SpatialRanking } from '../data/sections';
import { aligned as loadProfile } from '../profile';
import { setParams } from '../state';
import { downloadCsv } from '../ui/download';
import * as format from '../ui/format';
import { usePromise } from '../ui/section';
import { Panel } from '../ui/tabs';
import { type Advised, AdviceChanges } from './advice-compare';
import { type Item, itemsOf, type Kind, weightsOf } from './advice-items';
import type { Tab, TabProps } from './registry';
import { falseSharingRows, type FalseSharingSection } from './sharing-false';
import { DataLink, SourceLink, sideOf } from './spatial-page';
import type { Spatial } from './spatial-model';

const KINDS: Record<Kind, string> = { reuse: 'temporal', spatial: 'spatial', sharing: 'false sharing' };
/** Less than this share of the misses is shown only on request. */
const LITTLE = 0.001;
const FIRST = 40;

// Of several pairs of block sizes, the one that the Spatial tab shows.
function ofPair(rankings: SpatialRanking[], pair: number): SpatialRanking[] {
  const chosen = [pair, 32, rankings[0]?.pair].find((one) => rankings.some((ranking) => ranking.pair === one));
  return rankings.filter((ranking) => ranking.pair === chosen);
}

async function load(side: number, pair: number) {
  const where = { profile: side };
  const [profile, reuses, rows, spatial, shared] = await Promise.all([
    loadProfile(side),
    section('reuses', where),
    section('spatial_rows', where),
    section('spatial', where) as Promise<Spatial | undefined>,
    section('false_sharing', where) as Promise<FalseSharingSection | undefined>,
  ]);
  if (!profile) return undefined;
  return {
    profile,
    sources: {
      reuses: reuses?.rows.toArray() ?? [],
      edges: profile.view.edges,
      rankings: ofPair(rows?.rankings.toArray() ?? [], pair),
      usageBlock: spatial?.usage_block ?? 0,
      falseSharing: falseSharingRows(shared),
      estimated: profile.view.estimated ?? false,
    },
    left: reuses?.rest?.rows ?? 0,
  };
}

function Card(props: { item: Item; rank: number }) {
  const { item } = props;
  return (
    <li class={`card kind-${item.kind}`} data-advice={item.kind}>
      <header>
        <span class="rank">{props.rank}</span>
        <b>{item.title}</b>
        <span class="word">{item.word}</span>
        <span class="muted">{KINDS[item.kind]}</span>
      </header>
      <p>{item.text}</p>
      {item.others.length > 0 && (
        <p class="muted">
          The same applies to {item.others.slice(0, 5).join('; ')}
          {item.others.length > 5 && ` and ${item.others.length - 5} more`}.
        </p>
      )}
      <div class="evidence">
        {item.evidence.map((one) => (
          <span key={one.label}>
            {one.label} <b>{one.value}</b>
          </span>
        ))}
      </div>
      <div class="links">
        {item.links.map((link, i) =>
          link.object !== undefined ? (
            <DataLink key={i} name={link.object} />
          ) : (
            <SourceLink key={i} file={link.file ?? -1} line={link.line ?? 0}>
              {link.text}
            </SourceLink>
          ),
        )}
      </div>
    </li>
  );
}

function Filters(props: { label: string; names: Map<string, string>; counts: Map<string, number>; off: Set<string>; onToggle: (id: string) => void }) {
  return (
    <span class="filters" role="group" aria-label={props.label}>
      {[...props.counts].map(([id, count]) => (
        <button key={id} type="button" data-filter={id} aria-pressed={!props.off.has(id)} onClick={() => props.onToggle(id)}>
          {props.names.get(id) ?? id} {count}
        </button>
      ))}
    </span>
  );
}

function countBy(items: Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return new Map([...counts].sort((a, b) => b[1] - a[1]));
}

function exportItems(items: Item[]): void {
  downloadCsv('advice', [
    ['rank', 'kind', 'advice', 'where', 'misses', 'text', 'evidence', 'also'],
    ...items.map((item, i) => [i + 1, KINDS[item.kind], item.word, item.title, Math.round(item.weight.value), item.text, item.evidence.map((e) => `${e.label} ${e.value}`).join('; '), item.others.join('; ')]),
  ]);
}

function adviceOf(loaded: NonNullable<Awaited<ReturnType<typeof load>>>, sizes: number[], chosen: number): Advised {
  const { view, whole } = loaded.profile;
  const levels = sizes.map((blocks, i) => ({ name: view.caches.at(i).name, blocks, misses: whole?.curve.misses(blocks) ?? 0 }));
  return { items: itemsOf(loaded.sources, levels, chosen), weights: weightsOf(loaded.sources, levels, chosen), levels };
}

function AdviceTab(props: TabProps) {
  const { state } = props;
  const side = ['reuses', 'spatial_rows', 'false_sharing'].map((name) => sideOf(state, name as 'reuses')).includes(1) ? 1 : 0;
  const pair = Number(state.params.pair || 0);
  const loaded = usePromise(() => load(side, pair), [side, pair]);
  const compares = has('view', { profile: 1 });
  const other = usePromise(() => (compares ? load(1 - side, pair) : Promise.resolve(undefined)), [side, pair]);
  const [all, setAll] = useState(false);
  const [query, setQuery] = useState('');
  const mine = useMemo(() => (loaded ? adviceOf(loaded, state.sizes, state.cache) : undefined), [loaded, state.sizes, state.cache]);
  const theirs = useMemo(() => (other ? adviceOf(other, state.sizes, state.cache) : undefined), [other, state.sizes, state.cache]);
  if (!loaded || !mine) return null;
  const { items, levels } = mine;
  const off = new Set((state.params.hide ?? '').split('~').filter(Boolean));
  const toggle = (id: string) => {
    if (!off.delete(id)) off.add(id);
    setParams({ hide: [...off].join('~') });
  };
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => {
    const text = `${item.title} ${item.text} ${item.word} ${item.others.join(' ')}`.toLowerCase();
    return !off.has(item.kind) && !off.has(`:${item.word}`) && words.every((word) => text.includes(word));
  });
  const chosen = levels[state.cache];
  const least = LITTLE * (chosen?.misses ?? 0);
  const much = found.filter((item) => item.weight.value >= least).slice(0, FIRST);
  const shown = all || words.length ? found : much;
  return (
    <>
    {theirs && <AdviceChanges before={side ? theirs : mine} after={side ? mine : theirs} chosen={state.cache} kinds={KINDS} />}
    <Panel title={theirs ? `What may help ${side ? 'after' : 'before'}` : 'What may help'} note={chosen ? `worst first, by misses in ${chosen.name} (${format.cacheSize(chosen.blocks, loaded.profile.view.block_bytes, loaded.profile.view.unit)})` : 'worst first'}>
      <div class="toolbar" role="group" aria-label="Filters">
        <Filters label="Kinds" names={new Map(Object.entries(KINDS))} counts={countBy(items, (item) => item.kind)} off={off} onToggle={toggle} />
        <Filters label="Advice" names={new Map(items.map((item) => [`:${item.word}`, item.word]))} counts={countBy(items, (item) => `:${item.word}`)} off={off} onToggle={toggle} />
        <span class="grow" />
        <span class="count" aria-live="polite">
          {found.length === items.length ? `${items.length}` : `${found.length} of ${items.length}`}
        </span>
        <input type="search" data-search placeholder="Search" aria-label="Search the advice" value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
        <button type="button" data-export="csv" aria-label="Export the advice as CSV" onClick={() => exportItems(found)}>
          CSV
        </button>
      </div>
      {found.length === 0 && <p class="empty">{items.length ? 'Nothing matches.' : 'There is no advice for this profile: no reuse, line or object stands out, or too little is known about them.'}</p>}
      <ol class="cards">
        {shown.map((item, i) => (
          <Card key={`${item.kind}${item.title}${item.word}`} item={item} rank={i + 1} />
        ))}
      </ol>
      {shown.length < found.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          Show {found.length - shown.length} more, with less than 0.1% of the misses each
        </button>
      )}
      <p class="legend-text">
        Temporal: misses that are avoided if the distance of these reuses falls below the cache; they follow the caches as dragged. Spatial: misses of the
        cache of the run that would be hits if both halves of each block were used together. False sharing: misses of private caches of any size. Numbers
        of different kinds overlap, so they do not add up. {loaded.left > 0 && `${format.count(loaded.left)} reuses with fewer misses are not in this page.`}
      </p>
    </Panel>
    </>
  );
}

export const advice: Tab = {
  id: 'advice',
  label: 'Advice',
  present: () => has('reuses') || has('spatial_rows') || has('false_sharing'),
  view: AdviceTab,
};
