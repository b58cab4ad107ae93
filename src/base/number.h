// SPDX-License-Identifier: MIT
// Parses numbers as users type them.
#ifndef DEJA_BASE_NUMBER_H
#define DEJA_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// Parses decimal or 0x digits at *at and advances it. Returns false, with *at unchanged, if there are no
// digits or the number does not fit.
bool dj_number_scan(const char **at, uint64_t *out);

// The entire text must be one number, without sign or blanks.
bool dj_number_parse(const char *text, uint64_t *out);

// The entire text must be a share from 0 to 1: 0.05 or 5%.
bool dj_number_parse_share(const char *text, double *out);

#endif
