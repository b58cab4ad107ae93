// SPDX-License-Identifier: MIT
// A made-up profile, to look at the page during development:
//   node fixture.mjs TEMPLATE OUT [ROWS]
import { readFileSync, writeFileSync } from "node:fs";
import { fill, layout } from "./encode.mjs";

const [template, out, rowsText = "60"] = process.argv.slice(2);
const ROWS = Number(rowsText);
let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const upTo = (n) => Math.floor(random() * n);

const edges = [];
for (let i = 0; i < 256; i++) edges.push(i < 16 ? i : 2 ** (Math.floor(i / 8) + 2) + (i % 8) * 2 ** (Math.floor(i / 8) - 1));
const caches = [["L1d", 512], ["L2", 32768], ["L3", 524288]].map(([name, blocks]) => ({ name, blocks, bytes: blocks * 64 }));

function tally(accesses) {
    const first = 4 + upTo(60), count = 10 + upTo(110);
    const weights = Array.from({ length: count }, (_, i) => Math.exp(-(((i - count * 0.8) / 6) ** 2)) + 4 * Math.exp(-(((i - 3) / 3) ** 2)));
    const total = weights.reduce((a, b) => a + b, 0);
    const bins = weights.map((w) => Math.round((0.98 * accesses * w) / total));
    const cold = Math.round(accesses * 0.02);
    const reuses = bins.reduce((a, b) => a + b, 0);
    const sum = bins.reduce((a, n, i) => a + n * edges[first + i], 0);
    return { accesses: reuses + cold, cold, writes: upTo(accesses), sum, min: edges[first], max: edges[first + count - 1] + 1, first, bins };
}
const TALLY = "accesses:u cold:u writes:u sum:u min:u max:u first:u bins:l{number:u}";
const ROW = `name:s path:s file:x line:u last_line:u function:s module:s kind:s type:s bytes:u blocks:u parent:x depth:u iterations:u calls:u object:x element:s
    tally:o{${TALLY}} inclusive:p{${TALLY}} distinct:u distinct_known:b distinct_exact:b
    spatial:l{block:u reuses:u effective:u long_reuses:u long_effective:u}
    usage:p{steps:u grain:u fetched:u used:u strides:l{stride:i count:u}} ranges:l{low:u high:u}
    sharing:p{broken:u shortened:u}`;
const PLACES = layout(`rows:l{${ROW}} rest:p{rows:u tally:o{${TALLY}}} total:o{${TALLY}}`);

const text = readFileSync(new URL("../src/data/reader.ts", import.meta.url), "utf8");
const c = `// smooths a plate\n#include <stdio.h>\n\n` + Array.from({ length: 90 }, (_, i) => (i % 6 ? `    next[i][${i}] = 0.25 * (now[i - 1][j] + now[i + 1][j]); /* ${i} */` : `static void step_${i}(double (*next)[N], const double (*now)[N]) {`)).join("\n");
const files = [["plate.c", c], ["<img src=x onerror=alert(1)>.f90", "program x\n  ! <script>alert(1)</script>\n  do i = 1, n\n    a(i) = b(i)\n  end do\nend program\n"], ["missing.c", ""], ["reader.cpp", text]]
    .map(([path, body]) => ({ path: `/home/dev/${path}`, shown: body !== "", lines: body.split("\n").length, text: body, reason: body ? "" : "the file is not there any more" }));

function place(i, kind, more = {}) {
    const t = tally(Math.round(4e8 / (i + 1) ** 1.2) + 50);
    const reuses = t.accesses - t.cold, far = Math.round(reuses * random() * 0.4);
    return { name: `${kind}${i}`, path: `${kind}${i}`, file: i % 4, line: 4 + (i % 80), last_line: 9 + (i % 80), function: `step_${i % 9}`, module: "plate", kind: "heap", type: "double",
        bytes: 8 << (i % 20), blocks: 1 + (i % 3), parent: -1, tally: t, inclusive: t, distinct: 1000 * i, distinct_known: true, distinct_exact: i % 2 === 0, calls: 10 * i, iterations: 100 * i,
        spatial: [64, 128].map((block) => ({ block, reuses, effective: Math.round(reuses * 0.4), long_reuses: far, long_effective: Math.round(far * random() * 0.6) })),
        usage: { steps: 1e6, grain: 8, fetched: 1e5 + i, used: Math.round(64e5 * random()), strides: [{ stride: 8, count: 9e5 }, { stride: -4096, count: 1e5 }] }, ...more };
}
function places(kind, count, more = () => ({})) {
    const rows = Array.from({ length: count }, (_, i) => place(i, kind, more(i)));
    return { rows, rest: { rows: 17, tally: tally(12345) }, total: tally(2e9) };
}
const bins = [];
for (let d = 0; d < 400; d++) bins.push([d * d * 13 + (d % 7), Math.round(1e7 * Math.exp(-(((d - 180) / 30) ** 2)) + 3e7 / (d + 1))]);
const cold = 4194304, accesses = bins.reduce((a, b) => a + b[1], 0) + cold;
const EVIL = '<img src=x onerror="document.title=1">';
const sections = [
    { name: "view", layout: layout("title:s command:s program:s sentences:l{text:s} marks:l{text:s} facts:l{label:s value:s} unit:s block_bytes:u caches:l{name:s bytes:u blocks:u} edges:l{number:u} pair_from:u sort_cut:u effective:l{lo:u hi:u share:r size:u ratio:r} hills:l{lo:u hi:u reuses:u share:r name:s} curve:l{size:u low:r high:r} certified:b cost:l{name:s cycles:u}"),
      value: { title: "plate", command: `deja run -- ./plate 1024 100 ${EVIL}`, program: "./plate", sentences: ["44% of all accesses miss in L2 (2 MiB), because step_0 walks plate.c:7 in columns.", "Interchanging its loops would bring its reuses from 1.2M blocks to 3."], marks: [], facts: [{ label: "Engine", value: "fast, exact" }, { label: "Accesses", value: "2.1 billion, all measured" }, { label: "Version", value: "0.9.0" }],
               unit: "block", block_bytes: 64, caches, edges, pair_from: 512, sort_cut: 1, effective: [{ lo: 2048, hi: 4095, share: 0.3, size: 4096, ratio: 0.31 }, { lo: 262144, hi: 524287, share: 0.2, size: 600000, ratio: 0.05 }], hills: [], curve: [], certified: false, cost: [] } },
    { name: "lane", lane: 1, layout: layout("block_bytes:u filter:s partition:s sampling:r accesses:u distinct:u cold:u distance:M{count:u min:u max:u mean:r median:r std:r}"), value: { block_bytes: 64, accesses, distinct: 4194304, cold, distance: { count: accesses - cold, min: 0, max: 2e6, mean: 31234.5, median: 812, std: 1e5 } } },
    { name: "histogram", lane: 1, layout: layout("binned:b histogram:H"), value: { binned: false, histogram: bins } },
    { name: "functions", layout: PLACES, value: places("step_", Math.min(ROWS, 40)) },
    { name: "loops", layout: PLACES, value: places("loop ", Math.min(ROWS, 50), (i) => ({ parent: i % 3 ? i - 1 : -1, depth: 1 + (i % 3) })) },
    { name: "lines", layout: PLACES, value: places("plate.c:", ROWS, (i) => (i === 3 ? { name: EVIL } : {})) },
    { name: "contexts", layout: PLACES, value: places("step_", ROWS, (i) => ({ parent: i === 0 ? -1 : Math.floor((i - 1) / 3), name: i ? `step_${i}` : "main" })) },
    { name: "objects", layout: PLACES, value: places("plate", Math.min(ROWS, 30), (i) => (i === 2 ? { name: EVIL } : {})) },
    { name: "fields", layout: PLACES, value: places("plate", 12, (i) => ({ object: i % 4, element: `.field${i}` })) },
    { name: "touches", layout: layout(`rows:l{object:x field:x line:x tally:o{${TALLY}}} rest:p{rows:u tally:o{${TALLY}}}`), value: { rows: Array.from({ length: 80 }, (_, i) => ({ object: i % 7, field: i % 12, line: i % ROWS, tally: tally(1e6 / (i + 1)) })), rest: null } },
    { name: "files", layout: layout("rows:l{path:s shown:b lines:u text:s reason:s}"), value: { rows: files } },
    { name: "reuses", layout: layout(`rows:l{from:s to:s from_file:x from_line:u to_file:x to_line:u object:x from_object:s data:s loop:s next_iteration:b advice:s text:s tally:o{${TALLY}}} rest:p{rows:u tally:o{${TALLY}}}`),
      value: { rows: Array.from({ length: 40 }, (_, i) => ({ from: `plate.c:${4 + i}`, to: `plate.c:${6 + ((i * 7) % 60)}`, from_file: 0, from_line: 4 + i, to_file: 0, to_line: 6 + ((i * 7) % 60), object: 1, from_object: "", data: "plate[i][j]", loop: "plate.c:9", next_iteration: true, advice: "interchange", text: "Interchange the loops at plate.c:9 and plate.c:10.", tally: tally(1e7 / (i + 1)) })), rest: null } },
    { name: "elements", layout: layout("rows:l{object:x bytes:u slice_bytes:u accesses:l{number:u} cold:l{number:u} long:l{number:u} writes:l{number:u}}"),
      value: { rows: [0, 1].map((object) => ({ object, bytes: 8388608, slice_bytes: 8192, accesses: Array.from({ length: 1024 }, (_, i) => Math.round(1e5 * (1 + Math.sin(i / 40)))), cold: Array(1024).fill(128), long: Array.from({ length: 1024 }, (_, i) => (i > 600 ? i * 30 : 10)), writes: Array(1024).fill(5000) })) } },
];
writeFileSync(out, fill(readFileSync(template, "utf8"), "plate", sections));
