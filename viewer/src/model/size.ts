// SPDX-License-Identifier: MIT
// Sizes of caches as people type them: 32K, 1.5 MiB, 512 blocks.

export interface Limits {
  /** Bytes of a block; 0: sizes are numbers of units. */
  blockBytes: number;
  unit: string;
  /** In blocks, both inclusive. */
  least: number;
  most: number;
  /** Whose sizes these limits are; '' if there is no such cache. */
  below: string;
  above: string;
}

export type Typed = { blocks: number } | { error: string };

const POWERS = 'KMGTPE';

/** A size in blocks, or what is wrong with the text. `say` writes a size. */
export function parseSize(text: string, limits: Limits, say: (blocks: number) => string): Typed {
  const { blockBytes } = limits;
  const unit = limits.unit || 'block';
  const match = /^([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([a-z ]*)$/.exec(text.trim().toLowerCase().replace(/,/g, ''));
  const words = match?.[2]?.split(/ +/).filter(Boolean) ?? [];
  const scale = /^([kmgtpe]?)(i?b)?$/.exec(words[0] ?? '');
  const [word = ''] = scale ? words.slice(1) : words;
  const inUnits = word === unit || word === `${unit}s`;
  const known = match && words.length <= (scale ? 2 : 1) && (word === '' || inUnits || (word === 'bytes' && blockBytes)) && !(scale?.[2] && (word || !blockBytes));
  if (!known) return { error: blockBytes ? `Type a size such as 32K, 1.5M or 512 ${unit}s` : `Type a number of ${unit}s, such as 512 or 32K` };
  const power = scale?.[1] ? POWERS.indexOf(scale[1].toUpperCase()) + 1 : 0;
  const value = Number(match[1]) * 1024 ** power;
  const blocks = blockBytes && !inUnits ? value / blockBytes : value;
  if (!Number.isInteger(blocks)) return { error: blockBytes && !inUnits ? `Sizes are multiples of ${blockBytes} bytes` : `Sizes are whole numbers of ${unit}s` };
  if (blocks < limits.least) return { error: limits.below ? `At least ${say(limits.least)}, the size of ${limits.below}` : `At least ${say(1)}` };
  if (blocks > limits.most || !Number.isSafeInteger(blocks)) return { error: limits.above ? `At most ${say(limits.most)}, the size of ${limits.above}` : 'This is too large' };
  return { blocks };
}
