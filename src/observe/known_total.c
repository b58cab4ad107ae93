// SPDX-License-Identifier: MIT
#include "observe/known_total.h"

static int adjust_shortest(dj_context *context, const dj_histogram *from, uint64_t wanted, uint64_t shortest,
                           dj_histogram *to)
{
    const uint64_t reuses = dj_histogram_sum(from, 0, UINT64_MAX);
    uint64_t surplus = reuses > wanted ? reuses - wanted : 0;
    int err = reuses < wanted ? dj_histogram_add(to, context, shortest, wanted - reuses) : DJ_OK;
    for (uint64_t at = 0, n; !err && (n = dj_histogram_next(from, &at)) != 0; at++) {
        uint64_t less = surplus < n ? surplus : n;
        surplus -= less;
        if (n > less)
            err = dj_histogram_add(to, context, at, n - less);
    }
    return err;
}

int dj_match_known_total(dj_context *context, uint64_t total, uint64_t shortest, uint64_t *cold,
                         dj_histogram **distances)
{
    dj_histogram *adjusted = NULL;
    *cold = *cold < total ? *cold : total;
    int err = dj_histogram_create(context, &adjusted);
    if (!err)
        err = adjust_shortest(context, *distances, total - *cold, shortest, adjusted);
    if (err) {
        dj_histogram_destroy(adjusted);
        return err;
    }
    dj_histogram_destroy(*distances);
    *distances = adjusted;
    return DJ_OK;
}
