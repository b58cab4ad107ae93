// SPDX-License-Identifier: MIT
// What a chart shows, and its scales. uPlot draws it on the page; chart_svg.ts writes it as SVG.

export interface LineSpec {
  label: string;
  color: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  /** The right axis instead of the left one. */
  right?: boolean;
  dash?: number[];
  width?: number;
  /** Straight steps: a value holds until the next x. */
  stepped?: boolean;
}

/** Bars from `lo` to `hi` (inclusive, as of a histogram). */
export interface BarsSpec {
  label: string;
  color: string;
  bins: { lo: number; hi: number; y: number }[];
  right?: boolean;
}

/** The area between two lines, such as the band of an estimate. */
export interface BandSpec {
  label: string;
  color: string;
  x: ArrayLike<number>;
  low: ArrayLike<number>;
  high: ArrayLike<number>;
  right?: boolean;
}

export interface AxisSpec {
  label: string;
  format: (value: number) => string;
  /** Default: 0 and the largest value. */
  min?: number;
  max?: number;
}

export interface ChartSpec {
  x: AxisSpec & { log2?: boolean };
  left: AxisSpec;
  right?: AxisSpec;
  lines?: LineSpec[];
  bars?: BarsSpec[];
  bands?: BandSpec[];
  /** Vertical lines with a name; without one, small triangles on the axis. */
  marks?: { x: number; label: string; color?: string }[];
}

/** Where 0 is on a logarithmic axis: half of 1. */
export const ZERO = 0.5;

export function place(x: number, log2: boolean | undefined): number {
  return log2 ? Math.max(ZERO, x) : x;
}

export interface Range {
  min: number;
  max: number;
}

export function xRange(spec: ChartSpec): Range {
  let min = Infinity;
  let max = -Infinity;
  const see = (x: number) => {
    min = Math.min(min, x);
    max = Math.max(max, x);
  };
  for (const line of spec.lines ?? []) if (line.x.length) [line.x[0]!, line.x[line.x.length - 1]!].forEach(see);
  for (const bars of spec.bars ?? []) for (const bin of bars.bins) [bin.lo, bin.hi + (spec.x.log2 ? 1 : 0)].forEach(see);
  for (const band of spec.bands ?? []) if (band.x.length) [band.x[0]!, band.x[band.x.length - 1]!].forEach(see);
  min = spec.x.min ?? (Number.isFinite(min) ? min : 0);
  max = spec.x.max ?? (Number.isFinite(max) ? max : 1);
  if (spec.x.log2) min = Math.max(ZERO, min);
  return { min, max: max > min ? max : spec.x.log2 ? min * 2 : min + 1 };
}

export function yRange(spec: ChartSpec, right: boolean): Range {
  const axis = right ? spec.right : spec.left;
  let max = 0;
  let min = 0;
  const see = (list: ArrayLike<number>) => {
    for (let i = 0; i < list.length; i++) {
      if (list[i]! > max) max = list[i]!;
      if (list[i]! < min) min = list[i]!;
    }
  };
  for (const line of spec.lines ?? []) if (!!line.right === right) see(line.y);
  for (const bars of spec.bars ?? []) if (!!bars.right === right) see(bars.bins.map((bin) => bin.y));
  for (const band of spec.bands ?? []) if (!!band.right === right) see(band.high);
  min = axis?.min ?? min * 1.05;
  max = axis?.max ?? (max * 1.05 || 1);
  return { min, max };
}

/** Powers of two (and 0), with gaps of at least `gap` pixels on an axis of `width` pixels. */
export function logTicks(range: Range, width: number, gap: number): number[] {
  const low = Math.ceil(Math.log2(range.min));
  const high = Math.floor(Math.log2(range.max) + 1e-9);
  const pixels = width / (Math.log2(range.max) - Math.log2(range.min));
  const step = [1, 2, 3, 4, 5, 10, 20].find((n) => n * pixels >= gap) ?? 20;
  const out: number[] = range.min <= ZERO ? [ZERO] : [];
  for (let power = Math.max(0, low); power <= high; power++) if (power % step === 0) out.push(2 ** power);
  return out;
}

/** Round numbers, with gaps of at least `gap` pixels. */
export function linearTicks(range: Range, width: number, gap: number): number[] {
  const rough = ((range.max - range.min) * gap) / width;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough;
  const out: number[] = [];
  for (let i = Math.ceil(range.min / step - 1e-9); i * step <= range.max * (1 + 1e-9); i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}

/** What an axis says at a tick. */
export function tickText(axis: AxisSpec & { log2?: boolean }, value: number): string {
  return axis.log2 && value === ZERO ? '0' : axis.format(value);
}
