// SPDX-License-Identifier: MIT
// Rows of two profiles that correspond: C gives both the same number (`match`; -1: none).

export interface Matched {
  match: number;
}

export interface Pair<Row> {
  before?: Row;
  after?: Row;
}

/** The rows by number; several rows may have one. */
export function byMatch<Row extends Matched>(rows: Iterable<Row>): Map<number, Row[]> {
  const out = new Map<number, Row[]>();
  for (const row of rows) {
    const known = out.get(row.match);
    if (known) known.push(row);
    else out.set(row.match, [row]);
  }
  return out;
}

/** Each row with its counterpart: of several with one number, the first with the first. Then those that are new. */
export function paired<Row extends Matched>(before: readonly Row[], after: readonly Row[]): Pair<Row>[] {
  const left = byMatch(after);
  left.delete(-1);
  const taken = new Set<Row>();
  const out: Pair<Row>[] = before.map((row) => {
    const other = left.get(row.match)?.shift();
    if (other) taken.add(other);
    return other ? { before: row, after: other } : { before: row };
  });
  for (const row of after) if (!taken.has(row)) out.push({ after: row });
  return out;
}

/** Pairs of indexes as pairs of rows, then the rows without a counterpart. */
export function pairedBy<Row>(pairs: Iterable<{ before: number; after: number }>, before: readonly Row[], after: readonly Row[]): Pair<Row>[] {
  const after_of = new Map<number, number>();
  for (const pair of pairs) after_of.set(pair.before, pair.after);
  const taken = new Set(after_of.values());
  const one = (row: Row, i: number): Pair<Row> => {
    const other = after_of.get(i);
    return other === undefined ? { before: row } : { before: row, after: after[other]! };
  };
  return [...before.map(one), ...after.filter((_, i) => !taken.has(i)).map((row) => ({ after: row }))];
}
