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
    size_t file_capacity, function_capacity, loop_capacity, inlined_capacity;
} dj_resolver;

// Index of a file; DJ_NOWHERE for "".
int dj_resolve_file(dj_resolver *resolver, dj_context *context, const char *path, uint32_t *file);
// Index of a function of symbols; DJ_NOWHERE for 0.
int dj_resolve_function(dj_resolver *resolver, dj_context *context, uint32_t function, uint32_t *index);
// Fills in function, file, line, loop and inline chain of a site.
int dj_resolve_site(dj_resolver *resolver, dj_context *context, dj_site_id site, dj_site_row *row);
// Fills in the iterations of the loops that have a row.
int dj_resolve_iterations(dj_resolver *resolver, dj_context *context);
// Fills in an object except for its number of touched blocks; `contexts` maps those of `located`.
int dj_resolve_object(dj_resolver *resolver, dj_context *context, const dj_object_id *object,
                      const uint32_t *contexts, dj_object_row *row);
// Fills in the elements of a place, whose number is `id` in `located`.
int dj_resolve_element(dj_resolver *resolver, dj_context *context, uint32_t id, dj_place_row *row);

#endif
