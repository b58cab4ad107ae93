// SPDX-License-Identifier: MIT
// Mutates a Deja stream: its header, its frames as units, the headers of frames, their tables of sections,
// and the sections before compression. Checksums are corrected by the target.
#include "fuzz/mutate.h"

#include "base/little_endian.h"
#include "trace/stream/format.h"

#include <stdlib.h>
#include <zstd.h>

enum { FRAMES_MOST = 512, PLAIN_MOST = 1 << 20 };

typedef struct frame {
    const uint8_t *data; // header and payload
    size_t bytes;
} frame;

typedef struct stream {
    size_t header_bytes;
    frame frames[FRAMES_MOST];
    size_t count;
} stream;

static bool parse(const uint8_t *data, size_t bytes, stream *out)
{
    if (bytes < DJ_STREAM_HEADER_BYTES)
        return false;
    size_t at = out->header_bytes = dj_read_le32(data + 12);
    if (at < DJ_STREAM_HEADER_BYTES || at > bytes)
        return false;
    out->count = 0;
    while (out->count < FRAMES_MOST && bytes - at >= DJ_FRAME_HEADER_BYTES) {
        size_t payload = dj_read_le32(data + at + 8), rest = bytes - at - DJ_FRAME_HEADER_BYTES;
        payload = payload < rest ? payload : rest;
        out->frames[out->count++] = (frame){data + at, DJ_FRAME_HEADER_BYTES + payload};
        at += DJ_FRAME_HEADER_BYTES + payload;
    }
    return out->count > 0;
}

static void put_frames(fuzz_bytes *out, const frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fuzz_put(out, frames[i].data, frames[i].bytes);
}

// Lets frames of accesses continue each other and the end contain the right totals.
static void settle(fuzz_bytes *of)
{
    static stream s;
    uint64_t accesses = 0, events = 0;
    if (!parse(of->data, of->count, &s))
        return;
    for (size_t i = 0; i < s.count; i++) {
        uint8_t *header = of->data + (s.frames[i].data - of->data);
        uint8_t *totals = header + DJ_FRAME_HEADER_BYTES + DJ_SECTION_BYTES;
        if (header[4] == DJ_FRAME_ACCESSES || header[4] == DJ_FRAME_EVENTS)
            dj_write_le64(header + 24, accesses);
        if (header[4] == DJ_FRAME_ACCESSES)
            accesses += dj_read_le32(header + 12);
        if (header[4] == DJ_FRAME_EVENTS)
            events += dj_read_le32(header + 12);
        if (header[4] == DJ_FRAME_END && s.frames[i].bytes >= DJ_FRAME_HEADER_BYTES + DJ_SECTION_BYTES + 16) {
            dj_write_le64(totals, accesses);
            dj_write_le64(totals + 8, events);
        }
    }
}

// The frames in another order: one repeated, dropped, moved, or exchanged with another.
static void rearrange(const uint8_t *data, const stream *s, dj_random *random, fuzz_bytes *out)
{
    enum { REPEAT, DROP, SWAP, MOVE, KINDS };
    size_t a = dj_random_below(random, s->count), b = dj_random_below(random, s->count);
    uint64_t kind = dj_random_below(random, KINDS);
    size_t times = kind == REPEAT ? (size_t)1 << dj_random_below(random, 5) : 1;
    fuzz_put(out, data, s->header_bytes);
    for (size_t i = 0; i < s->count; i++) {
        if (kind == MOVE && i == b)
            put_frames(out, &s->frames[a], 1);
        if ((kind == DROP || kind == MOVE) && i == a)
            continue;
        size_t from = kind == SWAP && i == a ? b : kind == SWAP && i == b ? a : i;
        for (size_t k = 0; k < (i == a ? times : 1); k++)
            put_frames(out, &s->frames[from], 1);
    }
}

// A number at a random place of `bytes` bytes, in the width that is likely there.
static void change_number(uint8_t *at, const uint8_t *places, size_t count, dj_random *random)
{
    const uint8_t *place = places + 2 * dj_random_below(random, count);
    uint8_t number[8];
    dj_write_le64(number, fuzz_number(random));
    memcpy(at + place[0], number, place[1]);
}

static void change_header(uint8_t *header, size_t bytes, dj_random *random)
{
    static const uint8_t places[][2] = {{8, 2},  {10, 2}, {16, 1}, {17, 1}, {20, 4}, {20, 1},
                                        {24, 8}, {32, 8}, {40, 4}, {44, 4}, {48, 8}};
    if (bytes > DJ_STREAM_HEADER_BYTES && dj_random_below(random, 3) == 0)
        header[DJ_STREAM_HEADER_BYTES + dj_random_below(random, bytes - DJ_STREAM_HEADER_BYTES)] =
            (uint8_t)fuzz_number(random);
    else
        change_number(header, places[0], sizeof places / sizeof *places, random);
}

static void change_frame_header(uint8_t *header, dj_random *random)
{
    static const uint8_t places[][2] = {{4, 1}, {4, 1}, {5, 1}, {6, 2}, {12, 4}, {16, 4}, {16, 1}, {24, 8}};
    change_number(header, places[0], sizeof places / sizeof *places, random);
    if (dj_random_below(random, 4) == 0)
        header[4] = (uint8_t)(1 + dj_random_below(random, DJ_FRAME_END));
}

// The content of a section, before compression; false if it has none.
static bool load_section(const frame *f, const dj_frame_section *s, size_t at, fuzz_bytes *out)
{
    static uint8_t plain[PLAIN_MOST];
    if (s->stored_bytes > f->bytes - at)
        return false;
    if (s->compression == DJ_COMPRESSION_NONE) {
        fuzz_put(out, f->data + at, s->stored_bytes);
        return true;
    }
    size_t bytes = ZSTD_decompress(plain, sizeof plain, f->data + at, s->stored_bytes);
    if (ZSTD_isError(bytes))
        return false;
    fuzz_put(out, plain, bytes);
    return true;
}

static void store_section(dj_frame_section *s, const fuzz_bytes *plain, bool compress, fuzz_bytes *out)
{
    size_t before = out->count, most = ZSTD_compressBound(plain->count);
    s->plain_bytes = s->stored_bytes = (uint32_t)plain->count;
    s->compression = compress ? DJ_COMPRESSION_ZSTD : DJ_COMPRESSION_NONE;
    if (!compress) {
        fuzz_put(out, plain->data, plain->count);
        return;
    }
    uint8_t *stored = malloc(most);
    if (!stored)
        abort();
    fuzz_put(out, stored, ZSTD_compress(stored, most, plain->data, plain->count, 1));
    s->stored_bytes = (uint32_t)(out->count - before);
    free(stored);
}

static void change_section(dj_frame_section *s, dj_random *random)
{
    uint8_t value = (uint8_t)fuzz_number(random);
    switch (dj_random_below(random, 6)) {
    case 0:
        s->field = (uint8_t)dj_random_below(random, DJ_FRAME_FIELD_COUNT + 1);
        break;
    case 1:
        s->part = (uint8_t)dj_random_below(random, 9);
        break;
    case 2:
        s->coding = (uint8_t)dj_random_below(random, 4);
        break;
    case 3:
        s->compression = value;
        break;
    case 4:
        s->plain_bytes = (uint32_t)fuzz_number(random);
        break;
    default:
        s->stored_bytes = (uint32_t)fuzz_number(random);
        break;
    }
}

// Writes a frame again, with one section changed, repeated, dropped, or its content mutated.
static void change_frame(const frame *f, dj_random *random, fuzz_bytes *out)
{
    enum { ENTRY, REPEAT, DROP, CONTENT };
    unsigned count = dj_read_le16(f->data + 6);
    size_t at = DJ_FRAME_HEADER_BYTES + (size_t)count * DJ_SECTION_BYTES;
    if (count == 0 || at > f->bytes) {
        fuzz_put(out, f->data, f->bytes);
        return;
    }
    unsigned chosen = (unsigned)dj_random_below(random, count), written = 0;
    uint64_t kind = dj_random_below(random, 8);
    fuzz_bytes table = {0}, content = {0};
    for (unsigned i = 0; i < count; i++) {
        dj_frame_section s;
        dj_frame_section_unpack(f->data + DJ_FRAME_HEADER_BYTES + (size_t)i * DJ_SECTION_BYTES, &s);
        fuzz_bytes plain = {0};
        bool known = load_section(f, &s, at, &plain), here = i == chosen;
        at += s.stored_bytes < f->bytes - at ? s.stored_bytes : f->bytes - at;
        if (known && here && kind >= CONTENT)
            fuzz_mutate_bytes(&plain);
        for (unsigned times = here && kind == REPEAT ? 2 : here && kind == DROP ? 0 : 1; times > 0; times--) {
            uint8_t entry[DJ_SECTION_BYTES];
            if (known)
                store_section(&s, &plain, s.compression != DJ_COMPRESSION_NONE && plain.count, &content);
            if (here && kind == ENTRY)
                change_section(&s, random);
            dj_frame_section_pack(&s, entry);
            fuzz_put(&table, entry, sizeof entry);
            written++;
        }
        free(plain.data);
    }
    size_t header = out->count;
    fuzz_put(out, f->data, DJ_FRAME_HEADER_BYTES);
    fuzz_put(out, table.data, table.count);
    fuzz_put(out, content.data, content.count);
    dj_write_le16(out->data + header + 6, (uint16_t)written);
    dj_write_le32(out->data + header + 8, (uint32_t)(table.count + content.count));
    free(table.data);
    free(content.data);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
    enum { HEADER, FRAME_HEADER, ARRANGE, ARRANGE_MORE, SECTION, SECTION_MORE, BYTES, KINDS };
    static stream s;
    dj_random random;
    fuzz_bytes out = {0};
    dj_random_seed(&random, seed);
    uint64_t kind = dj_random_below(&random, KINDS);
    if (kind == BYTES || !parse(data, bytes, &s))
        return LLVMFuzzerMutate(data, bytes, most);
    size_t chosen = dj_random_below(&random, s.count);
    if (kind == ARRANGE || kind == ARRANGE_MORE) {
        rearrange(data, &s, &random, &out);
    } else {
        fuzz_put(&out, data, s.header_bytes);
        if (kind == HEADER)
            change_header(out.data, s.header_bytes, &random);
        put_frames(&out, s.frames, chosen);
        size_t at = out.count;
        if (kind == SECTION || kind == SECTION_MORE)
            change_frame(&s.frames[chosen], &random, &out);
        else
            put_frames(&out, &s.frames[chosen], 1);
        if (kind == FRAME_HEADER)
            change_frame_header(out.data + at, &random);
        put_frames(&out, s.frames + chosen + 1, s.count - chosen - 1);
    }
    if (dj_random_below(&random, 4))
        settle(&out);
    return fuzz_take(&out, data, bytes, most);
}

// Some frames of `a`, some of `b`, then the rest of `a`.
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes,
                                 uint8_t *out, size_t most, unsigned seed)
{
    static stream first, second;
    dj_random random;
    fuzz_bytes both = {0};
    dj_random_seed(&random, seed);
    if (!parse(a, a_bytes, &first) || !parse(b, b_bytes, &second))
        return 0;
    size_t at = dj_random_below(&random, first.count + 1), from = dj_random_below(&random, second.count);
    fuzz_put(&both, a, first.header_bytes);
    dj_write_le32(both.data + 20, dj_read_le32(a + 20) | dj_read_le32(b + 20));
    put_frames(&both, first.frames, at);
    put_frames(&both, second.frames + from, dj_random_below(&random, second.count - from) + 1);
    put_frames(&both, first.frames + at, first.count - at);
    settle(&both);
    if (both.count > most) {
        free(both.data);
        return 0;
    }
    return fuzz_take(&both, out, 0, most);
}
