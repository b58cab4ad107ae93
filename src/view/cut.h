// SPDX-License-Identifier: MIT
// Which rows of a table a page has: by each of several measures the worst ones, until they cover nearly
// everything. The others are summed up in one row, so pages stay small whatever the program.
#ifndef DEJA_VIEW_CUT_H
#define DEJA_VIEW_CUT_H

#include <deja/error.h>

typedef struct dj_view_cut {
    bool *kept; // of each row
    size_t count, most;
    uint64_t *weights; // of each row, for the caller to fill in
    uint64_t *sorted;
} dj_view_cut;

int dj_view_cut_create(dj_context *context, size_t count, size_t most, dj_view_cut *out);
void dj_view_cut_free(dj_view_cut *cut); // a zeroed structure is allowed
// Keeps the worst rows by `weights`.
void dj_view_cut_keep(dj_view_cut *cut);
// How many are kept.
size_t dj_view_cut_size(const dj_view_cut *cut);

#endif
