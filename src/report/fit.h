// SPDX-License-Identifier: MIT
// Names for the terminal. They come from programs and files that nobody has
// vouched for, so control characters do not get through.
#ifndef DEJA_REPORT_FIT_H
#define DEJA_REPORT_FIT_H

#include <deja/report.h>

enum { DJ_FIT = 512 };

// Columns that a text takes; every character counts as one.
unsigned dj_fit_columns(const char *text);
// Writes a clean text of at most `columns` columns into `to`, which has room
// for DJ_FIT bytes, and returns it. What is too long loses its middle.
const char *dj_fit(char *to, const dj_report_style *style, const char *text, unsigned columns);
// The same, but what is too long loses its end.
const char *dj_fit_start(char *to, const dj_report_style *style, const char *text, unsigned columns);
// A clean copy of any length, to be freed; NULL when memory is out.
char *dj_fit_clean(const dj_report_style *style, const char *text);

#endif
