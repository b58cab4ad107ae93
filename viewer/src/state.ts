// SPDX-License-Identifier: MIT
// What the reader of the page has chosen. It is written to location.hash, so a link shows the same and the
// browser's back button undoes. Whoever uses `useShared` is drawn again on every change.
import { useEffect, useState } from 'preact/hooks';
import type { Cache, View } from './data/sections';

export interface State {
  tab: string;
  /** Sizes of the caches in blocks, as dragged. */
  sizes: number[];
  /** Index of the chosen cache: rankings are by its misses. */
  cache: number;
  /** Choices of the tabs, such as `sub`, `row`, `line`, `pair`: '' and missing are the same. */
  params: Record<string, string>;
}

export type Theme = 'auto' | 'light' | 'dark';

let state: State = { tab: 'overview', sizes: [], cache: 0, params: {} };
let initial: number[] = [];
let firstCache = 0;
const listeners = new Set<() => void>();

export function current(): State {
  return state;
}

function encode(of: State): string {
  const query = new URLSearchParams();
  if (of.sizes.some((size, i) => size !== initial[i])) query.set('sizes', of.sizes.join('_'));
  if (of.cache !== firstCache) query.set('cache', String(of.cache));
  for (const [key, value] of Object.entries(of.params).sort()) if (value !== '') query.set(`.${key}`, value);
  const rest = query.toString();
  return `#${encodeURIComponent(of.tab)}${rest ? `?${rest}` : ''}`;
}

function decode(hash: string): State {
  const [tab, rest = ''] = hash.replace(/^#/, '').split('?', 2) as [string, string?];
  const query = new URLSearchParams(rest);
  const sizes = (query.get('sizes') ?? '').split('_').map(Number);
  const valid = sizes.length === initial.length && sizes.every((size) => Number.isSafeInteger(size) && size > 0);
  const cache = Number(query.get('cache') ?? firstCache);
  const params: Record<string, string> = {};
  for (const [key, value] of query) if (key.startsWith('.')) params[key.slice(1)] = value;
  let name = 'overview';
  try {
    name = decodeURIComponent(tab) || name;
  } catch {
    // a damaged link leads to the overview
  }
  return {
    tab: name,
    sizes: valid ? sizes : initial.slice(),
    cache: Number.isInteger(cache) && cache >= 0 && cache < Math.max(1, initial.length) ? cache : firstCache,
    params,
  };
}

function tellAll(): void {
  for (const listener of [...listeners]) listener();
}

let written = ''; // the last hash of our own
let pending = 0;

function writeHash(replace: boolean): void {
  const hash = encode(state);
  if (hash === written) return;
  written = hash;
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
}

/**
 * Changes the state. By default the back button undoes the change; with `replace` it becomes part of the
 * previous one (while something is dragged, or typed).
 */
export function update(change: Partial<State>, replace = false): void {
  clearTimeout(pending);
  if (pending && !replace) writeHash(true); // what was dragged before stays a step of its own
  pending = 0;
  state = { ...state, ...change };
  // Browsers limit how often the address may change.
  if (replace) pending = window.setTimeout(() => {
      pending = 0;
      writeHash(true);
    }, 250);
  else writeHash(false);
  tellAll();
}

/** Changes some of the tabs' choices. */
export function setParams(change: Record<string, string>, replace = false): void {
  update({ params: { ...state.params, ...change } }, replace);
}

/** Opens a tab with some choices; those that other tabs made are kept. */
export function open(tab: string, change: Record<string, string> = {}): void {
  update({ tab, params: { ...state.params, ...change } });
}

/** The smallest and the largest size that a cache may have next to the others. */
export function sizeLimits(index: number): [number, number] {
  const { sizes } = state;
  return [index > 0 ? sizes[index - 1]! : 1, index + 1 < sizes.length ? sizes[index + 1]! : Number.MAX_SAFE_INTEGER];
}

/** Sets the size of a cache, and keeps the sizes in increasing order. */
export function setSize(index: number, blocks: number, replace = false): void {
  const sizes = state.sizes.slice();
  const [low, high] = sizeLimits(index);
  sizes[index] = Math.min(high, Math.max(low, Math.round(blocks)));
  update({ sizes }, replace);
}

export function resetSizes(): void {
  update({ sizes: initial.slice() });
}

export function moved(): boolean {
  return state.sizes.some((size, i) => size !== initial[i]);
}

/** The chosen cache: its size in blocks; without caches the whole trace counts as misses. */
export function chosenSize(): number {
  return state.sizes[state.cache] ?? 0;
}

/** Begins with the caches of the profile and the address of the page. */
export function begin(view: View | undefined): void {
  initial = view ? view.caches.map((cache: Cache) => cache.blocks) : [];
  firstCache = view && view.sort_cut < initial.length ? view.sort_cut : 0;
  state = decode(location.hash);
  written = location.hash;
  window.addEventListener('popstate', () => {
    if (location.hash === written) return;
    written = location.hash;
    state = decode(location.hash);
    tellAll();
  });
}

/** Calls `listener` after every change, until the function that it returns is called. */
export function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The state, in a component that is drawn again when it changes. */
export function useShared(): State {
  const [, redraw] = useState(0);
  useEffect(() => listen(() => redraw((n) => n + 1)), []);
  return state;
}
