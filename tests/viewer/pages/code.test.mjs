// SPDX-License-Identifier: MIT
// The tab Code: clicking a line shows its source, with the numbers of `deja report`; search, order and export.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { close, csvCells, download, open, PAGES, parseCsv, settled, tab } from "../browser.mjs";
import { deja, dejaJson } from "../modules.mjs";

const report = dejaJson("report", "--json", "--by", "all", join(PAGES, "plate.dejap"));
const source = readFileSync(join(PAGES, "plate.c"), "utf8").split("\n");
const rowOf = (page, table, name) => page.locator(`[data-table="${table}"] [data-row]`).filter({ hasText: name }).first();
const csvOf = async (page) => parseCsv((await download(page, () => page.click('main [data-export="csv"]:visible'))).bytes.toString());

test("clicking a line shows its source", async () => {
    const page = await open("plate", { hash: "code" });
    for (const line of [28, 48, 21]) {
        await rowOf(page, "lines", `plate.c:${line}`).click();
        const shown = page.locator(`[data-source$="plate.c"] [data-line="${line}"]`);
        await shown.waitFor();
        assert.equal(await shown.getAttribute("aria-selected"), "true");
        assert.equal((await shown.locator(".code").innerText()).trimEnd(), source[line - 1].trimEnd());
        const box = await shown.boundingBox();
        assert.ok(box.y > 0 && box.y < 900, `line ${line} is in view`);
    }
    const numbers = await page.$$eval("[data-source] [data-line]", (lines) => lines.map((e) => [Number(e.dataset.line), e.querySelector(".code").innerText]));
    for (const [line, text] of numbers) assert.equal(text.trimEnd(), source[line - 1].trimEnd(), `line ${line}`);
    await close(page);
});

test("lines, functions and loops have the numbers of the report", async () => {
    const page = await open("plate", { hash: "code" });
    for (const [sub, list] of [["lines", "lines"], ["functions", "functions"], ["loops", "loops"]]) {
        await page.click(`[data-panel="code"] [data-tab="${sub}"]`);
        await settled(page);
        const rows = await csvOf(page);
        assert.ok(rows.length > 5, `${sub}: ${rows.length} rows`);
        for (const [i, cache] of ["L1d", "L2", "L3"].entries()) {
            await page.click(`[data-chip="${i}"]`);
            await settled(page);
            const title = (await page.innerText('main [data-column="misses"]')).replace(/[▾▴≈ ]*$/, "").trim();
            let checked = 0;
            for (const row of await csvOf(page)) {
                const [name, accesses] = [Object.values(row)[0].replace(/^'/, "").trim(), Number(row.Accesses)];
                const same = report[list].filter((one) => one.name.endsWith(name) && one.accesses === accesses);
                if (!same.length) continue; // shortened, or the rest
                assert.ok(same.some((one) => one.misses[cache] === Number(row[title])), `${sub}: ${name}: ${row[title]} misses in ${cache}`);
                checked++;
            }
            assert.ok(checked >= Math.min(10, rows.length - 1), `${sub}: ${checked} of ${rows.length} rows compared`);
        }
    }
    await close(page);
});

test("rows and the last row of a table add up to the run", async () => {
    const page = await open("plate", { hash: "code" });
    const { accesses, cold } = report;
    let cut = 0;
    for (const sub of ["lines", "threads"]) {
        await page.click(`[data-panel="code"] [data-tab="${sub}"]`);
        await settled(page);
        const rows = await csvOf(page);
        assert.equal(rows.reduce((sum, row) => sum + Number(row.Accesses), 0), accesses, `${sub}: accesses`);
        assert.equal(rows.reduce((sum, row) => sum + Number(row.Cold), 0), cold, `${sub}: cold`);
        cut += rows.filter((row) => /^[\d,]+ more rows?$/.test(Object.values(row)[0])).length;
    }
    assert.ok(cut > 0, "no table was cut");
    await close(page);
});

test("order and search", async () => {
    const page = await open("plate", { hash: "code" });
    const column = (key) => csvOf(page).then((rows) => rows.filter((row) => row.Accesses && !/[^\d.]/.test(row.Accesses)).map((row) => Number(row[key])));
    for (const descending of [true, false]) {
        await page.click('[data-table="lines"] [data-column="accesses"]');
        await settled(page);
        const got = (await column("Accesses")).slice(0, -1);
        assert.deepEqual(got, [...got].sort((a, b) => (descending ? b - a : a - b)));
        assert.equal(await page.getAttribute('[data-table="lines"] [role=columnheader]:has([data-column="accesses"])', "aria-sort"), descending ? "descending" : "ascending");
    }
    await page.fill("main [data-search]", "plate.c");
    await settled(page);
    const names = await page.$$eval('[data-table="lines"] [data-row]:not(.rest)', (rows) => rows.map((e) => e.innerText));
    const want = report.lines.filter((line) => line.name.includes("plate.c:"));
    assert.ok(names.length > 0 && names.length <= want.length && names.every((name) => name.includes("plate.c")), names.join());
    await page.fill("main [data-search]", "no such line");
    await settled(page);
    assert.equal(await page.locator('[data-table="lines"] [data-row]:not(.rest)').count(), 0);
    await close(page);
});

test("callers and flame graph", async () => {
    const page = await open("plate", { hash: "code" });
    await page.click('[data-tab="contexts"]');
    await settled(page);
    await page.locator("main [role=grid]").first().focus();
    const rows = () => page.locator("main [role=grid] [data-row]:not(.rest)").count();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft"); // closes the thread, and with it everything
    await settled(page);
    const closed = await rows();
    await page.keyboard.press("ArrowRight");
    for (let i = 0; i < 12; i++) await page.keyboard.press(i % 2 ? "ArrowRight" : "ArrowDown");
    await settled(page);
    assert.ok((await rows()) > closed, "rows of the tree open");
    // gcc inlines cool into main: what its lines do is in a node of its own.
    const cool = report.lines.filter((line) => /^plate\.c:(2[5-9]|3[01])$/.test(line.name)).reduce((sum, line) => sum + line.accesses, 0);
    assert.match(await page.innerText("main"), new RegExp(`main\\s[^]*cool\\s*inlined[^]*${(cool / 1e6).toFixed(1)}M`));
    await page.click('[data-tab="flame"]');
    await settled(page);
    assert.ok((await page.locator("main svg").count()) > 0);
    assert.match(await page.innerText("main"), /main/);
    await close(page);
});

test("a page without sources says so", async () => {
    const page = await open("nosource", { hash: "code" });
    await rowOf(page, "lines", "plate.c:28").click();
    await settled(page);
    const text = await page.innerText("main");
    assert.match(text, /--no-source|left out|not inside/);
    assert.ok(!(await page.content()).includes("cooler[i][j]"), "no source text");
    assert.ok(!readFileSync(join(PAGES, "nosource.html"), "utf8").includes("cooler[i]"));
    await close(page);
});

// Folded stacks name inlined functions, too; their weights are counted apart from the page.
test("inlined functions have nodes in the tree of callers", async () => {
    const page = await open("plate", { hash: "code?.sub=contexts&.weight=accesses" });
    await page.getByRole("button", { name: "Open all" }).click();
    await settled(page);
    const file = await download(page, () => page.locator('.table:has([data-table="contexts"]) [data-export="csv"]').click());
    const own = new Map(), all = new Map();
    for (const line of deja("report", "--export", "folded", "--weight", "accesses", join(PAGES, "plate.dejap")).trim().split("\n")) {
        const [, stack, weight] = /^(.*) (\d+)$/.exec(line);
        const frames = stack.split(";").map((name) => name.replace(/_\[i\]$/, " (inlined)"));
        own.set(frames.join(";"), (own.get(frames.join(";")) ?? 0) + Number(weight));
        frames.forEach((_, i) => all.set(frames.slice(0, i + 1).join(";"), (all.get(frames.slice(0, i + 1).join(";")) ?? 0) + Number(weight)));
    }
    const path = [], gotOwn = new Map(), gotAll = new Map(), times = new Map();
    for (const row of csvCells(file.bytes.toString()).slice(1)) {
        const [, indent, name] = /^( *)(.*)$/.exec(row[0]);
        if (/more rows?$/.test(name)) continue;
        path.length = indent.length / 2;
        path.push(name);
        const key = path.join(";");
        times.set(key, (times.get(key) ?? 0) + 1);
        gotAll.set(key, (gotAll.get(key) ?? 0) + Number(row[1]));
        gotOwn.set(key, (gotOwn.get(key) ?? 0) + Number(row[2]));
    }
    let inlined = 0;
    for (const [key, value] of gotAll) {
        // Of several contexts with one name, some nodes may not be listed.
        const context = key.replace(/;[^;]* \(inlined\).*$/, "");
        if (context === key || gotAll.get(context) !== all.get(context) || times.get(context) > 1) continue;
        inlined++;
        assert.equal(value, all.get(key), `${key}, with callees`);
        // Small nodes are not listed: what they do is their parent's own.
        let want = own.get(key) ?? 0;
        for (const [other, weight] of all) if (other.startsWith(`${key};`) && !other.slice(key.length + 1).includes(";") && !gotAll.has(other)) want += weight;
        assert.equal(gotOwn.get(key), want, `${key}, its own`);
    }
    assert.ok(inlined >= 20, `${inlined} inlined functions`);
    await page.click('[data-tab="flame"]');
    await settled(page);
    assert.ok((await page.locator(".flame .block.inlined").count()) > 0, "the flame graph shows some");
    await close(page);
});
