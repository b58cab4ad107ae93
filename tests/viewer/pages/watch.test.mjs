// SPDX-License-Identifier: MIT
// That the watch over pages (browser.mjs) works: each thing that must not happen fails a test.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { close, open, PAGES } from "../browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "deja-viewer-"));
after(() => rmSync(folder, { recursive: true }));
const html = readFileSync(join(PAGES, "trace.html"), "utf8");

const CASES = {
    "a request": [html.replace("</body>", '<img src="x.png"></body>'), /request|policy/],
    "a script": [html.replace("</body>", "<script>window.pwned = 1</script></body>"), /policy|console/],
    "a handler": [html.replace("</body>", '<img src="data:," onerror="window.pwned = 1"></body>'), /policy|console/],
    "a style": [html.replace("</body>", '<p style="color: red">x</p></body>'), /policy|console/],
    "a changed script": [html.replace(/(id="deja-script">.{40})/, "$1AAAA"), /./],
};
for (const [name, [text, why]] of Object.entries(CASES))
    test(name, async () => {
        assert.notEqual(text, html);
        const path = join(folder, `${name.replace(/ /g, "-")}.html`);
        writeFileSync(path, text);
        const page = await open(path, { ready: false });
        await page.waitForTimeout(500);
        assert.equal(await page.evaluate(() => window.pwned), undefined);
        await assert.rejects(close(page), why);
    });

test("an exception, a message and a dialog", async () => {
    for (const act of [() => setTimeout(() => { throw new Error("x"); }), () => console.error("x"), () => setTimeout(() => alert("x"))]) {
        const page = await open("trace");
        await page.evaluate(act);
        await page.waitForTimeout(200);
        await assert.rejects(close(page));
    }
});
