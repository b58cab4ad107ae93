// SPDX-License-Identifier: MIT
// Sizes of caches as people type them.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "../modules.mjs";

const { parseSize } = await load("size", "model/size.ts");
const LINES = { blockBytes: 64, unit: "block", least: 1, most: 2 ** 40, below: "", above: "" };
const KEYS = { ...LINES, blockBytes: 0, unit: "key" };
const say = (blocks) => `${blocks} blocks`;
const blocks = (text, limits = LINES) => parseSize(text, limits, say).blocks;
const error = (text, limits = LINES) => parseSize(text, limits, say).error;

test("bytes with units of 1024, and blocks", () => {
    for (const [text, bytes] of [["32K", 32 << 10], ["32k", 32 << 10], [" 32 KiB ", 32 << 10], ["32KB", 32 << 10], ["1M", 1 << 20], ["1.5 MiB", 1.5 * (1 << 20)], [".5K", 512], ["49,152", 49152], ["4096 B", 4096], ["4096 bytes", 4096], ["2G", 2 ** 31]])
        assert.equal(blocks(text), bytes / 64, text);
    assert.equal(blocks("512 blocks"), 512);
    assert.equal(blocks("1 block"), 1);
    assert.equal(blocks("2K blocks"), 2048);
    assert.equal(blocks("100", KEYS), 100);
    assert.equal(blocks("4K", KEYS), 4096);
    assert.equal(blocks("4K keys", KEYS), 4096);
});

test("what is wrong", () => {
    for (const text of ["", "K", "big", "-64", "1e3", "32Q", "32K lines", "12 34", "0x40", "∞"]) assert.match(error(text), /^Type a size/, text);
    for (const text of ["100", "0.1K", "1.3K"]) assert.match(error(text), /multiples of 64 bytes/, text);
    assert.match(error("1.5 blocks"), /whole numbers of blocks/);
    assert.match(error("0"), /^At least 1 blocks/);
    for (const text of ["4 KiB", "4K bytes", "4K blocks"]) assert.match(error(text, KEYS), /^Type a number of keys/, text);
    const between = { ...LINES, least: 512, most: 16384, below: "L1d", above: "L3" };
    assert.equal(blocks("1M", between), 16384);
    assert.equal(blocks("32K", between), 512);
    assert.equal(error("16K", between), "At least 512 blocks, the size of L1d");
    assert.equal(error("2M", between), "At most 16384 blocks, the size of L3");
    assert.match(error("99999999999E"), /too large/);
});
