// SPDX-License-Identifier: MIT
// Sizes as users type them: a bare whole number is blocks; with B, K, M, G or
// T (also KB, KiB, …, all powers of 1024) it is bytes, and may have a fraction.
#ifndef DEJA_BASE_SIZE_H
#define DEJA_BASE_SIZE_H

#include <deja/error.h>

typedef struct dj_size {
    uint64_t value;
    bool bytes; // false: blocks
} dj_size;

// Fails with DJ_ERR_USAGE. `what` names the size in messages ("--sizes").
int dj_size_parse(dj_context *context, const char *what, const char *text, dj_size *out);

// In blocks of `block_bytes`, rounded down. 0 `block_bytes` stands for a trace
// of keys, for which a size in bytes is refused. `text` is what was typed.
int dj_size_to_blocks(dj_context *context, const char *what, const char *text, dj_size size,
                      uint64_t block_bytes, uint64_t *out);

// For sizes that are bytes in any case: a bare number is bytes too.
int dj_size_bytes(dj_context *context, const char *what, const char *text, uint64_t *out);

#endif
