// SPDX-License-Identifier: MIT
// 150 sharers: a page lists some of them, and the exact sum of the others.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { deja, dejaJson, FOLDER, load, openPage } from "../modules.mjs";

const page = await load("many", "data/index.ts", "tabs/sharing-model.ts");
const skip = existsSync(join(FOLDER, "pages", "done")) ? false : "no pages";
const COUNT = 150;

test("many sharers", { skip }, async () => {
    const folder = join(FOLDER, "many");
    mkdirSync(folder, { recursive: true });
    const traces = Array.from({ length: COUNT }, (_, i) => {
        const path = join(folder, `t${i}.u64le`);
        // Trace i goes through 5 + i keys three times; every third one through keys that others use.
        const keys = Array.from({ length: 3 * (5 + i) }, (_, k) => BigInt((i % 3 ? 1000 * i : 0) + (k % (5 + i))));
        writeFileSync(path, Buffer.from(BigUint64Array.from(keys).buffer));
        return path;
    });
    const profile = join(folder, "all.dejap");
    deja("concurrent", "-o", profile, ...traces);
    deja("view", "--no-open", "-o", join(folder, "all.html"), profile);
    const want = dejaJson("report", "--json", profile).sharers;
    assert.equal(want.length, COUNT);
    openPage(join(folder, "all.html"));
    page.loadIndex();
    assert.equal((await page.section("view")).sharers, COUNT);
    const got = (await page.section("sharing")).sharers.toArray();
    assert.ok(got.length <= 64, `${got.length} sharers`);
    const left = want.filter((one) => !got.some((other) => other.name === one.name));
    assert.equal(got.at(-1).name, `${left.length} more`);
    const least = Math.min(...got.slice(0, -1).map((one) => one.standalone.accesses));
    assert.ok(left.every((one) => one.standalone.accesses <= least), "those with fewer accesses are left out");
    const sum = (list, value) => list.reduce((all, one) => all + value(one), 0);
    for (const key of ["blocks", "shared", "shared_accesses", "broken", "found", "stretched"]) assert.equal(got.at(-1)[key], sum(left, (one) => one[key]), key);
    // Three passes: in n blocks, a loop over more keys always misses, any other only once for each key.
    for (const blocks of [1, 20, 60, 110, 200])
        for (const [name, list] of [["all", got], ["rest", got.slice(-1)]]) {
            const of = (i) => (5 + i > blocks ? 3 * (5 + i) : 5 + i);
            const indexes = name === "all" ? Array.from({ length: COUNT }, (_, i) => i) : left.map((one) => Number(/t(\d+)/.exec(one.name)[1]));
            assert.equal(sum(list, (one) => page.curveOf(one.standalone).misses(blocks)), sum(indexes.map(of), (n) => n), `${name} at ${blocks}`);
        }
});
