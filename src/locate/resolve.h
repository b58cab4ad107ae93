// SPDX-License-Identifier: MIT
// Shared by the parts of the resolver.
#ifndef DEJA_LOCATE_RESOLVE_H
#define DEJA_LOCATE_RESOLVE_H

#include "base/dictionary.h"
#include "base/triple.h"
#include "locate/locate.h"

typedef struct dj_resolver {
    const dj_located *located;
    dj_symbols *symbols; // NULL: none
    dj_attribution *out;
    dj_dictionary files;     // hash of the path → index
    dj_dictionary functions; // hash of module, name and file → index
    dj_triples loops;        // number in symbols → index
    dj_triples inlined;      // function, line, frame around → index
    bool *weighty;           // by site of `located`: whether its chains matter
    size_t file_capacity, function_capacity, loop_capacity, inlined_capacity;
} dj_resolver;

// Index of a file; DJ_NOWHERE for "".
int dj_resolve_file(dj_resolver *resolver, dj_context *context, const char *path, uint32_t *file);
// Index of a function of symbols; DJ_NOWHERE for 0.
int dj_resolve_function(dj_resolver *resolver, dj_context *context, uint32_t function, uint32_t *index);
// Fills in function, file, line, loop and inline chain of sites: rows[i] is that of site ids[i] in `located`.
// At most DJ_QUERIES_MOST.
int dj_resolve_sites(dj_resolver *resolver, dj_context *context, const uint32_t *ids, size_t count,
                     dj_site_row *const *rows);
// The carriers of pairs, which are sites of loops: sets the loops.
int dj_resolve_carriers(dj_resolver *resolver, dj_context *context);
// Fills in the iterations of the loops that have a row.
int dj_resolve_iterations(dj_resolver *resolver, dj_context *context);
// Fills in an object except for its number of touched blocks; `contexts` maps those of `located`.
int dj_resolve_object(dj_resolver *resolver, dj_context *context, const dj_object_id *object,
                      const uint32_t *contexts, dj_object_row *row);
// Fills in the elements of places: moved[i] is the row of place i in `located`, or DJ_NOWHERE.
int dj_resolve_elements(dj_resolver *resolver, dj_context *context, const uint32_t *moved, size_t count);
// Fills in the elements of invalidations, whose places are still those of `located`.
int dj_resolve_invalidations(dj_resolver *resolver, dj_context *context);

// Finds the sites whose chains matter; places still have the sites of `located`.
int dj_resolve_weigh(dj_resolver *resolver, dj_context *context);
// Classes the misses of chains (symbols.h) as dependent.
int dj_resolve_chains(dj_resolver *resolver, dj_context *context);

#endif
