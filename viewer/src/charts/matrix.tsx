// SPDX-License-Identifier: MIT
// A square of numbers: what each sharer (row) does to each other one (column).
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useWidth } from './scatter-frame';

export interface MatrixProps {
  name: string;
  label: string;
  rows: string[];
  columns: string[];
  rowsName: string;
  columnsName: string;
  value: (row: number, column: number) => number | undefined;
  format: (value: number) => string;
  /** "wrote, missed": what a cell says, in words. */
  say: (row: number, column: number, value: number) => string;
  onChoose?: (row: number, column: number) => void;
}

const TOP = 48;

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function Matrix(props: MatrixProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box as RefObject<HTMLElement>, 480);
  const [at, setAt] = useState<[number, number]>();
  const { rows, columns } = props;
  const left = Math.min(150, 14 + 6.6 * Math.max(4, ...rows.map((name) => Math.min(20, name.length))));
  const size = Math.max(16, Math.min(64, Math.floor((width - left - 8) / Math.max(1, columns.length))));
  const values = rows.map((_, i) => columns.map((_, j) => props.value(i, j)));
  const most = Math.max(1e-12, ...values.flat().map((v) => Math.abs(v ?? 0)));
  const wide = left + columns.length * size + 8;
  const tall = Math.min(size, 40);
  const height = TOP + rows.length * tall + 8;
  const onKey = (e: KeyboardEvent) => {
    const [i, j] = at ?? [0, 0];
    const to: Record<string, [number, number]> = { ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1] };
    const next = to[e.key];
    if (next) {
      e.preventDefault();
      setAt([Math.min(rows.length - 1, Math.max(0, next[0])), Math.min(columns.length - 1, Math.max(0, next[1]))]);
    } else if (e.key === 'Enter' && at) props.onChoose?.(...at);
  };
  const every = Math.ceil(54 / size); // columns with a label
  const shown = at && values[at[0]]?.[at[1]];
  return (
    <div class="drawing matrix" ref={box}>
      <svg
        role="application"
        aria-label={`${props.label} Arrow keys move from cell to cell.`}
        data-chart={props.name}
        tabindex={0}
        width={wide}
        height={height}
        viewBox={`0 0 ${wide} ${height}`}
        onKeyDown={onKey}
        onFocus={() => setAt((now) => now ?? [0, 0])}
        onBlur={() => setAt(undefined)}
        onPointerLeave={() => setAt(undefined)}
      >
        <text class="name" x={left} y={14} aria-hidden="true">
          {props.columnsName}
        </text>
        <text class="name" x={4} y={TOP - 8} aria-hidden="true">
          {props.rowsName}
        </text>
        {columns.map((name, j) => j % every === 0 && (
          <text key={j} x={left + j * size + size / 2} y={TOP - 8} text-anchor="middle" aria-hidden="true">
            {cut(name, Math.max(3, Math.floor((every * size) / 6.6)))}
          </text>
        ))}
        {rows.map((name, i) => (
          <g key={i}>
            <text x={left - 6} y={TOP + i * tall + tall / 2 + 4} text-anchor="end" aria-hidden="true">
              {cut(name, 20)}
            </text>
            {columns.map((_, j) => {
              const value = values[i]![j];
              const [x, y] = [left + j * size, TOP + i * tall];
              return (
                <g key={j} {...(value === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': props.say(i, j, value) })} onPointerEnter={() => setAt([i, j])} onClick={() => props.onChoose?.(i, j)}>
                  <rect class={value === undefined ? 'none' : 'paper'} x={x} y={y} width={size - 1} height={tall - 1} />
                  {value !== undefined && value !== 0 && (
                    <rect class={`cell ${value > 0 ? 'other' : 'less'}`} fill-opacity={(0.08 + (0.92 * Math.abs(value)) / most).toFixed(3)} x={x} y={y} width={size - 1} height={tall - 1} />
                  )}
                  {value !== undefined && size >= 40 && (
                    <text class={Math.abs(value) > 0.75 * most ? 'on' : ''} x={x + size / 2} y={y + tall / 2 + 4} text-anchor="middle" aria-hidden="true">
                      {props.format(value)}
                    </text>
                  )}
                </g>
              );
            })}
          </g>
        ))}
        {at && <rect class="cursor" x={left + at[1] * size - 1} y={TOP + at[0] * tall - 1} width={size + 1} height={tall + 1} />}
      </svg>
      <p class="matrix-said" role="status">
        {at && (shown === undefined ? '–' : props.say(at[0], at[1], shown))}
      </p>
    </div>
  );
}
