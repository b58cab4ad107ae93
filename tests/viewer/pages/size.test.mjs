// SPDX-License-Identifier: MIT
// How large pages are, and how soon and with how much memory they work: of a small program, and of one with a million
// places. Times are printed; they fail only far above their goals, since other programs may be running.
import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { close, open, PAGES, PATIENCE, rendererMemory, settled, tab } from "../browser.mjs";

const SLACK = 6 * PATIENCE;
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MiB`;

const marks = (page) =>
    page.evaluate(() => {
        const paint = performance.getEntriesByName("first-contentful-paint")[0];
        const ready = performance.getEntriesByName("deja-ready")[0];
        return { paint: paint?.startTime ?? NaN, ready: ready?.startTime ?? NaN };
    });

// Twice, since the first sort may draw what was hidden.
async function sort(page, table, column) {
    return page.evaluate(
        ([table, column]) =>
            new Promise((done) => {
                const button = document.querySelector(`[data-table="${table}"] [data-column="${column}"]`);
                const start = performance.now();
                button.click();
                requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
            }),
        [table, column],
    );
}

test("a page of plate", async (t) => {
    const { size } = statSync(join(PAGES, "plate.html"));
    const page = await open("plate");
    const { paint, ready } = await marks(page);
    t.diagnostic(`plate: ${size} bytes, first paint ${paint.toFixed(0)} ms, interactive ${ready.toFixed(0)} ms`);
    assert.ok(size <= 300_000, `${size} bytes`);
    assert.ok(paint <= 1000 * SLACK && ready <= 2000 * SLACK, `${paint} ms, ${ready} ms`);
    await close(page);
});

test("a page of a million places", { skip: existsSync(join(PAGES, "big.html")) ? false : "no deja-bench" }, async (t) => {
    const { size } = statSync(join(PAGES, "big.html"));
    assert.ok(size <= 6_000_000, `${size} bytes`);
    const page = await open("big");
    const { paint, ready } = await marks(page);
    await tab(page, "code");
    const times = {};
    for (const column of ["accesses", "name", "misses"]) times[column] = await sort(page, "lines", column);
    for (const name of await page.$$eval("header [data-tab]", (found) => found.map((e) => e.dataset.tab))) await tab(page, name);
    await settled(page);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("HeapProfiler.collectGarbage");
    const memory = rendererMemory();
    assert.ok(memory > 1 << 24, `the memory of the browser is unknown: ${memory}`);
    t.diagnostic(`a million places: ${size} bytes, first paint ${paint.toFixed(0)} ms, interactive ${ready.toFixed(0)} ms, ` +
        `sort ${Object.entries(times).map(([key, ms]) => `${key} ${ms.toFixed(0)} ms`).join(", ")}, memory ${mib(memory)}`);
    assert.ok(paint <= 1000 * SLACK, `first paint after ${paint} ms`);
    assert.ok(ready <= 2000 * SLACK, `interactive after ${ready} ms`);
    for (const [column, ms] of Object.entries(times)) assert.ok(ms <= 300 * SLACK, `sorting by ${column}: ${ms} ms`);
    assert.ok(memory <= 500 * 2 ** 20, mib(memory));
    await close(page);
});
