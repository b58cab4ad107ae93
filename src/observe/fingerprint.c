// SPDX-License-Identifier: MIT
// An ordered hash of all distances (FNV-1a over 64-bit words): two engines that agree on a trace have the
// same fingerprint, and different results have different ones except by accident.
#include "observe/observers.h"

#include <stdlib.h>

#define FIRST UINT64_C(1469598103934665603)
#define PRIME UINT64_C(1099511628211)

typedef struct fingerprint {
    uint32_t lane_count;
    uint64_t hash[];
} fingerprint;

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    fingerprint *f = malloc(sizeof *f + setup->lane_count * sizeof f->hash[0]);
    if (!f)
        return dj_fail_memory(context, "a fingerprint", 0);
    f->lane_count = setup->lane_count;
    for (uint32_t i = 0; i < f->lane_count; i++)
        f->hash[i] = FIRST;
    *state = f;
    return DJ_OK;
}

static uint64_t hash_counted(uint64_t h, const uint64_t *distance, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        h = distance[i] == DJ_ABSENT ? h : (h ^ distance[i]) * PRIME;
    return h;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    fingerprint *f = state;
    for (uint32_t lane = 0; lane < f->lane_count; lane++) {
        const uint64_t *distance = view->lanes[lane].distance;
        uint64_t h = f->hash[lane];
        if (view->lanes[lane].verdict)
            h = hash_counted(h, distance, view->batch->count);
        for (uint32_t i = 0; !view->lanes[lane].verdict && i < view->batch->count; i++)
            h = (h ^ distance[i]) * PRIME;
        f->hash[lane] = h;
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const fingerprint *f = state;
    for (uint32_t i = 0; i < f->lane_count; i++) {
        dj_hash_profile *out = NULL;
        int err = dj_lane_add_section(context, &profile->lanes[i], &dj_section_fingerprint, &out);
        if (err)
            return err;
        out->hash = f->hash[i];
    }
    return DJ_OK;
}

// No merge: the hash depends on the order of the distances.
const dj_observer_ops dj_observer_fingerprint = {
    .name = "fingerprint",
    .summary = "ordered hash of all distances",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &dj_section_fingerprint,
    .create = create,
    .destroy = free,
    .see = see,
    .finish = finish,
};
