// SPDX-License-Identifier: MIT
// A number before and after, and a picture of the change: to the left and blue if there is less, to the right
// and orange if there is more.
import type { Value } from '../model/tally';
import type { Column } from '../ui/columns';
import * as format from '../ui/format';

export interface Values {
  before: number;
  after: number;
  error: number;
}

/** The change relative to before. */
export function percentChange(of: { before: number; after: number }, work: [number, number]): number {
  const [before, after] = [of.before / work[0], of.after / work[1]];
  return before === 0 ? (after === 0 ? 0 : 1) : (after - before) / before;
}

/** "+12%", "new", "×12": as `deja diff` prints it. */
export function changeText(change: number, before: number): string {
  if (change === 0) return '0';
  if (before === 0) return 'new';
  const percent = (100 * change) / before;
  if (percent >= 1000) return `×${Math.round((before + change) / before)}`;
  if (Math.abs(percent) < 0.01) return percent > 0 ? '+<0.01%' : '−<0.01%';
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 2 : 0)}%`;
}

/** The bar of a change: `most` is that of the longest bar. `relative`: its length is that of the percentage. */
export function Change(props: { change: number; before: number; most: number; relative?: boolean; uncertain?: boolean }) {
  const { change, before, most } = props;
  const size = props.relative ? Math.min(1, Math.abs(before === 0 ? Math.sign(change) : change / before)) : Math.abs(change);
  const width = `${50 * Math.min(1, most > 0 ? size / most : 0)}%`;
  const text = changeText(change, before);
  return (
    <span class={`change ${change > 0 ? 'worse' : 'better'}${props.uncertain ? ' uncertain' : ''}`} role="img" aria-label={text === '0' ? 'no change' : `${text}, ${format.difference(change)}`}>
      <span class="track">
        <i style={change > 0 ? { left: '50%', width } : { right: '50%', width }} />
      </span>
      <span class="percent">{text}</span>
    </span>
  );
}

/** What both sides of a row have; undefined: that side lacks it. */
export interface Sides {
  before: Value | undefined;
  after: Value | undefined;
}

export interface SideOptions {
  /** Begins the keys and titles of several groups of columns in one table. */
  key?: string;
  title?: string;
  help?: string;
  width?: string;
}

/** Columns with a number before, after, and the difference. */
export function sideColumns<Row>(of: (row: Row) => Sides, text: (value: number, row: Row) => string, options: SideOptions = {}): Column<Row>[] {
  const { key = '', title = '', width = '7.6em' } = options;
  const name = (word: string) => (title ? `${title} ${word}` : word.charAt(0).toUpperCase() + word.slice(1));
  const help = options.help ? { help: options.help } : {};
  const exact = (value: Value | undefined) => value?.exact !== false;
  const side = (at: 'before' | 'after'): Column<Row> => ({
    key: `${key}${at}`,
    title: name(at),
    kind: 'number',
    width,
    ...help,
    value: (row) => of(row)[at]?.value ?? NaN,
    csv: (row) => of(row)[at]?.value ?? '',
    format: (row) => (of(row)[at] ? (exact(of(row)[at]) ? '' : '≈') + text(of(row)[at]!.value, row) : '–'),
  });
  const change = (row: Row) => (of(row).before && of(row).after ? of(row).after!.value - of(row).before!.value : NaN);
  const mark = (row: Row) => (exact(of(row).before) && exact(of(row).after) ? '' : '≈');
  return [
    side('before'),
    side('after'),
    {
      key: `${key}difference`,
      title: title ? `${title} difference` : 'Difference',
      kind: 'number',
      width,
      help: 'After less before; sorted by its size',
      value: (row) => Math.abs(change(row)),
      csv: (row) => (Number.isNaN(change(row)) ? '' : change(row)),
      format: (row) => (Number.isNaN(change(row)) ? '' : mark(row) + (text(Math.abs(change(row)), row) === text(0, row) ? '0' : format.difference(change(row), (size) => text(size, row)))),
    },
  ];
}

/** The last column: the change in percent, with its bar; nothing for rows of which a percentage says little. */
export function percentColumn<Row>(rows: readonly Row[], of: (row: Row) => Sides, sensible: (row: Row) => boolean = () => true): Column<Row> {
  const values = (row: Row) => [of(row).before?.value, of(row).after?.value] as const;
  const relative = (row: Row) => {
    const [before, after] = values(row);
    if (!sensible(row)) return NaN;
    return before === undefined || after === undefined ? NaN : before === 0 ? Math.sign(after) : (after - before) / before;
  };
  const most = Math.max(0.01, ...rows.map((row) => Math.min(1, Math.abs(relative(row)) || 0)));
  return {
    key: 'change',
    title: 'Change',
    kind: 'text',
    width: '15em',
    help: 'Relative to before',
    value: relative,
    csv: (row) => (Number.isFinite(relative(row)) && values(row)[0] ? relative(row) : ''),
    cell: (row) => {
      const [before, after] = values(row);
      if (!sensible(row)) return '';
      if (before === undefined || after === undefined) return <span class="tag">{before === undefined ? 'new' : 'gone'}</span>;
      return <Change change={after - before} before={before} most={most} relative />;
    },
  };
}
