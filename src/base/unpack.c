// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/grow.h"
#include "base/little_endian.h"
#include "base/pack.h"
#include "base/pack_block.h"

struct dj_unpacker {
    FILE *from;
    ZSTD_DCtx *zstd;
    uint32_t block;
    unsigned ratio;        // 0: any
    uint64_t offset, next; // of this block and the next one
    size_t at, used, capacity;
    uint8_t *stored;
    bool ended;
    uint8_t plain[DJ_PACK_PLAIN_MOST];
};

int dj_unpacker_create(dj_context *context, FILE *from, dj_unpacker **out)
{
    dj_unpacker *u = calloc(1, sizeof *u);
    if (u) {
        u->from = from;
        u->capacity = ZSTD_compressBound(DJ_PACK_PLAIN_MOST);
        u->zstd = ZSTD_createDCtx();
        u->stored = malloc(u->capacity);
    }
    if (u && u->zstd && u->stored) {
        *out = u;
        return DJ_OK;
    }
    dj_unpacker_destroy(u);
    return dj_fail_memory(context, "a summary", 0);
}

void dj_unpacker_destroy(dj_unpacker *u)
{
    if (!u)
        return;
    ZSTD_freeDCtx(u->zstd);
    free(u->stored);
    free(u);
}

static int damaged(dj_context *context, const dj_unpacker *u, const char *what)
{
    return dj_fail(context, DJ_ERR_INPUT, "block %u %s; the file is damaged", u->block, what);
}

uint64_t dj_unpacker_offset(const dj_unpacker *u)
{
    return u->offset;
}

static int take(dj_unpacker *u, dj_context *context, void *to, size_t bytes)
{
    size_t got = fread(to, 1, bytes, u->from);
    u->next += got;
    if (got == bytes)
        return DJ_OK;
    return ferror(u->from)
               ? dj_fail(context, DJ_ERR_IO, "block %u: cannot read: %s", u->block, strerror(errno))
               : damaged(context, u, "is cut short");
}

static int read_block(dj_unpacker *u, dj_context *context)
{
    uint8_t head[DJ_PACK_HEAD_BYTES];
    u->offset = u->next;
    if (u->ended)
        return damaged(context, u, "is missing");
    int err = take(u, context, head, sizeof head);
    if (err)
        return err;
    size_t plain = dj_read_le32(head), stored = dj_read_le32(head + 4);
    if (plain > DJ_PACK_PLAIN_MOST || stored > u->capacity)
        return damaged(context, u, "has an impossible length");
    err = take(u, context, u->stored, stored);
    if (err)
        return err;
    if (dj_pack_checksum(u->stored, stored, plain, u->block) != dj_read_le64(head + 8))
        return damaged(context, u, "has a wrong checksum");
    if (u->ratio && plain > u->ratio * stored)
        return damaged(context, u, "claims to contain more than it can");
    // The frame may be padded with zeros.
    size_t frame = plain ? ZSTD_findFrameCompressedSize(u->stored, stored) : 0;
    if (plain &&
        (ZSTD_isError(frame) || ZSTD_decompressDCtx(u->zstd, u->plain, plain, u->stored, frame) != plain))
        return damaged(context, u, "cannot be decompressed");
    u->ended = plain == 0;
    u->at = 0;
    u->used = plain;
    u->block++;
    return DJ_OK;
}

static int next_byte(dj_unpacker *u, dj_context *context, uint8_t *out)
{
    if (u->at == u->used) {
        int err = read_block(u, context);
        if (err)
            return err;
        if (u->ended)
            return damaged(context, u, "is missing");
    }
    *out = u->plain[u->at++];
    return DJ_OK;
}

int dj_unpack_raw(dj_unpacker *u, dj_context *context, char *to, size_t count)
{
    while (count > 0) {
        uint8_t byte = 0;
        int err = next_byte(u, context, &byte);
        if (err)
            return err;
        size_t rest = u->used - u->at, part = count - 1 < rest ? count - 1 : rest;
        *to++ = (char)byte;
        memcpy(to, u->plain + u->at, part);
        u->at += part;
        to += part;
        count -= part + 1;
    }
    return DJ_OK;
}

void dj_unpacker_bound(dj_unpacker *u, unsigned ratio)
{
    u->ratio = ratio;
}

int dj_unpack_number(dj_unpacker *u, dj_context *context, uint64_t *out)
{
    uint64_t number = 0;
    if (u->at < u->used && u->plain[u->at] < 0x80) { // most are
        *out = u->plain[u->at++];
        return DJ_OK;
    }
    for (unsigned shift = 0; shift < 7 * DJ_PACK_NUMBER_MOST; shift += 7) {
        uint8_t byte = 0;
        int err = next_byte(u, context, &byte);
        if (err)
            return err;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = number;
            return DJ_OK;
        }
    }
    return dj_fail(context, DJ_ERR_INPUT, "a number has more than 64 bits; the file is damaged");
}

int dj_unpack_below(dj_unpacker *u, dj_context *context, uint64_t most, const char *what, uint64_t *out)
{
    int err = dj_unpack_number(u, context, out);
    if (!err && *out > most)
        err = dj_fail(context, DJ_ERR_INPUT, "%s cannot be %llu; the file is damaged", what,
                      (unsigned long long)*out);
    return err;
}

int dj_unpack_text(dj_unpacker *u, dj_context *context, char **out)
{
    uint64_t bytes;
    int err = dj_unpack_below(u, context, DJ_PACK_TEXT_MOST, "the length of a text", &bytes);
    if (err)
        return err;
    char *text = malloc(bytes + 1);
    if (!text)
        return dj_fail_memory(context, "a summary", bytes);
    for (uint64_t i = 0; !err && i < bytes; i++)
        err = next_byte(u, context, (uint8_t *)&text[i]);
    text[err ? 0 : bytes] = 0;
    if (!err && strlen(text) != bytes)
        err = dj_fail(context, DJ_ERR_INPUT, "a text contains a zero byte; the file is damaged");
    if (err)
        free(text);
    else
        *out = text;
    return err;
}

int dj_unpack_bytes(dj_unpacker *u, dj_context *context, uint8_t **out, size_t *count)
{
    uint64_t length = 0;
    size_t capacity = 0, read = 0;
    uint8_t *bytes = NULL;
    int err = dj_unpack_number(u, context, &length);
    for (; !err && read < length; read++) {
        err = dj_grow(context, "a summary", &bytes, &capacity, read + 1, 1);
        if (!err)
            err = next_byte(u, context, &bytes[read]);
    }
    if (err) {
        free(bytes);
        return err;
    }
    *out = bytes;
    *count = read;
    return DJ_OK;
}

int dj_unpack_histogram(dj_unpacker *u, dj_context *context, dj_histogram *to)
{
    uint64_t value = 0, sum = 0;
    for (bool first = true;; first = false) {
        uint64_t count, step = 0;
        int err = dj_unpack_number(u, context, &count);
        if (!err && count == 0)
            return DJ_OK;
        if (!err)
            err = dj_unpack_number(u, context, &step);
        if (err)
            return err;
        if ((!first && step == 0) || step >= UINT64_MAX - value || count > UINT64_MAX - sum)
            return dj_fail(context, DJ_ERR_INPUT, "a histogram exceeds 2^64; the file is damaged");
        value += step;
        sum += count;
        err = dj_histogram_add(to, context, value, count);
        if (err)
            return err;
    }
}

int dj_unpack_end(dj_unpacker *u, dj_context *context)
{
    int err = u->at == u->used ? read_block(u, context) : DJ_OK;
    if (!err && (!u->ended || fgetc(u->from) != EOF))
        err = dj_fail(context, DJ_ERR_INPUT, "the file contains more data than it should; it is damaged");
    return err;
}
