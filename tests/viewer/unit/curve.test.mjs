// SPDX-License-Identifier: MIT
// Curves from the histograms in pages against `deja mrc` on random traces, at edges and between them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { deja, dejaJson, load, openPage, random } from "../modules.mjs";

const folder = mkdtempSync(join(tmpdir(), "deja-viewer-"));
after(() => rmSync(folder, { recursive: true }));
const page = await load("curve", "model/curve.ts", "data/index.ts", "profile.ts");

const TRACES = [
    ["zipf", "-k", "3000", "-n", "60000"], ["uniform", "-k", "700", "-n", "20000"], ["loop", "-k", "1000", "-s", "9"],
    ["walk", "-k", "5000", "-n", "50000"], ["stencil", "-k", "4000", "-s", "3"], ["hotcold", "-k", "2000", "-n", "30000"],
];

async function whole(path) {
    openPage(path);
    page.loadIndex();
    const [lane] = page.lanesWith("lane");
    const row = await page.section("lane", { lane });
    const bins = await page.section("histogram", { lane });
    return { row, bins, curve: new page.Curve(bins.histogram, row.cold, row.accesses) };
}

TRACES.forEach((trace, number) =>
    test(trace.join(" "), async () => {
        const [file, saved, html] = ["trace.u64le", "profile.dejap", "page.html"].map((name) => join(folder, `${number}-${name}`));
        deja("gen", ...trace, "--seed", String(number), "-o", file);
        deja("analyze", "-o", saved, file);
        deja("view", "--no-open", "-o", html, saved);
        const { row, curve } = await whole(html);
        const next = random(number + 1);
        const sizes = [...new Set([1, 2, 3, 64, curve.longest, curve.longest + 1, ...Array.from({ length: 150 }, () => 1 + next(6000))])]
            .filter((size) => size > 0).sort((a, b) => a - b);
        const want = dejaJson("mrc", "--json", "--sizes", sizes.join(","), saved);
        assert.deepEqual([row.accesses, row.cold, row.distinct], [want.accesses, want.cold, want.distinct]);
        const at = new Map(want.points.map((point) => [point.size, point]));
        for (const size of sizes) {
            assert.ok(at.has(size), `deja mrc has no size ${size}`);
            assert.equal(curve.misses(size), at.get(size).misses, `misses at ${size}`);
            assert.equal(curve.ratio(size), at.get(size).ratio, `ratio at ${size}`);
        }
        const all = page.logBins(curve, 2).reduce((sum, bin) => sum + bin.count, 0);
        assert.equal(all, row.accesses - row.cold, "bins of the histogram");
    }),
);
