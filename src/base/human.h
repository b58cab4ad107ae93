// SPDX-License-Identifier: MIT
// Formats numbers for people. Each function writes into `to`, a buffer of DJ_HUMAN_BYTES, and returns it.
#ifndef DEJA_BASE_HUMAN_H
#define DEJA_BASE_HUMAN_H

#include <stdint.h>

enum { DJ_HUMAN_BYTES = 40 };

const char *dj_human_count(char *to, uint64_t value);            // 1,234,567
const char *dj_human_real(char *to, double value, int decimals); // 1,234.57
const char *dj_human_percent(char *to, double part,
                             double whole);           // 12.35%; <0.01% instead of 0.00% if not zero
const char *dj_human_bytes(char *to, uint64_t bytes); // 64 B, 1.5 MiB
const char *dj_human_size(char *to, uint64_t value);  // 512, 4K, 1M, 1.2M: for axes, K = 1024

// For narrow columns: at most five and at most four characters.
const char *dj_human_short(char *to, double value);              // 9999, 12.3k, 1.23M
const char *dj_human_share(char *to, double part, double whole); // 45%, 4.5%, <.1%, 0
// With three digits, where counts are divided by something: 12.3k, 45.2, 0.0873.
const char *dj_human_fraction(char *to, double value);
// With two digits or a few more: 250%, 99.7%, 13%, 0.52%, <0.01%.
const char *dj_human_rough(char *to, double percent);

// 0–3, 1K–2K, 1K and more (`last` is UINT64_MAX).
const char *dj_human_range(char *to, uint64_t first, uint64_t last);

#endif
