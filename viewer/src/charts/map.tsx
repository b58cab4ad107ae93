// SPDX-License-Identifier: MIT
// The distribution map: reuses by the bin of their distance at one block size (rows) and at the double size
// (columns), with the share and the score of each row. Left of the stepped line, a reuse is effective.
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Tip, useWidth } from './scatter-frame';

export interface MapRow {
  label: string;
  cells: number[];
  /** Columns below this one are effective. */
  border: number;
  share: number;
  score: number | undefined;
  reuses: number;
}

export interface MapProps {
  name: string;
  label: string;
  rows: MapRow[];
  columns: string[];
  /** First accesses, by their bin at the double size; the last is the number that is cold there too. */
  cold?: { cells: number[]; both: number };
  rowsName: string;
  columnsName: string;
  count: (value: number) => string;
  share: (part: number, whole: number) => string;
  /** Colours show the share of the row instead of the number. */
  byRow?: boolean;
}

const LEFT = 62;
const TOP = 46;
const SIDE = 160;
const GAP = 8;

interface Cell {
  row: number; // rows.length: the cold row
  column: number;
}

// From the smallest count that is visible to the largest, logarithmic.
function strength(value: number, most: number): number {
  if (value <= 0) return 0;
  const least = Math.max(1, most / 1e6);
  if (value <= least || most <= least) return value >= most ? 1 : 0.08;
  return 0.08 + (0.92 * Math.log(value / least)) / Math.log(most / least);
}

function kindOf(props: MapProps, at: Cell): string {
  const row = props.rows[at.row];
  if (!row) return 'cold';
  return at.column < row.border ? 'effective' : 'other';
}

function describe(props: MapProps, at: Cell): string[] {
  const row = props.rows[at.row];
  const column = props.columns[at.column]!;
  if (!row) {
    const value = props.cold!.cells[at.column] ?? 0;
    return [`first accesses that become reuses at distance ${column}`, props.count(value)];
  }
  const value = row.cells[at.column] ?? 0;
  return [
    `distance ${row.label} becomes ${column}`,
    `${props.count(value)} reuses, ${props.share(value, row.reuses)} of the row`,
    at.column < row.border ? 'effective spatial reuse' : row.border > 0 ? 'not effective' : 'too short to need improvement',
  ];
}

function Stairs(props: { rows: MapRow[]; size: number }) {
  const { rows, size } = props;
  let path = '';
  rows.forEach((row, i) => {
    const x = LEFT + row.border * size;
    path += `${path ? 'L' : 'M'}${x},${TOP + i * size}V${TOP + (i + 1) * size}`;
  });
  return <path class="stairs" d={path} aria-hidden="true" />;
}

function Side(props: { row: MapRow; most: number; x: number; y: number; size: number; share: MapProps['share']; total: number }) {
  const { row, x, y, size } = props;
  const middle = y + size / 2 + 4;
  return (
    <g aria-hidden="true">
      <rect class="share-bar" x={x} y={y + 2} width={Math.max(1, (56 * row.share) / (props.most || 1))} height={Math.max(2, size - 4)} />
      <text x={x + 62} y={middle}>
        {props.share(row.reuses, props.total)}
      </text>
      <text class="score" x={x + SIDE - 28} y={middle} text-anchor="end">
        {row.score === undefined ? '–' : row.score.toFixed(2)}
      </text>
    </g>
  );
}

/** The heat map, operable with the arrow keys. */
export function DistributionMap(props: MapProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box as RefObject<HTMLElement>, 620);
  const [at, setAt] = useState<Cell>();
  const { rows, columns, cold } = props;
  const lines = rows.length + (cold ? 1 : 0);
  const size = Math.max(13, Math.min(30, Math.floor((width - LEFT - SIDE) / Math.max(1, columns.length))));
  const height = TOP + rows.length * size + (cold ? size + GAP : 0) + 12;
  const wide = LEFT + columns.length * size + SIDE;
  const top = (row: number) => TOP + row * size + (row >= rows.length ? GAP : 0);
  const most = Math.max(1, ...rows.flatMap((row) => row.cells), ...(cold?.cells ?? []));
  const mostShare = Math.max(...rows.map((row) => row.share), 0);
  const coldCount = cold ? cold.cells.reduce((sum, n) => sum + n, cold.both) : 0;
  const total = rows.reduce((sum, row) => sum + row.reuses, 0);
  const onKey = (e: KeyboardEvent) => {
    const step: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = step[e.key];
    if (!move) return;
    e.preventDefault();
    const from = at ?? { row: 0, column: 0 };
    setAt({
      row: Math.min(lines - 1, Math.max(0, from.row + move[0])),
      column: Math.min(columns.length - 1, Math.max(0, from.column + move[1])),
    });
  };
  const cell = (row: number, column: number, value: number) =>
    value > 0 && (
      <rect
        key={`${row}/${column}`}
        class={`cell ${kindOf(props, { row, column })}`}
        fill-opacity={(props.byRow ? 0.06 + (0.94 * value) / (rows[row]?.reuses || coldCount || 1) : strength(value, most)).toFixed(3)}
        x={LEFT + column * size}
        y={top(row)}
        width={size - 1}
        height={size - 1}
        onPointerEnter={() => setAt({ row, column })}
      />
    );
  const tip: Tip | undefined = at && { x: LEFT + at.column * size + size / 2, y: top(at.row), lines: describe(props, at) };
  const step = Math.ceil(34 / size);
  return (
    <div class="drawing map" ref={box}>
      <svg
        role="application"
        aria-label={`${props.label} Arrow keys move from cell to cell.`}
        aria-roledescription="map"
        data-chart={props.name}
        tabindex={0}
        width={wide}
        height={height}
        viewBox={`0 0 ${wide} ${height}`}
        onKeyDown={onKey}
        onFocus={() => setAt((now) => now ?? { row: Math.max(0, rows.findIndex((r) => r.share === mostShare)), column: 0 })}
        onPointerLeave={() => setAt(undefined)}
        onBlur={() => setAt(undefined)}
      >
        <g aria-hidden="true">
          <text class="name" x={4} y={14}>
            {props.rowsName}
          </text>
          <text class="name" x={LEFT + columns.length * size} y={14} text-anchor="end">
            {props.columnsName}
          </text>
          <text class="name" x={wide - SIDE + 14} y={TOP - 8}>
            share
          </text>
          <text class="name" x={wide - 14} y={TOP - 8} text-anchor="end">
            score
          </text>
          {columns.map((label, j) => j % step === 0 && (
            <text key={j} x={LEFT + j * size + size / 2} y={TOP - 8} text-anchor="middle">
              {label}
            </text>
          ))}
          <rect class="paper" x={LEFT} y={TOP} width={columns.length * size} height={rows.length * size} />
        </g>
        {rows.map((row, i) => (
          <g key={i} role="img" aria-label={`distance ${row.label}: ${props.share(row.reuses, total)} of the reuses, score ${row.score?.toFixed(2) ?? 'none'}`}>
            <text x={LEFT - 6} y={top(i) + size / 2 + 4} text-anchor="end" aria-hidden="true">
              {row.label}
            </text>
            {row.cells.map((value, j) => cell(i, j, value))}
            <Side row={row} most={mostShare} x={wide - SIDE + 14} y={top(i)} size={size} share={props.share} total={total} />
          </g>
        ))}
        <Stairs rows={rows} size={size} />
        {cold && (
          <g role="img" aria-label={`first accesses: ${props.count(cold.cells.reduce((a, b) => a + b, 0))} become reuses, ${props.count(cold.both)} do not`}>
            <text x={LEFT - 6} y={top(rows.length) + size / 2 + 4} text-anchor="end">
              cold
            </text>
            <rect class="paper" x={LEFT} y={top(rows.length)} width={columns.length * size} height={size} />
            {cold.cells.map((value, j) => cell(rows.length, j, value))}
            <text x={wide - SIDE + 14} y={top(rows.length) + size / 2 + 4} aria-hidden="true">
              {props.count(cold.both)} stay cold
            </text>
          </g>
        )}
        {at && <rect class="cursor" x={LEFT + at.column * size - 1} y={top(at.row) - 1} width={size + 1} height={size + 1} />}
      </svg>
      {tip && (
        <div class={`drawing-tip${tip.x > wide / 2 ? ' left' : ''}`} style={{ left: `${tip.x}px`, top: `${tip.y}px` }} role="status">
          {tip.lines.map((line, i) => (
            <div key={i}>{line}</div>
          ))}
        </div>
      )}
    </div>
  );
}
