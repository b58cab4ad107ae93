// SPDX-License-Identifier: MIT
// A chart as SVG text, for export: the same scales and colours as on the page.
import { css } from './color';
import { type ChartSpec, linearTicks, logTicks, place, type Range, tickText, xRange, yRange } from './chart_spec';

const LEFT = 62;
const TOP = 44;
const BOTTOM = 44;

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
const at = (value: number) => value.toFixed(1);

interface Frame {
  x: (value: number) => number;
  left: (value: number) => number;
  right: (value: number) => number;
  width: number;
  height: number;
}

function scale(range: Range, from: number, to: number, log: boolean): (value: number) => number {
  const f = (value: number) => (log ? Math.log2(value) : value);
  const [low, high] = [f(range.min), f(range.max)];
  return (value) => from + ((f(value) - low) / (high - low)) * (to - from);
}

function drawLines(spec: ChartSpec, frame: Frame): string[] {
  return (spec.lines ?? []).map((line) => {
    const y = line.right ? frame.right : frame.left;
    let path = '';
    for (let i = 0; i < line.x.length; i++) {
      if (!Number.isFinite(line.y[i]!)) continue;
      const [px, py] = [at(frame.x(place(line.x[i]!, spec.x.log2))), at(y(line.y[i]!))];
      path += path === '' ? `M${px} ${py}` : line.stepped ? `H${px}V${py}` : `L${px} ${py}`;
    }
    const dash = line.dash ? ` stroke-dasharray="${line.dash.join(' ')}"` : '';
    return `<path d="${path}" fill="none" stroke="${line.color}" stroke-width="${line.width ?? 1.75}"${dash}/>`;
  });
}

function drawBars(spec: ChartSpec, frame: Frame): string[] {
  return (spec.bars ?? []).flatMap((bars) =>
    bars.bins.filter((bin) => bin.y > 0).map((bin) => {
      const [from, to] = barEnds(bin, spec.x.log2).map(frame.x) as [number, number];
      const y = bars.right ? frame.right : frame.left;
      return `<rect x="${at(from + 0.5)}" width="${at(Math.max(1, to - from - 1))}" y="${at(y(bin.y))}" height="${at(y(0) - y(bin.y))}" fill="${bars.color}"/>`;
    }),
  );
}

/** The ends of a bar on the x axis. */
export function barEnds(bin: { lo: number; hi: number }, log2: boolean | undefined): [number, number] {
  return log2 ? [place(bin.lo, true), bin.hi + 1] : [bin.lo, bin.hi];
}

function drawBands(spec: ChartSpec, frame: Frame): string[] {
  return (spec.bands ?? []).map((band) => {
    const y = band.right ? frame.right : frame.left;
    const up = Array.from(band.x, (x, i) => `${at(frame.x(place(x, spec.x.log2)))} ${at(y(band.high[i]!))}`);
    const down = Array.from(band.x, (x, i) => `${at(frame.x(place(x, spec.x.log2)))} ${at(y(band.low[i]!))}`).reverse();
    return `<path d="M${[...up, ...down].join('L')}Z" fill="${band.color}" fill-opacity="0.2"/>`;
  });
}

function drawAxes(spec: ChartSpec, frame: Frame, ranges: { x: Range; left: Range; right: Range }, end: number): string[] {
  const text = css('--muted');
  const out: string[] = [];
  const label = (x: number, y: number, anchor: string, of: string) =>
    out.push(`<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}" fill="${text}">${escape(of)}</text>`);
  const bottom = TOP + frame.height;
  const xs = spec.x.log2 ? logTicks(ranges.x, frame.width, 48) : linearTicks(ranges.x, frame.width, 64);
  for (const x of xs) label(frame.x(x), bottom + 16, 'middle', tickText(spec.x, x));
  for (const y of linearTicks(ranges.left, frame.height, 36)) {
    out.push(`<path d="M${LEFT} ${at(frame.left(y))}H${LEFT + frame.width}" stroke="${css('--grid')}"/>`);
    label(LEFT - 6, frame.left(y) + 4, 'end', spec.left.format(y));
  }
  if (spec.right)
    for (const y of linearTicks(ranges.right, frame.height, 36)) label(LEFT + frame.width + 6, frame.right(y) + 4, 'start', spec.right.format(y));
  label(LEFT + frame.width / 2, bottom + 36, 'middle', spec.x.label);
  label(LEFT, TOP - 10, 'start', spec.left.label);
  if (spec.right) label(end - 4, TOP - 10, 'end', spec.right.label);
  return out;
}

function drawLegend(spec: ChartSpec): string[] {
  const items = [...(spec.bars ?? []), ...(spec.lines ?? []), ...(spec.bands ?? [])].filter((item) => item.label);
  let x = LEFT;
  return items.map((item) => {
    const at = x;
    x += 26 + 6.2 * item.label.length;
    return `<rect x="${at}" y="7" width="10" height="10" rx="2" fill="${item.color}"/><text x="${at + 15}" y="16" fill="${css('--text')}">${escape(item.label)}</text>`;
  });
}

export function chartSvg(spec: ChartSpec, title: string, width: number, height: number): string {
  const ranges = { x: xRange(spec), left: yRange(spec, false), right: yRange(spec, true) };
  const inner = { width: width - LEFT - (spec.right ? 56 : 20), height: height - TOP - BOTTOM };
  const frame: Frame = {
    x: scale(ranges.x, LEFT, LEFT + inner.width, !!spec.x.log2),
    left: scale(ranges.left, TOP + inner.height, TOP, false),
    right: scale(ranges.right, TOP + inner.height, TOP, false),
    ...inner,
  };
  const marks = (spec.marks ?? []).map((mark) => {
    const x = at(frame.x(place(mark.x, spec.x.log2)));
    const color = mark.color ?? css('--muted');
    if (!mark.label) return `<path d="M${x} ${TOP + inner.height}m-5 0h10l-5 -8.5z" fill="${color}"/>`;
    return `<path d="M${x} ${TOP}V${TOP + inner.height}" stroke="${color}" stroke-dasharray="3 3"/><text x="${x}" y="${TOP + 11}" ${Number(x) > LEFT + inner.width - 90 ? 'dx="-4" text-anchor="end"' : 'dx="4"'} fill="${color}">${escape(mark.label)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<title>${escape(title)}</title><rect width="100%" height="100%" fill="${css('--panel')}"/>`,
    ...drawLegend(spec),
    ...drawAxes(spec, frame, ranges, width),
    ...drawBands(spec, frame),
    ...drawBars(spec, frame),
    ...drawLines(spec, frame),
    ...marks,
    '</svg>',
  ].join('\n');
}
