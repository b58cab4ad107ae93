// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/little_endian.h"
#include "base/pack.h"
#include "base/pack_block.h"

enum { ZSTD_LEVEL = 3, DEFLATE_LEVEL = 6 };

struct dj_packer {
    FILE *to;
    enum dj_pack_coding coding;
    ZSTD_CCtx *zstd;
    z_stream deflate;
    uint32_t block; // number of the next one
    unsigned ratio; // 0: any
    int err;
    size_t used, capacity;
    uint8_t *stored;
    uint8_t plain[DJ_PACK_PLAIN_MOST];
};

static bool create_codec(dj_packer *p)
{
    enum { RAW = -15, MEMORY = 8 }; // no header, the largest window
    if (p->coding == DJ_PACK_ZSTD) {
        p->capacity = ZSTD_compressBound(DJ_PACK_PLAIN_MOST);
        p->zstd = ZSTD_createCCtx();
        return p->zstd != NULL;
    }
    if (deflateInit2(&p->deflate, DEFLATE_LEVEL, Z_DEFLATED, RAW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    p->capacity = deflateBound(&p->deflate, DJ_PACK_PLAIN_MOST);
    return true;
}

static void destroy(dj_packer *p)
{
    ZSTD_freeCCtx(p->zstd);
    if (p->coding == DJ_PACK_DEFLATE)
        deflateEnd(&p->deflate);
    free(p->stored);
    free(p);
}

int dj_packer_create_coded(dj_context *context, FILE *to, enum dj_pack_coding coding, dj_packer **out)
{
    dj_packer *p = calloc(1, sizeof *p);
    if (p) {
        p->to = to;
        p->coding = coding;
    }
    if (p && create_codec(p) && (p->stored = malloc(p->capacity))) {
        *out = p;
        return DJ_OK;
    }
    if (p)
        destroy(p);
    return dj_fail_memory(context, "a summary", 0);
}

int dj_packer_create(dj_context *context, FILE *to, dj_packer **out)
{
    return dj_packer_create_coded(context, to, DJ_PACK_ZSTD, out);
}

// False if memory ran out.
static bool compress_block(dj_packer *p, size_t *stored)
{
    if (p->coding == DJ_PACK_ZSTD) {
        *stored = ZSTD_compressCCtx(p->zstd, p->stored, p->capacity, p->plain, p->used, ZSTD_LEVEL);
        return !ZSTD_isError(*stored);
    }
    z_stream *z = &p->deflate;
    z->next_in = p->plain;
    z->avail_in = (uInt)p->used;
    z->next_out = p->stored;
    z->avail_out = (uInt)p->capacity;
    const bool whole = deflate(z, Z_FINISH) == Z_STREAM_END;
    *stored = p->capacity - z->avail_out;
    return deflateReset(z) == Z_OK && whole;
}

static void write_block(dj_packer *p)
{
    uint8_t head[DJ_PACK_HEAD_BYTES];
    size_t stored = 0;
    if (p->used && !compress_block(p, &stored)) {
        p->err = DJ_ERR_MEMORY;
        return;
    }
    size_t least = p->ratio ? (p->used + p->ratio - 1) / p->ratio : 0;
    if (stored < least) {
        memset(p->stored + stored, 0, least - stored);
        stored = least;
    }
    dj_write_le32(head, (uint32_t)p->used);
    dj_write_le32(head + 4, (uint32_t)stored);
    dj_write_le64(head + 8, dj_pack_checksum(p->stored, stored, p->used, p->block++));
    if (fwrite(head, 1, sizeof head, p->to) != sizeof head || fwrite(p->stored, 1, stored, p->to) != stored)
        p->err = DJ_ERR_IO;
    p->used = 0;
}

static void make_room(dj_packer *p, size_t bytes)
{
    if (p->used + bytes > DJ_PACK_PLAIN_MOST && !p->err)
        write_block(p);
    if (p->err)
        p->used = 0;
}

void dj_pack_number(dj_packer *p, uint64_t number)
{
    make_room(p, DJ_PACK_NUMBER_MOST);
    for (; number > 0x7f; number >>= 7)
        p->plain[p->used++] = (uint8_t)(number | 0x80);
    p->plain[p->used++] = (uint8_t)number;
}

void dj_pack_text(dj_packer *p, const char *text)
{
    size_t bytes = strlen(text);
    bytes = bytes < DJ_PACK_TEXT_MOST ? bytes : DJ_PACK_TEXT_MOST;
    dj_pack_number(p, bytes);
    make_room(p, bytes);
    memcpy(p->plain + p->used, text, bytes);
    p->used += bytes;
}

void dj_pack_bytes(dj_packer *p, const uint8_t *bytes, size_t count)
{
    dj_pack_number(p, count);
    dj_pack_raw(p, (const char *)bytes, count);
}

void dj_pack_raw(dj_packer *p, const char *bytes, size_t count)
{
    while (count > 0) {
        size_t part = count < DJ_PACK_TEXT_MOST ? count : DJ_PACK_TEXT_MOST;
        make_room(p, part);
        memcpy(p->plain + p->used, bytes, part);
        p->used += part;
        bytes += part;
        count -= part;
    }
}

void dj_packer_bound(dj_packer *p, unsigned ratio)
{
    p->ratio = ratio;
}

// Counts are never 0, so a 0 ends the list.
void dj_pack_histogram(dj_packer *p, const dj_histogram *histogram)
{
    uint64_t before = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++) {
        dj_pack_number(p, n);
        dj_pack_number(p, v - before);
        before = v;
    }
    dj_pack_number(p, 0);
}

int dj_packer_end(dj_packer *p, dj_context *context)
{
    if (p->used && !p->err)
        write_block(p);
    p->used = 0;
    if (!p->err)
        write_block(p);
    int err = p->err;
    destroy(p);
    if (err == DJ_ERR_MEMORY)
        return dj_fail_memory(context, "compressing a summary", 0);
    return err ? dj_fail(context, DJ_ERR_IO, "a summary could not be written") : DJ_OK;
}
