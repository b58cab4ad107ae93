// SPDX-License-Identifier: MIT
// What the hand-drawn charts share: scales, axes, a width that follows the page, and a tip.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ExportPicture } from '../ui/chart';
import { css } from '../ui/color';
import { svgText } from '../ui/download';
import './scatter.css';

/** From values to pixels; `base` 2 spreads powers of two evenly, and treats 0 as a half. */
export interface Scale {
  (value: number): number;
  first: number;
  last: number;
  invert: (pixel: number) => number;
}

const LEAST = 0.5; // what 0 is on a logarithmic axis

export function linear(first: number, last: number, from: number, to: number): Scale {
  const scale = ((value: number) => from + ((value - first) / (last - first || 1)) * (to - from)) as Scale;
  return Object.assign(scale, { first, last, invert: (pixel: number) => first + ((pixel - from) / (to - from || 1)) * (last - first) });
}

export function logarithmic(first: number, last: number, from: number, to: number): Scale {
  const low = Math.log2(Math.max(first, LEAST));
  const high = Math.max(low + 1, Math.log2(Math.max(last, LEAST)));
  const scale = ((value: number) => from + ((Math.log2(Math.max(value, LEAST)) - low) / (high - low)) * (to - from)) as Scale;
  return Object.assign(scale, {
    first: 2 ** low,
    last: 2 ** high,
    invert: (pixel: number) => 2 ** (low + ((pixel - from) / (to - from || 1)) * (high - low)),
  });
}

/** Powers of two in a scale, at most `most` of them. */
export function powers(scale: Scale, most: number): number[] {
  const first = Math.ceil(Math.log2(scale.first) - 1e-9);
  const last = Math.floor(Math.log2(scale.last) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, most)));
  const out: number[] = [];
  for (let k = Math.max(0, Math.ceil(first / step) * step); k <= last; k += step) out.push(2 ** k);
  return out;
}

/** Round numbers in a scale, about `most` of them. */
export function rounds(first: number, last: number, most: number): number[] {
  const rough = (last - first) / Math.max(1, most);
  if (!(rough > 0)) return [first];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough - power * 1e-9) ?? 10 * power;
  const out: number[] = [];
  for (let k = Math.ceil(first / step - 1e-9); k * step <= last + step * 1e-9; k++) out.push(Number((k * step).toPrecision(12)));
  return out;
}

/** The width of an element, in pixels; follows the window. */
export function useWidth(of: RefObject<HTMLElement>, before = 640): number {
  const [width, setWidth] = useState(before);
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return undefined;
    const measure = () => setWidth(Math.max(240, Math.floor(element.clientWidth)) || before);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}

export interface Margins {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Tick {
  at: number; // in pixels
  label: string;
}

/** Axes with grid lines, drawn around [left, width − right] × [top, height − bottom]. */
export function Axes(props: {
  width: number;
  height: number;
  margins: Margins;
  x: Tick[];
  y: Tick[];
  xName: string;
  yName: string;
}) {
  const { width, height, margins: m, x, y } = props;
  const bottom = height - m.bottom;
  const right = width - m.right;
  return (
    <g class="axes" aria-hidden="true">
      {x.map((tick) => (
        <g key={`x${tick.at}`}>
          <line class="grid" x1={tick.at} x2={tick.at} y1={m.top} y2={bottom} />
          <text x={tick.at} y={bottom + 16} text-anchor="middle">
            {tick.label}
          </text>
        </g>
      ))}
      {y.map((tick) => (
        <g key={`y${tick.at}`}>
          <line class="grid" x1={m.left} x2={right} y1={tick.at} y2={tick.at} />
          <text x={m.left - 6} y={tick.at + 4} text-anchor="end">
            {tick.label}
          </text>
        </g>
      ))}
      <line class="axis" x1={m.left} x2={right} y1={bottom} y2={bottom} />
      <text class="name" x={(m.left + right) / 2} y={height - 4} text-anchor="middle">
        {props.xName}
      </text>
      <text class="name" x={4} y={m.top - 8}>
        {props.yName}
      </text>
    </g>
  );
}

/** A mark of a cache: a vertical line with its name at the top. */
export function CacheLine(props: { x: number; top: number; bottom: number; name: string; chosen?: boolean }) {
  return (
    <g class={`cache-line${props.chosen ? ' chosen' : ''}`} aria-hidden="true">
      <line x1={props.x} x2={props.x} y1={props.top} y2={props.bottom} />
      <text x={props.x + 4} y={props.top + 10}>
        {props.name}
      </text>
    </g>
  );
}

export interface Tip {
  x: number;
  y: number;
  lines: string[];
}

/** A chart of the width of its place, with a tip that follows `tip`. The drawing is a function of the width. */
export function Drawing(props: {
  name: string;
  label: string;
  height: number;
  tip?: Tip | undefined;
  class?: string;
  children: (width: number) => ComponentChildren;
  [more: string]: unknown;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box as RefObject<HTMLElement>);
  const { name, label, height, tip, children, class: more, ...handlers } = props;
  return (
    <div class={`drawing ${more ?? ''}`} ref={box}>
      <svg role="group" aria-label={label} data-chart={name} width={width} height={height} viewBox={`0 0 ${width} ${height}`} {...handlers}>
        {children(width)}
      </svg>
      {tip && (
        <div class={`drawing-tip${tip.x > width / 2 ? ' left' : ''}`} style={{ left: `${tip.x}px`, top: `${tip.y}px` }}>
          {tip.lines.map((line, i) => (
            <div key={i}>{line}</div>
          ))}
        </div>
      )}
    </div>
  );
}

const LEGEND = 22; // its height

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

// The items of the legend above the picture, in as many lines as they need.
function withLegend(svg: string, figure: HTMLElement, width: number, height: number) {
  const color = css('--soft');
  const parts: string[] = [];
  let [x, line] = [8, 0];
  for (const item of figure.querySelectorAll('figcaption .legend > span')) {
    const text = item.textContent?.trim() ?? '';
    const [mark, key] = [item.querySelector('path'), item.querySelector('i')];
    const wide = 6.4 * text.length + (mark || key ? 16 : 0) + 16;
    if (x + wide > width && x > 8) [x, line] = [8, line + 1];
    const y = line * LEGEND + 14;
    if (mark) parts.push(`<path transform="translate(${x + 6} ${y - 4})" d="${mark.getAttribute('d')}" fill="none" stroke="${getComputedStyle(mark).stroke}" stroke-width="1.75"/>`);
    else if (key) parts.push(`<rect x="${x + 1}" y="${y - 9}" width="10" height="10" rx="2" fill="${getComputedStyle(key).backgroundColor}"/>`);
    parts.push(`<text x="${x + (mark || key ? 16 : 0)}" y="${y}" fill="${color}" font-size="11px" font-family="system-ui, sans-serif">${escape(text)}</text>`);
    x += wide;
  }
  if (!parts.length) return { text: svg, width, height };
  const above = (line + 1) * LEGEND;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + above}" viewBox="0 0 ${width} ${height + above}"><rect width="100%" height="100%" fill="${css('--panel')}"/>${parts.join('')}<g transform="translate(0 ${above})">${svg}</g></svg>`;
  return { text, width, height: height + above };
}

/** A drawing with a legend, and buttons that export it as it looks now. */
export function Picture(props: { name: string; label: string; legend?: ComponentChildren; children: ComponentChildren }) {
  const figure = useRef<HTMLElement>(null);
  const svg = () => {
    const element = figure.current!.querySelector<SVGSVGElement>('svg[data-chart]')!;
    const box = element.getBoundingClientRect();
    const [width, height] = [Math.round(box.width), Math.round(box.height)];
    return withLegend(svgText(element), figure.current!, width, height);
  };
  return (
    <figure class="chart picture" role="figure" aria-label={props.label} ref={figure as RefObject<HTMLElement>}>
      <figcaption>
        <span class="legend">{props.legend}</span>
        <span class="grow" />
        <ExportPicture name={props.name} label={props.label} svg={svg} />
      </figcaption>
      {props.children}
    </figure>
  );
}
