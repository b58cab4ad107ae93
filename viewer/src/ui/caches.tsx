// SPDX-License-Identifier: MIT
// Handles that drag the sizes of caches on a chart, with the pointer and the keyboard.
import { useRef } from 'preact/hooks';
import type { View } from '../data/sections';
import { edgeAt } from '../model/tally';
import { setSize, type State, update } from '../state';
import type { Geometry } from './chart';
import { series } from './color';
import { cacheSize, count } from './format';

const TOGETHER_MS = 1500;
const FINE = 8; // steps per doubling if there are no edges

/** The edge nearest to a size, in doublings; misses of rows are exact there. */
export function snap(edges: Float64Array, blocks: number): number {
  if (edges.length < 2) return Math.max(1, Math.round(2 ** (Math.round(Math.log2(Math.max(1, blocks)) * FINE) / FINE)));
  const above = Math.min(edges.length - 1, Math.max(2, edgeAt(edges, blocks)));
  const [low, high] = [edges[above - 1]!, edges[above]!];
  if (blocks > high) return Math.round(blocks);
  return Math.max(1, low < 1 || Math.log2(high / blocks) < Math.log2(blocks / low) ? high : low);
}

/** The next edge above or below a size, or the one `by` edges further. */
export function step(edges: Float64Array, blocks: number, by: number): number {
  if (edges.length < 2) {
    const next = Math.round(2 ** (Math.log2(blocks) + by / FINE));
    return Math.max(1, next === blocks ? blocks + Math.sign(by) : next);
  }
  const at = edgeAt(edges, blocks);
  const exact = edges[at] === blocks;
  const to = by > 0 ? at + by - (exact ? 0 : 1) : at + by;
  return edges[Math.min(edges.length - 1, Math.max(1, to))]!;
}

const KEYS: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8 };

export function CacheHandles(props: { view: View; state: State; geometry: Geometry; ratio: (blocks: number) => number; nearest?: (blocks: number) => number }) {
  const { view, state, geometry, nearest = (blocks: number) => blocks } = props;
  const dragged = useRef(-1);
  const begun = useRef(false);
  const pressed = useRef(0);
  const plot = useRef<HTMLDivElement>(null);
  const atPointer = (event: PointerEvent) => {
    const box = plot.current!.getBoundingClientRect();
    const x = Math.min(box.width, Math.max(0, event.clientX - box.left));
    const blocks = Math.max(1, Math.round(geometry.toValue(x)));
    return event.shiftKey ? blocks : nearest(snap(view.edges, blocks));
  };
  const onDown = (event: PointerEvent, index: number) => {
    dragged.current = index;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    begun.current = false;
    if (state.cache !== index) update({ cache: index });
  };
  const onMove = (event: PointerEvent) => {
    if (dragged.current < 0) return;
    const size = atPointer(event);
    if (size === state.sizes[dragged.current]) return;
    setSize(dragged.current, size, begun.current); // a drag is one step for the back button
    begun.current = true;
  };
  const onUp = () => (dragged.current = -1);
  const onKey = (event: KeyboardEvent, index: number) => {
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault();
    const now = state.sizes[index]!;
    // Keys in quick succession are one step for the back button.
    const together = event.timeStamp - pressed.current < TOGETHER_MS;
    pressed.current = event.timeStamp;
    setSize(index, event.shiftKey ? now + Math.sign(by) : nearest(step(view.edges, now, by)), together);
  };
  return (
    <div class="handles" ref={plot}>
      {state.sizes.map((blocks, i) => {
        const x = Math.min(geometry.width, Math.max(0, geometry.toPixel(blocks)));
        const { name } = view.caches.at(i);
        const text = cacheSize(blocks, view.block_bytes, view.unit);
        return (
          <div
            key={i}
            class={`handle${i === state.cache ? ' chosen' : ''}${x > geometry.width - 120 ? ' flipped' : ''}`}
            role="slider"
            tabIndex={0}
            data-cache={i}
            aria-label={`Size of ${name}`}
            aria-orientation="horizontal"
            aria-valuemin={1}
            aria-valuemax={Math.max(blocks, view.edges[view.edges.length - 1] ?? 2 ** 40)}
            aria-valuenow={blocks}
            aria-valuetext={`${text}, ${count(blocks)} ${view.unit}s, miss ratio ${(100 * props.ratio(blocks)).toFixed(2)}%`}
            style={{ transform: `translateX(${x}px)`, color: series(i + 2) }}
            onPointerDown={(event) => onDown(event, i)}
            onPointerMove={onMove}
            onPointerUp={onUp}
            onPointerCancel={onUp}
            onKeyDown={(event) => onKey(event, i)}
          >
            <i class="stem" />
            <span class="grip" style={{ top: `${(i % 3) * 21}px`, borderColor: series(i + 2) }}>
              {name} <small>{text}</small>
            </span>
          </div>
        );
      })}
    </div>
  );
}
