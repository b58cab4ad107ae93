// SPDX-License-Identifier: MIT
// The option --caches: the caches that results are compared with. They are this
// machine's, or described by the user.
#ifndef DEJA_CLI_OPTIONS_CACHES_H
#define DEJA_CLI_OPTIONS_CACHES_H

#include <deja/report.h>

#include "cli/command.h"
#include "cli/options/output.h"

typedef struct dj_cache_options {
    const char *caches; // as typed; NULL: this machine's
    bool no_simulate;
} dj_cache_options;

int dj_caches_list(dj_context *context, dj_cache_options *options, dj_groups *groups);
// The same, for verbs that simulate caches with ways.
int dj_caches_list_simulated(dj_context *context, dj_cache_options *options, dj_groups *groups);

enum { DJ_SHAPES_MAX = 16 };

// A cache, measured in blocks of a profile.
typedef struct dj_cache_shape {
    char name[16];
    uint64_t bytes;
    uint64_t size_blocks; // sets × ways
    uint64_t sets;        // 1: fully associative
    uint64_t ways;
} dj_cache_shape;

typedef struct dj_caches {
    dj_cache_shape shapes[DJ_SHAPES_MAX];
    dj_report_mark marks[DJ_SHAPES_MAX];
    size_t count;
} dj_caches;

// The marks point into `out`, which must not be moved.
int dj_caches_for_blocks(dj_context *context, const dj_cache_options *options, uint64_t block_bytes,
                         dj_caches *out);
// Whether the list is valid, whatever the blocks.
int dj_caches_check(dj_context *context, const dj_cache_options *options);
// Finds no caches if the blocks of the profile have no size in bytes.
int dj_caches_find(dj_context *context, const dj_cache_options *options, const dj_profile *profile,
                   dj_caches *out);

// Whether to simulate the caches: if one has ways, and the user named the caches or they are simulated by
// default. `unfit` is an option that excludes it (NULL: none); then named caches are refused.
int dj_caches_simulate(dj_context *context, const dj_cache_options *options, const dj_caches *caches,
                       bool by_default, const char *unfit, bool *simulate);

// Sorts by size in blocks and removes duplicate sizes.
void dj_caches_sort(dj_caches *caches);

#endif
