// SPDX-License-Identifier: MIT
// Writes sections in columns from plain objects, as docs/formats.md describes them: for tests of the page
// and to look at it without a profile. The inverse of src/data/columns.ts, written apart from it.
import { deflateRawSync } from "node:zlib";

class Writer {
    bytes = [];
    number(value) {
        let n = BigInt.asUintN(64, value);
        do {
            const low = Number(n & 127n);
            n >>= 7n;
            this.bytes.push(n ? low | 128 : low);
        } while (n);
    }
    column(values) {
        let before = 0n;
        for (const value of values) {
            const step = BigInt.asIntN(64, value - before);
            this.number((step << 1n) ^ (step >> 63n));
            before = BigInt.asUintN(64, value);
        }
    }
}

const cell = new DataView(new ArrayBuffer(8));
function bits(field, value) {
    switch (field.t) {
        case "r":
            cell.setFloat64(0, value ?? NaN);
            return cell.getBigUint64(0);
        case "b":
            return value ? 1n : 0n;
        case "e":
            return BigInt(Math.max(0, field.names.indexOf(value)));
        case "x":
            return BigInt(value === undefined || value === null || value < 0 ? 0 : value + 1);
        case "h":
            return BigInt(`0x${value ?? "0"}`);
        default:
            return BigInt(value ?? 0);
    }
}

/** Rows of a list of plain values are the values themselves. */
const rowOf = (fields, value) => (fields.length === 1 && (typeof value !== "object" || value === null) ? { [fields[0].n]: value } : value);

function writeTable(to, fields, rows) {
    for (const field of fields) {
        const values = rows.map((row) => row?.[field.n]);
        if (field.t === "s") {
            const texts = values.map((text) => Buffer.from(text ?? "", "utf8"));
            to.column(texts.map((text) => BigInt(text.length)));
            for (const text of texts) for (const byte of text) to.bytes.push(byte);
        } else if (field.t === "H") {
            to.column(values.map((bins) => BigInt(bins ? bins.length + 1 : 0)));
            for (const at of [0, 1]) to.column(values.flatMap((bins) => (bins ?? []).map((bin) => BigInt(bin[at]))));
        } else if (field.t === "o" || field.t === "M") {
            writeTable(to, field.of, values);
        } else if (field.t === "p" || field.t === "l") {
            const lists = values.map((list) => (field.t === "p" ? (list ? [list] : []) : [...(list ?? [])]));
            if (!field.nc) to.column(lists.map((list) => BigInt(list.length)));
            writeTable(to, field.of, lists.flat().map((row) => rowOf(field.of, row)));
        } else {
            to.column(values.map((value) => bits(field, value)));
        }
    }
}

/** The base64 of a section. */
export function encode(layout, value) {
    const writer = new Writer();
    writeTable(writer, layout, [value]);
    const all = Buffer.from(writer.bytes);
    const parts = [];
    const push32 = (n) => {
        const four = Buffer.alloc(4);
        four.writeUInt32LE(n);
        parts.push(four);
    };
    for (let at = 0; at < all.length; at += 1 << 20) {
        const block = all.subarray(at, at + (1 << 20));
        const stored = deflateRawSync(block, { level: 9 });
        push32(block.length);
        push32(stored.length);
        parts.push(Buffer.alloc(8), stored);
    }
    parts.push(Buffer.alloc(16));
    return Buffer.concat(parts).toString("base64");
}

/** A page from the template, with sections [{name, profile, lane, layout, value}]. */
export function fill(template, title, sections) {
    const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    const index = { format: 1, sections: sections.map(({ name, profile = 0, lane = 0, layout }, id) => ({ id, name, profile, lane, version: 1, layout })) };
    const data = [`<script type="application/json" id="deja-index">${JSON.stringify(index).replace(/</g, "\\u003c")}</script>`];
    sections.forEach(({ layout, value }, id) => data.push(`<script type="application/octet-stream" id="deja-${id}">${encode(layout, value)}</script>`));
    return template.replace("<!--deja:title-->", () => escape(title)).replace("<!--deja:data-->", () => data.join("\n"));
}

// Layouts in short: "a:u b:s list:l{x:u y:r}".
export function layout(text) {
    const tokens = text.match(/[\w.]+:[a-zA-Z]|[{}]|\?/g);
    let at = 0;
    const fields = () => {
        const out = [];
        while (at < tokens.length && tokens[at] !== "}") {
            const [n, t] = tokens[at++].split(":");
            const field = { n, t };
            if (tokens[at] === "{") {
                at++;
                field.of = fields();
                at++;
            }
            out.push(field);
        }
        return out;
    };
    return fields();
}
