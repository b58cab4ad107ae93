// SPDX-License-Identifier: MIT
// Attribution: the stages between a source and the pipeline that optionally merge the accesses of a
// statement and determine which code makes each access and which data it touches; and the names for the
// result.
#ifndef DEJA_MEASURE_ATTRIBUTE_H
#define DEJA_MEASURE_ATTRIBUTE_H

#include <deja/pipeline.h>

#include "locate/locate.h"
#include "locate/region.h"
#include "locate/statements.h"

// A cache whose misses are counted exactly.
typedef struct dj_attribute_cut {
    const char *name;
    uint64_t blocks;
} dj_attribute_cut;

// Elements have no caches to compare with; the 2001 paper calls reuses long from this distance on.
enum { DJ_LONG_ELEMENTS = 64 };

enum dj_statements_from {
    DJ_STATEMENTS_OFF,       // every access counts
    DJ_STATEMENTS_ANY,       // one access per element and statement instance, from any source of instances
    DJ_STATEMENTS_ANNOTATED, // likewise, but only from events of the stream
};

typedef struct dj_attribute_config {
    enum dj_statements_from statements;
    // Insert an event where an instance begins or goes on. All accesses are passed on; the region says which
    // of them count.
    bool mark_statements;
    bool no_places;               // no places: of the following members only skip and stop_after apply
    dj_region_options counting;   // the names it refers to must outlive the attribute
    const char *symbols;          // folders, separated by colons; NULL: none
    bool fresh_heap;              // as dj_locator_options
    bool offsets;                 // as dj_locator_options
    bool in_program;              // this process is the user's: start no helper in it
    const dj_attribute_cut *cuts; // increasing; copied
    size_t cut_count;
    dj_sampled_options sampled; // as dj_locator_options
    uint64_t long_from;         // without cuts: reuses from this distance on are long
} dj_attribute_config;

typedef struct dj_attribute dj_attribute;

// Puts the stages around `inner`, which the caller keeps.
int dj_attribute_create(dj_context *context, const dj_attribute_config *config, dj_source *inner,
                        dj_attribute **out);
dj_source *dj_attribute_source(const dj_attribute *attribute);
// Whether accesses get places; false with `no_places`.
bool dj_attribute_has_places(const dj_attribute *attribute);
const dj_located *dj_attribute_located(const dj_attribute *attribute); // with places
dj_region *dj_attribute_region(const dj_attribute *attribute);
dj_symbols *dj_attribute_symbols(const dj_attribute *attribute);
// Whether accesses also get their offsets in data objects.
bool dj_attribute_has_offsets(const dj_attribute *attribute);
// With places: the table that column place refers to.
const dj_place_table *dj_attribute_places(const dj_attribute *attribute);
// With places: the observer to run in addition to the others; the pipeline's tag must be DJ_TAG_PLACE.
dj_observer_choice dj_attribute_observer(const dj_attribute *attribute);
// Fails if symbols could not be read to the end and the numbers depend on them: with functions to start at or
// to stay within, with statements, or if `all` names are needed.
int dj_attribute_check_symbols(const dj_attribute *attribute, dj_context *context, bool all);
// Which part of the run counts, and how, in words; "": all of it. Freed with free(). Of a part of a trace,
// skip and stop_after are the ends, which do not belong to it.
int dj_attribute_selection(const dj_attribute *attribute, dj_context *context, bool part, char **out);
// Why no access was counted; NULL: the source had none. Valid as long as the attribute.
const char *dj_attribute_why_nothing(dj_attribute *attribute);
// Whether the part to count was not found, and might be in a module whose functions are unknown.
bool dj_attribute_is_blind(const dj_attribute *attribute);
// Records in the profile how statement instances were determined, and sets the names in the observer's
// results.
int dj_attribute_finish(dj_attribute *attribute, dj_context *context, dj_profile *profile);
// With places: the names, serialized for dj_names_assign. Freed with free().
int dj_attribute_names(const dj_attribute *attribute, dj_context *context, uint8_t **bytes, size_t *count);
// Call when everything has been read: the inner source may then be closed. Names can still be resolved.
void dj_attribute_detach(dj_attribute *attribute);
// Call before closing the inner source, unless detached. NULL is allowed.
void dj_attribute_end(dj_attribute *attribute);

#endif
