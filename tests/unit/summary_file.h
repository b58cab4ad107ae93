// SPDX-License-Identifier: MIT
// Summary files built from the specification, without the library, so that they can
// contain arbitrary numbers.
#ifndef DEJA_TESTS_SUMMARY_FILE_H
#define DEJA_TESTS_SUMMARY_FILE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

static inline void summary_number(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static inline size_t summary_block(uint8_t *to, size_t capacity, const uint8_t *plain, uint32_t bytes,
                                   uint32_t block)
{
    size_t stored = bytes ? ZSTD_compress(to + 16, capacity - 16, plain, bytes, 1) : 0;
    summary_number(to, bytes, 4);
    summary_number(to + 4, stored, 4);
    summary_number(to + 8, XXH3_64bits_withSeed(to + 16, stored, (uint64_t)bytes << 32 | block), 8);
    return 16 + stored;
}

// Magic, version, a block with these bytes, the end. At most 2^20 bytes. Freed with free().
static inline uint8_t *summary_file(const uint8_t *body, uint32_t bytes, size_t *size)
{
    size_t capacity = ZSTD_compressBound(bytes) + 64;
    uint8_t *file = malloc(capacity);
    if (!file)
        return NULL;
    memcpy(file,
           "\x89"
           "DSUM\r\n\x1a",
           8);
    summary_number(file + 8, 4, 4);
    *size = 12;
    if (bytes)
        *size += summary_block(file + *size, capacity - *size, body, bytes, 0);
    *size += summary_block(file + *size, capacity - *size, NULL, 0, bytes > 0);
    return file;
}

#endif
