// SPDX-License-Identifier: MIT
// The loops that instances of statements run in: which iteration of which run of a loop, found from the loops
// around each instruction and each call on the way to it. A new iteration begins where the program goes back
// in the code of a loop. If nothing is recorded in a loop outside of its only inner loop, the two look like
// one.
#ifndef DEJA_REORDER_NESTS_H
#define DEJA_REORDER_NESTS_H

#include "locate/locate.h"

// An iteration of a run of a loop.
typedef struct dj_iteration {
    uint32_t parent; // the iteration of the loop around it; DJ_NOWHERE: none
    uint32_t run;    // of the loop: from one entry to the next
    uint32_t depth;  // number of loops around it
} dj_iteration;

typedef struct dj_nests {
    dj_iteration *list;
    size_t count;
} dj_nests;

typedef struct dj_nest_finder dj_nest_finder;

// `nests` grows while iterations are found.
int dj_nest_finder_create(dj_context *context, const dj_located *located, dj_symbols *symbols,
                          dj_nests *nests, dj_nest_finder **out);
void dj_nest_finder_destroy(dj_nest_finder *finder); // NULL is allowed
void dj_nests_free(dj_nests *nests);

// The iteration that the next instance, at `site`, belongs to; DJ_NOWHERE: no loop. `cct_node` DJ_NOWHERE:
// calls are not known.
int dj_nest_finder_next(dj_nest_finder *finder, dj_context *context, uint32_t site, uint32_t cct_node,
                        uint32_t *iteration);
// Removes the loops that never go on to a second iteration: among them those that look like one with their
// inner loop. `nest` are the iterations of `count` instances.
int dj_nests_simplify(dj_nests *nests, dj_context *context, uint32_t *nest, size_t count);
// That of the last instance.
uint32_t dj_nest_finder_current(const dj_nest_finder *finder);

#endif
