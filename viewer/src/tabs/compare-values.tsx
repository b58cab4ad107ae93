// SPDX-License-Identifier: MIT
// A number before and after, and a picture of the change: to the left and blue if there is less, to the right
// and orange if there is more.
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
