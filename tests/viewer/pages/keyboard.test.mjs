// SPDX-License-Identifier: MIT
// Everything without a pointer: tabs, tables, search, source, caches; and what a screen reader says.
import assert from "node:assert/strict";
import test from "node:test";
import { all, close, open, settled } from "../browser.mjs";

const focused = (page) => page.evaluate(() => ({ ...document.activeElement.dataset, role: document.activeElement.getAttribute("role"), name: document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText }));

async function press(page, until, key = "Tab", most = 60) {
    for (let i = 0; i < most; i++) {
        await page.keyboard.press(key);
        if (until(await focused(page))) return;
    }
    assert.fail(`${key} does not lead to ${until}`);
}

test("tabs", async () => {
    const page = await open("spatial");
    await page.keyboard.press("Tab");
    assert.match((await focused(page)).name, /skip/i, "the first stop skips to the content");
    await press(page, (on) => on.tab === "overview");
    const tabs = await all(page, "tab");
    for (const name of tabs.slice(1)) {
        await page.keyboard.press("ArrowRight");
        await settled(page);
        assert.equal((await focused(page)).tab, name);
        await page.waitForSelector(`[data-panel="${name}"]`);
        const outline = await page.evaluate(() => {
            const style = getComputedStyle(document.activeElement);
            return style.outlineStyle !== "none" || style.boxShadow !== "none";
        });
        assert.ok(outline, `the focus on ${name} can be seen`);
    }
    await page.keyboard.press("Home");
    await settled(page);
    assert.equal((await focused(page)).tab, "overview");
    await close(page);
});

test("rows, search and source", async () => {
    const page = await open("plate", { hash: "code" });
    await page.keyboard.press("/");
    assert.ok("search" in (await focused(page)), "/ searches");
    await page.keyboard.type("plate.c:");
    await settled(page);
    await press(page, (on) => on.table === "lines");
    const chosen = [];
    for (const key of ["Home", "ArrowDown", "ArrowDown", "End", "ArrowUp", "Enter"]) {
        await page.keyboard.press(key);
        await settled(page);
        chosen.push(await page.innerText('[data-table="lines"] [aria-selected=true]'));
    }
    assert.ok(new Set(chosen).size >= 4, "keys move through the rows");
    const active = await page.getAttribute('[data-table="lines"]', "aria-activedescendant");
    assert.ok(active && (await page.locator(`[id="${active}"]`).count()) === 1, "the active row has an element");
    await press(page, (on) => "source" in on);
    await page.keyboard.press("ArrowDown");
    await settled(page);
    assert.ok((await page.locator("[data-source] [aria-selected=true]").count()) === 1);
    await page.keyboard.press("Tab");
    assert.ok(!("source" in (await focused(page))), "the focus leaves the source");
    await close(page);
});

test("sorting and caches", async () => {
    const page = await open("plate");
    await press(page, (on) => on.cache === "0");
    const size = () => page.getAttribute('[data-cache="0"]', "aria-valuenow");
    const before = await size();
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await size(), before);
    assert.match(await page.getAttribute('[data-cache="0"]', "aria-valuetext"), /block.*miss ratio/);
    await page.goto(`${page.url().split("#")[0]}#code`);
    await page.reload();
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    await press(page, (on) => on.column === "accesses", "Tab", 120);
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await page.getAttribute('[role=columnheader]:has([data-column="accesses"])', "aria-sort"), "descending");
    await close(page);
});

// What only an eye finds, and scripts of this kind do: names, roles and contrast.
for (const scheme of ["light", "dark"])
    test(`names, roles and contrast, ${scheme}`, async () => {
        const page = await open("spatial", { colorScheme: scheme });
        for (const name of await page.$$eval("header [data-tab]", (found) => found.map((e) => e.dataset.tab))) {
            await page.click(`header [data-tab="${name}"]`);
            await settled(page);
            const found = await page.evaluate(() => {
                const luminance = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
                const color = (text) => {
                    const parts = (text.replace(/^color\(srgb/, "").match(/[\d.]+/g) ?? []).map(Number);
                    return text.startsWith("color(srgb") ? parts.map((part, i) => (i < 3 ? part * 255 : part)) : parts;
                };
                const ground = (e) => {
                    for (; e; e = e.parentElement) {
                        const style = getComputedStyle(e), c = color(style.backgroundColor);
                        if (style.backgroundImage !== "none") return null;
                        if (c.length === 3 || c[3] === 1) return c;
                        if (c[3] > 0) return null;
                    }
                    return [255, 255, 255];
                };
                const weak = [];
                for (const e of document.querySelectorAll("body *")) {
                    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
                    if (!own || !e.getClientRects().length || e.closest("svg, [aria-hidden=true]")) continue;
                    const style = getComputedStyle(e), under = ground(e);
                    if (!under || style.visibility === "hidden" || Number(style.opacity) < 1) continue;
                    const [a, b] = [luminance(color(style.color)), luminance(under)].sort((x, y) => y - x);
                    const ratio = (a + 0.05) / (b + 0.05);
                    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
                    if (ratio < (large ? 3 : 4.5) - 0.05) weak.push(`${e.className || e.tagName} "${e.textContent.trim().slice(0, 20)}" ${ratio.toFixed(2)}`);
                }
                const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
                const pictures = [...document.querySelectorAll("main svg, main canvas")].filter((e) => e.getClientRects().length && !e.closest("[aria-hidden=true], [aria-label], [role=img], button") && !e.getAttribute("aria-label"));
                const rows = [...document.querySelectorAll("[role=row]")].filter((e) => !e.closest("[role=grid], [role=treegrid], [role=table]"));
                return { weak: [...new Set(weak)].slice(0, 8), twice: ids.filter((id, i) => ids.indexOf(id) !== i).slice(0, 5), pictures: pictures.map((e) => e.outerHTML.slice(0, 120)), rows: rows.length, lang: document.documentElement.lang, headings: document.querySelectorAll("h1").length };
            });
            assert.deepEqual(found.weak, [], `${name}: contrast`);
            assert.deepEqual(found.twice, [], `${name}: ids that occur twice`);
            assert.deepEqual(found.pictures, [], `${name}: pictures without a name`);
            assert.equal(found.rows, 0, `${name}: rows outside of tables`);
            assert.deepEqual([found.lang, found.headings], ["en", 1]);
        }
        await close(page);
    });
