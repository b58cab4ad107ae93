// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_CSV_H
#define DEJA_REPORT_CSV_H

#include <stdio.h>

// A text in quotes.
void dj_csv_text(const char *text, FILE *out);

#endif
