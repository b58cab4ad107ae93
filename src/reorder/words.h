// SPDX-License-Identifier: MIT
// Which instance wrote each scalar on the stack last: by words, and by bytes where a part of a word is used.
#ifndef DEJA_REORDER_WORDS_H
#define DEJA_REORDER_WORDS_H

#include "base/map.h"
#include "reorder/dataflow.h"

enum { DJ_WORD_BYTES = 4 };

typedef struct dj_words {
    dj_map writers;
    dj_footprint footprint;
} dj_words;

int dj_words_create(dj_words *words, dj_context *context);
void dj_words_destroy(dj_words *words);

// Uses `bytes` bytes within one word: returns the instances that wrote them last in `before`, DJ_NONE where
// there is none, and with `writer` not DJ_NONE replaces them by that one.
int dj_words_use(dj_words *words, dj_context *context, uint64_t address, unsigned bytes, uint32_t writer,
                 uint32_t before[DJ_WORD_BYTES]);

#endif
