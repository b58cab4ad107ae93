// SPDX-License-Identifier: MIT
#include <deja/components.h>

const char *dj_spatial_advice_name(enum dj_spatial_advice advice)
{
    static const char *const names[] = {
        "none", "interchange", "split", "reorder fields", "regroup", "pad", "shrink", "sort",
    };
    return advice < DJ_SPATIAL_ADVICE_COUNT ? names[advice] : names[DJ_SPATIAL_NONE];
}
