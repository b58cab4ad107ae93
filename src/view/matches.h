// SPDX-License-Identifier: MIT
// What corresponds in the two profiles of a comparison. Rows of code and data correspond as in `deja diff`,
// and whatever refers to them corresponds if all that it refers to does. In a page, such rows have the same
// number, so nothing else matches them.
#ifndef DEJA_VIEW_MATCHES_H
#define DEJA_VIEW_MATCHES_H

#include <deja/diff.h>

#include "view/rows.h"

typedef struct dj_view_matches dj_view_matches;

// `sides`: NULL for profiles without an attribution.
int dj_view_matches_create(dj_context *context, const dj_diff *diff,
                           const dj_view_breakdowns *const sides[DJ_SIDES], dj_view_matches **out);
void dj_view_matches_destroy(dj_view_matches *matches); // NULL is allowed

// The numbers of an entity of a breakdown, and of what contains a place; `run`: DJ_BEFORE or DJ_AFTER.
// DJ_NOWHERE: none, or `matches` is NULL.
uint32_t dj_view_match_entity(const dj_view_matches *matches, unsigned run, enum dj_by by, size_t entity);
uint32_t dj_view_match_place(const dj_view_matches *matches, unsigned run, enum dj_by by, uint32_t place);
// `row` of the attribution: a loop, an object or a context.
uint32_t dj_view_match_row(const dj_view_matches *matches, unsigned run, enum dj_by by, uint32_t row);

enum { DJ_VIEW_REFERENCES = 7 };

// The kind of a row that refers to others.
enum dj_view_matched { DJ_MATCHED_FIELD, DJ_MATCHED_REUSE, DJ_MATCHED_RANKED, DJ_MATCHED_FALSE_SHARING };

// What a row refers to. A part of an object, such as "[*].x", is the rest of its name.
typedef struct dj_view_references {
    enum dj_view_matched kind;
    uint32_t numbers[DJ_VIEW_REFERENCES];
    unsigned count;
    const char *part;
} dj_view_references;

// The number of a row with these references; DJ_NOWHERE: `matches` is NULL.
int dj_view_match(dj_view_matches *matches, dj_context *context, const dj_view_references *of, uint32_t *out);
// The rest of `name` after the name of the object; "" if it begins otherwise.
const char *dj_view_part_of(const dj_attribution *a, uint32_t object, const char *name);

#endif
