// SPDX-License-Identifier: MIT
// Components of spatial locality by distance and score (Figure 3 of the paper of 2009): the area of a bubble
// is its share of the reuses.
import { useState } from 'preact/hooks';
import { Axes, CacheLine, Drawing, linear, logarithmic, powers, rounds, type Margins, type Scale, type Tip } from './scatter-frame';

export interface ScatterPoint {
  id: string;
  label: string;
  x: number;
  y: number;
  /** Share of the reuses, 0 to 1. */
  share: number;
  serious: boolean;
  /** Of another pair of block sizes: drawn as an outline, not labelled. */
  faint?: boolean;
  /** Index of the series: its colour. */
  series: number;
  low?: number;
  high?: number;
  /** Said by screen readers and shown in the tip. */
  lines: string[];
}

export interface ScatterProps {
  name: string;
  label: string;
  points: ScatterPoint[];
  xName: string;
  yName: string;
  xLabel: (value: number) => string;
  /** Where distances begin to be long, and the score from which on a component is good. */
  limits: { x: number; y: number; text: string };
  caches: { name: string; x: number; chosen?: boolean }[];
  chosen?: string;
  onChoose?: (id: string) => void;
}

const MARGINS: Margins = { left: 44, right: 18, top: 30, bottom: 40 };
const HEIGHT = 330;
const LARGEST = 44; // radius of a share of 1
const SMALLEST = 3;

const radius = (share: number) => Math.max(SMALLEST, LARGEST * Math.sqrt(Math.max(0, share)));

interface Box {
  x: number;
  y: number;
  width: number;
}

// Beside the bubble, where no other label is; undefined if there is no place.
function placeLabel(x: number, y: number, r: number, text: string, taken: Box[], right: number): Box | undefined {
  const width = text.length * 6.6;
  const places: [number, number][] = [
    [x + r + 4, y + 4],
    [x - r - 4 - width, y + 4],
    [x - width / 2, y - r - 5],
    [x - width / 2, y + r + 13],
  ];
  for (const [left, base] of places) {
    if (left < MARGINS.left || left + width > right || base < MARGINS.top) continue;
    if (taken.some((t) => Math.abs(t.y - base) < 13 && left < t.x + t.width && t.x < left + width)) continue;
    const box = { x: left, y: base, width };
    taken.push(box);
    return box;
  }
  return undefined;
}

function Quadrant(props: { limits: ScatterProps['limits']; x: Scale; y: Scale; right: number; bottom: number }) {
  const { limits, right, bottom } = props;
  const left = Math.min(right, Math.max(MARGINS.left, props.x(limits.x)));
  const top = Math.max(MARGINS.top, props.y(limits.y));
  if (left >= right) return null;
  return (
    <g aria-hidden="true">
      <rect class="quadrant" x={left} y={top} width={right - left} height={Math.max(0, bottom - top)} />
      <line class="limit" x1={left} x2={left} y1={top} y2={bottom} />
      <line class="limit" x1={left} x2={right} y1={top} y2={top} />
      {right - left > 120 && (
        <text class="quadrant-name" x={right - 6} y={bottom - 7} text-anchor="end">
          {limits.text}
        </text>
      )}
    </g>
  );
}

export function Scatter(props: ScatterProps) {
  const [tip, setTip] = useState<Tip>();
  const { points, limits, caches } = props;
  const far = Math.max(limits.x * 8, ...points.map((p) => p.x * 2), ...caches.map((c) => c.x * 1.5));
  const top = Math.max(1.05, ...points.map((p) => Math.min(2.2, Math.max(p.y, p.high ?? 0)) + 0.14));
  // Large bubbles lie below small ones.
  const ordered = points.slice().sort((a, b) => Number(b.faint ?? false) - Number(a.faint ?? false) || b.share - a.share);
  const draw = (width: number) => {
    const right = width - MARGINS.right;
    const bottom = HEIGHT - MARGINS.bottom;
    const x = logarithmic(0.5, far, MARGINS.left, right);
    const y = linear(-0.12, top, bottom, MARGINS.top);
    const taken: Box[] = [];
    return (
      <>
        <Quadrant limits={limits} x={x} y={y} right={right} bottom={bottom} />
        <Axes
          width={width}
          height={HEIGHT}
          margins={MARGINS}
          x={powers(x, width / 70).map((v) => ({ at: x(v), label: props.xLabel(v) }))}
          y={rounds(0, top, 6).map((v) => ({ at: y(v), label: String(v) }))}
          xName={props.xName}
          yName={props.yName}
        />
        {caches.filter((c) => c.x > 1).map((c) => (
          <CacheLine key={c.name} x={x(c.x)} top={MARGINS.top} bottom={bottom} name={c.name} chosen={c.chosen ?? false} />
        ))}
        {ordered.map((p) => {
          const [cx, cy, r] = [x(p.x), y(Math.min(p.y, top)), radius(p.share)];
          const show = () => setTip({ x: cx, y: cy - r, lines: p.lines });
          const kind = `${p.serious ? ' serious' : ''}${p.faint ? ' faint' : ''}${p.id === props.chosen ? ' chosen' : ''}`;
          return (
            <g
              key={p.id}
              class={`bubble series-${p.series}${kind}`}
              role="button"
              tabindex={p.faint ? -1 : 0}
              aria-label={p.lines.join(', ')}
              aria-pressed={p.id === props.chosen}
              data-id={p.id}
              onPointerEnter={show}
              onFocus={show}
              onPointerLeave={() => setTip(undefined)}
              onBlur={() => setTip(undefined)}
              onClick={() => props.onChoose?.(p.id)}
              onKeyDown={(e: KeyboardEvent) => (e.key === 'Enter' || e.key === ' ') && (e.preventDefault(), props.onChoose?.(p.id))}
            >
              {p.low !== undefined && p.high !== undefined && (
                <path class="error-bar" d={`M${cx - 4},${y(p.low)}h8M${cx},${y(p.low)}V${y(p.high)}M${cx - 4},${y(p.high)}h8`} />
              )}
              <circle cx={cx} cy={cy} r={r} />
              <path class="centre" d={`M${cx - 3},${cy - 3}l6,6m0,-6l-6,6`} />
            </g>
          );
        })}
        {ordered
          .filter((p) => !p.faint && (p.serious || p.share >= 0.005))
          .sort((a, b) => Number(b.serious) - Number(a.serious) || b.share - a.share)
          .map((p) => {
            const text = p.serious ? `⚠ ${p.label}` : p.label;
            const box = placeLabel(x(p.x), y(Math.min(p.y, top)), radius(p.share), text, taken, right);
            return box && (
              <text key={`t${p.id}`} class={`point-name${p.serious ? ' serious' : ''}`} x={box.x} y={box.y} aria-hidden="true">
                {text}
              </text>
            );
          })}
      </>
    );
  };
  return (
    <Drawing name={props.name} label={props.label} height={HEIGHT} tip={tip}>
      {draw}
    </Drawing>
  );
}
