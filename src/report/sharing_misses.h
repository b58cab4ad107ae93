// SPDX-License-Identifier: MIT
// The misses of each sharer in each cache.
#ifndef DEJA_REPORT_SHARING_MISSES_H
#define DEJA_REPORT_SHARING_MISSES_H

#include <deja/document.h>
#include <deja/sharing.h>

// Of one sharer.
typedef struct dj_cache_misses {
    const dj_sharer_distances *here; // NULL: not measured, and nothing else is set
    uint64_t all, alone;             // in this cache, and alone in one of this size
    bool all_exact, alone_exact;     // otherwise an upper bound, from bins
} dj_cache_misses;

int dj_count_cache_misses(dj_context *context, const dj_sharing *sharing, size_t sharer,
                          const dj_shared_cache *cache, uint64_t block_bytes, dj_cache_misses *out);

// The table, and its legend.
int dj_add_cache_misses(dj_context *context, dj_document *document, const dj_sharing *sharing,
                        uint64_t block_bytes);

#endif
