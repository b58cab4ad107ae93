// SPDX-License-Identifier: MIT
// Numbers as the reports print them (src/base/human.c).

const group = (digits: string) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** 1,234,567 */
export function count(value: number): string {
  return group(String(Math.round(value)));
}

function scaled(value: number, from: number, step: number, units: string): string {
  if (Math.abs(value) < from) return String(Math.round(value));
  let unit = 0;
  for (value /= step; Math.abs(value) >= 999.5 && unit + 1 < units.length; unit++) value /= step;
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2) + units[unit];
}

/** 1234, 12.3k, 1.23M */
export function short(value: number): string {
  return scaled(value, 9999.5, 1000, 'kMGTPE');
}

/** All digits if they fit into a cell, otherwise as in `short`. */
export function full(value: number): string {
  const digits = count(value);
  return digits.length <= 9 ? digits : short(value);
}

/** A mean or a score: 0.123, 1.23, 12.3; large ones as in `short`. */
export function fraction(value: number): string {
  if (Math.abs(value) >= 99.95 || value === Math.floor(value)) return short(value);
  return Math.abs(value) < 0.01 ? (value < 0 ? '>−0.01' : '<0.01') : String(Number(value.toPrecision(3)));
}

function decimals(value: number): number {
  if (value === Math.floor(value) || value >= 99.95) return 0;
  return value >= 9.995 ? 1 : 2;
}

function binary(value: number): [string, number] {
  let unit = 0;
  for (; value >= (unit === 0 ? 1024 : 1023.5) && unit < 6; unit++) value /= 1024;
  return [value.toFixed(decimals(value)), unit];
}

/** 32 KiB, 1.5 MiB */
export function bytes(value: number): string {
  const [digits, unit] = binary(value);
  return `${digits} ${['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'][unit]!}`;
}

/** A distance or a number of blocks: 512, 4K, 1.5M */
export function size(value: number): string {
  const [digits, unit] = binary(value);
  return digits + ['', 'K', 'M', 'G', 'T', 'P', 'E'][unit]!;
}

/** 41%, 3.2%, <.1%, 0 */
export function share(part: number, whole: number): string {
  const percent = whole > 0 ? (100 * part) / whole : 0;
  if (percent <= 0) return '0';
  if (percent < 0.05) return '<.1%';
  return `${percent.toFixed(percent < 9.95 ? 1 : 0)}%`;
}

/** 1.23M  41%: a number and its share; 0 has none. */
export function part(text: string, value: number, whole: number): string {
  return value > 0 ? `${text}  ${share(value, whole)}` : text;
}

/** 41.23%, <0.01% */
export function percent(part: number, whole = 1): string {
  const value = whole > 0 ? (100 * part) / whole : 0;
  return value > 0 && value < 0.005 ? '<0.01%' : `${value.toFixed(2)}%`;
}

/** 4K–8K, 3, 512K and more */
export function range(first: number, last: number): string {
  if (last >= 2 ** 63 || last < 0) return `${size(first)} and more`;
  return first === last ? size(first) : `${size(first)}–${size(last < 1024 ? last : last + 1)}`;
}

/** A difference with its sign: +1.23M, −41 */
export function difference(value: number, format: (value: number) => string = short): string {
  return value === 0 ? '0' : (value > 0 ? '+' : '−') + format(Math.abs(value));
}

/** A size in blocks, with its bytes if blocks have a size. */
export function cacheSize(blocks: number, blockBytes: number, unit = 'block'): string {
  return blockBytes > 0 ? bytes(blocks * blockBytes) : `${size(blocks)} ${unit}s`;
}

/** Nanoseconds, as the reports print estimated time: 1.2 ms, 340 ns */
export function duration(ns: number): string {
  if (ns <= 0) return '0';
  const units: [number, string][] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const [unit, name] = units.find(([least]) => ns >= least) ?? units[3]!;
  const value = ns / unit;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${name}`;
}

/** The last two parts of a path. */
export function shortPath(path: string): string {
  const parts = path.split('/');
  return parts.length > 2 ? `…/${parts.slice(-2).join('/')}` : path;
}
