// SPDX-License-Identifier: MIT
// How a table describes its columns, and how it draws a cell.
import type { ComponentChildren } from 'preact';
import { onSeverity, severity } from './color';

export interface Column<T> {
  key: string;
  title: string;
  /** text: left; number: right, tabular; bar: a number with a bar behind it, of length `share`. */
  kind: 'text' | 'number' | 'bar';
  /** The value by which rows are sorted, and that CSV contains unless `csv` is there. */
  value: (row: T) => number | string;
  /** What CSV contains instead; null: CSV lacks the column. */
  csv?: ((row: T) => number | string) | null;
  /** What is shown; `value` itself if missing. */
  format?: (row: T) => string;
  /** Elements instead of text. */
  cell?: (row: T) => ComponentChildren;
  /** Bars: their length, 0 to 1. */
  share?: (row: T) => number;
  /** Severity 0 to 1: the background of the cell. */
  heat?: (row: T) => number;
  /** Shown when the pointer rests on the cell. */
  tip?: (row: T) => string;
  /** As in grid-template-columns; default 8em for numbers, minmax(12em, 1fr) for texts. */
  width?: string;
  /** Shown when the pointer rests on the title. */
  help?: string;
  /** Sorts upwards at the first click. Default: texts up, numbers down. */
  ascending?: boolean;
}

export function columnWidths<T>(columns: Column<T>[]): string {
  return columns
    .map((c) => c.width ?? { text: 'minmax(12em, 1fr)', number: `${Math.max(6.5, 0.56 * c.title.length + 2.4).toFixed(1)}em`, bar: '9em' }[c.kind])
    .join(' ');
}

export function shown<T>(column: Column<T>, row: T): string {
  return column.format ? column.format(row) : String(column.value(row));
}

export function Cell<T>(props: { column: Column<T>; row: T; index: number }) {
  const { column, row } = props;
  const heat = column.heat?.(row) ?? 0;
  const text = column.cell ? column.cell(row) : shown(column, row);
  const style = heat > 0.01 ? { background: severity(heat), color: onSeverity(heat) } : undefined;
  const tip = column.tip?.(row) ?? (column.kind === 'text' && typeof text === 'string' ? text : undefined);
  return (
    <div role="gridcell" class={`cell ${column.kind}`} aria-colindex={props.index + 1} style={style} title={tip}>
      {column.kind === 'bar' && <i class="bar" style={{ width: `${100 * Math.min(1, Math.max(0, column.share?.(row) ?? 0))}%` }} />}
      <span>{text}</span>
    </div>
  );
}
