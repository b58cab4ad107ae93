// SPDX-License-Identifier: MIT
// How places traverse memory: the strides between consecutive accesses of each place, and how much is used
// of the blocks that it fetches into a cache.
#include "base/gcd.h"
#include "base/grow.h"
#include "observe/counted.h"
#include "observe/observers.h"
#include "observe/residency.h"
#include <deja/observer_options.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// More than are reported, so that rare strides do not displace frequent ones.
enum { SLOTS = 5 };

// Two cache lines; slot 0 usually has the most frequent stride.
typedef struct usage_row {
    uint64_t accesses, last; // address
    uint64_t fetched;
    uint64_t slot; // where its last block was found
    uint64_t grain, step_sum;
    int64_t stride[SLOTS];
    uint64_t count[SLOTS];
} usage_row;

typedef struct usage_state {
    uint32_t lane;
    uint64_t cache_bytes, cache_blocks;
    usage_row *rows; // by place
    size_t row_count;
    dj_residency blocks; // by place + 1; index 0 is for accesses that only fill
    dj_counted counted;
} usage_state;

static void destroy(void *state)
{
    usage_state *s = state;
    if (!s)
        return;
    dj_residency_destroy(&s->blocks);
    dj_counted_free(&s->counted);
    free(s->rows);
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_usage_options *o = setup->options;
    uint32_t lane = 0;
    if (!o || o->block == 0 || o->cache_bytes == 0)
        return dj_fail(context, DJ_ERR_USAGE, "observer usage needs a block and the size of a cache");
    while (lane < setup->lane_count && setup->lanes[lane].block_bytes != o->block)
        lane++;
    if (lane == setup->lane_count)
        return dj_fail(context, DJ_ERR_USAGE, "observer usage: %" PRIu64 " is not one of the block sizes",
                       o->block);
    int refused = dj_refuse_partitions(context, setup, "the use of blocks in a cache");
    if (refused)
        return refused;
    usage_state *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the use of blocks", sizeof *s);
    s->lane = lane;
    s->cache_bytes = o->cache_bytes;
    s->cache_blocks = dj_spatial_cache_blocks(o->cache_bytes, o->block);
    int err = dj_residency_create(&s->blocks, context, o->block, s->cache_blocks);
    if (err) {
        free(s);
        return err;
    }
    *state = s;
    return DJ_OK;
}

// Counts by the algorithm of Misra and Gries: a stride that finds no slot decrements each, so counts are
// lower bounds and frequent strides remain.
static void count_other(usage_row *row, int64_t stride)
{
    if (row->grain != 1)
        row->grain = dj_gcd(row->grain, dj_magnitude(stride));
    for (size_t k = 1; k < SLOTS; k++) {
        if (row->stride[k] != stride && row->count[k] > 0)
            continue;
        row->stride[k] = stride;
        row->count[k]++;
        if (row->count[k] > row->count[k - 1]) {
            int64_t other = row->stride[k - 1];
            uint64_t others = row->count[k - 1];
            row->stride[k - 1] = stride;
            row->count[k - 1] = row->count[k];
            row->stride[k] = other;
            row->count[k] = others;
        }
        return;
    }
    for (size_t k = 0; k < SLOTS; k++)
        row->count[k] -= row->count[k] > 0;
}

static inline void step(usage_row *row, uint64_t address)
{
    int64_t stride = (int64_t)(address - row->last);
    row->last = address;
    if (row->accesses++ == 0)
        return;
    row->step_sum += dj_magnitude(stride);
    if (stride == row->stride[0])
        row->count[0]++;
    else
        count_other(row, stride);
}

static int reserve(usage_state *s, dj_context *context, const dj_batch *batch)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        most = batch->column.place[i] > most ? batch->column.place[i] : most;
    if (most < s->row_count)
        return DJ_OK;
    int err =
        dj_grow(context, "the use of blocks", &s->rows, &s->row_count, (size_t)most + 1, sizeof *s->rows);
    return err ? err : dj_residency_reserve(&s->blocks, context, s->row_count + 1);
}

static int see_access(usage_state *s, dj_context *context, const dj_columns *column, const dj_lane_view *lane,
                      uint32_t i)
{
    const bool counts = !lane->verdict || lane->verdict[i] == DJ_VERDICT_COUNT;
    uint32_t place = column->place[i];
    usage_row *row = &s->rows[place];
    const dj_residency_access access = {.key = lane->key[i],
                                        .address = column->address[i],
                                        .size = column->size ? column->size[i] : 1,
                                        .by = counts ? place + 1 : 0,
                                        // cold is above every size
                                        .fetches = lane->distance[i] >= s->cache_blocks};
    // The pieces of a split access are not steps.
    if (counts && (!column->continuation || !column->continuation[i]))
        step(row, access.address);
    row->fetched += counts && access.fetches;
    return dj_residency_access_block(&s->blocks, context, &access, &row->slot);
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    usage_state *s = state;
    if (!view->batch->column.place)
        return dj_fail(context, DJ_ERR_USAGE, "observer usage saw an access without a place");
    int err = dj_counted_view(&s->counted, context, view, DJ_SELECT_COUNTED | DJ_SELECT_FILLED, &view);
    if (!err)
        err = reserve(s, context, view->batch);
    for (uint32_t i = 0; !err && i < view->batch->count; i++)
        err = see_access(s, context, &view->batch->column, &view->lanes[s->lane], i);
    return err;
}

static int fill(const usage_row *row, uint64_t used, dj_context *context, const dj_spatial *spatial,
                dj_tally *tally)
{
    if (!tally->spatial) {
        int err =
            dj_spatial_tally_create(context, spatial->pair_count, spatial->cache_count, &tally->spatial);
        if (err)
            return err;
    }
    dj_usage *usage = &tally->spatial->usage;
    *usage = (dj_usage){.steps = row->accesses - 1,
                        .grain = row->grain,
                        .step_sum = row->step_sum,
                        .fetched = row->fetched,
                        .used = used};
    for (size_t k = 0; k < SLOTS; k++)
        if (row->count[k])
            dj_usage_add_stride(usage, row->stride[k], row->count[k]);
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const usage_state *s = state;
    dj_attribution *a = dj_profile_attribution(profile);
    dj_spatial *spatial = dj_profile_spatial(profile);
    int err = DJ_OK;
    spatial->usage_block = s->blocks.block;
    spatial->usage_cache = s->cache_bytes;
    uint64_t *used = calloc(s->row_count + 1, sizeof *used);
    if (!used)
        return dj_fail_memory(context, "a profile", s->row_count * sizeof *used);
    if (s->row_count > 0)
        memcpy(used, s->blocks.used, (s->row_count + 1) * sizeof *used);
    // What is in the cache at the end counts as staying there.
    dj_residency_add_rest(&s->blocks, used);
    for (size_t i = 0; !err && i < a->place_count && i < s->row_count; i++)
        if (s->rows[i].accesses > 0)
            err = fill(&s->rows[i], used[i + 1], context, spatial, &a->places[i].tally);
    free(used);
    return err;
}

static const dj_section_ops *const after[] = {&dj_section_attribution, &dj_section_spatial, NULL};

const dj_observer_ops dj_observer_usage = {
    .name = "usage",
    .summary = "strides of each place, and how much of each fetched block is used",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &dj_section_spatial,
    .after = after,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
};
