// SPDX-License-Identifier: MIT
// Sizes as users type them. An integer without a unit is in blocks; with B, K, M, G or T (also KB, KiB, …,
// all powers of 1024) it is in bytes and may have a fraction.
#ifndef DEJA_BASE_SIZE_H
#define DEJA_BASE_SIZE_H

#include <deja/error.h>

typedef struct dj_size {
    uint64_t value;
    bool bytes; // false: blocks
} dj_size;

// Fails with DJ_ERR_USAGE. `what` names the size in messages ("--sizes").
int dj_size_parse(dj_context *context, const char *what, const char *text, dj_size *out);

// Converts to blocks of `block_bytes`, rounded down. `block_bytes` 0 means a trace of keys, for which a size
// in bytes is refused. `text` is what the user typed.
int dj_size_to_blocks(dj_context *context, const char *what, const char *text, dj_size size,
                      uint64_t block_bytes, uint64_t *out);

// For sizes that are always in bytes, even without a unit.
int dj_size_bytes(dj_context *context, const char *what, const char *text, uint64_t *out);
// The same where errors are reported later: 0 if it is not a size.
uint64_t dj_size_bytes_or_0(const char *text);

#endif
