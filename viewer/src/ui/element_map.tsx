// SPDX-License-Identifier: MIT
// Where in an object its accesses are: up to 1,024 slices of its extent, as bars.
import { useRef, useState } from 'preact/hooks';
import type { ElementMap } from '../data/sections';
import { ExportPicture } from './chart';
import { isDark, series, severity } from './color';
import { svgText } from './download';
import { bytes, range, share, short } from './format';

const HEIGHT = 36;
const LEVELS = 36;



function Strip(props: { values: Float64Array; bad: boolean; label: string; at: number; onHover: (slice: number) => void }) {
  const { values } = props;
  const picture = useRef<SVGSVGElement>(null);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const count = values.length;
  const neutral = isDark() ? '#4a6a94' : '#8fb0d8';
  const onMove = (event: PointerEvent) => {
    const box = picture.current!.getBoundingClientRect();
    props.onHover(Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * count))));
  };
  // Neighbours of one colour are one rectangle: few elements, whatever the map.
  const runs: { from: number; to: number; level: number }[] = [];
  values.forEach((value, i) => {
    const level = most > 0 ? Math.ceil((LEVELS * value) / most) : 0;
    const last = runs[runs.length - 1];
    if (last && last.level === level) last.to = i + 1;
    else runs.push({ from: i, to: i + 1, level });
  });
  return (
    <svg ref={picture} width="100%" height={HEIGHT} viewBox={`0 0 ${count} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${props.label} by place in the object; at most ${short(most)} in a slice`} onPointerMove={onMove} onPointerLeave={() => props.onHover(-1)}>
      {runs.map((run) => (
        <rect key={run.from} x={run.from} y={(HEIGHT * (LEVELS - run.level)) / LEVELS} width={run.to - run.from} height={(HEIGHT * run.level) / LEVELS} fill={props.bad ? severity(0.25 + (0.6 * run.level) / LEVELS) : neutral} />
      ))}
      {props.at >= 0 && <rect x={props.at} y="0" width={Math.max(1, count / 600)} height={HEIGHT} fill={series(0)} />}
    </svg>
  );
}

// One picture of all strips, for export.
function together(box: HTMLElement): { text: string; width: number; height: number } {
  const strips = [...box.querySelectorAll<SVGSVGElement>('svg')];
  const width = Math.round(strips[0]!.getBoundingClientRect().width);
  const height = strips.length * (HEIGHT + 8);
  const parts = strips.map((strip, i) => svgText(strip).replace('<svg', `<svg y="${i * (HEIGHT + 8)}"`));
  return { text: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${parts.join('')}</svg>`, width, height };
}

export function ElementStrips(props: { map: ElementMap; name: string; pairFrom: number; unit: string }) {
  const { map } = props;
  const [at, hover] = useState(-1);
  const box = useRef<HTMLDivElement>(null);
  const lists: { label: string; values: Float64Array }[] = [
    { label: 'Accesses', values: map.accesses },
    { label: `Reuses from distance ${range(props.pairFrom, Infinity).replace(' and more', '')} on`, values: map.long },
    { label: 'Cold accesses', values: map.cold },
    { label: 'Writes', values: map.writes },
  ];
  const seen = lists.filter((list) => list.values.some((value) => value > 0));
  const place = at >= 0 ? `${bytes(at * map.slice_bytes)} to ${bytes(Math.min(map.bytes, (at + 1) * map.slice_bytes))}: ${short(map.accesses[at] ?? 0)} accesses, ${share(map.long[at] ?? 0, map.accesses[at] ?? 0)} long, ${share(map.writes[at] ?? 0, map.accesses[at] ?? 0)} writes` : '';
  return (
    <div class="element-map" ref={box}>
      <div class="toolbar">
        <span class="readout">{place || `${map.accesses.length} slices of ${bytes(map.slice_bytes)}${map.overlaid ? '; all blocks of the site, one over the other' : ''}`}</span>
        <span class="grow" />
        <ExportPicture name={`elements-${props.name}`} label="the element map" svg={() => together(box.current!)} />
      </div>
      {seen.map((list) => (
        <>
          <div class="label">
            <span>{list.label}</span>
            <span>at most {short(list.values.reduce((a, b) => Math.max(a, b), 0))} in a slice</span>
          </div>
          <Strip values={list.values} bad={list.values === map.long} label={list.label} at={at} onHover={hover} />
        </>
      ))}
      <div class="axis" aria-hidden="true">
        <span>0</span>
        <span>{bytes(map.bytes / 2)}</span>
        <span>{bytes(map.bytes)}</span>
      </div>
    </div>
  );
}
