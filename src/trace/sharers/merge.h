// SPDX-License-Identifier: MIT
// Merges sources whose accesses have comparable addresses.
#ifndef DEJA_TRACE_SHARERS_MERGE_H
#define DEJA_TRACE_SHARERS_MERGE_H

#include <deja/sharers.h>

typedef struct dj_merge {
    const dj_source_info *info; // of the merged source, before column `sharer` and the devices of `separate`
    enum dj_interleaving order; // not as recorded
    const uint64_t *speeds;     // integers, at most DJ_SPEED_MOST
    uint64_t seed;
    bool separate;
    struct dj_schedule *schedule; // only of that order; taken, also after an error
    const char *fault;            // bad input that ends the merged source; NULL: none
} dj_merge;

// Takes the sources, and the list of sharers with the names in it, also after an error. Merges the columns of
// `info` that the batches have; events are dropped.
int dj_merge_sources(dj_context *context, const dj_merge *merge, dj_source *const *sources,
                     dj_sharer *sharers, uint32_t count, dj_source **out);

void dj_sharers_free(dj_sharer *sharers, size_t count);

#endif
