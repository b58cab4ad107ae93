// SPDX-License-Identifier: MIT
// Rows of two profiles that correspond, by the numbers that C gave them.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "../modules.mjs";

const { paired, pairedBy } = await load("match", "model/match.ts");
const row = (name, match) => ({ name, match });
const names = (pairs) => pairs.map(({ before, after }) => [before?.name ?? "", after?.name ?? ""]);

test("rows with one number correspond, in order", () => {
    assert.deepEqual(names(paired([row("a", 3), row("b", 1), row("c", 7)], [row("x", 1), row("y", 9), row("z", 3)])), [["a", "z"], ["b", "x"], ["c", ""], ["", "y"]]);
    assert.deepEqual(names(paired([row("a", 2), row("b", 2), row("c", 2)], [row("x", 2), row("y", 2)])), [["a", "x"], ["b", "y"], ["c", ""]]);
    assert.deepEqual(names(paired([row("a", -1)], [row("x", -1)])), [["a", ""], ["", "x"]], "-1 is no number");
});

test("pairs of indexes", () => {
    assert.deepEqual(names(pairedBy([{ before: 1, after: 0 }], [row("a"), row("b")], [row("x"), row("y")])), [["a", ""], ["b", "x"], ["", "y"]]);
});
