// SPDX-License-Identifier: MIT
// The columns of functions, loops, lines, objects and fields.
import type { Rows } from '../data/columns';
import type { Diff, Place, Places, SourceFile, Tally, View } from '../data/sections';
import { poor, score, spatialAt, utilization } from '../model/spatial';
import { byMatch } from '../model/match';
import { mean, median, misses, reuses, type Value } from '../model/tally';
import type { Column } from './columns';
import { changeColor } from './color';
import { count, difference, fraction, full, part, percent, share, short } from './format';
import type { Remainder, RestCell } from './table';
import { Spark } from './spark';
import { stallColumns, stallRest } from './stall';

/** What the numbers of rows depend on. */
export interface Scale {
  view: View;
  /** Index of the chosen cache, and its size in blocks (0: there are no caches). */
  cache: number;
  size: number;
  places: Places;
  /** Of a comparison: the rows of the other profile. */
  other?: Other;
}

export interface Other {
  view: View;
  /** Rows of the other profile by their number, and how many rows here have one. */
  rows: Map<number, Place[]>;
  here: Map<number, Place[]>;
  /** Whether the other profile lacks the counterpart of a row, and not only its list here. */
  lacks: (row: Place) => boolean;
  after: boolean;
}

/**
 * What rows are compared with. Nothing if a profile is an estimate: whether such a change means anything, only
 * the rows of Compare tell.
 */
export function otherOf(view: View, other: View | undefined, mine: Places | undefined, places: Places | undefined, after: boolean, diff: Diff | undefined, by: string): Other | undefined {
  if (!other || !mine || !places || !diff || view.estimated || other.estimated) return undefined;
  const rows = diff.breakdowns.toArray().find((one) => one.by === by)?.rows;
  const absent = new Set<number>();
  for (const row of rows ?? []) if (!(after ? row.in_before : row.in_after)) absent.add(row.match);
  return { view: other, rows: byMatch(places.rows), here: byMatch(mine.rows), lacks: (row) => absent.has(row.match) || !places.rest?.rows, after };
}

/** A name with what tells it apart, such as its file. */
export function Named(props: { name: string; where: string }) {
  return (
    <>
      {props.name} {props.where && <span class="muted where">{props.where}</span>}
    </>
  );
}

/** FILE:LINE, or the module, of a row. */
export function whereabouts(row: Place, files: Rows<SourceFile> | undefined): string {
  const file = files && (row.file ?? -1) >= 0 ? files.at(row.file!).path.split('/').pop() : '';
  return file ? (row.line ? `${file}:${row.line}` : file) : (row.module ?? '').split('/').pop()!;
}

// Misses (or accesses, without caches) after less those before. NaN if only one of the profiles has the row
// (`missing`), or if its counterpart is not known: it is among the rows left out, or several rows are one in
// the comparison.
function changeOf(row: Place, scale: Scale): Value & { missing?: boolean } {
  const { other, size, view } = scale;
  const there = other?.rows.get(row.match) ?? [];
  if (!other || row.match < 0 || there.length !== 1 || other.here.get(row.match)!.length !== 1) return { value: NaN, exact: true, missing: !!other && !there.length && other.lacks(row) };
  const value = (place: Place, of: View): Value => (size > 0 ? misses(place.tally, of.edges, size) : { value: place.tally.accesses, exact: true });
  const [mine, theirs] = [value(row, view), value(there[0]!, other.view)];
  return { value: other.after ? mine.value - theirs.value : theirs.value - mine.value, exact: mine.exact && theirs.exact };
}

function changeColumn(scale: Scale): Column<Place> {
  const most = Math.max(1, ...scale.places.rows.map((row) => Math.abs(changeOf(row, scale).value) || 0));
  const text = (row: Place) => {
    const change = changeOf(row, scale);
    if (Number.isNaN(change.value)) return !change.missing ? '' : scale.other!.after ? 'new' : 'gone';
    return (change.exact ? '' : '≈') + difference(Math.round(change.value));
  };
  return {
    key: 'change',
    title: 'Change',
    kind: 'number',
    width: '6em',
    value: (row) => changeOf(row, scale).value,
    format: text,
    csv: (row) => (Number.isNaN(changeOf(row, scale).value) ? text(row) : changeOf(row, scale).value),
    cell: (row) => <span class="delta" style={{ color: changeColor(changeOf(row, scale).value / most) }}>{text(row)}</span>,
    help: 'Misses after minus misses before. Rows are matched as in Compare. “new” or “gone”: only one of the profiles has the row. Empty: its counterpart is not listed, or Compare joins several rows',
  };
}

/** A number that may be interpolated: 1.23M or ≈1.23M. */
export function about(value: Value, format: (value: number) => string = short): string {
  return (value.exact ? '' : '≈') + format(value.value);
}

/** A text about a number that may be interpolated. */
export function marked(value: Value, text: string): string {
  return value.exact ? text : `≈${text}`;
}

/** Misses of a tally: exact only if the profile is. */
export function missesIn(tally: Tally, view: View, blocks: number): Value {
  const known = misses(tally, view.edges, blocks);
  return view.estimated ? { ...known, exact: false } : known;
}

/** A count of an estimate has a mark. */
export function counted(value: number, view: View, format: (value: number) => string = short): string {
  return about({ value, exact: !view.estimated }, format);
}

export function missesOf(place: Place, scale: Scale): Value {
  return missesIn(place.tally, scale.view, scale.size);
}

export function cacheName(scale: Scale): string {
  return scale.view.caches.length ? scale.view.caches.at(scale.cache).name : '';
}

function most(places: Places, value: (place: Place) => number): number {
  let max = 0;
  for (const place of places.rows) max = Math.max(max, value(place));
  return max;
}

// The range of an estimate: of accesses (0), or of misses in a cache whose size was not changed.
function rangeAt(place: Place, index: number, view: View, size: number): { low: number; high: number } | undefined {
  const { ranges } = place;
  const known = index === 0 || (view.caches.length >= index && view.caches.at(index - 1).blocks === size);
  return ranges && index < ranges.length && known ? ranges.at(index) : undefined;
}

function rangeTip(place: Place, index: number, view: View, size: number): string {
  const range = rangeAt(place, index, view, size);
  return range ? `; probably ${short(range.low)} to ${short(range.high)}` : '';
}

/** Columns about reuse distances. */
export function temporalColumns(scale: Scale): Column<Place>[] {
  const { view, places, size, cache } = scale;
  const total = places.total.accesses;
  const columns: Column<Place>[] = [
    {
      key: 'accesses',
      title: 'Accesses',
      kind: 'bar',
      width: '8.4em',
      value: (row) => row.tally.accesses,
      format: (row) => part(counted(row.tally.accesses, view), row.tally.accesses, total),
      share: (row) => row.tally.accesses / total,
      tip: (row) => `${count(row.tally.accesses)} accesses, ${percent(row.tally.accesses, total)} of all${rangeTip(row, 0, view, size)}`,
    },
  ];
  if (size > 0) {
    const whole = misses(places.total, view.edges, size).value;
    const worst = most(places, (row) => missesOf(row, scale).value);
    columns.push(
      {
        key: 'misses',
        title: `${cacheName(scale)} misses`,
        kind: 'bar',
        width: '9em',
        value: (row) => missesOf(row, scale).value,
        format: (row) => part(about(missesOf(row, scale)), missesOf(row, scale).value, whole),
        share: () => 0,
        heat: (row) => (worst > 0 ? Math.sqrt(missesOf(row, scale).value / worst) : 0) * 0.85,
        tip: (row) => `${about(missesOf(row, scale), count)} misses, ${percent(missesOf(row, scale).value, whole)} of all${rangeTip(row, cache + 1, view, size)}`,
        help: 'Misses in the chosen cache. ≈: interpolated, because the size is inside a bin',
      },
      {
        key: 'ratio',
        title: 'Ratio',
        kind: 'number',
        width: '5.2em',
        value: (row) => (row.tally.accesses ? missesOf(row, scale).value / row.tally.accesses : 0),
        format: (row) => marked(missesOf(row, scale), share(missesOf(row, scale).value, row.tally.accesses)),
        help: 'Misses per access of this row',
      },
    );
  }
  columns.push(...stallColumns(places.rows.toArray(), view));
  if (scale.other) columns.push(changeColumn(scale));
  const range = (row: Place) => rangeAt(row, size > 0 ? cache + 1 : 0, view, size);
  if (places.rows.length && range(places.rows.at(0)))
    columns.push({
      key: 'range',
      title: 'Range',
      kind: 'number',
      width: '8em',
      value: (row) => range(row)?.high ?? NaN,
      csv: (row) => (range(row) ? `${range(row)!.low} to ${range(row)!.high}` : ''),
      format: (row) => (range(row) ? `${short(range(row)!.low)}–${short(range(row)!.high)}` : '–'),
      help: `Where the exact number of ${size > 0 ? 'misses' : 'accesses'} probably is`,
    });
  columns.push(
    { key: 'distances', title: 'Distances', kind: 'text', width: '108px', csv: null, value: (row) => mean(row.tally), cell: (row) => <Spark tally={row.tally} edges={view.edges} size={size} />, help: 'Reuses by distance, from short to long; sorted by the mean' },
    { key: 'mean', title: 'Mean', kind: 'number', width: '5.2em', value: (row) => (reuses(row.tally) ? mean(row.tally) : NaN), format: (row) => (reuses(row.tally) ? counted(mean(row.tally), view, fraction) : '–'), help: 'Mean reuse distance' },
    { key: 'median', title: 'Median', kind: 'number', width: '5.8em', value: (row) => (reuses(row.tally) ? median(row.tally, view.edges) : NaN), format: (row) => (reuses(row.tally) ? counted(median(row.tally, view.edges), view, fraction) : '–'), help: 'Median reuse distance' },
    { key: 'cold', title: 'Cold', kind: 'number', width: '5em', value: (row) => row.tally.cold, format: (row) => counted(row.tally.cold, view), help: 'First accesses to blocks' },
  );
  if (places.rows.length && places.rows.at(0).distinct_known !== undefined)
    columns.push({
      key: 'distinct',
      title: view.unit === 'element' ? 'Elements' : 'Data',
      kind: 'number',
      width: '5.6em',
      value: (row) => (row.distinct_known ? row.distinct! : NaN),
      format: (row) => (row.distinct_known ? (row.distinct_exact ? '' : '≈') + short(row.distinct!) : '?'),
      help: `Different ${view.unit}s that it accesses`,
    });
  return columns;
}

/** Reuses without spatial reuse, beyond the chosen distance at which pairs are counted. */
export function poorOf(place: Place, block: number | undefined): number {
  const at = spatialAt(place, block);
  return at ? poor(at.long_reuses, at.long_effective) : 0;
}

/** Columns about spatial reuse for the block size `block`. */
export function spatialColumns(scale: Scale, block: number): Column<Place>[] {
  const { places, view } = scale;
  const worst = most(places, (row) => poorOf(row, block));
  const scoreOf = (row: Place) => {
    const at = spatialAt(row, block);
    return at && at.long_reuses > 0 ? score({ reuses: at.long_reuses, effective: at.long_effective }) : NaN;
  };
  const used = (row: Place) => utilization(row.usage, view.usage_block || 1) ?? NaN;
  const columns: Column<Place>[] = [
    { key: 'poor', title: 'Poor reuses', kind: 'bar', width: '8.6em', value: (row) => poorOf(row, block), format: (row) => counted(poorOf(row, block), view), share: () => 0, heat: (row) => (worst > 0 ? Math.sqrt(poorOf(row, block) / worst) : 0) * 0.85, help: 'Reuses without spatial reuse: long reuses minus twice the effective ones' },
    { key: 'long', title: 'Long', kind: 'number', width: '6em', value: (row) => spatialAt(row, block)?.long_reuses ?? 0, format: (row) => counted(spatialAt(row, block)?.long_reuses ?? 0, view), help: 'Reuses at long distances, for which spatial locality matters' },
    { key: 'score', title: 'Score', kind: 'number', width: '5em', value: scoreOf, format: (row) => (Number.isNaN(scoreOf(row)) ? '–' : counted(scoreOf(row), view, fraction)), help: 'Spatial score of the long reuses: 1 for a contiguous traversal, 0 if larger blocks do not help', ascending: true },
  ];
  if (places.rows.length && places.rows.toArray().some((row) => row.usage)) {
    columns.push(
      { key: 'used', title: 'Used', kind: 'bar', width: '6.5em', value: used, format: (row) => (Number.isNaN(used(row)) ? '–' : counted(used(row), view, (part) => share(part, 1))), share: (row) => used(row) || 0, help: 'Share of the fetched bytes that was used before eviction', ascending: true },
      { key: 'stride', title: 'Stride', kind: 'number', width: '6em', value: strideOf, format: (row) => (Number.isNaN(strideOf(row)) ? '–' : String(strideOf(row))), help: 'The most frequent step from one access to the next, in bytes' },
    );
  }
  columns.push({ key: 'accesses', title: 'Accesses', kind: 'number', width: '6.4em', value: (row) => row.tally.accesses, format: (row) => counted(row.tally.accesses, view) });
  return columns;
}

function strideOf(row: Place): number {
  const strides = row.usage?.strides;
  return strides && strides.length ? strides.at(0).stride : NaN;
}

/** The remainder row: exactly what the cut left out. */
export function restOf(scale: Scale, block?: number): Remainder | null {
  const { view } = scale;
  const { rest, total } = scale.places;
  if (!rest || rest.rows === 0) return null;
  const { tally } = rest;
  const number = (value: number): RestCell => ({ value, text: counted(value, view, full) });
  const some = reuses(tally) > 0;
  const out: Remainder = {
    name: `${count(rest.rows)} more row${rest.rows === 1 ? '' : 's'}`,
    accesses: block === undefined ? { value: tally.accesses, text: part(counted(tally.accesses, view, full), tally.accesses, total.accesses) } : number(tally.accesses),
    cold: number(tally.cold),
    mean: some ? { value: mean(tally), text: counted(mean(tally), view, fraction) } : '–',
    median: some ? { value: median(tally, view.edges), text: counted(median(tally, view.edges), view, fraction) } : '–',
  };
  if (scale.size > 0) {
    const missed = missesIn(tally, view, scale.size);
    out.misses = { value: missed.value, text: part(about(missed, full), missed.value, misses(total, view.edges, scale.size).value) };
    out.ratio = { value: tally.accesses ? missed.value / tally.accesses : 0, text: marked(missed, share(missed.value, tally.accesses)) };
  }
  Object.assign(out, stallRest(rest.stall, view));
  const at = block !== undefined ? spatialAt(rest, block) : undefined;
  if (at) {
    out.long = number(at.long_reuses);
    out.poor = number(poor(at.long_reuses, at.long_effective));
    const known = score({ reuses: at.long_reuses, effective: at.long_effective });
    out.score = at.long_reuses ? { value: known, text: counted(known, view, fraction) } : '–';
  }
  return out;
}
