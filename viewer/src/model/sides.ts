// SPDX-License-Identifier: MIT
// Before and after: what is chosen in one profile is chosen in the other one, if it has a counterpart there.
import { section } from '../data/index';
import type { Place, Places } from '../data/sections';
import { setParams, type State } from '../state';
import { keysOf, parseSource } from './source';

const LISTS = ['objects', 'fields', 'functions', 'loops', 'lines', 'contexts', 'threads'] as const;
type List = (typeof LISTS)[number];

async function both(list: List, from: number): Promise<[Place[], Place[]]> {
  const rows = (places: Places | undefined) => places?.rows.toArray() ?? [];
  return [rows(await section(list, { profile: from })), rows(await section(list, { profile: 1 - from }))];
}

/** The index of the only counterpart of a row; -1 if there is none, or several. */
export function counterpart(row: Place | undefined, others: readonly Place[]): number {
  if (!row || row.match < 0) return -1;
  const at = others.findIndex((other) => other.match === row.match);
  return at >= 0 && others.findIndex((other, i) => i > at && other.match === row.match) < 0 ? at : -1;
}

async function otherRow(state: State, from: number): Promise<string> {
  const { row = '', sub } = state.params;
  if (!row) return '';
  const list = LISTS.find((one) => one === sub) ?? (sub === 'flame' ? 'contexts' : state.tab === 'data' ? 'objects' : 'lines');
  const [here, there] = await both(list, from);
  const at = counterpart(here[keysOf(here).indexOf(row)], there);
  return at < 0 ? '' : keysOf(there)[at]!;
}

async function otherSource(state: State, from: number): Promise<string> {
  const source = parseSource(state.params.source);
  if (!source) return '';
  const [here, there] = await both('lines', from);
  const at = counterpart(here.find((row) => row.file === source.file && row.line === source.line), there);
  return at < 0 ? '' : `${there[at]!.file}:${there[at]!.line}`;
}

async function otherContext(state: State, from: number): Promise<string> {
  if (!state.params.zoom) return '';
  const [here, there] = await both('contexts', from);
  const at = counterpart(here[Number(state.params.zoom)], there);
  return at < 0 ? '' : String(at);
}

async function otherPhase(state: State, from: number): Promise<string> {
  const phase = Number(state.params.phase || 0) - 1;
  const pairs = phase < 0 ? undefined : await section('pairs');
  const pair = pairs?.phases.toArray().find((one) => (from ? one.after : one.before) === phase);
  return pair ? String((from ? pair.before : pair.after) + 1) : '';
}

async function otherSharer(state: State, from: number): Promise<string> {
  const pairs = state.params.sharer ? await section('pairs') : undefined;
  const pair = pairs?.sharers.toArray().find((one) => String(from ? one.after : one.before) === state.params.sharer);
  return pair ? String(from ? pair.before : pair.after) : '';
}

/** Shows the other profile. */
export async function switchSide(state: State, to: string): Promise<void> {
  const from = state.params.side === '1' ? 1 : 0;
  const [row, source, zoom, phase, sharer] = await Promise.all([otherRow(state, from), otherSource(state, from), otherContext(state, from), otherPhase(state, from), otherSharer(state, from)]);
  setParams({ side: to, row, source, zoom, phase, sharer, windows: '', poor: '', false: '' });
}
