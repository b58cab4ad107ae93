// SPDX-License-Identifier: MIT
// The reuse distances of a row as a few small bars, one per doubling.
import type { Tally } from '../data/sections';

const OCTAVES = 30;
const known = new WeakMap<Tally, Float64Array>();

/** Reuses by distance: 0, 1, 2–3, 4–7, …; the last entry has all longer ones. */
export function octaves(tally: Tally, edges: Float64Array): Float64Array {
  let out = known.get(tally);
  if (!out) {
    out = new Float64Array(OCTAVES);
    for (let i = 0; i < tally.bins.length; i++) {
      const lo = edges[tally.first + i]!;
      out[Math.min(OCTAVES - 1, lo < 1 ? 0 : Math.floor(Math.log2(lo)) + 1)]! += tally.bins[i]!;
    }
    known.set(tally, out);
  }
  return out;
}

/** Bars of the same scale in all rows; `size` draws the chosen cache. */
export function Spark(props: { tally: Tally; edges: Float64Array; size: number }) {
  const bins = octaves(props.tally, props.edges);
  const most = Math.max(...bins, 1);
  let near = '';
  let far = '';
  const cut = props.size > 0 ? Math.log2(props.size) + 1 : Infinity;
  bins.forEach((n, i) => {
    if (n === 0) return;
    const height = Math.max(1, (14 * n) / most);
    const bar = `M${i * 4} 16v${-height.toFixed(1)}h3V16z`;
    if (i >= cut) far += bar;
    else near += bar;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${OCTAVES * 4} 16`} width={OCTAVES * 3} height="16" preserveAspectRatio="none" role="img" aria-label="Reuse distances, short to long">
      <path class="near" d={near} />
      <path class="far" d={far} />
    </svg>
  );
}
