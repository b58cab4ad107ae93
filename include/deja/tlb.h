// SPDX-License-Identifier: MIT
/// \file
/// Misses of the processor's buffers for translations of addresses (TLBs), which hold pages. They come from
/// the reuse distances of pages, so they are exact for fully associative LRU buffers that see all accesses.
#ifndef DEJA_TLB_H
#define DEJA_TLB_H

#include <deja/section.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DJ_TLB_LEVELS_MOST = 16 };

typedef struct dj_tlb_level {
    char *name;          ///< "L1"
    uint64_t page_bytes; ///< the block size of a lane
    uint64_t entries;    ///< pages that it holds
    uint64_t misses;     ///< including cold ones
} dj_tlb_level;

/// Section `tlb` of a profile. The lanes whose blocks are pages have the misses at any other number of
/// entries.
typedef struct dj_tlb_profile {
    dj_tlb_level *levels; ///< by page size, then level
    size_t count;
    bool assumed; ///< the processor does not say its sizes; these are typical ones
} dj_tlb_profile;

DJ_API const dj_tlb_profile *dj_profile_tlb(const struct dj_profile *profile); ///< NULL: not measured

#ifdef __cplusplus
}
#endif
#endif
