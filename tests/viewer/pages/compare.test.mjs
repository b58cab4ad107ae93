// SPDX-License-Identifier: MIT
// Two profiles: what changed, with the numbers of `deja diff`, and both sides of every other tab.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { close, download, number, open, PAGES, parseCsv, settled, tab } from "../browser.mjs";
import { dejaJson } from "../modules.mjs";

const diff = dejaJson("diff", "--json", "--by", "all", join(PAGES, "plate.dejap"), join(PAGES, "plate_fixed.dejap"));
const csvOf = async (page, table) => {
    const button = page.locator(`.table:has([data-table="${table}"]) [data-export="csv"]`).first();
    return parseCsv((await download(page, () => button.click())).bytes.toString());
};

test("totals, points and rows are those of deja diff", async () => {
    const page = await open("compare", { hash: "compare" });
    assert.match((await page.innerText("main")).replace(/\s+/g, " "), /L1d misses fell by 83%/);
    const totals = await csvOf(page, "totals");
    assert.deepEqual(totals.map((row) => [Number(row.Before), Number(row.After)]), diff.totals.map((row) => [row.before, row.after]));
    assert.ok(totals.every((row) => /[a-z]/i.test(Object.values(row)[0])), "totals have names");
    const rows = await csvOf(page, "diff-objects");
    for (const want of diff.objects.slice(0, 12)) {
        const row = rows.find((one) => Object.values(one)[0] === want.name);
        assert.ok(row, want.name);
        assert.deepEqual([Number(row.Before), Number(row.After)], [want.before, want.after], want.name);
    }
    for (const by of ["functions", "loops", "lines", "contexts"]) {
        await page.click(`[data-panel="compare"] [data-choice="${by}"]`);
        await settled(page);
        const list = await csvOf(page, `diff-${by}`);
        const want = diff[by][0];
        const row = list.find((one) => Object.values(one)[0].trim().endsWith(want.name));
        assert.ok(row, `${by}: ${want.name}`);
        assert.deepEqual([Number(row.Before), Number(row.After)], [want.before, want.after], want.name);
    }
    await close(page);
});

test("both sides", async () => {
    const page = await open("compare");
    const sides = ["plate", "plate_fixed"].map((name) => dejaJson("mrc", "--json", join(PAGES, `${name}.dejap`)));
    const choices = page.locator('header [data-choice]');
    assert.equal(await choices.count(), 2);
    for (const side of [0, 1]) {
        await choices.nth(side).click();
        await settled(page);
        assert.equal((await number(page, "accesses")).value, sides[side].accesses);
        await tab(page, "code");
        const text = await page.innerText('[data-table="lines"]');
        assert.match(text, side ? /plate_fixed\.c/ : /plate\.c/);
        await tab(page, "overview");
    }
    await close(page);
});

// The default cache is L2.
test("changes of rows in Code and Data are those of deja diff, or empty", async () => {
    const page = await open("compare");
    const cache = diff.totals.length && diff.lines[0].misses.findIndex((one) => one.cache === "L2");
    const known = { lines: 0, functions: 0, loops: 0, objects: 0 };
    for (const by of Object.keys(known)) {
        await tab(page, by === "objects" ? "data" : "code");
        if (by !== "objects") await page.click(`[data-panel="code"] [data-tab="${by}"]`);
        await settled(page);
        for (const row of (await csvOf(page, by)).filter((one) => one.Change !== "" && one.Change !== undefined)) {
            const [name] = Object.values(row);
            // Rows that do not differ are not in the list of deja diff.
            const want = diff[by].filter((one) => one.in !== "after" && (one.was ?? one.name) === name);
            if (row.Change === "gone") {
                assert.ok(want.some((one) => one.in === "before"), `${by}: ${name} is said to be gone`);
                continue;
            }
            // Several rows may have one name; those that do not differ are not listed.
            const changes = want.map((one) => one.misses[cache].after - one.misses[cache].before);
            assert.ok(changes.includes(Number(row.Change)) || (want.length !== 1 && Number(row.Change) === 0), `${by}: ${name}: ${row.Change}, not ${changes}`);
            known[by] += want.length <= 1;
        }
    }
    for (const [by, count] of Object.entries(known)) assert.ok(count >= 10, `${by}: only ${count} changes are known`);
    await close(page);
});

test("rows follow a cache whose size was typed: they add up to the misses of both runs", async () => {
    const page = await open("compare", { hash: "compare?.measure=0" });
    await page.click('[data-chip="0"]');
    const at = (name, size) => dejaJson("mrc", "--json", "--sizes", String(size), join(PAGES, `${name}.dejap`)).points.find((point) => point.size === size).misses;
    for (const [text, blocks] of [["2K", 32], ["128 KiB", 2048], ["512 blocks", 512]]) {
        await page.fill("[data-size]", text);
        await page.keyboard.press("Enter");
        await settled(page);
        for (const by of ["objects", "functions", "lines", "threads"]) {
            await page.click(`[data-panel="compare"] [data-choice="${by}"]`);
            await settled(page);
            const rows = await csvOf(page, `diff-${by}`);
            for (const [side, name] of [["Before", "plate"], ["After", "plate_fixed"]]) {
                const sum = rows.reduce((all, row) => all + Number(row[side]), 0); // the last row is the exact rest
                assert.equal(sum, at(name, blocks), `${by} ${side} at ${text}`);
            }
        }
    }
    await close(page);
});

test("a line stays chosen in the other profile, under its name there", async () => {
    const renamed = diff.lines.find((row) => row.was && row.in === "both" && row.before > 1000);
    assert.ok(renamed, "a line with another name");
    const page = await open("compare", { hash: `code?.sub=lines&.row=${encodeURIComponent(renamed.was)}` });
    const chosen = () => page.locator('[data-table="lines"] .row.selected .cell').first().innerText();
    const row = () => new URLSearchParams(page.url().split("?")[1]).get(".row");
    assert.ok((await chosen()).startsWith(renamed.was));
    for (const name of [renamed.name, renamed.was]) {
        await page.click(`header [data-choice="${name === renamed.name ? "1" : ""}"]`);
        await page.waitForFunction((want) => document.querySelector('[data-table="lines"] .row.selected .cell')?.innerText.startsWith(want), name);
        await settled(page);
        assert.equal(row(), name);
    }
    const gone = diff.lines.find((one) => one.in === "before" && one.before > 1000);
    await page.evaluate((hash) => (location.hash = hash), `code?.sub=lines&.row=${encodeURIComponent(gone.name)}`);
    await page.waitForFunction((want) => document.querySelector('[data-table="lines"] .row.selected .cell')?.innerText.startsWith(want), gone.name);
    await page.click('header [data-choice="1"]');
    await page.waitForFunction(() => !document.querySelector('[data-table="lines"] .row.selected'));
    assert.equal(row(), null, "a line without a counterpart is not chosen");
    await close(page);
});
