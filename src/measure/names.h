// SPDX-License-Identifier: MIT
// What the places of a part of a stream mean, serialized for its summary file. Names are resolved after
// joining, from the last part, whose tables include those of the others.
#ifndef DEJA_MEASURE_NAMES_H
#define DEJA_MEASURE_NAMES_H

#include <deja/profile.h>

#include "locate/locate.h"

typedef struct dj_named {
    const dj_located *located;
    const dj_symbols *symbols;
    char *const *cuts; // names of the caches
    size_t cut_count;
} dj_named;

// Freed with free().
int dj_names_pack(dj_context *context, const dj_named *named, uint8_t **bytes, size_t *count);
// Sets the names in what observer `places` counted, from the files of the program. Returns DJ_ERR_INPUT
// if those files have changed or the bytes are invalid, DJ_ERR_MEMORY if symbols could not be read to the
// end.
int dj_names_assign(dj_context *context, const uint8_t *bytes, size_t count, const char *folders,
                    dj_attribution *to, dj_element_maps *elements);
// Marks the profile as partial if names are missing because symbols could not be read to the end
// (dj_symbols_fault).
int dj_names_check(dj_context *context, const dj_symbols *symbols, dj_profile *profile);

// Symbols that also search these folders, separated by colons; NULL: none. `helped`: in a helper process.
int dj_symbols_create_searching(dj_context *context, const char *folders, bool helped, dj_symbols **out);

#endif
