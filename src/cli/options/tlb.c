// SPDX-License-Identifier: MIT
#include "cli/options/tlb.h"

#include <stdio.h>

int dj_tlb_observe(dj_context *context, dj_tlb_request *tlb, dj_request *request, dj_observer_list *list)
{
    const uint64_t block = request->blocks[0];
    dj_tlb found[DJ_TLBS_MAX];
    bool known = false;
    const size_t count = dj_machine_tlbs(found, &known);
    if (block >= DJ_PAGE || DJ_PAGE % block != 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--tlb: blocks of %llu bytes do not divide a page of 4096; leave out --block",
                       (unsigned long long)block);
    for (size_t i = 0; i < count; i++) {
        snprintf(tlb->names[i], sizeof tlb->names[i], "L%u", found[i].level);
        tlb->levels[i] = (dj_tlb_level){tlb->names[i], found[i].page_bytes, found[i].entries, 0};
    }
    tlb->options = (dj_tlb_options){tlb->levels, count, !known};
    tlb->blocks[0] = block;
    tlb->blocks[1] = DJ_PAGE;
    tlb->blocks[2] = DJ_HUGE_PAGE;
    request->blocks = tlb->blocks;
    request->block_count = DJ_TLB_BLOCKS;
    return dj_observer_list_add(context, list, "tlb", &tlb->options);
}
