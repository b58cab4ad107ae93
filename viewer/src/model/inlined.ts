// SPDX-License-Identifier: MIT
// The calling contexts, with nodes for functions that were inlined into them.
import { rowsOf } from '../data/columns';
import type { Inlined, Place, Places, Stall, Tally } from '../data/sections';

function less(from: Tally, part: Tally): Tally {
  const bins = from.bins.slice();
  part.bins.forEach((count, i) => (bins[part.first - from.first + i]! -= count));
  // The distances that remain are between those of all.
  return { ...from, accesses: from.accesses - part.accesses, cold: from.cold - part.cold, writes: from.writes - part.writes, sum: from.sum - part.sum, bins };
}

// Each was rounded.
function lessStall(from: Stall, part: Stall): Stall {
  const rest = (key: keyof Stall) => Math.max(0, from[key] - part[key]);
  return { low: rest('low'), estimate: rest('estimate'), high: rest('high') };
}

/** What a context does in inlined code is in the nodes below it, and no longer its own. */
export function withInlined(contexts: Places, inlined: Inlined | undefined): Places {
  if (!inlined) return contexts;
  const rows = contexts.rows.toArray().slice();
  const first = rows.length;
  for (const part of inlined.rows) {
    const top = part.parent < 0;
    rows.push({ ...part, match: -1, depth: 0, parent: top ? part.context : first + part.parent });
    if (!top) continue;
    const own = rows[part.context]!;
    rows[part.context] = { ...own, tally: less(own.tally, part.inclusive), stall: own.stall && part.inclusive_stall ? lessStall(own.stall, part.inclusive_stall) : own.stall };
  }
  // Poor reuses add up, as accesses do.
  for (const part of inlined.rows) {
    const at = part.context;
    const own = rows[at]!;
    if (!own.spatial || !part.spatial) continue;
    const parts = part.spatial.toArray();
    rows[at] = { ...own, spatial: rowsOf(own.spatial.map((count) => subtract(count, parts.find((one) => one.block === count.block)))) };
  }
  return { ...contexts, rows: rowsOf(rows) };
}

type Count = NonNullable<Place['spatial']> extends { at(i: number): infer R } ? R : never;

function subtract(from: Count, part: Count | undefined): Count {
  if (!part) return from;
  return {
    block: from.block,
    reuses: from.reuses - part.reuses,
    effective: from.effective - part.effective,
    long_reuses: from.long_reuses - part.long_reuses,
    long_effective: from.long_effective - part.long_effective,
  };
}
