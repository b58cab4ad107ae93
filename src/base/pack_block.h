// SPDX-License-Identifier: MIT
// The blocks of a packed file, as its writer and its reader need to know them.
#ifndef DEJA_BASE_PACK_BLOCK_H
#define DEJA_BASE_PACK_BLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

enum {
    DJ_PACK_PLAIN_MOST = 1 << 20,
    DJ_PACK_NUMBER_MOST = 10, // bytes, seven bits in each
    DJ_PACK_HEAD_BYTES = 16,  // plain bytes, stored bytes, checksum
};

// Covers the number of the block, so that blocks cannot be removed or reordered.
static inline uint64_t dj_pack_checksum(const uint8_t *stored, size_t stored_bytes, size_t plain_bytes,
                                        uint32_t block)
{
    return XXH3_64bits_withSeed(stored, stored_bytes, (uint64_t)plain_bytes << 32 | block);
}

#endif
