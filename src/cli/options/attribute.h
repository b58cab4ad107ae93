// SPDX-License-Identifier: MIT
// Options of attribution: the breakdowns to print, which part of a run counts,
// and when two accesses are to the same data.
#ifndef DEJA_CLI_OPTIONS_ATTRIBUTE_H
#define DEJA_CLI_OPTIONS_ATTRIBUTE_H

#include <deja/breakdown.h>
#include <deja/measure.h>

#include "cli/command.h"
#include "cli/options/caches.h"

#define DJ_BY_HELP "break down by object, function, loop, line, context or thread: a list, or all"
#define DJ_SYMBOLS_HELP                                                                                      \
    "search these folders, separated by colons, for object files that are missing or have changed since "    \
    "the "                                                                                                   \
    "recording, and for debug files: DIR/NAME, DIR/PATH, DIR/.build-id/xx/yyyy.debug or DIR/xx/yyyy. Only "  \
    "files of the recorded build are used"
// For completion: "none", then the names that dj_by_parse accepts.
extern const char *const dj_by_choices[];

typedef struct dj_attribute_options {
    const char *by; // as typed, or NULL
    bool fresh_heap;
    bool elements;
    bool statements;
    const char *start_at, *within; // functions, or NULL
    uint64_t skip, stop_after;
    const char *symbols; // folders, or NULL
} dj_attribute_options;

int dj_attribute_list(dj_context *context, dj_attribute_options *options, dj_groups *groups);
// Rejects invalid options before any work is done. Stores the requested
// breakdowns in `by`, which has space for DJ_BY_COUNT.
int dj_attribute_check(dj_context *context, const dj_attribute_options *options, enum dj_by *by,
                       size_t *count);
// Whether an option selects accesses, or defines which data is the same.
bool dj_attribute_selects_accesses(const dj_attribute_options *options);
// The first given option that needs all accesses of a run, or NULL.
const char *dj_attribute_needs_all(const dj_attribute_options *options);
// Whether an option requests something that needs attribution, or selects accesses.
bool dj_attribute_is_requested(const dj_attribute_options *options);
// The same without --skip and --stop-after, which work on any trace.
bool dj_attribute_needs_places(const dj_attribute_options *options);
// Whether `--by none` was given.
bool dj_attribute_is_disabled(const dj_attribute_options *options);

// Storage for the caches of a request, which points into it.
typedef struct dj_request_caches {
    dj_caches found;
    dj_cache_size sizes[DJ_SHAPES_MAX];
    dj_hierarchy_level levels[DJ_SHAPES_MAX];
} dj_request_caches;

// Copies the options into a request, and the caches if anything is attributed. `block_bytes` 0: blocks have
// no size in bytes, so there are no caches to compare with.
int dj_attribute_request(dj_context *context, const dj_attribute_options *options,
                         const dj_cache_options *caches, uint64_t block_bytes, bool places,
                         dj_request_caches *storage, dj_request *request);
// Decides whether the caches are simulated, as dj_caches_simulate, and copies their levels.
int dj_attribute_request_simulated(dj_context *context, const dj_cache_options *caches, uint64_t block_bytes,
                                   bool by_default, const char *unfit, dj_request_caches *storage,
                                   dj_request *request);
// Copies only the caches, in blocks of `block_bytes`. `found` must be set.
void dj_attribute_request_caches(dj_request_caches *storage, uint64_t block_bytes, dj_request *request);

#endif
