// SPDX-License-Identifier: MIT
// Hostile names, paths, sources and links are shown as text: nothing runs, nothing is requested.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { all, close, download, open, PAGES, parseCsv, settled, tab } from "../browser.mjs";

const pwned = (page) => page.evaluate(() => window.pwned);

// Elements that no part of the page makes.
const foreign = (page) => page.$$eval("main iframe, main img, main base, main style, main object, main embed, main form, header img, [onerror], [onload], [onmouseover], [onclick]", (found) => found.map((e) => e.outerHTML.slice(0, 120)));

async function inert(page, what) {
    await settled(page);
    assert.equal(await pwned(page), undefined, what);
    assert.deepEqual(await foreign(page), [], what);
    const links = await page.$$eval("a[href]", (found) => found.map((e) => e.getAttribute("href")));
    assert.ok(links.every((href) => /^#/.test(href) || /^https:\/\/github\.com\//.test(href)), `${what}: ${links}`);
}

async function hover(page) {
    for (const element of (await page.$$("main [data-row], main svg rect, main svg path, main [title]")).slice(0, 25)) await element.hover({ timeout: 300, force: true }).catch(() => {});
}

test("the text of the page", () => {
    const html = readFileSync(join(PAGES, "hostile.html"), "utf8");
    const title = /<title>([^]*?)<\/title>/.exec(html)[1];
    assert.ok(!/[<>]/.test(title), title);
    const scripts = [...html.matchAll(/<script(?![^>]* type="application\/)[^>]*>/g)];
    assert.equal(scripts.length, 1, "one script");
    for (const [, body] of html.matchAll(/<script type="application\/json"[^>]*>([^]*?)<\/script>/g)) assert.ok(!body.includes("<"));
});

test("all tabs with hostile names", async () => {
    const page = await open("hostile");
    const tabs = await page.$$eval("header [data-tab]", (found) => found.map((e) => e.dataset.tab));
    for (const name of tabs) {
        await tab(page, name);
        await inert(page, name);
        await hover(page);
        for (const inner of await page.$$eval(`[data-panel="${name}"] [data-tab]`, (found) => found.map((e) => e.dataset.tab))) {
            await page.click(`[data-panel="${name}"] [data-tab="${inner}"]`);
            await inert(page, `${name}, ${inner}`);
        }
    }
    await tab(page, "code");
    await page.click('[data-tab="lines"]');
    assert.match(await page.innerText('[data-table="lines"]'), /onerror=|<script>|<svg/, "names are shown as they are");
    await page.fill("main [data-search]", "<img src=x onerror=window.pwned=13>");
    await inert(page, "search");
    await close(page);
});

test("hostile sources", async () => {
    const page = await open("hostile", { hash: "code" });
    const rows = page.locator('[data-table="lines"] [data-row]:not(.rest)');
    let shown = false;
    for (let i = 0; i < Math.min(8, await rows.count()); i++) {
        await rows.nth(i).click();
        await inert(page, `row ${i}`);
        shown ||= /onerror=window\.pwned|<\/script>/.test(await page.locator("[data-source]").innerText().catch(() => ""));
    }
    assert.ok(shown, "the hostile source is shown");
    await close(page);
});

test("exports", async () => {
    const page = await open("hostile");
    for (const name of ["code", "data"]) {
        await tab(page, name);
        for (const button of await page.$$('main [data-export="csv"]:visible')) {
            const { bytes } = await download(page, () => button.click());
            for (const row of parseCsv(bytes.toString()))
                for (const cell of Object.values(row)) assert.doesNotMatch(cell ?? "", /^[=+@\t\r]|^-(?![\d.])/, "a formula");
        }
        for (const button of await page.$$('main [data-export="svg"]:visible')) {
            const { bytes, name: file } = await download(page, () => button.click());
            assert.match(file, /^[\w.-]+\.svg$/);
            const bad = await page.evaluate((svg) => {
                const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
                return [...parsed.querySelectorAll("parsererror, script, foreignObject, image, a, iframe")].map((e) => e.tagName);
            }, bytes.toString());
            assert.deepEqual(bad, [], file);
        }
    }
    await close(page);
});

const LINKS = [
    "code?.source=%3Cimg%20src%3Dx%20onerror%3Dwindow.pwned%3D1%3E", "code?.row=%3Cscript%3Ewindow.pwned%3D1%3C/script%3E&.sub=__proto__",
    "%3Cimg%20src=x%3E", "constructor", "__proto__?.__proto__=1", "code?sizes=1_2_3&cache=99", "code?sizes=-1_NaN_1e99&cache=-1", "data?.sub=toString&.row=9e9",
    "%E0%A4%A", "spatial?.pair=<svg>", "overview?sizes=9007199254740993_1_1", "code?.sub=lines&.source=-1:99999999", "code?.sub=lines&.source=0:0",
    `code?.row=${"a".repeat(100000)}`,
];
test("hostile links", async () => {
    for (const link of LINKS) {
        const page = await open("plate", { hash: link });
        await inert(page, link.slice(0, 80));
        assert.ok((await page.innerText("main")).length > 60, `${link.slice(0, 80)}: an empty page`);
        assert.ok((await all(page, "tab")).length > 3);
        await close(page);
    }
});
