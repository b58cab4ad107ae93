// SPDX-License-Identifier: MIT
// Modules of the page, for Node; and pages without a browser.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const { DEJA, SOURCES, FOLDER, MODULES } = process.env;
export const require = createRequire(join(MODULES, "x.js"));

/** Bundles one or several modules below viewer/src, such as "model/tally.ts", and imports all that they export. */
export async function load(name, ...paths) {
    const out = join(FOLDER, "bundles", `${name}-${process.pid}.mjs`);
    const source = paths.map((path) => `export * from ${JSON.stringify(join(SOURCES, "viewer/src", path))};`);
    await require("esbuild").build({
        stdin: { contents: source.join("\n"), resolveDir: SOURCES, loader: "ts" },
        nodePaths: [MODULES],
        bundle: true,
        format: "esm",
        platform: "node",
        outfile: out,
        logLevel: "warning",
        jsx: "automatic",
        jsxImportSource: "preact",
    });
    return import(pathToFileURL(out));
}

/** Runs deja; the text that it prints. */
export function deja(...args) {
    return execFileSync(DEJA, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
}

export const dejaJson = (...args) => JSON.parse(deja(...args));

/** The elements of a page that hold data, as a document for data/index.ts. */
export function openPage(path) {
    const html = readFileSync(path, "utf8");
    const elements = new Map();
    for (const [, id, text] of html.matchAll(/<script type="application\/[a-z-]+" id="(deja-[a-z0-9]+)">([^<]*)<\/script>/g))
        elements.set(id, { textContent: text });
    globalThis.document = { getElementById: (id) => elements.get(id) ?? null };
    return { html, index: JSON.parse(elements.get("deja-index").textContent) };
}

/** A generator of random numbers that is the same everywhere. */
export function random(seed) {
    let state = seed >>> 0;
    return (below) => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) % below;
    };
}
