// SPDX-License-Identifier: MIT
// Moving a cache, with the pointer and with keys, gives the numbers of `deja mrc` to the digit, everywhere on the page.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { close, download, number, open, PAGES, parseCsv, settled, tab } from "../browser.mjs";
import { DEJA, dejaJson } from "../modules.mjs";

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
    // Times are estimates at every size.
    const shown = (await page.innerText("main")).replace(/≈[\d.]+ (s|ms|µs|ns)\b/g, "");
    assert.ok(!/≈/.test(shown), "nothing is interpolated at edges");
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

test("a sample of keys says that it is an estimate", async () => {
    const page = await open("sampled");
    const want = dejaJson("mrc", "--json", join(PAGES, "sampled.dejap"));
    assert.equal((await number(page, "accesses")).value, want.accesses);
    assert.match(await page.innerText("main"), /estimate|sample/i);
    await close(page);
});

test("the ranges of an estimate are those of deja mrc", async () => {
    const page = await open("estimate");
    const caches = await page.locator("[data-cache]").count();
    assert.ok(caches > 1, `${caches} caches`);
    for (let cache = 0; cache < caches; cache++) {
        const shown = page.locator(`[data-number="band-${cache}"]`);
        const want = at("estimate", await sizeOf(page, cache));
        assert.equal(Number(await shown.getAttribute("data-low")), want.low);
        assert.equal(Number(await shown.getAttribute("data-high")), want.high);
        assert.match(await shown.innerText(), /\d% to \d/);
    }
    await close(page);
});

test("an estimate marks every number of its rows", async () => {
    const page = await open("estimate", { hash: "code" });
    const check = async (table, columns) => {
        await settled(page);
        for (const column of columns) {
            const shown = (await cells(page, table, column)).map((text) => text.trim()).filter((text) => /[1-9]/.test(text));
            assert.ok(shown.length > 0, `${table}: ${column} is empty`);
            for (const text of shown) assert.match(text, /^≈/, `${table}: ${column}`);
        }
    };
    await check("lines", ["accesses", "misses", "ratio", "mean", "median"]);
    await page.click('[data-panel="code"] [data-tab="contexts"]');
    await check("contexts", ["inclusive", "exclusive", "accesses"]);
    await tab(page, "data");
    await check("objects", ["accesses", "misses", "ratio", "mean", "median"]);
    await close(page);
});

test("--caches names the caches of the page", async () => {
    const page = await open("caches");
    const want = dejaJson("report", "--json", "--caches", "L1=16K,L2=256K", "--by", "all", join(PAGES, "plate.dejap"));
    assert.deepEqual(await page.$$eval("[data-chip] b", (found) => found.map((e) => e.innerText)), ["L1", "L2"]);
    for (const [i, size] of [256, 4096].entries()) {
        assert.equal(await sizeOf(page, i), size);
        assert.equal((await number(page, `misses-${i}`)).value, at("plate", size).misses);
        await page.click(`[data-chip="${i}"]`);
        await tab(page, "code");
        const file = await download(page, () => page.click('main [data-export="csv"]:visible'));
        const rows = parseCsv(file.bytes.toString());
        let compared = 0;
        for (const row of rows) {
            const same = want.lines.filter((one) => one.name.endsWith(row.Line.replace(/^'/, "")) && one.accesses === Number(row.Accesses));
            if (!same.length) continue;
            assert.ok(same.some((one) => one.misses[`L${i + 1}`] === Number(row[`L${i + 1} misses`])), row.Line);
            compared++;
        }
        assert.ok(compared > 10, `${compared} lines compared`);
        await tab(page, "overview");
    }
    await close(page);
});

test("--caches is refused where the profile does not know the misses", () => {
    const refused = (...args) => spawnSync(DEJA, ["view", "--no-open", "-o", join(PAGES, "refused.html"), ...args], { encoding: "utf8" });
    for (const [name, caches, why] of [["trace", "L1=16K", /no size in bytes/], ["estimate", "L1=16K", /measured with/], ["plate", "L1=17K", /16 KiB and 18 KiB/]]) {
        const { status, stderr } = refused("--caches", caches, join(PAGES, `${name}.dejap`));
        assert.equal(status, 2, stderr);
        assert.match(stderr, why);
    }
    assert.equal(refused("--caches", "none", join(PAGES, "trace.dejap")).status, 0);
});

test("a size can be typed, and what is wrong is said", async () => {
    const page = await open("plate");
    const field = page.locator("[data-size]");
    const type = async (text) => {
        await field.fill(text);
        await page.keyboard.press("Enter");
        await settled(page);
    };
    await page.click('[data-chip="1"]');
    assert.equal(await page.getByRole("textbox", { name: "Size of L2" }).count(), 1);
    for (const [text, blocks] of [["256K", 4096], ["1.5 MiB", 24576], ["3000 blocks", 3000]]) {
        await type(text);
        assert.equal(await sizeOf(page, 1), blocks, text);
        await compare(page, "plate", 1);
        assert.equal(await page.locator("#size-error").count(), 0);
    }
    for (const [text, why] of [["12 apples", /such as 32K/], ["100", /multiples of 64 bytes/], ["1K", /At least .*L1d/], ["9G", /At most .*L3/]]) {
        await type(text);
        assert.match(await page.innerText("#size-error"), why, text);
        assert.equal(await field.getAttribute("aria-invalid"), "true");
        assert.equal(await sizeOf(page, 1), 3000, "the size is unchanged");
    }
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#size-error").count(), 0);
    assert.equal(await field.inputValue(), "188 KiB"); // 3000 blocks of 64 bytes are 187.5 KiB
    await page.goBack();
    await settled(page);
    assert.equal(await sizeOf(page, 1), 24576, "the back button undoes it");
    await close(page);
});
