// SPDX-License-Identifier: MIT
#ifndef TESTS_FUZZ_MEND_H
#define TESTS_FUZZ_MEND_H

#include <stddef.h>
#include <stdint.h>

void fuzz_mend(uint8_t *data, size_t bytes);

#endif
