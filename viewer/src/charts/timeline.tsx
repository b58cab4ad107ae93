// SPDX-License-Identifier: MIT
// Windows of a run in order, coloured by phase: the miss ratio in one cache, and the distinct data. A click
// selects a stretch, dragging or Shift with the arrow keys a range of windows.
import { useRef, useState } from 'preact/hooks';
import { Drawing, linear, rounds, type Scale, type Tip } from './scatter-frame';

export interface TimelineProps {
  name: string;
  label: string;
  count: number;
  /** Where windows begin; one more than there are windows. */
  starts: ArrayLike<number>;
  accesses: ArrayLike<number>;
  misses: ArrayLike<number>;
  distinct: ArrayLike<number>;
  /** Index of the phase of each window. */
  phase: ArrayLike<number>;
  stretches: { first: number; count: number; phase: number }[];
  selected?: [number, number];
  onSelect: (first: number, last: number, done: boolean) => void;
  ratioName: string;
  distinctName: string;
  xName: string;
  xLabel: (value: number) => string;
  yLabel: (value: number) => string;
  describe: (first: number, last: number) => string[];
  /** A phase that is emphasized; -1: all are alike. */
  phaseChosen: number;
  /** Ends of the axes if several timelines have the same ones; default: those of the windows. */
  ends?: { x: number; ratio: number; distinct: number };
}

const LEFT = 58;
const RIGHT = 24;
const STRIP = [22, 42] as const;
const RATIO = [70, 220] as const;
const DISTINCT = [250, 350] as const;
const HEIGHT = 394;

interface Run {
  phase: number;
  first: number; // window
  points: [number, number, number][]; // x from, x to, value
}

// One value for each pixel or window, whichever is wider, in runs of one phase.
function runs(props: TimelineProps, x: Scale, value: (first: number, end: number) => number): Run[] {
  const out: Run[] = [];
  for (let i = 0; i < props.count; ) {
    const phase = props.phase[i]!;
    const from = x(props.starts[i]!);
    let end = i + 1;
    while (end < props.count && x(props.starts[end + 1]!) - from < 1) end++;
    const last = out[out.length - 1];
    const run = last && last.phase === phase ? last : { phase, first: i, points: [] };
    if (run !== last) out.push(run);
    run.points.push([from, x(props.starts[end]!), value(i, end)]);
    i = end;
  }
  return out;
}

// Stretches narrower than a pixel are drawn as one, in the colour of the first.
function strips(props: TimelineProps, x: Scale): { from: number; to: number; phase: number }[] {
  const out: { from: number; to: number; phase: number }[] = [];
  for (const s of props.stretches) {
    const to = x(props.starts[s.first + s.count]!);
    const last = out[out.length - 1];
    if (last && last.to - last.from < 1) last.to = to;
    else out.push({ from: last ? last.to : x(props.starts[s.first]!), to, phase: s.phase });
  }
  return out;
}

function area(run: Run, y: Scale, bottom: number): string {
  let path = `M${run.points[0]![0].toFixed(1)},${bottom}`;
  for (const [from, to, value] of run.points) path += `L${from.toFixed(1)},${y(value).toFixed(1)}H${to.toFixed(1)}`;
  return `${path}V${bottom}Z`;
}

function outline(run: Run, y: Scale): string {
  let path = '';
  for (const [from, to, value] of run.points) path += `${path ? 'L' : 'M'}${from.toFixed(1)},${y(value).toFixed(1)}H${to.toFixed(1)}`;
  return path;
}

function windowAt(props: TimelineProps, x: Scale, pixel: number): number {
  const value = x.invert(pixel);
  let lo = 0;
  let hi = props.count - 1;
  while (lo < hi) {
    const middle = (lo + hi + 1) >> 1;
    if (props.starts[middle]! <= value) lo = middle;
    else hi = middle - 1;
  }
  return lo;
}

function Band(props: { of: Run[]; y: Scale; bottom: number; chosen: number }) {
  return (
    <g aria-hidden="true">
      {props.of.map((run) => (
        <g key={run.first} class={`phase series-${run.phase % 8}${props.chosen >= 0 && props.chosen !== run.phase ? ' faint' : ''}`}>
          <path class="area" d={area(run, props.y, props.bottom)} />
          <path class="outline" d={outline(run, props.y)} />
        </g>
      ))}
    </g>
  );
}

function YAxis(props: { range: readonly [number, number]; y: Scale; name: string; label: (v: number) => string; right: number }) {
  const { y } = props;
  return (
    <g class="axes" aria-hidden="true">
      {rounds(y.first, y.last, 4).map((v) => (
        <g key={v}>
          <line class="grid" x1={LEFT} x2={props.right} y1={y(v)} y2={y(v)} />
          <text x={LEFT - 6} y={y(v) + 4} text-anchor="end">
            {props.label(v)}
          </text>
        </g>
      ))}
      <text class="name" x={LEFT} y={props.range[0] - 7}>
        {props.name}
      </text>
    </g>
  );
}

export function Timeline(props: TimelineProps) {
  const [tip, setTip] = useState<Tip>();
  const anchor = useRef<number | undefined>(undefined);
  const scale = useRef<Scale | undefined>(undefined);
  const { count, starts, selected } = props;
  const at = (e: PointerEvent) => {
    const bounds = (e.currentTarget as Element).getBoundingClientRect();
    return windowAt(props, scale.current!, e.clientX - bounds.left);
  };
  const select = (a: number, b: number, done: boolean) => props.onSelect(Math.min(a, b), Math.max(a, b), done);
  const stretchOf = (window: number) => props.stretches.find((s) => window >= s.first && window < s.first + s.count);
  const show = (window: number) => {
    const x = scale.current!;
    setTip({ x: x((starts[window]! + starts[window + 1]!) / 2), y: RATIO[0] + 8, lines: props.describe(window, window) });
  };
  const onDown = (e: PointerEvent) => {
    anchor.current = at(e);
    (e.currentTarget as Element).setPointerCapture(e.pointerId);
  };
  const onMove = (e: PointerEvent) => {
    const window = at(e);
    show(window);
    if (anchor.current !== undefined && anchor.current !== window) select(anchor.current, window, false);
  };
  const onUp = (e: PointerEvent) => {
    const [from, to] = [anchor.current, at(e)];
    anchor.current = undefined;
    if (from === undefined) return;
    const stretch = stretchOf(to);
    if (from !== to) select(from, to, true);
    else if (stretch) select(stretch.first, stretch.first + stretch.count - 1, true);
  };
  const onKey = (e: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    const [first, last] = selected ?? [0, 0];
    if (e.key === 'Escape' && selected) props.onSelect(0, count - 1, true);
    else if (e.key === 'Home') select(0, 0, true);
    else if (e.key === 'End') select(count - 1, count - 1, true);
    else if (!step) return;
    else if (e.shiftKey) select(first, Math.min(count - 1, Math.max(first, last + step)), true);
    else {
      const to = Math.min(count - 1, Math.max(0, selected ? (step < 0 ? first : last) + step : 0));
      select(to, to, true);
    }
    e.preventDefault();
  };
  const draw = (width: number) => {
    const right = width - RIGHT;
    const x = linear(starts[0]!, props.ends?.x ?? starts[count]!, LEFT, right);
    scale.current = x;
    let mostDistinct = props.ends?.distinct ?? 1;
    for (let i = 0; i < count; i++) mostDistinct = Math.max(mostDistinct, props.distinct[i]!);
    const ratios = runs(props, x, (first, end) => {
      let [part, whole] = [0, 0];
      for (let i = first; i < end; i++) {
        part += props.misses[i]!;
        whole += props.accesses[i]!;
      }
      return whole > 0 ? part / whole : 0;
    });
    const distinct = runs(props, x, (first, end) => {
      let most = 0;
      for (let i = first; i < end; i++) most = Math.max(most, props.distinct[i]!);
      return most;
    });
    const top = ratios.reduce((most, run) => run.points.reduce((m, p) => Math.max(m, p[2]), most), props.ends?.ratio ?? 0.01);
    const y = linear(0, Math.min(1, top * 1.08), RATIO[1], RATIO[0]);
    const y2 = linear(0, mostDistinct * 1.08, DISTINCT[1], DISTINCT[0]);
    return (
      <>
        <g aria-hidden="true">
          {strips(props, x).map((s) => {
            const { from, to } = s;
            return (
              <g key={s.from} class={`phase series-${s.phase % 8}${props.phaseChosen >= 0 && props.phaseChosen !== s.phase ? ' faint' : ''}`}>
                <rect class="strip" x={from} y={STRIP[0]} width={Math.max(1, to - from)} height={STRIP[1] - STRIP[0]} />
                {to - from > 18 && (
                  <text class="strip-name" x={(from + to) / 2} y={STRIP[1] - 6} text-anchor="middle">
                    {s.phase + 1}
                  </text>
                )}
              </g>
            );
          })}
          <text class="name" x={LEFT} y={STRIP[0] - 7}>
            phase
          </text>
        </g>
        <YAxis range={RATIO} y={y} name={props.ratioName} label={(v) => `${Number((100 * v).toPrecision(3))}%`} right={right} />
        <Band of={ratios} y={y} bottom={RATIO[1]} chosen={props.phaseChosen} />
        <YAxis range={DISTINCT} y={y2} name={props.distinctName} label={props.yLabel} right={right} />
        <Band of={distinct} y={y2} bottom={DISTINCT[1]} chosen={props.phaseChosen} />
        <g class="axes" aria-hidden="true">
          {rounds(x.first, x.last, width / 110).map((v) => (
            <text key={v} x={x(v)} y={DISTINCT[1] + 16} text-anchor="middle">
              {props.xLabel(v)}
            </text>
          ))}
          <line class="axis" x1={LEFT} x2={right} y1={DISTINCT[1]} y2={DISTINCT[1]} />
          <text class="name" x={(LEFT + right) / 2} y={HEIGHT - 6} text-anchor="middle">
            {props.xName}
          </text>
        </g>
        {selected && (
          <rect
            class="selection"
            x={x(starts[selected[0]]!)}
            y={STRIP[0] - 2}
            width={Math.max(2, x(starts[selected[1] + 1]!) - x(starts[selected[0]]!))}
            height={DISTINCT[1] - STRIP[0] + 4}
          />
        )}
      </>
    );
  };
  return (
    <Drawing
      name={props.name}
      class="timeline"
      label={`${props.label} Arrow keys select a window, with Shift a range.`}
      height={HEIGHT}
      tip={tip}
      role="application"
      tabindex={0}
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerLeave={() => setTip(undefined)}
      onKeyDown={onKey}
    >
      {draw}
    </Drawing>
  );
}
