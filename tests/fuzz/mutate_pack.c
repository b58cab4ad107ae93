// SPDX-License-Identifier: MIT
#include "fuzz/mutate_pack.h"

#include "base/little_endian.h"
#include "pipeline/parts/summary_file.h"
#include "profile/columns_file.h"

#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

enum { BLOCK_HEAD_BYTES = 16, BLOCK_PLAIN_MOST = 1 << 20, SECTIONS_MOST = 256 };

static uint64_t checksum(const uint8_t *stored, uint64_t stored_bytes, uint64_t plain_bytes, uint32_t block)
{
    return XXH3_64bits_withSeed(stored, stored_bytes, plain_bytes << 32 | block);
}

size_t fuzz_fix_blocks(uint8_t *data, size_t bytes)
{
    size_t at = 0;
    for (uint32_t block = 0; bytes - at >= BLOCK_HEAD_BYTES; block++) {
        uint8_t *head = data + at;
        uint64_t plain = dj_read_le32(head), stored = dj_read_le32(head + 4);
        if (stored > bytes - at - BLOCK_HEAD_BYTES)
            break;
        dj_write_le64(head + 8, checksum(head + BLOCK_HEAD_BYTES, stored, plain, block));
        at += BLOCK_HEAD_BYTES + stored;
    }
    return at;
}

void fuzz_unpack(const uint8_t *blocks, size_t bytes, fuzz_bytes *plain)
{
    static uint8_t content[BLOCK_PLAIN_MOST];
    for (size_t at = 0; bytes - at >= BLOCK_HEAD_BYTES;) {
        size_t stored = dj_read_le32(blocks + at + 4);
        at += BLOCK_HEAD_BYTES;
        if (stored > bytes - at)
            return;
        size_t frame = stored ? ZSTD_findFrameCompressedSize(blocks + at, stored) : 0;
        size_t got =
            frame && !ZSTD_isError(frame) ? ZSTD_decompress(content, sizeof content, blocks + at, frame) : 0;
        if (!ZSTD_isError(got))
            fuzz_put(plain, content, got);
        at += stored;
    }
}

static void put_block(fuzz_bytes *out, const uint8_t *plain, size_t bytes, unsigned ratio, uint32_t block)
{
    uint8_t head[BLOCK_HEAD_BYTES];
    size_t least = ratio ? (bytes + ratio - 1) / ratio : 0, most = ZSTD_compressBound(bytes) + least;
    uint8_t *stored = calloc(1, most);
    if (!stored)
        abort();
    size_t used = bytes ? ZSTD_compress(stored, most, plain, bytes, 1) : 0;
    used = used < least ? least : used;
    dj_write_le32(head, (uint32_t)bytes);
    dj_write_le32(head + 4, (uint32_t)used);
    dj_write_le64(head + 8, checksum(stored, used, bytes, block));
    fuzz_put(out, head, sizeof head);
    fuzz_put(out, stored, used);
    free(stored);
}

void fuzz_pack(const fuzz_bytes *plain, size_t block, unsigned ratio, fuzz_bytes *out)
{
    uint32_t count = 0;
    for (size_t at = 0; at < plain->count; at += block)
        put_block(out, plain->data + at, plain->count - at < block ? plain->count - at : block, ratio,
                  count++);
    put_block(out, NULL, 0, ratio, count);
}

// Blocks with mutated numbers, in one block or in several.
static void repack(const uint8_t *blocks, size_t bytes, unsigned ratio, dj_random *random, fuzz_bytes *out)
{
    fuzz_bytes plain = {0};
    fuzz_unpack(blocks, bytes, &plain);
    for (uint64_t times = 1 + dj_random_below(random, 3); times > 0; times--)
        fuzz_mutate_numbers(&plain, random);
    fuzz_pack(&plain, dj_random_below(random, 4) ? BLOCK_PLAIN_MOST : 64, ratio, out);
    free(plain.data);
}

size_t fuzz_mutate_summary(uint8_t *data, size_t bytes, size_t most, dj_random *random)
{
    fuzz_bytes out = {0};
    if (bytes < DJ_SUMMARY_HEAD_BYTES || dj_random_below(random, 8) == 0)
        return LLVMFuzzerMutate(data, bytes, most);
    fuzz_put(&out, data, DJ_SUMMARY_HEAD_BYTES);
    repack(data + DJ_SUMMARY_HEAD_BYTES, bytes - DJ_SUMMARY_HEAD_BYTES, 0, random, &out);
    return fuzz_take(&out, data, bytes, most);
}

typedef struct section {
    const uint8_t *head, *payload;
    size_t head_bytes, bytes; // head_bytes: with name and checksum
} section;

static size_t parse(const uint8_t *data, size_t bytes, section *out)
{
    size_t count = 0, at = DJ_COLUMNS_FILE_BYTES;
    while (at < bytes && count < SECTIONS_MOST && bytes - at >= DJ_COLUMNS_HEAD_BYTES + 8) {
        section s = {.head = data + at};
        s.head_bytes = DJ_COLUMNS_HEAD_BYTES + (size_t)dj_read_le16(s.head + 6) + 8;
        if (s.head_bytes > bytes - at)
            break;
        at += s.head_bytes;
        uint64_t payload = dj_read_le64(s.head + 20);
        s.payload = data + at;
        s.bytes = payload < bytes - at ? (size_t)payload : bytes - at;
        at += s.bytes;
        out[count++] = s;
    }
    return count;
}

static void put_section(fuzz_bytes *out, const section *s)
{
    fuzz_put(out, s->head, s->head_bytes);
    fuzz_put(out, s->payload, s->bytes);
}

static void change_head(uint8_t *head, dj_random *random)
{
    static const uint8_t places[][2] = {{4, 2}, {8, 4}, {8, 1}, {12, 4}, {12, 1}, {16, 4}, {20, 8}};
    const uint8_t *place = places[dj_random_below(random, sizeof places / sizeof *places)];
    uint8_t number[8];
    dj_write_le64(number, fuzz_number(random));
    memcpy(head + place[0], number, place[1]);
}

// A section changed, repeated, dropped, exchanged with another, or its content mutated.
size_t fuzz_mutate_columns(uint8_t *data, size_t bytes, size_t most, dj_random *random)
{
    enum { HEAD, REPEAT, DROP, SWAP, BYTES, CONTENT, KINDS = 12 };
    section sections[SECTIONS_MOST];
    fuzz_bytes out = {0};
    size_t count = parse(data, bytes, sections);
    uint64_t kind = dj_random_below(random, KINDS);
    if (kind == BYTES || count == 0)
        return LLVMFuzzerMutate(data, bytes, most);
    size_t a = dj_random_below(random, count), b = dj_random_below(random, count);
    fuzz_put(&out, data, DJ_COLUMNS_FILE_BYTES);
    for (size_t i = 0; i < count; i++) {
        const section *s = &sections[kind == SWAP && i == a ? b : kind == SWAP && i == b ? a : i];
        size_t at = out.count;
        if (i == a && kind == DROP)
            continue;
        if (i == a && kind >= CONTENT) {
            fuzz_put(&out, s->head, s->head_bytes);
            repack(s->payload, s->bytes, DJ_COLUMNS_RATIO, random, &out);
            dj_write_le64(out.data + at + 20, out.count - at - s->head_bytes);
        } else {
            put_section(&out, s);
        }
        if (i == a && kind == REPEAT)
            put_section(&out, s);
        if (i == a && (kind == HEAD || (kind == REPEAT && dj_random_below(random, 2))))
            change_head(out.data + at, random);
    }
    return fuzz_take(&out, data, bytes, most);
}
