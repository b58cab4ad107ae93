// SPDX-License-Identifier: MIT
// The sizes of this processor's buffers for translations of data addresses.
#ifndef DEJA_BASE_TLB_H
#define DEJA_BASE_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DJ_PAGE = 4 << 10, DJ_HUGE_PAGE = 2 << 20, DJ_TLBS_MAX = 8 };

typedef struct dj_tlb {
    unsigned level;      // 1, 2
    uint64_t page_bytes; // DJ_PAGE or DJ_HUGE_PAGE
    uint64_t entries;
} dj_tlb;

// By page size, then level. Returns their number; *known is false if the processor does not say them, and
// they are typical ones.
size_t dj_machine_tlbs(dj_tlb out[DJ_TLBS_MAX], bool *known);

#endif
