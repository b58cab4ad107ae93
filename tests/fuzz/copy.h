// SPDX-License-Identifier: MIT
#ifndef TESTS_FUZZ_COPY_H
#define TESTS_FUZZ_COPY_H

#include <stddef.h>
#include <stdint.h>

// A Deja stream that can be read to its end can be written, and the copy has the same accesses and events.
void fuzz_check_copy(const uint8_t *data, size_t bytes);

#endif
