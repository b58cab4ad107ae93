// SPDX-License-Identifier: MIT
// The generic decoder of columns: driven by the layout that the page's index gives for each section, so no
// layout is written down twice. Rows become objects only when someone asks for them.
import { type Halves, Reader, Damaged, reals, signed, unsigned } from './reader';

/** A field of a layout; `t` is its type (u i b r h s e x k H M o p l). */
export interface Field {
  n: string;
  t: string;
  of?: Field[];
  names?: string[];
  nc?: number;
  count?: number;
  shared?: number;
}

type Numbers = Float64Array | Int32Array | Uint8Array;
/** The texts of a column; decoded when asked for. */
export class Texts {
  private readonly known: (string | undefined)[] = [];
  constructor(
    private readonly bytes: Uint8Array,
    private readonly offsets: Float64Array,
  ) {}
  at(i: number): string {
    return (this.known[i] ??= decoder.decode(this.bytes.subarray(this.offsets[i], this.offsets[i + 1])));
  }
}
const decoder = new TextDecoder();

interface Column {
  field: Field;
  numbers?: Numbers;
  halves?: Halves; // of hashes, and of numbers that a JavaScript number cannot hold
  texts?: Texts;
  within?: Table; // object in place
  offsets?: Float64Array; // lists: rows offsets[i] to offsets[i + 1] of `table`
  table?: Table; // rows of all lists together
  values?: Float64Array; // histograms and sketches, with `offsets`
  counts?: Float64Array;
}

/** All rows of one table: `count` of them, in columns by name. */
export interface Table {
  count: number;
  fields: Field[];
  columns: Map<string, Column>;
}

/** Values and counts of a histogram, increasing. */
export interface Histogram {
  values: Float64Array;
  counts: Float64Array;
}

function sums(sizes: Float64Array, less: number): Float64Array {
  const offsets = new Float64Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) offsets[i + 1] = offsets[i]! + Math.max(0, sizes[i]! - less);
  return offsets;
}

const MOMENTS: Field[] = ['count', 'min', 'max', 'mean', 'median', 'std'].map((n, i) => ({
  n,
  t: i < 3 ? 'u' : 'r',
}));

const EXACT_HIGH = 2 ** 21; // numbers below 2^53 are exact

function readNumbers(from: Reader, field: Field, count: number): Column {
  const halves = from.column(count);
  switch (field.t) {
    case 'b':
      return { field, numbers: Uint8Array.from(halves.low) };
    case 'e':
      return { field, numbers: Int32Array.from(halves.low) };
    case 'x': {
      const numbers = new Int32Array(count);
      for (let i = 0; i < count; i++) numbers[i] = halves.low[i]! - 1;
      return { field, numbers };
    }
    case 'i':
      return { field, numbers: signed(halves) };
    case 'r':
      return { field, numbers: reals(halves) };
    case 'h':
      return { field, halves };
    case 'u':
      return { field, numbers: unsigned(halves), ...(halves.high.some((high) => high >= EXACT_HIGH) ? { halves } : {}) };
    default:
      throw new Damaged(`field '${field.n}' has the unknown type '${field.t}'`);
  }
}

function readTexts(from: Reader, field: Field, count: number): Column {
  const offsets = sums(from.sizes(count), 0);
  return { field, texts: new Texts(from.raw(offsets[count]!), offsets) };
}

function readCounted(from: Reader, field: Field, count: number): Column {
  const sizes = from.sizes(count);
  const offsets = sums(sizes, 1);
  const values = unsigned(from.column(offsets[count]!));
  return { field, numbers: sizes, offsets, values, counts: unsigned(from.column(offsets[count]!)) };
}

function readList(from: Reader, field: Field, count: number, before: Float64Array | undefined): Column {
  let offsets: Float64Array;
  if (!field.nc) offsets = sums(from.sizes(count), 0);
  else if (field.shared && before) offsets = before;
  else offsets = Float64Array.from({ length: count + 1 }, (_, i) => i * (field.count ?? 0));
  return { field, offsets, table: readTable(from, field.of ?? [], offsets[count]!) };
}

function readColumn(from: Reader, field: Field, count: number, before: Float64Array | undefined): Column {
  switch (field.t) {
    case 's':
      return readTexts(from, field, count);
    case 'H':
    case 'k':
      return readCounted(from, field, count);
    case 'M':
      return { field, within: readTable(from, field.of ?? MOMENTS, count) };
    case 'o':
      return { field, within: readTable(from, field.of ?? [], count) };
    case 'p':
    case 'l':
      return readList(from, field, count, before);
    default:
      return readNumbers(from, field, count);
  }
}

function readTable(from: Reader, fields: Field[], count: number): Table {
  const columns = new Map<string, Column>();
  let before: Float64Array | undefined;
  for (const field of fields) {
    const column = readColumn(from, field, count, before);
    if (field.t === 'l') before = column.offsets;
    columns.set(field.n, column);
  }
  return { count, fields, columns };
}

// A list whose rows have a single plain field is a list of values.
function plain(table: Table): Column | undefined {
  const only = table.fields.length === 1 ? table.columns.get(table.fields[0]!.n) : undefined;
  return only && (only.texts || (only.numbers && !only.offsets)) ? only : undefined;
}

function listAt(column: Column, i: number): unknown {
  const { offsets, table } = column as { offsets: Float64Array; table: Table };
  const first = offsets[i]!;
  const end = offsets[i + 1]!;
  const single = plain(table);
  if (single?.texts) return Array.from({ length: end - first }, (_, k) => single.texts!.at(first + k));
  if (single) return single.numbers!.subarray(first, end);
  return new Rows(table, first, end);
}

function hash(of: Halves, i: number): string {
  const digits = (x: number) => x.toString(16).padStart(8, '0');
  return digits(of.high[i]!) + digits(of.low[i]!);
}

function cell(column: Column, i: number): unknown {
  const { field } = column;
  switch (field.t) {
    case 's':
      return column.texts!.at(i);
    case 'b':
      return column.numbers![i] !== 0;
    case 'e':
      return field.names?.[column.numbers![i]!] ?? '';
    case 'h':
      return hash(column.halves!, i);
    case 'H':
    case 'k':
      return column.numbers![i] === 0 ? null : {
        values: column.values!.subarray(column.offsets![i], column.offsets![i + 1]),
        counts: column.counts!.subarray(column.offsets![i], column.offsets![i + 1]),
      };
    case 'o':
    case 'M':
      return rowAt(column.within!, i);
    case 'p':
      return column.offsets![i] === column.offsets![i + 1] ? null : rowAt(column.table!, column.offsets![i]!);
    case 'l':
      return listAt(column, i);
    default:
      return column.numbers![i];
  }
}

function rowAt(table: Table, i: number): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [name, column] of table.columns) row[name] = cell(column, i);
  return row;
}

/**
 * Consecutive rows of a table. `at` makes an object of one row, and keeps it. Indexes (`x`) are -1 for none,
 * enums are their names, hashes hexadecimal digits, pointers null or an object, lists of plain values typed
 * arrays (texts: arrays), other lists `Rows` again.
 */
export class Rows<T> {
  constructor(
    private readonly table: Table,
    private readonly first: number,
    private readonly end: number,
    private readonly made: (T | undefined)[] = [],
  ) {}
  get length(): number {
    return this.end - this.first;
  }
  at(i: number): T {
    if (!(i >= 0 && i < this.length)) throw new RangeError(`row ${i} of ${this.length}`);
    return (this.made[i] ??= rowAt(this.table, this.first + i) as T);
  }
  map<R>(f: (row: T, i: number) => R): R[] {
    return Array.from({ length: this.length }, (_, i) => f(this.at(i), i));
  }
  toArray(): T[] {
    return this.map((row) => row);
  }
  /** The numbers of a column, without making rows; undefined if there is no such column. */
  numbers(name: string): Numbers | undefined {
    return this.table.columns.get(name)?.numbers?.subarray(this.first, this.end);
  }
  /** A number of a row with all its 64 bits, such as a set of bits. */
  bits(name: string, i: number): bigint {
    const column = this.table.columns.get(name);
    const at = this.first + i;
    if (column?.halves) return (BigInt(column.halves.high[at]!) << 32n) | BigInt(column.halves.low[at]!);
    return BigInt(column?.numbers?.[at] ?? 0);
  }
  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

/** No rows. */
export function noRows<T>(): Rows<T> {
  return rowsOf<T>([]);
}

/** Rows that the page made itself. */
export function rowsOf<T>(list: readonly T[]): Rows<T> {
  return new Rows<T>({ count: list.length, fields: [], columns: new Map() }, 0, list.length, list.slice());
}

/** Decodes the numbers of a section, which is one row of its layout. */
export function decode<T>(bytes: Uint8Array, layout: Field[]): T {
  return rowAt(readTable(new Reader(bytes), layout, 1), 0) as T;
}
