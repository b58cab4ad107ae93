// SPDX-License-Identifier: MIT
// Section `sizes`: how large requests are.
#include "profile/fields.h"

static const dj_field size_fields[] = {
    {.name = "size",
     .type = DJ_FIELD_MOMENTS,
     .histogram_at = offsetof(dj_size_profile, sizes),
     .about = "over the requests"},
    DJ_AT(HISTOGRAM, "histogram", dj_size_profile, sizes, .flags = DJ_FIELD_REQUIRED | DJ_FIELD_EXACT,
          .about = "of the sizes of requests, in bytes, or in the unit of the trace"),
    DJ_END,
};

static int check_sizes(dj_context *context, void *value)
{
    return ((const dj_size_profile *)value)->sizes
               ? DJ_OK
               : dj_fail(context, DJ_ERR_INPUT, "sizes: there is no histogram");
}

const dj_section_ops dj_section_sizes = {
    .name = "sizes",
    .summary = "sizes of requests",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .table = {size_fields, sizeof(dj_size_profile), DJ_ROW_OBJECT},
    .check = check_sizes,
};

const dj_histogram *dj_profile_sizes(const dj_profile *profile)
{
    const dj_size_profile *sizes = dj_profile_section(profile, &dj_section_sizes);
    return sizes ? sizes->sizes : NULL;
}
