// SPDX-License-Identifier: MIT
// The frame of the page: title, tabs, caches, and the chosen tab.
import { useEffect, useRef } from 'preact/hooks';
import { has } from './data/index';
import { aligned, type Profile } from './profile';
import { switchSide } from './model/sides';
import { moved, resetSizes, type State, update, useShared } from './state';
import { tabs } from './tabs/registry';
import { cacheSize } from './ui/format';
import { report, usePromise } from './ui/section';
import { SizeField } from './ui/size_field';
import { Segments, Tabs } from './ui/tabs';
import { theme, toggleTheme } from './ui/theme';

function Caches(props: { profile: Profile; state: State }) {
  const { view } = props.profile;
  const { sizes, cache } = props.state;
  if (!sizes.length) return null;
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const to = (cache + step + sizes.length) % sizes.length;
    update({ cache: to });
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=radio]')[to]?.focus();
  };
  return (
    <div class="chips" role="radiogroup" aria-label="Cache by whose misses rows are ranked" onKeyDown={onKey}>
      {moved() && (
        <button type="button" class="link" onClick={resetSizes}>
          Reset sizes
        </button>
      )}
      {sizes.map((blocks, i) => (
        <button key={i} type="button" class="chip" role="radio" aria-checked={i === cache} tabIndex={i === cache ? 0 : -1} data-chip={i} onClick={() => update({ cache: i })}>
          <b>{view.caches.at(i).name}</b>
          <span class="size">{cacheSize(blocks, view.block_bytes, view.unit)}</span>
        </button>
      ))}
    </div>
  );
}

// "/" searches, wherever the focus is.
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  const field = document.querySelector<HTMLInputElement>('main [data-search]');
  if (!field) return;
  event.preventDefault();
  field.focus();
}

const SIDES = [
  { id: '', label: 'Before', help: 'The first profile' },
  { id: '1', label: 'After', help: 'The second profile' },
];

export function App(props: { profile: Profile }) {
  const state = useShared();
  const { view } = props.profile;
  const compares = has('view', { profile: 1 });
  const side = compares && state.params.side === '1' ? 1 : 0;
  const second = usePromise(() => (compares ? aligned(1) : Promise.resolve(undefined)), []);
  const shown = side ? second : props.profile;
  const other = side ? props.profile : second;
  const present = tabs.filter((tab) => tab.present(props.profile));
  const tab = present.find((one) => one.id === state.tab) ?? present[0]!;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useEffect(() => window.scrollTo(0, 0), [tab.id]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), panel.current?.focus())}>
        Skip to the content
      </a>
      <header class="top">
        <div class="titles">
          <span class="brand">Deja</span>
          <h1>{second ? `${view.title} → ${second.view.title}` : view.title}</h1>
          <code class="command" title={(shown ?? props.profile).view.command}>{(shown ?? props.profile).view.command}</code>
          <button type="button" class="plain noprint" aria-label="Dark colours" aria-pressed={theme() === 'dark'} onClick={toggleTheme}>
            {theme() === 'dark' ? 'Light' : 'Dark'}
          </button>
        </div>
        <div class="strip">
          <Tabs label="Views" choices={present} chosen={tab.id} onChoose={(id) => update({ tab: id })} />
          <span class="caches">
            {compares && <Segments label="Profile" choices={SIDES} chosen={side ? '1' : ''} onChoose={(to) => to !== (side ? '1' : '') && void switchSide(state, to).catch(report)} />}
            <Caches profile={props.profile} state={state} />
            {state.sizes.length > 0 && <SizeField view={view} state={state} />}
          </span>
        </div>
      </header>
      <main id={`panel-${tab.id}`} role="tabpanel" aria-labelledby={`tab-${tab.id}`} data-panel={tab.id} data-title={tab.label} tabIndex={-1} ref={panel}>
        {(shown ?? props.profile).view.marks.map((mark) => (
          <p key={mark} class="notice" role="note">
            {mark}
          </p>
        ))}
        {shown && <tab.view key={`${tab.id}${side}`} profile={shown} other={other} side={side} state={state} />}
      </main>
    </>
  );
}
