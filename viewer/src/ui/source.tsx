// SPDX-License-Identifier: MIT
// Source text with what each line did, and arrows from uses to reuses. Only the lines in view are elements.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Reuse, SourceFile } from '../data/sections';
import { highlight, type Piece } from '../model/highlight';
import type { SourceLine } from '../model/source';
import { onSeverity, severity } from './color';
import { usePrinting } from './printing';
import './source.css';

const LINE = 18;
const ROWS = 26;
const PRINTED = 400; // lines, around the chosen one
const GUTTER = 44;

/** What the third column shows. */
export interface LineMeasure {
  /** The accesses of a line, as they are shown. */
  accesses: (line: SourceLine) => string;
  title: string;
  value: (line: SourceLine) => number;
  text: (line: SourceLine) => string;
}

interface SourceProps {
  file: SourceFile;
  /** Index of the file. */
  index: number;
  lines: Map<number, SourceLine>;
  measure: LineMeasure;
  selected: number;
  reuses: Reuse[];
  onSelect: (line: number, walking: boolean) => void;
}

function Code(props: { pieces: Piece[] }) {
  return (
    <span class="code">
      {props.pieces.map((piece) => (piece.kind ? <span class={piece.kind}>{piece.text}</span> : piece.text))}
    </span>
  );
}

function Line(props: { number: number; pieces: Piece[]; line?: SourceLine; measure: LineMeasure; worst: number; selected: boolean; onSelect: () => void }) {
  const { line, measure, worst } = props;
  const heat = line && worst > 0 ? 0.9 * Math.sqrt(measure.value(line) / worst) : 0;
  const style = heat > 0.01 ? { background: severity(heat), color: onSeverity(heat) } : undefined;
  return (
    <div
      class={`line${line ? ' touched' : ''}${props.selected ? ' selected' : ''}`}
      role="option"
      id={`line-${props.number}`}
      data-line={props.number}
      aria-selected={props.selected}
      aria-label={line ? `Line ${props.number}: ${measure.accesses(line)} accesses, ${measure.text(line)} ${measure.title}` : undefined}
      style={{ top: `${(props.number - 1) * LINE}px` }}
      onClick={props.onSelect}
    >
      <span class="no">{props.number}</span>
      <span class="n">{line ? measure.accesses(line) : ''}</span>
      <span class="n" style={style}>{line ? measure.text(line) : ''}</span>
      <span />
      <Code pieces={props.pieces} />
    </div>
  );
}

function arc(from: number, to: number): string {
  const [y1, y2] = [(from - 0.5) * LINE, (to - 0.5) * LINE];
  if (from === to) return `M${GUTTER - 6} ${y1 - 4}C${GUTTER - 26} ${y1 - 12} ${GUTTER - 26} ${y1 + 12} ${GUTTER - 8} ${y1 + 4}`;
  const bend = Math.max(4, GUTTER - 14 - 5 * Math.sqrt(Math.abs(to - from)));
  return `M${GUTTER - 4} ${y1 + (to > from ? 3 : -3)}C${bend - 6} ${y1} ${bend - 6} ${y2} ${GUTTER - 8} ${y2}`;
}

// Reuses between the same two lines are one arrow, whose width says how much of all it is.
function joined(reuses: Reuse[], file: number): { from: number; to: number; part: number }[] {
  const pairs = new Map<string, { from: number; to: number; part: number }>();
  let most = 0;
  for (const r of reuses) {
    if (r.from_file !== file || r.to_file !== file || !r.from_line || !r.to_line) continue;
    const key = `${r.from_line}>${r.to_line}`;
    const pair = pairs.get(key) ?? { from: r.from_line, to: r.to_line, part: 0 };
    pair.part += r.tally.accesses;
    most = Math.max(most, pair.part);
    pairs.set(key, pair);
  }
  return [...pairs.values()].map((pair) => ({ ...pair, part: pair.part / (most || 1) }));
}

function Arrows(props: { reuses: Reuse[]; file: number; selected: number; count: number }) {
  return (
    <svg class="arrows" width={GUTTER} height={props.count * LINE} aria-hidden="true">
      {joined(props.reuses, props.file).map(({ from, to, part }) => {
        const mine = from === props.selected || to === props.selected;
        const y = (to - 0.5) * LINE + (from === to ? 4 : 0);
        return (
          <g key={`${from}>${to}`}>
            <path class={mine ? 'mine' : ''} d={arc(from, to)} stroke-width={0.8 + 1.6 * Math.sqrt(part)} />
            <path class={`tip ${mine ? 'mine' : ''}`} d={`M${GUTTER - 2} ${y}l-7 -3.5v7z`} />
          </g>
        );
      })}
    </svg>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: ROWS - 4, PageUp: 4 - ROWS };

export function Source(props: SourceProps) {
  const { file, lines, selected, measure } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const text = useMemo(() => highlight(file.text, file.path), [file]);
  const worst = useMemo(() => Math.max(0, ...Array.from(lines.values(), measure.value)), [lines, measure]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !selected) return;
    const y = (selected - 1) * LINE;
    if (y < element.scrollTop + 2 * LINE || y > element.scrollTop + element.clientHeight - 4 * LINE)
      element.scrollTop = Math.max(0, y - element.clientHeight / 3);
  }, [file, selected]);
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    props.onSelect(Math.min(text.length, Math.max(1, (selected || 1) + step)), true);
  };
  const printing = usePrinting();
  const first = printing ? Math.max(0, (selected || 1) - PRINTED / 2) : Math.max(0, Math.floor(top / LINE) - 8);
  const last = Math.min(text.length, printing ? first + PRINTED : Math.ceil(top / LINE) + ROWS + 8);
  const shift = printing ? first * LINE : 0;
  const shown = [];
  for (let i = first; i < last; i++) {
    const number = i + 1;
    shown.push(<Line key={number} number={number} pieces={text[i]!} line={lines.get(number)} measure={measure} worst={worst} selected={number === selected} onSelect={() => props.onSelect(number, false)} />);
  }
  return (
    <div
      class="source"
      ref={scroller}
      role="listbox"
      tabIndex={0}
      data-source={file.path}
      aria-label={`Source of ${file.path}`}
      aria-activedescendant={selected ? `line-${selected}` : undefined}
      onKeyDown={onKey}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      style={{ maxHeight: `${(ROWS + 1) * LINE + 6}px` }}
    >
      <div class="head" aria-hidden="true">
        <span>Line</span>
        <span>Accesses</span>
        <span>{measure.title}</span>
      </div>
      <div class="lines" style={{ height: `${(printing ? last - first : text.length) * LINE}px`, top: `${-shift}px` }}>
        {shown}
        <Arrows reuses={props.reuses} file={props.index} selected={selected} count={text.length} />
      </div>
    </div>
  );
}
