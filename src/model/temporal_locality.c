// SPDX-License-Identifier: MIT
// Temporal locality: the order of traces by their reuse distances.
#include <deja/model.h>

dj_locality dj_temporal_locality(const dj_lane_profile *lane)
{
    dj_moments moments = dj_lane_moments(lane);
    if (moments.count == 0 || lane->distinct == 0)
        return (dj_locality){.any = false};
    double distinct = (double)lane->distinct;
    return (dj_locality){.any = true,
                         .distance = moments.mean,
                         .median = moments.median / distinct,
                         .mean = moments.mean / distinct};
}

int dj_locality_compare(enum dj_locality_rule rule, const dj_locality *a, const dj_locality *b)
{
    if (a->any != b->any)
        return a->any ? -1 : 1;
    if (rule == DJ_LOCALITY_MEAN)
        return (a->distance > b->distance) - (a->distance < b->distance);
    if (a->median != b->median)
        return a->median < b->median ? -1 : 1;
    return (a->mean > b->mean) - (a->mean < b->mean);
}
