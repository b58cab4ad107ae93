// SPDX-License-Identifier: MIT
// Where the instructions of a program are in its source.
#ifndef DEJA_REORDER_SITE_LINES_H
#define DEJA_REORDER_SITE_LINES_H

#include "locate/locate.h"

typedef struct dj_site_line {
    uint32_t line; // 0: unknown
    uint32_t loop; // the innermost one around it, 0: none
    bool known;    // has been looked up
    bool is_void;  // its function returns nothing
    bool stores;   // only writes memory, as far as known
    bool is_head;  // of the test of the loop around it
    bool is_whole; // a statement is one line, however many it is written on: Fortran
} dj_site_line;

typedef struct dj_site_lines {
    const dj_located *located;
    dj_symbols *symbols;
    dj_site_line *list; // by site
    size_t capacity;
} dj_site_lines;

int dj_site_lines_get(dj_site_lines *lines, dj_context *context, uint32_t site, dj_site_line *out);
void dj_site_lines_free(dj_site_lines *lines);

#endif
