// SPDX-License-Identifier: MIT
// Bundles the page into one file, which src/view fills with a title and the data of a profile.
//   node build.mjs [--modules NODE_MODULES] [--metafile FILE] [OUT]      OUT: viewer.html
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { deflateRawSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const LICENCES = "DEJA-LICENCES-GO-HERE"; // known only when the bundle is

function fail(why) {
    console.error(`build.mjs: ${why}`);
    process.exit(1);
}

/** The packages of which the bundle contains code, as NODE_MODULES/NAME. */
function bundledPackages(metafile) {
    const folders = new Set();
    for (const output of Object.values(metafile.outputs))
        for (const [path, input] of Object.entries(output.inputs)) {
            const found = input.bytesInOutput > 0 && /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path);
            if (found) folders.add(resolve(here, found[0]));
        }
    return [...folders].sort();
}

/** The licence of each package, with its name and version above. */
function licenceTexts(folders) {
    return folders
        .map((folder) => {
            const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
            const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|$)/i.test(name));
            if (!file) fail(`${about.name} has no licence file in ${folder}`);
            const text = readFileSync(join(folder, file), "utf8").replace(/\r\n?/g, "\n").trim();
            return `${about.name} ${about.version} (${about.license})\n\n${text}\n`;
        })
        .join("\n\n");
}

/** A JavaScript string that is also safe inside <script>. */
const quote = (text) => JSON.stringify(text).replace(/</g, "\\u003c");

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

/** Text that ends <script> or <style> early, or a carriage return, which HTML changes, would break page or hash. */
function checkInline(kind, text) {
    const found = new RegExp(`</${kind}|<!--|<script|\r`, "i").exec(text);
    if (found) fail(`the ${kind} contains ${JSON.stringify(found[0])}: …${text.slice(Math.max(0, found.index - 60), found.index + 20)}…`);
}

const pack = (text) => deflateRawSync(Buffer.from(text, "utf8"), { level: 9 }).toString("base64");

function page(script, loader, style) {
    checkInline("script", script);
    checkInline("script", loader);
    checkInline("style", style);
    const policy = [
        "default-src 'none'",
        `script-src ${hash(loader)} ${hash(script)}`,
        `style-src ${hash(style)}`,
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    ].join("; ");
    // The empty icon keeps browsers from asking a server for one.
    const parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        '<link rel="icon" href="data:,">',
        "<title><!--deja:title--></title>",
        `<style>${style}</style>`,
        "</head>",
        "<body>",
        '<div id="app"></div>',
        "<noscript>This page needs JavaScript. It works without a network.</noscript>",
        "<!--deja:data-->",
        `<script type="application/octet-stream" id="deja-script">${pack(script)}</script>`,
        `<script>${loader}</script>`,
        "</body>",
        "</html>",
        "",
    ];
    const html = parts.join("\n");
    for (const mark of ["<!--deja:title-->", "<!--deja:data-->"])
        if (html.split(mark).length !== 2) fail(`the page must contain ${mark} once`);
    return html;
}

const { values, positionals } = parseArgs({
    options: { modules: { type: "string" }, metafile: { type: "string" } },
    allowPositionals: true,
});
const modules = resolve(values.modules ?? join(here, "node_modules"));
const out = resolve(positionals[0] ?? "viewer.html");
if (!existsSync(join(modules, "esbuild"))) fail(`no esbuild in ${modules}; run npm ci in the folder above it`);
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

const common = {
    absWorkingDir: here,
    nodePaths: [modules],
    bundle: true,
    minify: true,
    charset: "utf8",
    format: "iife",
    target: "es2020",
    legalComments: "none", // the complete texts are in the page
    outdir: "out",
    write: false,
    metafile: true,
    logLevel: "warning",
};
const result = await esbuild.build({
    ...common,
    entryPoints: ["src/main.tsx"],
    tsconfig: join(here, "tsconfig.json"),
    jsx: "automatic",
    jsxImportSource: "preact",
    define: {
        "process.env.NODE_ENV": '"production"',
        global: "window", // where Prism's languages look for Prism
        DEJA_LICENCES: quote(LICENCES),
    },
    // Prism must not start on its own.
    banner: { js: "window.Prism={manual:true,disableWorkerMessageHandler:true};" },
});
const loading = await esbuild.build({ ...common, entryPoints: ["loader.js"] });
const loader = loading.outputFiles[0].text.trimEnd();
const file = (end) => result.outputFiles.find((output) => output.path.endsWith(end))?.text.trimEnd() ?? "";
const outputs = { ...result.metafile.outputs, ...loading.metafile.outputs };
const licences = licenceTexts(bundledPackages({ outputs }));
const pieces = file(".js").split(new RegExp(`(["'\`])${LICENCES}\\1`));
if (pieces.length !== 3) fail("the script must show DEJA_LICENCES in one place");
const script = pieces[0] + quote(licences) + pieces[2];
const html = page(script, loader, file(".css"));
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, html);
if (values.metafile) writeFileSync(values.metafile, JSON.stringify(result.metafile));
console.error(`${out}: ${Buffer.byteLength(html)} bytes`);
