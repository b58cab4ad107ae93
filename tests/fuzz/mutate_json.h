// SPDX-License-Identifier: MIT
#ifndef TESTS_FUZZ_MUTATE_JSON_H
#define TESTS_FUZZ_MUTATE_JSON_H

#include "fuzz/mutate.h"

// Changes one value of a JSON text; as LLVMFuzzerCustomMutator.
size_t fuzz_mutate_json(uint8_t *data, size_t bytes, size_t most, dj_random *random);

#endif
