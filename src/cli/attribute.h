// SPDX-License-Identifier: MIT
// Attribution, for the verbs that measure programs: the options that say which
// part of a run counts and how its data is told apart, and the stages between
// the source and the pipeline.
#ifndef DEJA_CLI_ATTRIBUTE_H
#define DEJA_CLI_ATTRIBUTE_H

#include <deja/breakdown.h>
#include <deja/pipeline.h>

#include "cli/caches.h"
#include "cli/command.h"

typedef struct dj_attribute_options {
    const char *by; // as typed, or NULL
    bool fresh_heap;
    const char *start_at, *within; // functions, or NULL
    uint64_t skip, stop_after;
} dj_attribute_options;

int dj_attribute_list(dj_context *context, dj_attribute_options *options, dj_groups *groups);
// Refuses what cannot be read, before any work is done; the breakdowns asked for
// go to `by`, which has room for DJ_BY_COUNT.
int dj_attribute_check(dj_context *context, const dj_attribute_options *options, enum dj_by *by,
                       size_t *count);
// Whether an option says which accesses count or what is the same data.
bool dj_attribute_is_needed(const dj_attribute_options *options);
// Whether an option asks for something that only attribution can do.
bool dj_attribute_is_asked(const dj_attribute_options *options);
// Whether `--by none` asks for the whole alone.
bool dj_attribute_is_refused(const dj_attribute_options *options);

typedef struct dj_attribute dj_attribute;

// Puts the stages around `inner`, which stays the caller's. The options must outlive it.
int dj_attribute_begin(dj_context *context, const dj_attribute_options *options,
                       const dj_cache_options *caches, uint64_t block_bytes, dj_source *inner,
                       dj_attribute **out);
dj_source *dj_attribute_source(const dj_attribute *attribute);
// The observer to run beside the others; the pipeline's tag must be DJ_TAG_PLACE.
dj_observer_choice dj_attribute_observer(const dj_attribute *attribute);
// Why no access was counted; NULL: there were none. Lives as long as the attribute.
const char *dj_attribute_why_nothing(dj_attribute *attribute);
// Gives names to what the observer has put into the profile.
int dj_attribute_finish(dj_attribute *attribute, dj_context *context, dj_profile *profile);
// Before the inner source is closed; NULL is fine.
void dj_attribute_end(dj_attribute *attribute);

#endif
