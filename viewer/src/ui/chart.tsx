// SPDX-License-Identifier: MIT
// A chart: uPlot on the page, with a readout under the pointer, a legend, and export as SVG and PNG.
// Keep `spec` in useMemo, or the chart is made again at every change.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { useShared } from '../state';
import { css } from './color';
import { barEnds, chartSvg } from './chart_svg';
import { type ChartSpec, linearTicks, logTicks, place, tickText, xRange, yRange } from './chart_spec';
import { downloadPng, downloadSvg } from './download';
import { theme } from './theme';

export type { ChartSpec } from './chart_spec';

/** Where the plot is within its box, in pixels. */
export interface Geometry {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Pixels from the left of the plot to a value on the x axis, and back. */
  toPixel: (x: number) => number;
  toValue: (pixel: number) => number;
}

interface ChartProps {
  /** Of exported files. */
  name: string;
  /** What a screen reader says; begin with the kind of chart. */
  label: string;
  spec: ChartSpec;
  height?: number;
  /** Text for the x under the pointer. */
  readout?: (x: number) => string;
  /** More marks in exported pictures, for what `overlay` shows on the page. */
  marks?: ChartSpec['marks'];
  /** Elements above the plot, such as handles. */
  overlay?: (geometry: Geometry) => ComponentChildren;
}

const FONT = '11px system-ui, sans-serif';

function drawBars(spec: ChartSpec, u: uPlot): void {
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  for (const bars of spec.bars ?? []) {
    const scale = bars.right ? 'right' : 'left';
    ctx.fillStyle = bars.color;
    for (const bin of bars.bins) {
      if (bin.y <= 0) continue;
      const [from, to] = barEnds(bin, spec.x.log2).map((x) => u.valToPos(x, 'x', true)) as [number, number];
      const [top, bottom] = [u.valToPos(bin.y, scale, true), u.valToPos(0, scale, true)];
      ctx.fillRect(from + 0.5, Math.min(top, bottom - 1), Math.max(1, to - from - 1), Math.max(1, bottom - top));
    }
  }
  for (const mark of spec.marks ?? []) {
    const x = u.valToPos(place(mark.x, spec.x.log2), 'x', true);
    ctx.strokeStyle = ctx.fillStyle = mark.color ?? css('--muted');
    if (!mark.label) {
      const [end, half] = [u.bbox.top + u.bbox.height, 5 * devicePixelRatio];
      ctx.beginPath();
      ctx.moveTo(x, end - 1.7 * half);
      ctx.lineTo(x + half, end);
      ctx.lineTo(x - half, end);
      ctx.fill();
      continue;
    }
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, u.bbox.top);
    ctx.lineTo(x, u.bbox.top + u.bbox.height);
    ctx.stroke();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    const late = x > u.bbox.left + u.bbox.width - 40 * devicePixelRatio;
    ctx.textAlign = late ? 'right' : 'left';
    ctx.fillText(mark.label, x + (late ? -3 : 3) * devicePixelRatio, u.bbox.top + 11 * devicePixelRatio);
  }
  ctx.restore();
}

// One list of x for all lines, as uPlot needs it; bands become two lines without a stroke.
function table(spec: ChartSpec): { data: uPlot.AlignedData; series: uPlot.Series[]; bands: uPlot.Band[] } {
  const range = xRange(spec);
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  const tables: uPlot.AlignedData[] = [[[range.min, range.max], [null, null]]];
  series.push({ show: false, scale: 'left' });
  const xs = (x: ArrayLike<number>) => Array.from(x, (value) => place(value, spec.x.log2));
  for (const band of spec.bands ?? []) {
    const scale = band.right ? 'right' : 'left';
    tables.push([xs(band.x), Array.from(band.high), Array.from(band.low)]);
    series.push({ scale, stroke: 'transparent', points: { show: false }, spanGaps: true }, { scale, stroke: 'transparent', points: { show: false }, spanGaps: true });
    bands.push({ series: [series.length - 2, series.length - 1], fill: `${band.color}33` });
  }
  for (const line of spec.lines ?? []) {
    tables.push([xs(line.x), Array.from(line.y, (y) => (Number.isFinite(y) ? y : null))]);
    series.push({
      scale: line.right ? 'right' : 'left',
      stroke: line.color,
      width: line.width ?? 1.75,
      dash: line.dash,
      spanGaps: true,
      points: { show: line.x.length < 3 },
      ...(line.stepped ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
    });
  }
  return { data: uPlot.join(tables), series, bands };
}

function axes(spec: ChartSpec): uPlot.Axis[] {
  const common = { stroke: css('--muted'), font: FONT, labelFont: FONT, ticks: { show: false } };
  const grid = { stroke: css('--grid'), width: 1 };
  const y = (right: boolean): uPlot.Axis => ({
    ...common,
    scale: right ? 'right' : 'left',
    side: right ? 1 : 3,
    grid: right ? { show: false } : grid,
    size: 56,
    splits: (u) => linearTicks(yRange(spec, right), u.bbox.height / devicePixelRatio || 200, 36),
    values: (_, splits) => splits.map((value) => (right ? spec.right! : spec.left).format(value)),
  });
  const x: uPlot.Axis = {
    ...common,
    grid: { show: false },
    size: 24,
    gap: 4,
    label: spec.x.label,
    labelSize: 18,
    labelGap: 0,
    filter: (_, splits) => splits,
    splits: (u) => {
      const width = u.bbox.width / devicePixelRatio || 600;
      return spec.x.log2 ? logTicks(xRange(spec), width, 44) : linearTicks(xRange(spec), width, 64);
    },
    values: (_, splits) => splits.map((value) => tickText(spec.x, value)),
  };
  return spec.right ? [x, y(false), y(true)] : [x, y(false)];
}

function options(spec: ChartSpec, width: number, height: number, onCursor: (u: uPlot) => void, series: uPlot.Series[], bands: uPlot.Band[]): uPlot.Options {
  const fixed = (range: { min: number; max: number }) => [range.min, range.max] as [number, number];
  return {
    width,
    height,
    series,
    bands,
    axes: axes(spec),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    padding: [8, spec.right ? 0 : 16, 0, 0],
    scales: {
      x: { time: false, distr: spec.x.log2 ? 3 : 1, log: 2, range: () => fixed(xRange(spec)) },
      left: { range: () => fixed(yRange(spec, false)) },
      ...(spec.right ? { right: { range: () => fixed(yRange(spec, true)) } } : {}),
    },
    hooks: { drawAxes: [(u) => drawBars(spec, u)], setCursor: [onCursor] },
  };
}

function geometry(u: uPlot): Geometry {
  const ratio = devicePixelRatio;
  return {
    left: u.bbox.left / ratio,
    top: u.bbox.top / ratio,
    width: u.bbox.width / ratio,
    height: u.bbox.height / ratio,
    toPixel: (x) => u.valToPos(x, 'x'),
    toValue: (pixel) => u.posToVal(pixel, 'x'),
  };
}

function Legend(props: { spec: ChartSpec }) {
  const { lines = [], bars = [], bands = [] } = props.spec;
  const items = [...bars.map((s) => ({ ...s, kind: 'box' })), ...lines.map((s) => ({ ...s, kind: s.dash ? 'dashed' : 'line' })), ...bands.map((s) => ({ ...s, kind: 'box soft' }))];
  return (
    <span class="legend">
      {items.filter((item) => item.label).map((item) => (
        <span key={item.label}>
          <i class={item.kind} style={{ background: item.kind === 'dashed' ? 'none' : item.color, borderColor: item.color }} />
          {item.label}
        </span>
      ))}
    </span>
  );
}

/** Buttons that export a picture: `svg` gives its text and size. */
export function ExportPicture(props: { name: string; label: string; svg: () => { text: string; width: number; height: number } }) {
  return (
    <span class="exports">
      <button type="button" data-export="svg" aria-label={`Export ${props.label} as SVG`} onClick={() => downloadSvg(props.name, props.svg().text)}>
        SVG
      </button>
      <button
        type="button"
        data-export="png"
        aria-label={`Export ${props.label} as PNG`}
        onClick={() => {
          const { text, width, height } = props.svg();
          downloadPng(props.name, text, width, height);
        }}
      >
        PNG
      </button>
    </span>
  );
}

export function Chart(props: ChartProps) {
  useShared(); // the theme may change
  const { spec, height = 260 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [where, setWhere] = useState<Geometry>();
  const [text, setText] = useState('');
  const readout = useRef(props.readout);
  readout.current = props.readout;

  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(Math.floor(box.current?.clientWidth ?? 0)));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width < 80) return undefined;
    const onCursor = (u: uPlot) => {
      const { left } = u.cursor;
      setText(left === undefined || left < 0 ? '' : (readout.current?.(u.posToVal(left, 'x')) ?? ''));
    };
    const { data, series, bands } = table(spec);
    const chart = new uPlot(options(spec, width, height, onCursor, series, bands), data, (u, init) => {
      box.current?.prepend(u.root);
      init();
    });
    queueMicrotask(() => setWhere(geometry(chart)));
    return () => chart.destroy();
  }, [spec, width, height, theme()]);

  const svg = () => {
    const size = { width: width || 800, height: height + 28 };
    const whole = { ...spec, marks: [...(spec.marks ?? []), ...(props.marks ?? [])] };
    return { text: chartSvg(whole, props.label, size.width, size.height), ...size };
  };
  return (
    <figure class="chart" role="figure" aria-label={props.label}>
      <figcaption>
        <Legend spec={spec} />
        <span class="grow" />
        <span class="readout">{text}</span>
        <ExportPicture name={props.name} label={props.label} svg={svg} />
      </figcaption>
      <div class="axis-names" aria-hidden="true">
        <span>{spec.left.label}</span>
        <span>{spec.right?.label ?? ''}</span>
      </div>
      <div class="plot" ref={box} style={{ height: `${height}px` }}>
        {where && props.overlay && (
          <div class="overlay" style={{ left: `${where.left}px`, top: `${where.top}px`, width: `${where.width}px`, height: `${where.height}px` }}>
            {props.overlay(where)}
          </div>
        )}
      </div>
    </figure>
  );
}
