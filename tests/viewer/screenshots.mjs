// SPDX-License-Identifier: MIT
// The pictures of pages in README.md and docs: docs/view-NAME.png. Look at them before you commit them.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { close, open, settled, tab } from "./browser.mjs";
import { SOURCES } from "./modules.mjs";

const MOST = 150_000;
const docs = process.argv[2] ?? join(SOURCES, "docs");
const row = (page, table, text) => page.locator(`[data-table="${table}"] [data-row]`).filter({ hasText: text }).first().click();

const SHOTS = {
    overview: ["plate", async (page) => tab(page, "overview")],
    code: ["plate", async (page) => (await tab(page, "code"), await row(page, "lines", "plate.c:28"))],
    data: ["plate", async (page) => (await tab(page, "data"), await row(page, "objects", "sensors"))],
    spatial: ["spatial", async (page) => tab(page, "spatial")],
    sharing: ["counters", async (page) => tab(page, "sharing")],
    phases: ["windows", async (page) => tab(page, "phases")],
    compare: ["compare", async (page) => tab(page, "compare")],
};

mkdirSync(docs, { recursive: true });
let tooLarge = 0;
for (const [name, [profile, act, options = {}]] of Object.entries(SHOTS)) {
    const page = await open(profile, { viewport: { width: 1160, height: 680 }, reducedMotion: "reduce", ...options });
    await act(page);
    await settled(page);
    await page.evaluate(() => document.activeElement?.blur());
    await page.mouse.move(1, 670);
    await settled(page);
    const path = join(docs, `view-${name}.png`);
    writeFileSync(path, await page.screenshot());
    const { size } = statSync(path);
    console.log(`${path}: ${size} bytes`);
    tooLarge += size > MOST;
    await close(page);
}
if (tooLarge) console.error(`${tooLarge} pictures have more than ${MOST} bytes`);
process.exit(tooLarge ? 1 : 0); // no test runner closes the browser
