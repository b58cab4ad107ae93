// SPDX-License-Identifier: MIT
// The score of each bin of the reuse distance, for several series (Figures 5 and 6 of the paper of 2009): the
// area of a circle is the share of the bin, and the mark in it says which series it is.
import { useState } from 'preact/hooks';
import { Axes, CacheLine, Drawing, linear, logarithmic, powers, rounds, type Margins, type Tip } from './scatter-frame';

export interface Bubble {
  x: number;
  y: number;
  share: number;
  lines: string[];
}

export interface BubbleSeries {
  name: string;
  bubbles: Bubble[];
  chosen?: boolean;
}

const MARGINS: Margins = { left: 44, right: 18, top: 30, bottom: 40 };
const HEIGHT = 330;
const LARGEST = 40;
// Paths of marks around (0, 0).
const MARKS = ['M-4-4L4 4M-4 4L4-4', 'M-5-4H5L0 5Z', 'M-4-4H4V4H-4Z', 'M0-5L5 0L0 5L-5 0Z', 'M0-5V5M-5 0H5', 'M-5 4H5L0-5Z', 'M-4 0A4 4 0 1 0 4 0A4 4 0 1 0-4 0'];

const mark = (series: number) => MARKS[series % MARKS.length]!;

/** The mark of a series, for legends. */
export function SeriesMark(props: { series: number }) {
  return (
    <svg class={`series-mark series-${props.series % 8}`} width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">
      <path class="mark" d={mark(props.series)} />
    </svg>
  );
}

export function Bubbles(props: {
  name: string;
  label: string;
  series: BubbleSeries[];
  xName: string;
  yName: string;
  xLabel: (value: number) => string;
  caches: { name: string; x: number; chosen?: boolean }[];
  onChoose?: (series: number) => void;
}) {
  const [tip, setTip] = useState<Tip>();
  const all = props.series.flatMap((s) => s.bubbles);
  const far = Math.max(16, ...all.map((b) => b.x * 2), ...props.caches.map((c) => c.x * 1.5));
  const top = Math.max(1.05, ...all.map((b) => Math.min(2.2, b.y) + 0.14));
  const draw = (width: number) => {
    const right = width - MARGINS.right;
    const bottom = HEIGHT - MARGINS.bottom;
    const x = logarithmic(2, far, MARGINS.left, right);
    const y = linear(-0.12, top, bottom, MARGINS.top);
    return (
      <>
        <Axes
          width={width}
          height={HEIGHT}
          margins={MARGINS}
          x={powers(x, width / 70).map((v) => ({ at: x(v), label: props.xLabel(v) }))}
          y={rounds(0, top, 6).map((v) => ({ at: y(v), label: String(v) }))}
          xName={props.xName}
          yName={props.yName}
        />
        <line class="limit" x1={MARGINS.left} x2={right} y1={y(1)} y2={y(1)} aria-hidden="true" />
        {props.caches.filter((c) => c.x > 2).map((c) => (
          <CacheLine key={c.name} x={x(c.x)} top={MARGINS.top} bottom={bottom} name={c.name} chosen={c.chosen ?? false} />
        ))}
        {props.series.map((s, i) => (
          <g key={s.name} class={`series-${i % 8}${s.chosen === false ? ' faint' : ''}`} role="group" aria-label={s.name}>
            {s.bubbles
              .slice()
              .sort((a, b) => b.share - a.share)
              .map((b) => {
                const [cx, cy] = [x(b.x), y(Math.min(b.y, top))];
                const r = Math.max(2, LARGEST * Math.sqrt(b.share));
                const lines = [s.name, ...b.lines];
                const show = () => setTip({ x: cx, y: cy - r, lines });
                return (
                  <g
                    key={b.x}
                    class="bubble"
                    role="img"
                    tabindex={0}
                    aria-label={lines.join(', ')}
                    onPointerEnter={show}
                    onFocus={show}
                    onPointerLeave={() => setTip(undefined)}
                    onBlur={() => setTip(undefined)}
                    onClick={() => props.onChoose?.(i)}
                  >
                    <circle cx={cx} cy={cy} r={r} />
                    <path class="mark" transform={`translate(${cx} ${cy})`} d={mark(i)} />
                  </g>
                );
              })}
          </g>
        ))}
      </>
    );
  };
  return (
    <Drawing name={props.name} label={props.label} height={HEIGHT} tip={tip}>
      {draw}
    </Drawing>
  );
}
