// SPDX-License-Identifier: MIT
// Section `tlb`: misses of buffers for translations of addresses.
#include <deja/profile.h>
#include <deja/tlb.h>

#include "profile/fields.h"

static const dj_field level_fields[] = {
    DJ_AT(TEXT, "name", dj_tlb_level, name, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "page_bytes", dj_tlb_level, page_bytes, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "entries", dj_tlb_level, entries, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "misses", dj_tlb_level, misses, .flags = DJ_FIELD_REQUIRED, .about = "cold ones included"),
    DJ_END,
};
static const dj_table level_row = {level_fields, sizeof(dj_tlb_level), DJ_ROW_LINE};

static const dj_field fields[] = {
    DJ_AT(BOOL, "assumed", dj_tlb_profile, assumed, .flags = DJ_FIELD_REQUIRED,
          .about = "the sizes are typical ones, not those of the machine"),
    DJ_AT(LIST, "levels", dj_tlb_profile, levels, .rows = &level_row,
          .count_at = offsetof(dj_tlb_profile, count), .flags = DJ_FIELD_REQUIRED, .most = DJ_TLB_LEVELS_MOST,
          .about = "by page size, then level"),
    DJ_END,
};

const dj_tlb_profile *dj_profile_tlb(const dj_profile *profile)
{
    return dj_profile_section(profile, &dj_section_tlb);
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)lane;
    const dj_tlb_profile *t = value;
    for (size_t i = 0; i < t->count; i++)
        if (t->levels[i].misses > profile->lanes[0].accesses)
            return dj_fail(context, DJ_ERR_INPUT, "tlb: levels[%zu] has more misses than there are accesses",
                           i);
    return DJ_OK;
}

const dj_section_ops dj_section_tlb = {
    .name = "tlb",
    .summary = "misses of buffers for translations of addresses",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .table = {fields, sizeof(dj_tlb_profile), DJ_ROW_OBJECT},
    .settle = settle,
};
