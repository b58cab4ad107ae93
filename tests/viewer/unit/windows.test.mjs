// SPDX-License-Identifier: MIT
// The page of a long run: many windows and stretches, of which it has fewer, and exact sums.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { deja, dejaJson, FOLDER, load, openPage, random } from "../modules.mjs";

const page = await load("windows", "data/index.ts", "tabs/phases-page.ts");
const skip = existsSync(join(FOLDER, "pages", "done")) ? false : "no pages";
const LONG = 40, STRETCH = 600, STRETCHES = 1500; // accesses of a window and of a stretch

const total = (lists) => {
    const sum = [];
    for (const list of lists) list.forEach((n, i) => (sum[i] = (sum[i] ?? 0) + n));
    while (sum.length && !sum[sum.length - 1]) sum.pop();
    return sum;
};

test("many windows", { skip }, async () => {
    const folder = join(FOLDER, "windows");
    mkdirSync(folder, { recursive: true });
    const below = random(7);
    // Turns of a loop over few keys, and of random keys.
    const keys = BigUint64Array.from({ length: STRETCH * STRETCHES }, (_, i) => BigInt(Math.floor(i / STRETCH) % 2 ? 1000 + below(3000) : i % 8));
    writeFileSync(join(folder, "t.u64le"), Buffer.from(keys.buffer));
    const [profile, html] = [join(folder, "t.dejap"), join(folder, "t.html")];
    deja("analyze", "--windows", String(LONG), "-o", profile, join(folder, "t.u64le"));
    deja("view", "--no-open", "-o", html, profile);
    const { windows, phases } = dejaJson("report", "--json", profile);
    assert.equal(windows.rows.length, (STRETCH * STRETCHES) / LONG);
    openPage(html);
    page.loadIndex();
    const shown = (await page.section("windows", { lane: 1 })).rows.toArray();
    const found = await page.section("phases");
    const each = found.joined;
    assert.ok(each > 1 && shown.length <= 4096, `${shown.length} windows of ${each}`);
    assert.equal(shown.length, Math.ceil(windows.rows.length / each));
    shown.forEach((row, i) => {
        const part = windows.rows.slice(i * each, (i + 1) * each);
        assert.equal(row.first, part[0].first);
        for (const key of ["accesses", "cold"]) assert.equal(row[key], part.reduce((sum, one) => sum + one[key], 0));
        assert.equal(row.distinct, Math.round(part.reduce((sum, one) => sum + one.distinct, 0) / part.length));
        assert.deepEqual(total([[...row.bins]]), total(part.map((one) => one.bins)));
    });
    const stretches = found.stretches.toArray();
    assert.ok(phases.stretches.length > 1000, `${phases.stretches.length} stretches`);
    assert.ok(stretches.length <= 1000);
    assert.equal(stretches.length + found.rest.rows, phases.stretches.length);
    for (const key of ["accesses", "cold", "windows"])
        assert.equal(stretches.reduce((sum, one) => sum + one[key], found.rest[key]), phases.stretches.reduce((sum, one) => sum + one[key], 0), key);
    for (const phase of found.list) {
        const mine = phases.stretches.filter((one) => one.phase === phase.phase).flatMap((one) => windows.rows.slice(one.window, one.window + one.windows));
        assert.deepEqual(total([[...phase.bins]]), total(mine.map((one) => one.bins)), `phase ${phase.phase}`);
        for (const k of [0, 3, 9]) assert.equal(page.phaseMisses(phase, 2 ** k).misses.value, mine.reduce((sum, one) => sum + one.cold + one.bins.slice(k + 1).reduce((a, b) => a + b, 0), 0));
    }
    assert.ok(statSync(html).size < 700_000, `${statSync(html).size} bytes`);
});
