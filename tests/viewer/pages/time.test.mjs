// SPDX-License-Identifier: MIT
// Estimated stall time and the simulated caches, against the JSON of `deja report --sort time`.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { all, close, download, open, PAGES, parseCsv, settled, tab } from "../browser.mjs";
import { deja, dejaJson } from "../modules.mjs";

const report = dejaJson("report", "--json", "--sort", "time", "--by", "all", join(PAGES, "plate.dejap"));
const csvOf = async (page) => parseCsv((await download(page, () => page.click('main [data-export="csv"]:visible'))).bytes.toString());
const nearly = (got, seconds, note) => assert.ok(Math.abs(got - seconds) <= 1e-9, `${note}: ${got} for ${seconds}`);
const total = report.time.stall_seconds.estimate;

test("ranked tables have the stall times of the report", async () => {
    const page = await open("plate", { hash: "code" });
    for (const [name, list] of [["code", "lines"], ["code", "functions"], ["code", "loops"], ["data", "objects"]]) {
        await tab(page, name);
        await page.click(`[data-panel="${name}"] [data-tab="${list}"]`);
        await settled(page);
        const rows = await csvOf(page);
        let checked = 0, sum = 0;
        for (const row of rows) {
            const [named, stall] = [Object.values(row)[0].replace(/^'/, "").trim(), Number(row["Stall time"])];
            sum += stall;
            const same = report[list].filter((one) => one.name.endsWith(named) && one.accesses === Number(row.Accesses));
            if (!same.length) continue; // shortened, or the rest
            assert.ok(same.some((one) => Math.abs(one.stall_seconds.estimate - stall) <= 1e-9), `${list}: ${named}: ${stall}`);
            checked++;
        }
        assert.ok(checked >= Math.min(10, rows.length - 1), `${list}: ${checked} of ${rows.length} rows compared`);
        // Each row is rounded to nanoseconds.
        if (["lines", "objects"].includes(list)) assert.ok(Math.abs(sum - total) <= rows.length * 1e-9, `${list}: ${sum} of ${total}`);
    }
    await close(page);
});

test("callers and the flame graph are weighted by stall time", async () => {
    const page = await open("plate", { hash: "code?.sub=contexts&.weight=stall" });
    await page.getByRole("button", { name: "Open all" }).click();
    await settled(page);
    const rows = await csvOf(page);
    const main = report.contexts.find((one) => one.name === "main" || one.name.endsWith(";main"));
    const row = rows.find((one) => one.Function.trim() === "main" && Number(one.Accesses) > 0);
    nearly(Number(row["With callees"]), main.inclusive.stall_seconds?.estimate ?? NaN, "main with callees");
    // Every access is its own in one row, and code that was inlined is a row.
    const own = rows.reduce((sum, one) => sum + Number(one["Its own"]), 0);
    assert.ok(Math.abs(own - total) <= rows.length * 4e-9, `${own} of ${total}`);
    const cool = report.lines.filter((one) => /^plate\.c:(2[5-9]|3[01])$/.test(one.name)).reduce((sum, one) => sum + one.stall_seconds.estimate, 0);
    const inlined = rows.find((one) => one.Function.trim() === "cool (inlined)");
    assert.ok(Math.abs(Number(inlined["With callees"]) - cool) <= 1e-8, `cool: ${inlined["With callees"]} of ${cool}`);
    await page.click('[data-tab="flame"]');
    await settled(page);
    const width = (name) => page.$$eval(".flame svg svg", (blocks, name) => Math.max(...blocks.filter((e) => e.textContent.startsWith(name)).map((e) => parseFloat(e.getAttribute("width")))), name);
    assert.ok(Math.abs((await width("cool")) / 100 - cool / total) < 1e-3, "the width of cool is its part of the time");
    await page.locator(".flame svg svg").filter({ hasText: "cool" }).first().hover();
    assert.match(await page.innerText(".flame .readout"), /cool \(inlined\): ≈[\d.]+ ms estimated stall time, [\d.]+%, between [\d.]+ ms and [\d.]+ ms; /);
    assert.match(await page.innerText("[data-stall-note]"), /^estimated with (assumed|calibrated) costs$/);
    await close(page);
});

test("the overview has the estimated time, and dragged caches do not change it", async () => {
    const page = await open("plate");
    assert.equal(Number((await all(page, "value"))[0]) > 0, true);
    const shown = () => page.$eval('[data-number="stall"]', (e) => Number(e.dataset.value));
    nearly((await shown()) / 1e9, total, "stall time");
    const panel = page.locator("section, .panel").filter({ hasText: "Estimated time" }).last();
    assert.match(await panel.innerText(), report.time.calibrated ? /calibrated costs/ : /assumed costs/);
    for (const part of report.time.classes) if (part.stall_seconds.estimate >= 1e-9) assert.match(await panel.innerText(), new RegExp(part.name));
    assert.doesNotMatch(await panel.innerText(), /not as dragged/);
    await page.fill('header input[type="text"]', "256K");
    await page.keyboard.press("Enter");
    await settled(page);
    nearly((await shown()) / 1e9, total, "stall time");
    assert.match(await panel.innerText(), /for the caches of the run, not as dragged/);
    await tab(page, "code");
    assert.match(await page.innerText("main [data-stall-note]"), /Stall time is for the caches of the run/);
    await close(page);
});

test("simulated caches are those of the report", async () => {
    const page = await open("plate");
    await page.waitForSelector('[data-table="hierarchy"]');
    const rows = await page.$$eval('[data-table="hierarchy"] tbody tr', (list) => list.map((e) => ({ ...e.dataset, cells: [...e.children].map((cell) => cell.innerText) })));
    // The text report formats the same numbers in C.
    const text = deja("report", "--export", "markdown", join(PAGES, "plate.dejap"));
    assert.equal(rows.length, report.caches.length);
    for (const [i, level] of report.caches.entries()) {
        assert.deepEqual([rows[i].level, Number(rows[i].misses)], [level.name, level.misses]);
        const line = text.split("\n").map((one) => one.split("|").map((cell) => cell.trim().replace(/`/g, "").replace("&lt;", "<"))).find((cells) => cells[1] === rows[i].cells[0]);
        assert.ok(line, rows[i].cells[0]);
        assert.deepEqual(rows[i].cells.slice(1), line.slice(2, 2 + rows[i].cells.length - 1), level.name);
        const card = await page.locator(`[data-simulated="${level.name}"]`).getAttribute("data-value");
        assert.equal(Number(card), level.misses);
    }
    await close(page);
    const without = await open("trace");
    assert.equal(await without.locator('[data-table="hierarchy"], [data-number="stall"]').count(), 0);
    await close(without);
});
