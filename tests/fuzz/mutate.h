// SPDX-License-Identifier: MIT
// What the structure-aware mutators share. A mutator parses an input as far as it can, changes one part of
// it, and writes it again with correct lengths, so that the fuzzer reaches the code behind those checks.
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of libFuzzer.
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes,
                                 uint8_t *out, size_t most, unsigned seed);

// Bytes that grow.
typedef struct fuzz_bytes {
    uint8_t *data;
    size_t count, capacity;
} fuzz_bytes;

void fuzz_put(fuzz_bytes *to, const void *data, size_t bytes);
// Copies the result to `data` if it fits; otherwise mutates what is there. Frees `from`.
size_t fuzz_take(fuzz_bytes *from, uint8_t *data, size_t bytes, size_t most);

// A limit of a type, a number close to one, a small number, or any number.
uint64_t fuzz_number(dj_random *random);
// Replaces bytes by libFuzzer's own mutations of them.
void fuzz_mutate_bytes(fuzz_bytes *bytes);
// Changes a sequence of numbers of seven bits in a byte (base/pack.h): replaces, inserts, drops or repeats
// some of them, or changes the bytes.
void fuzz_mutate_numbers(fuzz_bytes *numbers, dj_random *random);

#endif
