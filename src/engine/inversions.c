// SPDX-License-Identifier: MIT
#include "engine/inversions.h"

#include "engine/parallel_path.h"

#include <string.h>

enum { LEAST_SHIFT = 6, USUAL_BUCKETS = 256, LANES = DJ_INVERSION_GROUP };

static const char what[] = "the open accesses of engine parallel";

// Enough buckets for all threads, and few enough to be written to at once.
static unsigned choose_shift(size_t values)
{
    unsigned shift = LEAST_SHIFT;
    while (shift < DJ_INVERSION_MOST_SHIFT && (values >> shift) >= USUAL_BUCKETS)
        shift++;
    return shift;
}

static int grow(dj_inversions *v, dj_context *context, void *array, size_t *room, size_t needed, size_t bytes)
{
    if (needed <= *room)
        return DJ_OK;
    needed += needed / 4;
    int err = dj_footprint_resize(&v->footprint, context, what, array, *room, needed, bytes);
    *room = err ? *room : needed;
    return err;
}

int dj_inversions_begin(dj_inversions *v, dj_context *context, size_t count, size_t values)
{
    v->count = count;
    v->values = values;
    v->shift = choose_shift(values);
    v->blocks = (count + DJ_INVERSION_BLOCK - 1) / DJ_INVERSION_BLOCK;
    v->buckets = ((values >> v->shift) + LANES) / LANES * LANES;
    atomic_store_explicit(&v->next_count, 0, memory_order_relaxed);
    atomic_store_explicit(&v->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&v->next_bucket, 0, memory_order_relaxed);
    int err = grow(v, context, &v->table, &v->table_room, v->blocks * v->buckets, sizeof *v->table);
    if (!err)
        err = grow(v, context, &v->low, &v->low_room, values, sizeof *v->low);
    return err ? err : grow(v, context, &v->larger, &v->larger_room, values, sizeof *v->larger);
}

void dj_inversions_free(dj_inversions *v)
{
    dj_footprint_free(&v->footprint, v->table, v->table_room, sizeof *v->table);
    dj_footprint_free(&v->footprint, v->low, v->low_room, sizeof *v->low);
    dj_footprint_free(&v->footprint, v->larger, v->larger_room, sizeof *v->larger);
}

static void count_block(const dj_inversions *v, const uint32_t *value, size_t block)
{
    uint32_t *counts = v->table + block * v->buckets;
    memset(counts, 0, v->buckets * sizeof *counts);
    for (size_t i = block * DJ_INVERSION_BLOCK, end = dj_inversions_block_end(v, block); i < end; i++)
        if (value[i] != DJ_INVERSION_NONE)
            counts[value[i] >> v->shift]++;
}

// From counts to sums over the blocks before, for the buckets of one thread.
static void sum_buckets(const dj_inversions *v, const dj_member *member)
{
    size_t end, first = dj_member_share(member, v->buckets / LANES, &end);
    for (first *= LANES, end *= LANES; first < end; first += LANES) {
        uint32_t sums[LANES] = {0};
        for (size_t block = 0; block < v->blocks; block++) {
            uint32_t *counts = v->table + block * v->buckets + first;
            for (unsigned i = 0; i < LANES; i++) {
                uint32_t count = counts[i];
                counts[i] = sums[i];
                sums[i] += count;
            }
        }
    }
}

void dj_inversions_run(dj_inversions *v, const dj_parallel_path *path, dj_member *member,
                       const uint32_t *value, uint32_t *place)
{
    for (size_t block; (block = dj_take_task(&v->next_count)) < v->blocks;)
        count_block(v, value, block);
    dj_member_meet(member);
    sum_buckets(v, member);
    dj_member_meet(member);
    for (size_t block; (block = dj_take_task(&v->next_block)) < v->blocks;)
        path->spread_block(v, value, place, block);
    dj_member_meet(member);
    for (size_t bucket; (bucket = dj_take_task(&v->next_bucket)) << v->shift < v->values;)
        path->finish_bucket(v, bucket);
}
