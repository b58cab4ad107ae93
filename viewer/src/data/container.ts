// SPDX-License-Identifier: MIT
// The bytes of a section as they are in the page: base64, a head, and blocks of raw deflate.
import { inflateSync } from 'fflate';
import { Damaged } from './reader';

const SECTION_MAGIC = 0x534a4489; // 89 'D' 'J' 'S', little-endian
const HEAD_BYTES = 28;
const HASH_BYTES = 8;
const BLOCK_HEAD_BYTES = 16;

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflateNatively(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

let native: boolean | undefined; // whether the browser knows raw deflate

async function inflate(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  if (native === undefined) {
    try {
      new DecompressionStream('deflate-raw');
      native = true;
    } catch {
      native = false;
    }
  }
  // A stream costs more than a small block does.
  const out = native && size > 1 << 16 ? await inflateNatively(bytes) : inflateSync(bytes, { out: new Uint8Array(size) });
  if (out.length !== size) throw new Damaged('a block has the wrong length');
  return out;
}

function blocksBegin(view: DataView): number {
  if (view.byteLength < HEAD_BYTES || view.getUint32(0, true) !== SECTION_MAGIC) return 0;
  return HEAD_BYTES + view.getUint16(6, true) + HASH_BYTES;
}

/** The payload of a section. Checksums are left to C: whatever damages the page damages the script too. */
export async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks: Promise<Uint8Array>[] = [];
  let at = blocksBegin(view);
  let total = 0;
  while (at + 8 <= bytes.length) {
    const size = view.getUint32(at, true);
    const stored = view.getUint32(at + 4, true);
    if (size === 0) break;
    at += BLOCK_HEAD_BYTES;
    if (at + stored > bytes.length) throw new Damaged('a section is cut off');
    blocks.push(inflate(bytes.subarray(at, at + stored), size));
    at += stored;
    total += size;
  }
  if (blocks.length === 1) return blocks[0]!;
  const out = new Uint8Array(total);
  let to = 0;
  for (const block of await Promise.all(blocks)) {
    out.set(block, to);
    to += block.length;
  }
  return out;
}
