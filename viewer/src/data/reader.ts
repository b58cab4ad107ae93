// SPDX-License-Identifier: MIT
// Numbers and texts of a section, as docs/formats.md describes them: variable-length numbers of up to
// 64 bits, and columns of zigzag-coded differences modulo 2^64.

const TWO_32 = 4294967296;

/** The 64-bit numbers of a column, as two halves of 32 bits. */
export interface Halves {
  low: Uint32Array;
  high: Uint32Array;
}

export class Damaged extends Error {}

export class Reader {
  private at = 0;
  private low = 0;
  private high = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  // Leaves the next number in `low` and `high`.
  private next(): void {
    const bytes = this.bytes;
    let byte = bytes[this.at++]!;
    let low = byte & 0x7f;
    let high = 0;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (this.at >= bytes.length || shift > 63) throw new Damaged('a number is cut off');
      byte = bytes[this.at++]!;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift > 25) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32);
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
  }

  /** A column of `count` numbers. */
  column(count: number): Halves {
    if (count > this.bytes.length - this.at) throw new Damaged('more rows than the section holds');
    const out = { low: new Uint32Array(count), high: new Uint32Array(count) };
    let low = 0;
    let high = 0;
    for (let i = 0; i < count; i++) {
      this.next();
      const negative = this.low & 1;
      let stepLow = ((this.low >>> 1) | (this.high << 31)) >>> 0;
      let stepHigh = this.high >>> 1;
      if (negative) {
        stepLow = ~stepLow >>> 0;
        stepHigh = ~stepHigh >>> 0;
      }
      const sum = low + stepLow;
      low = sum >>> 0;
      high = (high + stepHigh + (sum >= TWO_32 ? 1 : 0)) >>> 0;
      out.low[i] = low;
      out.high[i] = high;
    }
    return out;
  }

  /** A column of `count` lengths. */
  sizes(count: number): Float64Array {
    return unsigned(this.column(count));
  }

  raw(count: number): Uint8Array {
    if (count > this.bytes.length - this.at) throw new Damaged('a text is cut off');
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
}

export function unsigned(from: Halves): Float64Array {
  const out = new Float64Array(from.low.length);
  for (let i = 0; i < out.length; i++) out[i] = from.high[i]! * TWO_32 + from.low[i]!;
  return out;
}

export function signed(from: Halves): Float64Array {
  const out = new Float64Array(from.low.length);
  for (let i = 0; i < out.length; i++) out[i] = (from.high[i]! | 0) * TWO_32 + from.low[i]!;
  return out;
}

export function reals(from: Halves): Float64Array {
  const out = new Float64Array(from.low.length);
  const halves = new Uint32Array(out.buffer); // little-endian, as every platform with a browser is
  for (let i = 0; i < out.length; i++) {
    halves[2 * i] = from.low[i]!;
    halves[2 * i + 1] = from.high[i]!;
  }
  return out;
}
