// SPDX-License-Identifier: MIT
// The sections of pages, decoded, against the JSON of the same profiles; and what a cut left out.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { dejaJson, FOLDER, load, openPage } from "../modules.mjs";

const page = await load("sections", "data/index.ts", "data/columns.ts", "model/tally.ts");
const PAGES = join(FOLDER, "pages");
const skip = existsSync(join(PAGES, "done")) ? false : "no pages";
const LISTS = ["objects", "functions", "loops", "lines", "contexts", "threads"];

async function open(name) {
    const { index } = openPage(join(PAGES, `${name}.html`));
    page.loadIndex();
    return index;
}

const plain = (value) =>
    value && typeof value === "object" && typeof value.toArray === "function" ? value.toArray().map(plain)
    : ArrayBuffer.isView(value) ? [...value] : value;

for (const name of ["plate", "spatial", "counters", "trace", "sampled", "compare", "windows"])
    test(`all sections of ${name}`, { skip }, async () => {
        const index = await open(name);
        assert.ok(index.sections.length > 3);
        for (const { name: section, profile, lane } of index.sections) {
            const value = await page.section(section, { profile, lane });
            assert.equal(typeof value, "object", section);
            JSON.stringify(value, (_, part) => plain(part)); // every row and cell can be read
        }
    });

for (const name of ["plate", "spatial"])
    test(`tables of ${name} against its JSON`, { skip }, async () => {
        await open(name);
        const want = dejaJson("report", "--json", "--by", "all", join(PAGES, `${name}.dejap`));
        const view = await page.section("view");
        const cuts = view.caches.toArray();
        assert.deepEqual([want.accesses, want.cold], [(await page.section("lane", { lane: 1 })).accesses, (await page.section("lane", { lane: 1 })).cold]);
        for (const list of LISTS) {
            const { rows, rest, total } = await page.section(list);
            const known = new Map();
            for (const row of want[list]) known.set(row.name, [...(known.get(row.name) ?? []), row]);
            for (const row of rows) {
                const got = cuts.map((cut) => page.misses(row.tally, view.edges, cut.blocks));
                assert.ok(got.every(({ exact }) => exact), `${list}: ${row.name}: misses at caches are exact`);
                const same = (one) =>
                    one.accesses === row.tally.accesses && one.cold === row.tally.cold && cuts.every((cut, i) => one.misses[cut.name] === got[i].value);
                assert.ok((known.get(row.name) ?? []).some(same), `${list}: ${row.name}, ${row.tally.accesses} accesses, ${got.map(({ value }) => value)} misses`);
            }
            assert.equal(rows.length + (rest?.rows ?? 0), want[list].length, `${list}: rows and rest`);
            if (list === "contexts") continue; // those of callers contain those of callees
            const all = page.sum([...rows].map((row) => row.tally).concat(rest ? [rest.tally] : []));
            for (const key of ["accesses", "cold", "writes", "sum", "max"])
                if (!["functions", "loops"].includes(list)) assert.equal(all[key], total[key], `${list}: ${key} of rows and rest`);
        }
    });

test("element maps against the JSON", { skip }, async () => {
    await open("plate");
    const want = dejaJson("report", "--json", "--by", "object", join(PAGES, "plate.dejap"));
    const objects = (await page.section("objects")).rows;
    const elements = await page.section("elements");
    assert.ok(elements.rows.length >= 3);
    const of = new Map(want.elements.maps.map((map) => [want.attribution.objects[map.object][0], map]));
    for (const map of elements.rows.toArray().slice(0, 3)) {
        const same = of.get(objects.at(map.object).name);
        assert.ok(same, objects.at(map.object).name);
        assert.equal(map.slice_bytes, same.segment_bytes);
        ["accesses", "cold", "long", "writes"].forEach((key, i) =>
            assert.deepEqual([...map[key]], same.segments.map((cells) => cells[i]), `${objects.at(map.object).name}: ${key}`));
    }
});
