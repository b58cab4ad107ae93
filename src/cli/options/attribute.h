// SPDX-License-Identifier: MIT
// Attribution, for the verbs that measure programs: the options that say which
// part of a run counts and how its data is told apart.
#ifndef DEJA_CLI_OPTIONS_ATTRIBUTE_H
#define DEJA_CLI_OPTIONS_ATTRIBUTE_H

#include <deja/breakdown.h>
#include <deja/measure.h>

#include "cli/command.h"
#include "cli/options/caches.h"

typedef struct dj_attribute_options {
    const char *by; // as typed, or NULL
    bool fresh_heap;
    bool statements;
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
// The same without those that any trace can do: leaving accesses out.
bool dj_attribute_is_of_places(const dj_attribute_options *options);
// Whether `--by none` asks for the whole alone.
bool dj_attribute_is_refused(const dj_attribute_options *options);

// Caches of a request; it points into them.
typedef struct dj_request_caches {
    dj_caches found;
    dj_cache_size sizes[DJ_SHAPES_MAX];
} dj_request_caches;

// Puts into a request what the options say, and, where something is attributed, the caches.
int dj_attribute_request(dj_context *context, const dj_attribute_options *options,
                         const dj_cache_options *caches, uint64_t block_bytes, bool places,
                         dj_request_caches *room, dj_request *request);
// The caches alone, in blocks of `block_bytes`, once `found` is set.
void dj_attribute_request_caches(dj_request_caches *room, uint64_t block_bytes, dj_request *request);

#endif
