// SPDX-License-Identifier: MIT
// Numbers as users type them.
#ifndef DEJA_BASE_NUMBER_H
#define DEJA_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// Reads decimal or 0x digits at *at and moves it past them. False, with *at
// where it was, when there are none or they do not fit.
bool dj_number_scan(const char **at, uint64_t *out);

// The whole text is one number; no sign, no blanks.
bool dj_number_parse(const char *text, uint64_t *out);

// The whole text is a part of a whole, from 0 to 1: 0.05 or 5%.
bool dj_number_parse_share(const char *text, double *out);

#endif
