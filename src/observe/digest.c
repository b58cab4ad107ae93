// SPDX-License-Identifier: MIT
// A hash of all (position, distance) pairs that can be composed from parts in any order: the sum over all
// accesses of mix(distance) · R^position modulo 2^64. The digest of two parts is the first plus R^(length
// of the first) times the second.
#include "observe/observers.h"

#include <stdlib.h>

#include "base/pack.h"

#define R UINT64_C(0x9e3779b97f4a7c15)

typedef struct digest {
    uint32_t lane_count;
    uint64_t sum[];
} digest;

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    digest *d = calloc(1, sizeof *d + setup->lane_count * sizeof d->sum[0]);
    if (!d)
        return dj_fail_memory(context, "a digest", 0);
    d->lane_count = setup->lane_count;
    *state = d;
    return DJ_OK;
}

static uint64_t power(uint64_t exponent)
{
    uint64_t result = 1;
    for (uint64_t base = R; exponent > 0; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

static uint64_t mix(uint64_t distance)
{
    uint64_t x = distance + UINT64_C(0x632be59bd9b4e019);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return (x ^ (x >> 29)) | 1;
}

// For a lane with a filter: positions are those in the trace.
static uint64_t sum_counted(const dj_view *view, const uint64_t *distance)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < view->batch->count; i++)
        if (distance[i] != DJ_ABSENT)
            sum += mix(distance[i]) * power(dj_batch_time(view->batch, i));
    return sum;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    digest *d = state;
    uint64_t next = UINT64_MAX, factor = 0;
    for (uint32_t lane = 0; lane < d->lane_count; lane++) {
        const uint64_t *distance = view->lanes[lane].distance;
        if (view->lanes[lane].verdict) {
            d->sum[lane] += sum_counted(view, distance);
            continue;
        }
        for (uint32_t i = 0; i < view->batch->count; i++) {
            uint64_t at = dj_batch_time(view->batch, i);
            factor = at == next ? factor * R : power(at);
            next = at + 1;
            d->sum[lane] += mix(distance[i]) * factor;
        }
    }
    return DJ_OK;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)context;
    digest *d = state;
    const digest *o = other;
    for (uint32_t i = 0; i < d->lane_count; i++)
        d->sum[i] += power(position) * o->sum[i];
    return DJ_OK;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const digest *d = state;
    for (uint32_t i = 0; i < d->lane_count; i++)
        dj_pack_number(to, d->sum[i]);
    return DJ_OK;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    int err = create(context, setup, state);
    if (err)
        return err;
    digest *d = *state;
    for (uint32_t i = 0; !err && i < d->lane_count; i++)
        err = dj_unpack_number(from, context, &d->sum[i]);
    if (err)
        free(d);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const digest *d = state;
    for (uint32_t i = 0; i < d->lane_count; i++) {
        dj_hash_profile *out = NULL;
        int err = dj_lane_add_section(context, &profile->lanes[i], &dj_section_digest, &out);
        if (err)
            return err;
        out->hash = d->sum[i];
    }
    return DJ_OK;
}

const dj_observer_ops dj_observer_digest = {
    .name = "digest",
    .summary = "hash of all distances that can be joined from parts",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &dj_section_digest,
    .create = create,
    .destroy = free,
    .see = see,
    .merge = merge,
    .unordered = true,
    .finish = finish,
    .save = save,
    .load = load,
};
