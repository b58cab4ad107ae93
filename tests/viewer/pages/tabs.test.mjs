// SPDX-License-Identifier: MIT
// Every tab of every kind of profile is drawn, what it lacks is absent, and all that can be exported is valid.
import assert from "node:assert/strict";
import test from "node:test";
import { all, close, csvCells, download, open, settled, tab } from "../browser.mjs";

const PROGRAM = ["overview", "code", "data", "inputs", "advice", "about"];
const EXPECTED = {
    plate: PROGRAM,
    spatial: ["overview", "code", "data", "spatial", "inputs", "advice", "about"],
    counters: ["overview", "code", "data", "sharing", "inputs", "advice", "about"],
    windows: ["overview", "code", "data", "inputs", "phases", "advice", "about"],
    trace: ["overview", "inputs", "phases", "about"],
    sampled: ["overview", "inputs", "about"],
    compare_windows: ["overview", "code", "data", "inputs", "phases", "advice", "compare", "about"],
    compare_spatial: ["overview", "code", "data", "spatial", "inputs", "advice", "compare", "about"],
    compare_counters: ["overview", "code", "data", "sharing", "inputs", "advice", "compare", "about"],
};

async function exportAll(page, what) {
    for (const kind of ["svg", "csv", "png"]) {
        const buttons = await page.$$(`main [data-export="${kind}"]:visible`);
        for (const button of kind === "png" ? buttons.slice(0, 1) : buttons) {
            const label = (await button.getAttribute("aria-label")) ?? "";
            assert.ok(label.length > 10, `${what}: an export without a label`);
            const { name, bytes } = await download(page, () => button.click());
            assert.match(name, new RegExp(`^[\\w.-]+\\.${kind}$`), `${what}: ${label}`);
            const text = bytes.toString("utf8");
            if (kind === "svg") {
                assert.match(text, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/, `${what}: ${label}`);
                assert.doesNotMatch(text, /<script|href=|url\(/i);
                const parsed = await page.evaluate((svg) => !new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror"), text);
                assert.ok(parsed, `${what}: ${label} is no SVG`);
                assert.ok(text.length > 400, `${what}: ${label} is empty`);
            } else if (kind === "png") {
                assert.equal(bytes.subarray(1, 4).toString(), "PNG", `${what}: ${label}`);
                assert.ok(bytes.length > 1000, `${what}: ${label} is empty`);
            } else {
                const [titles, ...rows] = csvCells(text);
                assert.equal(new Set(titles).size, titles.length, `${what}: ${label}: titles ${titles}`);
                assert.ok(titles.every((title, i) => i === 0 || title.length > 0), `${what}: ${label}: titles ${titles}`);
                assert.ok(rows.every((row) => row.length === titles.length), `${what}: ${label}: cells`);
            }
        }
    }
}

async function check(page, what) {
    const drawn = await page.evaluate(() => {
        const main = document.querySelector("main");
        const empty = [...main.querySelectorAll("svg, canvas, .uplot")].filter((e) => e.getClientRects().length && e.getBoundingClientRect().width < 1);
        const bare = [...main.querySelectorAll("button, a, input, select, [role=slider], [role=img], [role=grid]")].filter(
            (e) => e.getClientRects().length && !(e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent ?? "").trim() && !e.title);
        return {
            text: main.innerText.length,
            wrong: /\b(NaN|undefined|Infinity|\[object)\b/.exec(main.innerText)?.[0] ?? "",
            empty: empty.length,
            bare: bare.map((e) => e.outerHTML.slice(0, 120)),
            wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        };
    });
    assert.ok(drawn.text > 60, `${what}: little text`);
    assert.equal(drawn.wrong, "", what);
    assert.equal(drawn.empty, 0, `${what}: empty pictures`);
    assert.deepEqual(drawn.bare, [], `${what}: controls without a name`);
    assert.ok(drawn.wide <= 1, `${what}: ${drawn.wide} pixels too wide`);
}

for (const [name, tabs] of Object.entries(EXPECTED))
    test(name, async () => {
        const page = await open(name);
        assert.deepEqual(await all(page, "tab"), tabs);
        for (const one of tabs) {
            await tab(page, one);
            await check(page, `${name}, ${one}`);
            assert.equal(await page.getAttribute(`[data-tab="${one}"]`, "aria-selected"), "true");
            assert.match(page.url(), new RegExp(`#${one}`));
            await exportAll(page, `${name}, ${one}`);
        }
        await close(page);
    });

test("inner tabs of code and data", async () => {
    const page = await open("spatial");
    for (const outer of ["code", "data"]) {
        await tab(page, outer);
        for (const one of await page.$$eval(`[data-panel="${outer}"] [data-tab]`, (found) => found.map((e) => e.dataset.tab))) {
            await page.click(`[data-panel="${outer}"] [data-tab="${one}"]`);
            await settled(page);
            await check(page, `${outer}, ${one}`);
            await exportAll(page, `${outer}, ${one}`);
        }
    }
    await close(page);
});

test("dark colours, a narrow window, and print", async () => {
    const page = await open("spatial", { colorScheme: "dark" });
    const ground = () =>
        page.evaluate(() => {
            const [r, g, b, alpha = 1] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
            return alpha === 0 ? 3 * 255 : r + g + b;
        });
    assert.ok((await ground()) < 200, "a dark ground");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.waitForTimeout(100); // the page changes its colours then
    assert.ok((await ground()) > 600, "paper is light");
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width: 700, height: 900 });
    for (const one of await page.$$eval("header [data-tab]", (found) => found.map((e) => e.dataset.tab))) {
        await tab(page, one);
        await check(page, `narrow ${one}`);
    }
    await close(page);
});

test("a link shows the same", async () => {
    const page = await open("plate");
    await tab(page, "code");
    await page.click('[data-table="lines"] [data-row="2"]');
    await page.click('[data-chip="0"]');
    await settled(page);
    const shown = (of) => of.evaluate(() => [document.querySelector("main [aria-selected=true][data-row]")?.innerText, document.querySelector("[data-chip][aria-checked=true]").innerText]);
    const want = await shown(page);
    const again = await open("plate", { hash: page.url().split("#")[1] });
    await settled(again);
    assert.deepEqual(await shown(again), want);
    await page.goBack();
    await settled(page);
    assert.notDeepEqual(await shown(page), want, "the back button undoes");
    await close(again);
    await close(page);
});
