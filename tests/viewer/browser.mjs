// SPDX-License-Identifier: MIT
// Pages in headless Chromium. Every page that is opened here is watched: the test fails on an error in the
// console, a request, or a violation of the Content-Security-Policy.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { FOLDER, require } from "./modules.mjs";

const { chromium } = require("playwright-core");
const asRoot = process.getuid?.() === 0;
let browser;

export const PAGES = join(FOLDER, "pages");
export const has = (name) => existsSync(join(PAGES, `${name}.html`));

/** A factor for times under a sanitizer or on a busy machine. */
export const PATIENCE = Number(process.env.DEJA_TEST_PATIENCE ?? 1);

async function start() {
    browser ??= await chromium.launch({
        executablePath: process.env.CHROMIUM,
        headless: true,
        args: [...(asRoot ? ["--no-sandbox"] : []), "--disable-dev-shm-usage", "--disable-lcd-text"],
    });
    return browser;
}

after(async () => {
    await browser?.close();
});

/** Opens a page by its name in the folder of pages, or its path; `hash` is what follows #. */
export async function open(name, { hash = "", ready = true, ...options } = {}) {
    const context = await (await start()).newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    const seen = [];
    page.setDefaultTimeout(20000 * PATIENCE);
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => seen.push(`exception: ${error.stack ?? error}`));
    page.on("dialog", (dialog) => {
        seen.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("popup", () => seen.push("a window was opened"));
    page.on("request", (request) => {
        const url = request.url();
        if (!request.isNavigationRequest() && !/^(data|blob):/.test(url)) seen.push(`request: ${url.slice(0, 200)}`);
    });
    await page.addInitScript(() => {
        window.violations = [];
        document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
    });
    const url = pathToFileURL(name.includes("/") ? name : join(PAGES, `${name}.html`)).href + (hash ? `#${hash}` : "");
    await page.goto(options.url ?? url);
    if (ready) await page.waitForSelector("html[data-ready]", { state: "attached" });
    page.seen = seen;
    return page;
}

/** Fails if anything happened that must not; closes the page. */
export async function close(page) {
    const violations = await page.evaluate(() => [...window.violations, ...(document.documentElement.dataset.error ? [`caught: ${document.documentElement.dataset.error}`] : [])]);
    assert.deepEqual([...page.seen, ...violations.map((one) => `policy or error: ${one}`)], []);
    await page.context().close();
}

/** The data of an attribute of all elements that have it. */
export const all = (page, attribute) =>
    page.$$eval(`[data-${attribute}]`, (elements, key) => elements.map((element) => element.getAttribute(`data-${key}`)), attribute);

export async function tab(page, name) {
    await page.click(`[data-tab="${name}"]`);
    await page.waitForSelector(`[data-panel="${name}"]`);
    await settled(page);
}

/** The memory of the processes that draw pages, in bytes: their private pages and their part of shared ones. */
export function rendererMemory() {
    const parents = new Map(), renderers = [];
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
        try {
            parents.set(pid, readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")[1]);
            if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) renderers.push(pid);
        } catch {
            // it has ended
        }
    const ours = (pid) => pid !== undefined && (Number(pid) === process.pid || ours(parents.get(pid)));
    return renderers.filter(ours).reduce((sum, pid) => sum + 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0), 0);
}

/** Until nothing has been drawn for two frames and no text says that it is loading. */
export const settled = (page) =>
    page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(!document.querySelector(".loading, [aria-busy=true]"))))));

export async function download(page, action) {
    const [file] = await Promise.all([page.waitForEvent("download"), action()]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

/** The cells of a CSV file. */
export function csvCells(text) {
    const rows = [];
    let cell = "", row = [], quoted = false;
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quoted && c === '"' && text[i + 1] === '"') (cell += c), i++;
        else if (c === '"') quoted = !quoted;
        else if (!quoted && c === ",") row.push(cell), (cell = "");
        else if (!quoted && (c === "\n" || c === "\r")) {
            if (c === "\r" && text[i + 1] === "\n") i++;
            rows.push([...row, cell]);
            (row = []), (cell = "");
        } else cell += c;
    }
    if (cell || row.length) rows.push([...row, cell]);
    return rows;
}

/** The rows of a CSV file, as objects by the titles of the columns. */
export function parseCsv(text) {
    const [titles, ...rest] = csvCells(text);
    return rest.map((cells) => Object.fromEntries(titles.map((title, i) => [title, cells[i]])));
}

/** The exact value of a headline number, and whether it is marked as exact. */
export async function number(page, name) {
    const found = await page.waitForSelector(`[data-number="${name}"]`);
    return { value: Number(await found.getAttribute("data-value")), exact: (await found.getAttribute("data-exact")) !== "false", text: await found.innerText() };
}
