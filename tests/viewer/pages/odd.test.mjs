// SPDX-License-Identifier: MIT
// Pages of odd profiles, narrow screens, print, links and the back button.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { close, open, PAGES, settled, tab } from "../browser.mjs";

const tabs = (page) => page.$$eval("header [data-tab]", (found) => found.map((e) => e.dataset.tab));
const inner = (page, panel) => page.$$eval(`[data-panel="${panel}"] [role=tablist] [data-tab]`, (found) => found.map((e) => e.dataset.tab));

async function visitAll(page, visit) {
    for (const name of await tabs(page)) {
        await tab(page, name);
        await visit(name);
        for (const sub of await inner(page, name)) {
            await page.click(`[data-panel="${name}"] [data-tab="${sub}"]`);
            await settled(page);
            await visit(`${name} ${sub}`);
        }
    }
}

for (const name of ["deep", "long", "killed", "gone"])
    test(`every tab of an odd profile: ${name}`, async () => {
        const page = await open(join(PAGES, `odd/${name}.html`));
        let visited = 0;
        await visitAll(page, async (where) => {
            assert.ok((await page.innerText("main")).trim().length > 40, `${where} is empty`);
            visited++;
        });
        assert.ok(visited > 8, `${visited} tabs`);
        await close(page);
    });

test("a calling context 20,000 deep", async () => {
    const page = await open(join(PAGES, "odd/deep.html"), { hash: "code?.sub=contexts" });
    await settled(page);
    await page.click("text=Open all");
    await settled(page);
    assert.ok(Number(await page.getAttribute('[data-table="contexts"]', "aria-rowcount")) > 20000);
    await page.click('[data-panel="code"] [data-tab="flame"]');
    await settled(page);
    const blocks = await page.locator("[data-context]").count();
    assert.ok(blocks > 100 && blocks < 5000, `${blocks} blocks are drawn`);
    await close(page);
});

test("narrow screens: nothing is wider than the page", async () => {
    for (const name of ["spatial", "counters", "windows", "compare"]) {
        const page = await open(name, { viewport: { width: 390, height: 800 } });
        await visitAll(page, async (where) => {
            const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
            assert.ok(width <= room, `${name}, ${where}: ${width} of ${room} pixels`);
        });
        await close(page);
    }
});

test("in print, tables have their rows and nothing to press", async () => {
    const page = await open("plate");
    await page.emulateMedia({ media: "print" });
    for (const name of await tabs(page)) {
        await page.emulateMedia({ media: "screen" });
        await tab(page, name);
        await page.emulateMedia({ media: "print" });
        await settled(page);
        const buttons = await page.$$eval("main .toolbar button, main .exports button, header [data-tab]", (found) => found.filter((e) => e.getBoundingClientRect().width > 0).length);
        assert.equal(buttons, 0, `${name}: ${buttons} buttons`);
        const title = await page.$eval("main", (e) => getComputedStyle(e, "::before").content);
        assert.ok(title.length > 2 && title !== "none", `${name}: the print does not say which tab it is`);
    }
    const pdf = await page.pdf();
    assert.ok(pdf.length > 10000);
    await close(page);
});

test("links survive loading again; back and forward", async () => {
    const page = await open("plate");
    await tab(page, "code");
    await page.click('[data-table="lines"] [data-row]:nth-child(2)');
    await page.click('[data-chip="0"]');
    await settled(page);
    const state = () => page.evaluate(() => [location.hash, document.querySelector("[data-panel]").dataset.panel, document.querySelector('[data-table="lines"] [aria-selected=true]')?.innerText, document.querySelector("[data-chip][aria-checked=true]").innerText]);
    const before = await state();
    assert.ok(before[2]?.includes("plate.c"), String(before));
    await page.reload();
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    await page.waitForSelector('[data-table="lines"] [aria-selected=true]');
    assert.deepEqual(await state(), before);
    await page.click('[data-chip="1"]');
    await tab(page, "data");
    await page.goBack();
    await page.waitForSelector('[data-panel="code"]');
    await page.goBack();
    await page.waitForSelector('[data-chip="0"][aria-checked=true]');
    assert.deepEqual(await state(), before);
    await page.goForward();
    await page.waitForSelector('[data-chip="1"][aria-checked=true]');
    await close(page);
});

test("reduced motion: nothing moves by itself", async () => {
    const page = await open("plate", { reducedMotion: "reduce" });
    const moving = await page.$$eval("*", (found) => found.map((e) => getComputedStyle(e)).filter((s) => [s.transitionDuration, s.animationDuration].some((text) => text.split(",").some((one) => parseFloat(one) > 0.01))).length);
    assert.equal(moving, 0);
    await close(page);
});
