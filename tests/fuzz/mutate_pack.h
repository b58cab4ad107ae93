// SPDX-License-Identifier: MIT
// Mutates what is made of packed numbers (base/pack.h): profiles in columns and summaries.
#ifndef TESTS_FUZZ_MUTATE_PACK_H
#define TESTS_FUZZ_MUTATE_PACK_H

#include "fuzz/mutate.h"

// Decompresses blocks as far as they are valid.
void fuzz_unpack(const uint8_t *blocks, size_t bytes, fuzz_bytes *plain);
// Compresses to blocks of at most `block` plain bytes, and adds the end. With a `ratio`, blocks are padded.
void fuzz_pack(const fuzz_bytes *plain, size_t block, unsigned ratio, fuzz_bytes *out);
// Corrects the checksums of the blocks at `data`, and returns the bytes of complete ones.
size_t fuzz_fix_blocks(uint8_t *data, size_t bytes);

// As LLVMFuzzerCustomMutator: a file in columns; a summary file.
size_t fuzz_mutate_columns(uint8_t *data, size_t bytes, size_t most, dj_random *random);
size_t fuzz_mutate_summary(uint8_t *data, size_t bytes, size_t most, dj_random *random);

#endif
