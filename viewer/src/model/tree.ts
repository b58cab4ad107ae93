// SPDX-License-Identifier: MIT
// The calling-context tree: weights that include callees, and the order in which it is shown.
import type { Place } from '../data/sections';

export interface Tree {
  roots: number[];
  children: number[][];
  depth: Uint32Array;
  /** Weight of each row, with and without its callees. */
  inclusive: Float64Array;
  exclusive: Float64Array;
}

/** `inclusiveOf` gives a known total; undefined: the sum of the rows below. */
export function treeOf(rows: readonly Place[], exclusiveOf: (row: Place) => number, inclusiveOf: (row: Place) => number | undefined): Tree {
  const n = rows.length;
  const tree: Tree = { roots: [], children: rows.map(() => []), depth: new Uint32Array(n), inclusive: new Float64Array(n), exclusive: new Float64Array(n) };
  rows.forEach((row, i) => {
    tree.exclusive[i] = tree.inclusive[i] = exclusiveOf(row);
    const parent = row.parent ?? -1;
    if (parent >= 0 && parent < n && parent !== i) tree.children[parent]!.push(i);
    else tree.roots.push(i);
  });
  const order: number[] = [];
  const pending = tree.roots.slice().reverse();
  while (pending.length) {
    const i = pending.pop()!;
    order.push(i);
    for (const child of tree.children[i]!) {
      tree.depth[child] = tree.depth[i]! + 1;
      pending.push(child);
    }
  }
  for (const i of order.reverse()) {
    const known = inclusiveOf(rows[i]!);
    if (known !== undefined) tree.inclusive[i] = known;
    else for (const child of tree.children[i]!) tree.inclusive[i]! += tree.inclusive[child]!;
  }
  const heavy = (a: number, b: number) => tree.inclusive[b]! - tree.inclusive[a]! || a - b;
  tree.roots.sort(heavy);
  for (const list of tree.children) list.sort(heavy);
  return tree;
}

/** The rows of which all callers are open, in order. */
export function visible(tree: Tree, opened: ReadonlySet<number>): number[] {
  const out: number[] = [];
  const pending = tree.roots.slice().reverse();
  while (pending.length) {
    const i = pending.pop()!;
    out.push(i);
    if (opened.has(i)) pending.push(...tree.children[i]!.slice().reverse());
  }
  return out;
}

/** From the roots down to where the weight is. */
export function hottest(tree: Tree): Set<number> {
  const out = new Set<number>();
  for (let at = tree.roots[0]; at !== undefined && tree.children[at]!.length; at = tree.children[at]![0]) {
    out.add(at);
    if (tree.exclusive[at]! > tree.inclusive[at]! / 2) break;
  }
  return out;
}

export interface Block {
  row: number;
  depth: number;
  x: number;
  width: number;
}

/** Levels that a flame graph draws; callees below them are left out. */
export const FLAME_LEVELS = 120;

/**
 * The rectangles of a flame graph from `root` (-1: everything), 0 to 1 wide; narrower ones than `least` are left out.
 * `deeper`: whether there are more levels.
 */
export function flame(tree: Tree, root: number, least: number): { blocks: Block[]; deeper: boolean } {
  const blocks: Block[] = [];
  let deeper = false;
  const tops = root < 0 ? tree.roots : [root];
  const total = tops.reduce((sum, i) => sum + tree.inclusive[i]!, 0);
  if (total <= 0) return { blocks, deeper };
  const base = root < 0 ? 0 : tree.depth[root]!;
  const pending: { rows: number[]; x: number }[] = [{ rows: tops, x: 0 }]; // not recursive: calls may be very deep
  for (let next = pending.pop(); next; next = pending.pop()) {
    let { x } = next;
    for (const i of next.rows) {
      const width = tree.inclusive[i]! / total;
      if (width < least) continue;
      const depth = tree.depth[i]! - base;
      blocks.push({ row: i, depth, x, width });
      if (depth + 1 < FLAME_LEVELS) pending.push({ rows: tree.children[i]!, x });
      else deeper ||= tree.children[i]!.length > 0;
      x += width;
    }
  }
  return { blocks, deeper };
}
