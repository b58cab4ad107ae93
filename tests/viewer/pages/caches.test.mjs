// SPDX-License-Identifier: MIT
// Moving a cache, with the pointer and with keys, gives the numbers of `deja mrc` to the digit, everywhere on the page.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { close, number, open, PAGES, settled, tab } from "../browser.mjs";
import { dejaJson } from "../modules.mjs";

const at = (name, size) => dejaJson("mrc", "--json", "--sizes", String(size), join(PAGES, `${name}.dejap`)).points.find((point) => point.size === size);
const sizeOf = async (page, cache) => Number(await page.getAttribute(`[data-cache="${cache}"]`, "aria-valuenow"));

async function compare(page, name, cache) {
    await settled(page);
    const size = await sizeOf(page, cache);
    const [misses, ratio] = [await number(page, `misses-${cache}`), await number(page, `ratio-${cache}`)];
    const want = at(name, size);
    assert.equal(misses.value, want.misses, `${name}: misses at ${size}`);
    assert.equal(ratio.value, want.ratio, `${name}: ratio at ${size}`);
    return size;
}

async function drag(page, cache, by) {
    const box = await page.locator(`[data-cache="${cache}"] .grip`).boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let step = 1; step <= 8; step++) await page.mouse.move(x + (by * step) / 8, y + 20);
    await page.mouse.up();
}

for (const name of ["plate", "trace", "spatial"])
    test(`${name}: headline numbers`, async () => {
        const page = await open(name);
        const whole = dejaJson("mrc", "--json", join(PAGES, `${name}.dejap`));
        for (const key of ["accesses", "cold", "distinct"]) assert.equal((await number(page, key)).value, whole[key], key);
        const caches = await page.locator("[data-cache]").count();
        for (let cache = 0; cache < caches; cache++) await compare(page, name, cache);
        for (const [cache, by] of [[0, -220], [1, -130], [1, 60], [0, 90], [0, -333]]) {
            const before = await sizeOf(page, cache);
            await drag(page, cache, by);
            const after = await compare(page, name, cache);
            assert.ok(by < 0 ? after <= before : after >= before, `${name}: ${before} became ${after}`);
        }
        const sizes = new Set();
        await page.focus('[data-cache="1"]');
        for (const key of ["ArrowRight", "ArrowLeft", "ArrowLeft", "PageDown", "ArrowUp", "Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowUp"]) {
            await page.keyboard.press(key);
            sizes.add(await compare(page, name, 1));
        }
        assert.ok(sizes.size > 4, `keys chose ${[...sizes]}`);
        await close(page);
    });

// The cells of a column of a table, as they are shown.
async function cells(page, table, column) {
    const titles = await page.$$eval(`[data-table="${table}"] [data-column]`, (found) => found.map((e) => e.dataset.column));
    const at = titles.indexOf(column);
    return page.$$eval(`[data-table="${table}"] [data-row]:not(.rest)`, (rows, i) => rows.map((row) => row.children[i].innerText), at);
}

test("every table follows the chosen cache", async () => {
    const page = await open("plate");
    await page.focus('[data-cache="1"]');
    for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowLeft");
    await settled(page);
    const size = await sizeOf(page, 1);
    assert.ok(size < 16384);
    await page.click('[data-chip="1"]');
    const want = dejaJson("report", "--json", "--by", "all", join(PAGES, "plate.dejap"));
    assert.ok(want.attribution.edges.includes(size), "keys move from edge to edge");
    for (const [outer, list] of [["code", "lines"], ["data", "objects"]]) {
        await tab(page, outer);
        const shown = await cells(page, list, "misses");
        assert.ok(shown.length > 5 && shown.every((cell) => /^\d/.test(cell)), `${outer}: exact at edges: ${shown}`);
    }
    await tab(page, "overview");
    assert.ok(!/≈/.test(await page.innerText("main")), "nothing is interpolated at edges");
    await page.focus('[data-cache="1"]');
    for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowLeft");
    await settled(page);
    assert.ok(!want.attribution.edges.includes(await sizeOf(page, 1)), "between edges");
    await tab(page, "code");
    assert.ok((await cells(page, "lines", "misses")).some((cell) => cell.startsWith("≈")), "between edges, rows are marked");
    await tab(page, "overview");
    await compare(page, "plate", 1); // the whole trace is exact at every size
    await close(page);
});

test("an estimate is marked, and has its band", async () => {
    const page = await open("sampled");
    const want = dejaJson("mrc", "--json", join(PAGES, "sampled.dejap"));
    assert.equal((await number(page, "accesses")).value, want.accesses);
    assert.match(await page.innerText("main"), /estimate|sample/i);
    await close(page);
});
