// SPDX-License-Identifier: MIT
// The calling-context tree as a flame graph: callers above, widths by weight, colour by misses per access.
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Place } from '../data/sections';
import { type Block, flame, FLAME_LEVELS, type Tree } from '../model/tree';
import { onSeverity, severity } from './color';
import { ExportPicture } from './chart';
import { svgText } from './download';
import { type Exactness, isInlined, type Weighing } from './callers';
import { percent } from './format';
import { about } from './places';

const HEIGHT = 20;
const WIDE = 1000; // units of the picture

interface FlameProps {
  rows: readonly Place[];
  tree: Tree;
  exact: Exactness;
  weighing: Weighing;
  unit: string;
  /** Severity 0 to 1 of a row. */
  heat: (row: number) => number;
  zoom: number;
  selected: number;
  onSelect: (row: number) => void;
  onZoom: (row: number) => void;
}

// The block that a key leads to from another.
function neighbour(blocks: Block[], at: number, key: string): number {
  const block = blocks[at]!;
  const level = (depth: number) => blocks.map((b, i) => ({ b, i })).filter((e) => e.b.depth === depth).sort((a, b) => a.b.x - b.b.x);
  if (key === 'ArrowUp') return level(block.depth - 1).find((e) => e.b.x <= block.x + 1e-9 && e.b.x + e.b.width > block.x)?.i ?? at;
  if (key === 'ArrowDown') return level(block.depth + 1).find((e) => e.b.x >= block.x - 1e-9 && e.b.x < block.x + block.width)?.i ?? at;
  const row = level(block.depth);
  const to = row.findIndex((e) => e.i === at) + (key === 'ArrowRight' ? 1 : -1);
  return row[to]?.i ?? at;
}

export function Flame(props: FlameProps) {
  const { rows, tree, zoom, selected } = props;
  const picture = useRef<SVGSVGElement>(null);
  const [hovered, hover] = useState(-1);
  const { blocks, deeper } = useMemo(() => flame(tree, zoom, 0.0008), [tree, zoom]);
  const depth = blocks.reduce((most, block) => Math.max(most, block.depth), 0) + 1;
  const total = blocks.filter((block) => block.depth === 0).reduce((sum, block) => sum + tree.inclusive[block.row]!, 0);
  const at = blocks.findIndex((block) => block.row === selected);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && at >= 0) props.onZoom(selected === zoom ? -1 : selected);
    if (event.key === 'Escape') props.onZoom(-1);
    if (!event.key.startsWith('Arrow') || !blocks.length) return;
    event.preventDefault();
    props.onSelect(blocks[at < 0 ? 0 : neighbour(blocks, at, event.key)]!.row);
  };
  const said = (row: number) => {
    const weight = (value: number, withCallees: boolean) => about({ value, exact: props.exact(rows[row]!, withCallees) }, props.weighing.format);
    return `${rows[row]!.name}${isInlined(rows[row]!) ? ' (inlined)' : ''}: ${weight(tree.inclusive[row]!, true)} ${props.unit}, ${percent(tree.inclusive[row]!, total)}${props.weighing.detail(rows[row]!, true)}; ${weight(tree.exclusive[row]!, false)} of its own`;
  };
  const described = hovered >= 0 ? hovered : selected;
  return (
    <div class="flame">
      <div class="toolbar">
        {zoom >= 0 && (
          <button type="button" onClick={() => props.onZoom(-1)}>
            Show all
          </button>
        )}
        <span class="readout">{described >= 0 ? said(described) : 'Click a function for its source, double-click to zoom.'}</span>
        <span class="grow" />
        <ExportPicture name="flame-graph" label="the flame graph" svg={() => {
          const box = picture.current!.getBoundingClientRect();
          return { text: svgText(picture.current!), width: box.width, height: box.height };
        }} />
      </div>
      <div class="flame-box">
        <svg ref={picture} width="100%" height={depth * HEIGHT} role="application" tabindex={0} aria-label={`Flame graph by ${props.unit}. ${selected >= 0 ? said(selected) : ''}`} onKeyDown={onKey} onPointerLeave={() => hover(-1)}>
          {blocks.map((block) => {
            const heat = props.heat(block.row);
            const name = rows[block.row]!.name;
            return (
              <svg key={block.row} x={`${(100 * block.x).toFixed(3)}%`} y={block.depth * HEIGHT} width={`${(100 * block.width).toFixed(3)}%`} height={HEIGHT} data-context={block.row} onPointerEnter={() => hover(block.row)} onClick={() => props.onSelect(block.row)} onDblClick={() => props.onZoom(block.row)}>
                <rect class={`block${block.row === selected ? ' selected' : ''}${isInlined(rows[block.row]!) ? ' inlined' : ''}`} x="0" y="0.5" width="100%" height={HEIGHT - 1} fill={severity(0.08 + 0.8 * heat)} />
                {block.width * WIDE > 22 && (
                  <text x="5" y="14" fill={onSeverity(0.08 + 0.8 * heat)}>
                    {isInlined(rows[block.row]!) ? `${name} (inlined)` : name}
                  </text>
                )}
              </svg>
            );
          })}
        </svg>
      </div>
      {deeper && <p class="legend-text">Only {FLAME_LEVELS} levels are drawn. Double-click a function to see those that it calls.</p>}
    </div>
  );
}
