// SPDX-License-Identifier: MIT
// The option --tlb: lanes for pages, and this machine's TLBs.
#ifndef DEJA_CLI_OPTIONS_TLB_H
#define DEJA_CLI_OPTIONS_TLB_H

#include <deja/measure.h>

#include "base/tlb.h"
#include "cli/command.h"

#define DJ_TLB_OPTION(offset)                                                                                \
    {                                                                                                        \
        "tlb", 0, DJ_OPTION_FLAG, offset, NULL,                                                              \
            "also measure reuse distances of pages of 4 KiB and 2 MiB: the misses of TLBs of any size, and " \
            "of this machine's",                                                                             \
            NULL                                                                                             \
    }

enum { DJ_TLB_BLOCKS = 3 };

// Storage of the options of the observer, and of the block sizes of a request.
typedef struct dj_tlb_request {
    dj_tlb_level levels[DJ_TLBS_MAX];
    char names[DJ_TLBS_MAX][8];
    dj_tlb_options options;
    uint64_t blocks[DJ_TLB_BLOCKS];
} dj_tlb_request;

// Adds the observer, and the lanes of pages to those of the request, which has one.
int dj_tlb_observe(dj_context *context, dj_tlb_request *tlb, dj_request *request, dj_observer_list *list);

#endif
