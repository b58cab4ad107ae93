// SPDX-License-Identifier: MIT
// What the lines of a source file have done.
import type { Place, Places, Reuse, Tally } from '../data/sections';
import { sum } from './tally';

export interface SourceLine {
  line: number;
  /** Indexes in the rows of `lines`. */
  rows: number[];
  places: Place[];
  tally: Tally;
}

/** Lines with accesses of a file, by number. */
export function linesOf(lines: Places | undefined, file: number): Map<number, SourceLine> {
  const out = new Map<number, SourceLine>();
  lines?.rows.toArray().forEach((place, i) => {
    if (place.file !== file || !place.line) return;
    const known = out.get(place.line);
    if (known) {
      known.rows.push(i);
      known.places.push(place);
    } else out.set(place.line, { line: place.line, rows: [i], places: [place], tally: place.tally });
  });
  for (const known of out.values()) if (known.places.length > 1) known.tally = sum(known.places.map((place) => place.tally));
  return out;
}

/** Files by their accesses, the busiest first. */
export function busiestFiles(lines: Places | undefined): number[] {
  const weights = new Map<number, number>();
  for (const place of lines?.rows ?? []) {
    const file = place.file ?? -1;
    if (file >= 0) weights.set(file, (weights.get(file) ?? 0) + place.tally.accesses);
  }
  return [...weights.keys()].sort((a, b) => weights.get(b)! - weights.get(a)!);
}

/** Names of rows that are unique: a repeated name gets a number. */
export function keysOf(rows: readonly Place[]): string[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const times = seen.get(row.name) ?? 0;
    seen.set(row.name, times + 1);
    return times ? `${row.name}~${times}` : row.name;
  });
}

/** FILE:LINE of the address, as numbers; undefined if there is none. */
export function parseSource(text: string | undefined): { file: number; line: number } | undefined {
  const match = /^(\d+):(\d+)$/.exec(text ?? '');
  return match ? { file: Number(match[1]), line: Number(match[2]) } : undefined;
}

/** Reuses from or to a line (0: of any line) of a file. */
export function reusesAt(reuses: readonly Reuse[], file: number, line: number): Reuse[] {
  return reuses.filter(
    (r) => (r.from_file === file && (!line || r.from_line === line)) || (r.to_file === file && (!line || r.to_line === line)),
  );
}
