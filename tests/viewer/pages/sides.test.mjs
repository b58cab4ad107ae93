// SPDX-License-Identifier: MIT
// Two profiles: phases, sharing, advice and spatial locality before, after, and their difference. What is expected
// comes from the JSON of each profile alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { close, download, open, PAGES, parseCsv, settled } from "../browser.mjs";
import { dejaJson } from "../modules.mjs";

const report = (name) => dejaJson("report", "--json", join(PAGES, `${name}.dejap`));
const rowsOf = async (page, table) => {
    const button = page.locator(`.table:has([data-table="${table}"]) [data-export="csv"]`).first();
    return parseCsv((await download(page, () => button.click())).bytes.toString());
};
const near = (got, want, what) => assert.ok(Math.abs(got - want) <= 1e-9 * Math.max(1, Math.abs(want)), `${what}: ${got}, not ${want}`);
const type = async (page, cache, size) => {
    await page.click(`[data-chip="${cache}"]`);
    await page.fill("[data-size]", size);
    await page.keyboard.press("Enter");
    await settled(page);
};

function checkDifferences(rows, most) {
    for (const row of rows.slice(0, most))
        if (row.Before !== "" && row.After !== "") near(Number(row.Difference), Number(row.After) - Number(row.Before), JSON.stringify(row));
}

test("phases", async () => {
    const page = await open("compare_windows", { hash: "phases" });
    const sides = [report("windows"), report("windows_fixed")];
    // Misses in 2^k blocks of the windows of a phase, from the bins of the windows.
    const missesOf = ({ phases, windows }, phase, k) => {
        let sum = 0;
        for (const s of phases.stretches.filter((one) => one.phase === phase))
            for (const window of windows.rows.slice(s.window, s.window + s.windows)) sum += window.cold + window.bins.slice(k + 1).reduce((a, b) => a + b, 0);
        return sum;
    };
    for (const [size, k] of [["1M", 14], ["256K", 12]]) {
        await type(page, 1, size);
        const rows = await rowsOf(page, "phase-changes");
        checkDifferences(rows, rows.length);
        const pairs = new Map();
        for (const row of rows) {
            const [, ...numbers] = /^phase (\d+) → (?:phase )?(\d+|none)|^none → phase (\d+)$/.exec(row.Phase).map((text, i) => (i && /^\d/.test(text ?? "") ? Number(text) : 0));
            const [before, after] = [numbers[0], numbers[1] || numbers[2]];
            pairs.set(row.Phase, [before, after]);
            [before, after].forEach((phase, side) => {
                const got = row[side ? "After" : "Before"];
                if (!phase) return assert.equal(got, "");
                const json = sides[side].phases.list[phase - 1];
                const whole = sides[side].accesses;
                const misses = missesOf(sides[side], phase, k);
                const want = { accesses: json.accesses, "share of the run": json.accesses / whole, "misses in L2": misses, "miss ratio in L2": misses / json.accesses, "distinct blocks in a window": json.distinct, "best size": json.best_size }[row.Count];
                near(Number(got), want, `${row.Phase}, ${row.Count}`);
            });
        }
        const [few, many] = sides.map((side) => side.phases.list.length).sort((a, b) => a - b);
        const both = [...pairs.values()].filter((pair) => pair[0] && pair[1]);
        assert.deepEqual([both.length, pairs.size], [few, many]);
        for (const at of [0, 1]) assert.deepEqual(both.map((pair) => pair[at]), both.map((pair) => pair[at]).sort((a, b) => a - b), "in order");
    }
    assert.deepEqual(await page.$$eval("main h3", (found) => found.map((e) => e.innerText)), ["Before", "After"]);
    const grid = (name) => page.$$eval(`[data-chart="${name}"] .axes text`, (found) => found.map((e) => e.textContent).filter((text) => /\d/.test(text)));
    assert.deepEqual(await grid("timeline-before"), await grid("timeline-after"), "the axes are the same");
    await close(page);
});

test("a profile does not differ from itself", async () => {
    const page = await open("same", { hash: "phases" });
    for (const row of await rowsOf(page, "phase-changes")) {
        assert.match(row.Phase, /^phase (\d+) → \1$/);
        assert.equal(Number(row.Difference), 0);
    }
    await page.click('[data-tab="advice"]');
    await settled(page);
    const advice = await rowsOf(page, "advice-changes");
    assert.ok(advice.length > 5);
    for (const row of advice) assert.deepEqual([row.Advice, Number(row.Difference)], ["kept", 0]);
    await close(page);
});

test("sharing", async () => {
    const page = await open("compare_counters", { hash: "sharing" });
    const sides = [report("counters"), report("counters_fixed")];
    const beyond = ({ histogram }, blocks) => histogram.reduce((sum, bin) => (bin.lo === bin.hi && bin.lo >= blocks ? sum + bin.count : sum), 0);
    for (const sharer of [-1, 1]) {
        if (sharer >= 0) await page.selectOption('[data-select="sharer"]', String(sharer));
        await type(page, 0, "2K");
        await settled(page);
        const rows = await rowsOf(page, "sharing-changes");
        checkDifferences(rows, rows.length);
        const sum = (side, value) => sides[side].sharers.filter((_, i) => sharer < 0 || i === sharer).reduce((all, one) => all + value(one), 0);
        const counts = { accesses: (s) => s.standalone.accesses, "broken reuses": (s) => s.broken, "misses by true sharing": (s) => s.true_sharing, "misses by false sharing": (s) => s.false_sharing };
        const misses = { "misses alone": "standalone", "misses in one cache for all": "concurrent", "misses in private caches": "private" };
        let checked = 0;
        for (const row of rows) {
            const value = counts[row.Count] ?? (/^L1d/.test(row.Cache) && misses[row.Count] && ((s) => s[misses[row.Count]].cold + beyond(s[misses[row.Count]], 32)));
            if (!value) continue;
            checked++;
            [0, 1].forEach((side) => near(Number(row[side ? "After" : "Before"]), sum(side, value), `${row.Cache} ${row.Count}`));
        }
        assert.equal(checked, 7);
    }
    // The matrix of differences adds up to the difference of false sharing between threads that both runs have.
    await page.selectOption('[data-select="sharer"]', "-1");
    await page.click('[data-choice="change"]');
    const cells = await page.$$eval('[data-chart="pairs"] g[role=img]', (found) => found.map((e) => e.getAttribute("aria-label")));
    const total = cells.reduce((all, text) => all + Number(/: ([+−]?)([\d,]+) misses/.exec(text).slice(1).join("").replace("−", "-").replace(/,/g, "")), 0);
    const all = sides.map((side) => side.sharers.reduce((sum, s) => sum + s.false_sharing, 0));
    assert.equal(total, all[1] - all[0]);
    await close(page);
});

test("advice: gone, new and kept", async () => {
    for (const [name, files, cache] of [["compare", ["plate", "plate_fixed"], "L2"], ["compare_counters", ["counters", "counters_fixed"], ""]]) {
        const page = await open(name, { hash: "advice" });
        const sides = files.map(report);
        const titleOf = (pair) => `${pair.data || "data"}: ${pair.from === pair.to ? pair.to : `${pair.from} → ${pair.to}`}`;
        const rows = await rowsOf(page, "advice-changes");
        checkDifferences(rows, rows.length);
        const count = { gone: 0, new: 0, kept: 0 };
        for (const row of rows) {
            count[row.Advice]++;
            const side = row.Advice === "new" ? 1 : 0;
            const number = Number(row[side ? "After" : "Before"]);
            if (row.Kind === "false sharing") {
                const known = sides[side].false_sharing.filter((one) => `${one.missed} at ${one.missed_at}` === row.Where);
                assert.ok(known.some((one) => one.misses === number), JSON.stringify(row));
            } else if (row.Kind === "temporal" && cache) {
                const known = sides[side].reuse_pairs.filter((pair) => titleOf(pair) === row.Where && pair.advice === row["May help"]);
                assert.ok(known.some((pair) => pair.misses[cache] === number), JSON.stringify(row));
            }
        }
        assert.ok(count.gone > 0 && count.kept > 0, JSON.stringify(count));
        const said = (await page.innerText("main .lead")).match(/\d+/g).map(Number);
        assert.deepEqual(said, [count.gone, count.new, count.kept]);
        if (name === "compare_counters") {
            const worst = rows.find((row) => row.Where === "counters[*].words at counters.c:27 in count");
            assert.deepEqual([worst.Advice, Number(worst.After)], ["gone", 0]);
        }
        await close(page);
    }
});

test("hills", async () => {
    const page = await open("compare", { hash: "inputs" });
    const rows = await rowsOf(page, "hill-changes");
    checkDifferences(rows, rows.length);
    // Reuses of each range of powers of two, from the histograms of deja mrc's profiles.
    const sides = ["plate", "plate_fixed"].map((name) => report(name).histogram);
    const number = (text) => Number(/^[\d.]+/.exec(text)[0]) * { "": 1, K: 1024, M: 1024 ** 2 }[/[KM]?$/.exec(text)[0]];
    let both = 0;
    for (const row of rows.filter((one) => one.Count === "reuses")) {
        const ranges = row.Distances.includes("→") ? row.Distances.split(" → ") : [row.Distances, row.Distances];
        ranges.forEach((range, side) => {
            const got = row[side ? "After" : "Before"];
            if (range === "none") return assert.equal(got, "");
            const [lo, hi = lo] = range.split("–").map(number);
            const end = hi >= 1024 ? hi : hi + 1; // "4K–8K" ends below 8K
            const want = sides[side].reduce((sum, bin) => sum + (bin.lo >= lo && bin.hi < end ? bin.count : 0), 0);
            near(Number(got), want, `${range}, ${side}`);
        });
        both += row.Before !== "" && row.After !== "";
    }
    assert.ok(both >= 2, `${both} hills correspond`);
    await close(page);
});

test("spatial locality", async () => {
    const page = await open("compare_spatial", { hash: "spatial" });
    const sides = [report("spatial"), report("spatial_fixed")];
    const rows = await rowsOf(page, "score-changes");
    checkDifferences(rows, rows.length);
    let checked = 0;
    for (const row of rows) {
        const block = Number(/^(\d+) →/.exec(row["Block size"])[1]);
        const pairs = sides.map((side) => side.spatial.pairs.find((pair) => pair.block === block));
        const long = (pair) => pair.map.slice(9); // from 256 blocks on
        const sum = (lists) => lists.flat().reduce((a, b) => a + b, 0);
        const effective = (pair) => long(pair).reduce((all, list, i) => all + list.slice(0, i + 9 - 2).reduce((a, b) => a + b, 0), 0);
        const want = { score: (pair) => pair.score, "score of long reuses": (pair) => (2 * effective(pair)) / sum(long(pair)), "share of long reuses": (pair) => sum(long(pair)) / pair.reuses }[row.Count];
        if (!want) continue;
        checked++;
        pairs.forEach((pair, side) => near(Number(row[side ? "After" : "Before"]), want(pair), `${row["Block size"]}, ${row.Count}`));
    }
    assert.equal(checked, 6);
    // The line that example was made for: it has no poor reuses any more.
    const ranked = await rowsOf(page, "ranking-changes");
    const first = ranked.reduce((most, row) => (Math.abs(row.Difference) > Math.abs(most.Difference) ? row : most));
    assert.match(first.Line, /in move/);
    assert.ok(Number(first.Before) > 300000 && Number(first.After) < 1000, JSON.stringify(first));
    await close(page);
});
