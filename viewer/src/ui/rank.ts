// SPDX-License-Identifier: MIT
// The order in which a table shows its rows; without a DOM, so that it can be tested and timed.

export type Key<T> = (row: T) => number | string;

/** Indexes of the rows, sorted by `key`; equal rows stay in order. NaN and '' come last. */
export function order<T>(rows: readonly T[], chosen: Uint32Array, key: Key<T>, descending: boolean): Uint32Array {
  const keys = new Array<number | string>(rows.length);
  let textual = false;
  for (const i of chosen) {
    const value = key(rows[i]!);
    textual ||= typeof value === 'string';
    keys[i] = typeof value === 'string' ? value.toLowerCase() : value;
  }
  const sign = descending ? -1 : 1;
  const out = chosen.slice();
  if (textual) {
    return out.sort((a, b) => {
      const [x, y] = [keys[a] as string, keys[b] as string];
      if (x === y) return a - b;
      if (x === '' || y === '') return x === '' ? 1 : -1;
      return x < y ? -sign : sign;
    });
  }
  const numbers = Float64Array.from(keys as number[]);
  return out.sort((a, b) => {
    const [x, y] = [numbers[a]!, numbers[b]!];
    if (x === y) return a - b;
    if (x !== x || y !== y) return x !== x ? (y !== y ? a - b : 1) : -1;
    return x < y ? -sign : sign;
  });
}

/** Indexes of the rows that contain all words of `query`, in any case. */
export function matching(count: number, text: (i: number) => string, query: string): Uint32Array {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const out = new Uint32Array(count);
  let n = 0;
  for (let i = 0; i < count; i++) {
    if (words.length) {
      const within = text(i);
      if (!words.every((word) => within.includes(word))) continue;
    }
    out[n++] = i;
  }
  return out.subarray(0, n);
}
