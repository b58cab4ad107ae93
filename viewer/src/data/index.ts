// SPDX-License-Identifier: MIT
// The sections in the page, each decoded when it is first needed and then kept.
import { decode, type Field } from './columns';
import { fromBase64, unpack } from './container';
import type { Sections } from './sections';

export interface Entry {
  id: number;
  name: string;
  profile: number;
  lane: number;
  version: number;
  /** The id of an earlier section that has the same. */
  layout: Field[] | number;
}

// In the page, a layout may be the id of an earlier section with the same one.
interface Written extends Omit<Entry, 'layout'> {
  layout: Field[] | number;
}

/** Which profile (0, or 1 for the second one of a comparison) and lane (0: of the profile). */
export interface Where {
  profile?: number;
  lane?: number;
}

let entries: Entry[] = [];
const kept = new Map<number, Promise<unknown>>();

/** Reads the index; the page calls it once. */
export function loadIndex(): void {
  const text = document.getElementById('deja-index')?.textContent ?? '{"format":1,"sections":[]}';
  const index = JSON.parse(text) as { format: number; sections: Written[] };
  if (index.format !== 1) throw new Error(`The page has data of format ${index.format}, and a script for format 1.`);
  const known = new Map<number, Field[]>();
  entries = index.sections.map((entry) => {
    const layout = typeof entry.layout === 'number' ? (known.get(entry.layout) ?? []) : entry.layout;
    known.set(entry.id, layout);
    return { ...entry, layout };
  });
  kept.clear();
}

function find(name: string, where: Where): Entry | undefined {
  const { profile = 0, lane = 0 } = where;
  return entries.find((e) => e.name === name && e.profile === profile && e.lane === lane);
}

/** Whether the page has a section; costs nothing. */
export function has(name: keyof Sections, where: Where = {}): boolean {
  return find(name, where) !== undefined;
}

/** The numbers of the lanes that have a section, for `Where.lane`. */
export function lanesWith(name: keyof Sections, profile = 0): number[] {
  return entries.filter((e) => e.name === name && e.profile === profile && e.lane > 0).map((e) => e.lane);
}

function layoutOf(entry: Entry): Field[] {
  const { layout } = entry;
  const known = typeof layout === 'number' ? entries.find((e) => e.id === layout)?.layout : layout;
  if (!Array.isArray(known)) throw new Error(`Section '${entry.name}' has no layout.`);
  return known;
}

async function load(entry: Entry): Promise<unknown> {
  const element = document.getElementById(`deja-${entry.id}`);
  if (!element) throw new Error(`The page lacks the data of section '${entry.name}'.`);
  const bytes = fromBase64(element.textContent ?? '');
  element.textContent = ''; // the base64 is not needed again
  return decode(await unpack(bytes), layoutOf(entry));
}

/** A decoded section, or undefined if the page has none. The same object every time. */
export async function section<N extends keyof Sections>(name: N, where: Where = {}): Promise<Sections[N] | undefined> {
  const entry = find(name, where);
  if (!entry) return undefined;
  let promise = kept.get(entry.id);
  if (!promise) kept.set(entry.id, (promise = load(entry)));
  return promise as Promise<Sections[N]>;
}
