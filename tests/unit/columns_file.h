// SPDX-License-Identifier: MIT
// Profile files in columns, built and modified by tests.
#ifndef DEJA_TESTS_COLUMNS_FILE_H
#define DEJA_TESTS_COLUMNS_FILE_H

#include <deja/profile.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/little_endian.h"
#include "base/pack.h"
#include "profile/columns_file.h"

// Corrects the checksums as far as the file can be parsed.
static inline void columns_fix_checksums(uint8_t *data, size_t bytes)
{
    size_t at = DJ_COLUMNS_FILE_BYTES;
    while (at < bytes && bytes - at >= DJ_COLUMNS_HEAD_BYTES + 8) {
        uint8_t *head = data + at;
        size_t name = dj_read_le16(head + 6), whole = DJ_COLUMNS_HEAD_BYTES + name;
        uint64_t payload = dj_read_le64(head + 20);
        if (whole + 8 > bytes - at)
            return;
        dj_write_le64(head + whole, XXH3_64bits(head, whole));
        at += whole + 8;
        uint64_t end = payload < bytes - at ? at + payload : bytes;
        for (uint32_t block = 0; end - at >= 16; block++) {
            uint64_t plain = dj_read_le32(data + at), stored = dj_read_le32(data + at + 4);
            if (stored > end - at - 16)
                break;
            dj_write_le64(data + at + 8, XXH3_64bits_withSeed(data + at + 16, stored, plain << 32 | block));
            at += 16 + stored;
        }
        at = end;
    }
}

// Writes a section with arbitrary columns: `plain` is their content before compression.
static inline void columns_put(FILE *to, dj_context *with, const char *name, unsigned version,
                               uint32_t profile, uint32_t lane, const void *plain, size_t plain_bytes)
{
    char *payload = NULL;
    size_t bytes = 0, length = strlen(name), whole = DJ_COLUMNS_HEAD_BYTES + length;
    uint8_t head[DJ_COLUMNS_HEAD_BYTES + DJ_COLUMNS_NAME_MOST + 8] = DJ_COLUMNS_SECTION;
    dj_packer *packer = NULL;
    FILE *memory = open_memstream(&payload, &bytes);
    if (!memory || dj_packer_create(with, memory, &packer) != DJ_OK)
        abort();
    dj_packer_bound(packer, DJ_COLUMNS_RATIO);
    dj_pack_raw(packer, plain, plain_bytes);
    dj_packer_end(packer, with);
    fclose(memory);
    dj_write_le16(head + 4, (uint16_t)version);
    dj_write_le16(head + 6, (uint16_t)length);
    dj_write_le32(head + 8, profile);
    dj_write_le32(head + 12, lane);
    dj_write_le64(head + 20, *name ? bytes : 0);
    memcpy(head + DJ_COLUMNS_HEAD_BYTES, name, length);
    dj_write_le64(head + whole, XXH3_64bits(head, whole));
    fwrite(head, 1, whole + 8, to);
    if (*name)
        fwrite(payload, 1, bytes, to);
    free(payload);
}

static inline int columns_loaded(dj_context *with, const void *data, size_t bytes, size_t process,
                                 dj_profile **out)
{
    FILE *in = fmemopen((void *)(uintptr_t)data, bytes, "r");
    if (!in)
        abort();
    int err = dj_profile_load_process(with, in, "p.dejap", process, out);
    fclose(in);
    return err;
}

static inline uint8_t *columns_saved(dj_context *with, const dj_profile *profile, size_t *bytes)
{
    char *data = NULL;
    FILE *out = open_memstream(&data, bytes);
    if (!out || dj_profile_save_columns(with, profile, out) != DJ_OK)
        abort();
    fclose(out);
    return (uint8_t *)data;
}

#endif
