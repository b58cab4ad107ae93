// SPDX-License-Identifier: MIT
// The arithmetic of tallies against dj_tally_misses, dj_tally_moments and dj_tally_add, on random tallies; and what
// is said to be exact against the distances themselves.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { load } from "../modules.mjs";

const CASES = 300;
const { edgeAt, mean, median, misses, sum, binsOf } = await load("tally", "model/tally.ts");
const cases = JSON.parse(execFileSync(process.env.VIEWER_MODELS, ["1", String(CASES)], { maxBuffer: 1 << 28 }));

const near = (got, want, what) => assert.ok(Math.abs(got - want) <= 1e-9 * Math.max(1, Math.abs(want)), `${what}: ${got}, expected ${want}`);
const typed = (tally) => ({ ...tally, bins: Float64Array.from(tally.bins) });

function check(tally, edges, what) {
    const ours = typed(tally);
    near(mean(ours), tally.mean, `${what}: mean`);
    near(median(ours, edges), tally.median, `${what}: median`);
    for (const { size, misses: want } of tally.misses) near(misses(ours, edges, size).value, want, `${what}: misses at ${size}`);
    assert.equal(binsOf(ours, edges).reduce((all, bin) => all + bin.count, 0), tally.accesses - tally.cold);
}

test("tallies of one part", () => {
    let exact = 0, interpolated = 0;
    cases.forEach(({ edges, tallies }, number) => {
        const list = Float64Array.from(edges);
        tallies.forEach((tally, i) => {
            check(tally, list, `case ${number}, tally ${i}`);
            for (const { size } of tally.misses) {
                const got = misses(typed(tally), list, size);
                const missed = tally.cold + tally.distances.filter((distance) => distance >= size).length;
                if (edges.includes(size)) assert.ok(got.exact, `case ${number}: at the edge ${size}`);
                if (got.exact) assert.equal(got.value, missed, `case ${number}, tally ${i}: exact at ${size}`);
                exact += got.exact;
                interpolated += !got.exact;
            }
        });
    });
    assert.ok(exact > 1000 && interpolated > 1000, `${exact} exact, ${interpolated} interpolated`);
});

test("sums of tallies", () => {
    cases.forEach(({ edges, tallies, sum: want }, number) => {
        const got = sum(tallies.map(typed));
        for (const key of ["accesses", "cold", "writes", "sum", "max"]) assert.equal(got[key], want[key], `case ${number}: ${key}`);
        if (want.accesses > want.cold) assert.equal(got.min, want.min, `case ${number}: min`);
        for (const { size, misses: missed } of want.misses)
            near(misses(got, Float64Array.from(edges), size).value, missed, `case ${number}: misses of the sum at ${size}`);
    });
});

test("the edge at a size", () => {
    for (const { edges } of cases)
        for (const size of [0, 1, ...edges, edges[edges.length - 1] + 1, 7, 100]) {
            const want = edges.findIndex((edge) => edge >= size);
            assert.equal(edgeAt(Float64Array.from(edges), size), want < 0 ? edges.length : want);
        }
});
