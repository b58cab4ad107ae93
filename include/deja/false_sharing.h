// SPDX-License-Identifier: MIT
/// \file
/// False sharing: misses of private caches after writes of other sharers to other words of the same block,
/// by the data and the lines on both sides. A pure function of a profile.
#ifndef DEJA_FALSE_SHARING_H
#define DEJA_FALSE_SHARING_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All pairs of places with the same data and lines, combined.
typedef struct dj_false_sharing {
    uint32_t from, to;                ///< the places of the pair with the most misses: the write, the miss
    uint64_t misses;                  ///< false sharing
    uint64_t true_sharing;            ///< of the same pairs
    uint64_t sharers;                 ///< on either side, as in dj_sharing_tally
    char *written, *missed;           ///< "counters[*].n"
    char *written_line, *missed_line; ///< "work.c:16 in count"
    char *text;                       ///< an example, and what would avoid these misses, in sentences
} dj_false_sharing;

typedef struct dj_false_sharings {
    dj_false_sharing *list; ///< by misses
    size_t count;
    uint64_t misses, true_sharing; ///< of all places
} dj_false_sharings;

/// Empty if the profile does not say which places share caches.
DJ_API int dj_false_sharings_create(dj_context *context, const dj_profile *profile, dj_false_sharings **out);
DJ_API void dj_false_sharings_destroy(dj_false_sharings *sharings); ///< NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
