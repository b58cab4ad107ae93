// SPDX-License-Identifier: MIT
// The order of tables against a plain stable sort, and search against plain loops.
import assert from "node:assert/strict";
import test from "node:test";
import { load, random } from "../modules.mjs";

const { matching, order } = await load("rank", "ui/rank.ts");

function plainOrder(values, chosen, descending) {
    const last = (value) => value === "" || Number.isNaN(value);
    return [...chosen].sort((a, b) => {
        const [x, y] = [values[a], values[b]].map((value) => (typeof value === "string" ? value.toLowerCase() : value));
        if (last(x) || last(y)) return last(x) && last(y) ? a - b : last(x) ? 1 : -1;
        return x === y ? a - b : (x < y ? -1 : 1) * (descending ? -1 : 1);
    });
}

test("numbers and texts in both directions", () => {
    for (let seed = 1; seed <= 60; seed++) {
        const next = random(seed), count = next(200);
        const values = Array.from({ length: count }, () => {
            if (seed % 2) return next(10) === 0 ? NaN : (next(100) - 50) / (1 + next(3));
            return next(8) === 0 ? "" : String.fromCharCode(65 + next(6), 97 + next(4));
        });
        const chosen = Uint32Array.from(values.keys()).filter(() => next(5) > 0);
        for (const descending of [false, true])
            assert.deepEqual([...order(values, chosen, (value) => value, descending)], plainOrder(values, chosen, descending), `seed ${seed}`);
    }
});

test("search", () => {
    const texts = ["main.c:12 kernel", "kernel<T>", "heap a (main.c:3)", "", "ΜΥ main"].map((text) => text.toLowerCase());
    const found = (query) => [...matching(texts.length, (i) => texts[i], query)];
    assert.deepEqual(found(""), [0, 1, 2, 3, 4]);
    assert.deepEqual(found("MAIN"), [0, 2, 4]);
    assert.deepEqual(found("  main  c:3 "), [2]);
    assert.deepEqual(found("<t>"), [1]);
    assert.deepEqual(found("nothing"), []);
});
