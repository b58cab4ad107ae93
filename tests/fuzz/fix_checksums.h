// SPDX-License-Identifier: MIT
#ifndef TESTS_FUZZ_FIX_CHECKSUMS_H
#define TESTS_FUZZ_FIX_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

// Corrects the checksums of a Deja stream as far as it can be parsed, so that the
// fuzzer reaches the code behind them.
void fuzz_fix_checksums(uint8_t *data, size_t bytes);

#endif
