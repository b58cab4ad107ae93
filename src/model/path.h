// SPDX-License-Identifier: MIT
// The frames and loops around an access. Invalid indexes end a chain, and so does a length that no program
// has.
#ifndef DEJA_MODEL_PATH_H
#define DEJA_MODEL_PATH_H

#include <deja/attribution.h>

enum { DJ_NEST_MOST = 64 };

// The loops around a site in its function, outermost first; returns their number.
unsigned dj_path_loops(const dj_attribution *a, uint32_t site, uint32_t loops[DJ_NEST_MOST]);
// The functions around a site, from the innermost inlined one to the called one.
unsigned dj_path_functions(const dj_attribution *a, uint32_t site, uint32_t functions[DJ_NEST_MOST]);

// A step of the path from the root of the thread to an access: into a frame (loop DJ_NOWHERE) or, within
// the frame, into a loop.
typedef struct dj_step {
    uint32_t cct_node, loop;
} dj_step;

typedef struct dj_path {
    dj_step *steps;
    size_t count, capacity;
} dj_path;

// Fills `path`, which may hold an older path, for an access at `site` (may be DJ_NOWHERE) in calling
// context `row`.
int dj_path_find(dj_path *path, dj_context *context, const dj_attribution *a, uint32_t row, uint32_t site);
void dj_path_free(dj_path *path);

static inline bool dj_row_is(uint32_t row, size_t count)
{
    return row < count;
}

#endif
