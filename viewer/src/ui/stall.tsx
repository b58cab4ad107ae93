// SPDX-License-Identifier: MIT
// Estimated stall time: what it says, and of which caches it is.
import { has } from '../data/index';
import type { Place, Stall, View } from '../data/sections';
import { moved } from '../state';
import type { Column } from './columns';
import { duration, part, share } from './format';
import type { Remainder } from './table';

/** "between 1.2 ms and 3.4 ms" */
export function stallRange(stall: Stall): string {
  return `between ${duration(stall.low)} and ${duration(stall.high)}`;
}

/** "≈1.2 ms" */
export function stallText(ns: number): string {
  return `≈${duration(ns)}`;
}

/** What the estimate rests on; when a cache is dragged, also that it does not follow. */
export function stallNote(view: View): string {
  const costs = view.stall?.calibrated ? 'with calibrated costs' : 'with assumed costs';
  return `estimated ${costs}${moved() ? '; for the caches of the run, not as dragged' : ''}`;
}

/** Above a table: that its misses are not the simulated ones, and that times do not follow dragged caches. */
export function TableNotes(props: { view: View; side: number }) {
  const notes = [
    has('hierarchy', { profile: props.side }) ? 'Misses of fully associative caches.' : '',
    props.view.stall && moved() ? 'Stall time is for the caches of the run.' : '',
  ];
  const text = notes.filter(Boolean).join(' ');
  return text ? <span class="muted" data-stall-note>{text}</span> : null;
}

/** Nothing if the profile does not know the classes of its misses. */
export function stallColumns(rows: readonly Place[], view: View): Column<Place>[] {
  if (!view.stall || !rows.length || !rows[0]!.stall) return [];
  const total = view.stall.stall.estimate;
  const of = (row: Place) => row.stall?.estimate ?? 0;
  const worst = rows.reduce((most, row) => Math.max(most, of(row)), 0);
  return [
    {
      key: 'stall',
      title: 'Stall time',
      kind: 'bar',
      width: '9.4em',
      value: of,
      csv: (row) => of(row) / 1e9,
      format: (row) => (of(row) > 0 ? part(stallText(of(row)), of(row), total) : '0'),
      share: () => 0,
      heat: (row) => (worst > 0 ? Math.sqrt(of(row) / worst) : 0) * 0.85,
      tip: (row) => (row.stall ? `${stallRange(row.stall)}, ${stallNote(view)}; ${share(of(row), total)} of all` : ''),
      help: 'Estimated time that the processor waits for memory. It does not follow dragged caches. CSV has seconds',
    },
  ];
}

/** The cell of the remainder row. */
export function stallRest(stall: Stall | null | undefined, view: View): Remainder {
  if (!stall || !view.stall) return {};
  const total = view.stall.stall.estimate;
  return { stall: { value: stall.estimate / 1e9, text: stall.estimate > 0 ? part(stallText(stall.estimate), stall.estimate, total) : '0' } };
}
