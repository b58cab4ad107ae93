// SPDX-License-Identifier: MIT
// Attribution: the stages between a source and the pipeline that merge the
// accesses of statements, if asked to, and find out where each access comes from
// and what it touches, and the names for it at the end.
#ifndef DEJA_MEASURE_ATTRIBUTE_H
#define DEJA_MEASURE_ATTRIBUTE_H

#include <deja/pipeline.h>

#include "locate/locate.h"
#include "locate/region.h"
#include "locate/statements.h"

// A cache, whose misses are to be exact.
typedef struct dj_attribute_cut {
    const char *name;
    uint64_t blocks;
} dj_attribute_cut;

enum dj_statements_from {
    DJ_STATEMENTS_OFF,       // every access counts
    DJ_STATEMENTS_ANY,       // one for each element and statement instance, by whatever tells instances
    DJ_STATEMENTS_ANNOTATED, // only by events of the stream
};

typedef struct dj_attribute_config {
    enum dj_statements_from statements;
    bool whole;                   // no places: of what follows only skip and stop_after count
    dj_region_options counting;   // its names must outlive the attribute
    bool fresh_heap;              // as dj_locator_options
    bool flat;                    // likewise
    const dj_attribute_cut *cuts; // increasing; copied
    size_t cut_count;
    uint64_t long_from; // without cuts: reuses from this distance on are long
} dj_attribute_config;

typedef struct dj_attribute dj_attribute;

// Puts the stages around `inner`, which stays the caller's.
int dj_attribute_create(dj_context *context, const dj_attribute_config *config, dj_source *inner,
                        dj_attribute **out);
dj_source *dj_attribute_source(const dj_attribute *attribute);
// Whether accesses get places; not with `whole`.
bool dj_attribute_has_places(const dj_attribute *attribute);
// With places: the observer to run beside the others; the pipeline's tag must be DJ_TAG_PLACE.
dj_observer_choice dj_attribute_observer(const dj_attribute *attribute);
// Why no access was counted; NULL: there were none. Lives as long as the attribute.
const char *dj_attribute_why_nothing(dj_attribute *attribute);
// Says in the profile how statements were told apart, and gives names to what the observer has put there.
int dj_attribute_finish(dj_attribute *attribute, dj_context *context, dj_profile *profile);
// With places, for dj_names_give: what it would have named them by. Freed with free().
int dj_attribute_names(const dj_attribute *attribute, dj_context *context, uint8_t **bytes, size_t *count);
// All has been read: the inner source may be closed. What was located can still be named.
void dj_attribute_detach(dj_attribute *attribute);
// Before the inner source is closed, unless it was detached; NULL is fine.
void dj_attribute_end(dj_attribute *attribute);

#endif
