// SPDX-License-Identifier: MIT
// Classes of blocks of 60 sharers: more than the 53 bits of a JavaScript number.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { deja, FOLDER, load, openPage } from "../modules.mjs";

const page = await load("sharers", "data/index.ts", "tabs/sharing-model.ts");
const skip = existsSync(join(FOLDER, "pages", "done")) ? false : "no pages";
const COUNT = 60;

// Each accesses a key of its own and one of all; the last two also one that no other has.
const keysOf = (i) => [1000 + i, 7, ...(i >= COUNT - 2 ? [9] : []), 1000 + i];

test("classes of 60 sharers", { skip }, async () => {
    const folder = join(FOLDER, "sharers");
    mkdirSync(folder, { recursive: true });
    const traces = Array.from({ length: COUNT }, (_, i) => {
        const path = join(folder, `t${i}.u64le`);
        writeFileSync(path, Buffer.from(BigUint64Array.from(keysOf(i), BigInt).buffer));
        return path;
    });
    const profile = join(folder, "all.dejap");
    deja("concurrent", "-o", profile, ...traces);
    deja("view", "--no-open", "-o", join(folder, "all.html"), profile);
    openPage(join(folder, "all.html"));
    page.loadIndex();
    const sharing = await page.section("sharing");
    const members = page.classMembers(sharing);
    const found = new Map(members.map((list, i) => [list.join(), sharing.sharing_classes.at(i).blocks]));
    const everyone = Array.from({ length: COUNT }, (_, i) => i);
    assert.equal(found.get(everyone.join()), 1, "one block of all");
    assert.equal(found.get(`${COUNT - 2},${COUNT - 1}`), 1, "one block of the last two");
    for (const i of everyone) assert.equal(found.get(String(i)), 1, `one block of sharer ${i} alone`);
    assert.equal(found.size, COUNT + 2);
    assert.equal(page.commonBlocks(sharing, COUNT - 2, COUNT - 1), 2);
    assert.equal(page.commonBlocks(sharing, 0, COUNT - 1), 1);
});
