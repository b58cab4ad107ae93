// SPDX-License-Identifier: MIT
#include "engine/inversions.h"

#include "engine/parallel/path.h"

#include <string.h>

enum {
    LEAST_SHIFT = 6,
    USUAL_BUCKETS = 512,
    LANES = DJ_INVERSION_GROUP,
    FEW_BLOCK = 4096, // accesses; the table is small in comparison
    MANY_BLOCK = 1 << 15,
};

static const char what[] = "the unresolved accesses of engine parallel";

// Enough buckets for all threads, and few enough to write to all of them at once.
static unsigned choose_shift(uint64_t points)
{
    unsigned shift = LEAST_SHIFT;
    while (shift < DJ_INVERSION_MOST_SHIFT && (points >> shift) >= USUAL_BUCKETS)
        shift++;
    return shift;
}

static int grow(dj_inversions *v, dj_context *context, dj_huge *huge, size_t count, size_t bytes)
{
    return count <= huge->bytes / bytes
               ? DJ_OK
               : dj_huge_grow(huge, &v->footprint, context, what, count + count / 4, bytes, 0);
}

static int allocate(dj_inversions *v, dj_context *context)
{
    size_t cells = v->sequence_count * v->buckets;
    int err = grow(v, context, &v->blocks_memory, v->block_count, sizeof *v->blocks);
    if (!err)
        err = grow(v, context, &v->table_memory, v->block_count * v->buckets, sizeof *v->table);
    if (!err)
        err = grow(v, context, &v->start_memory, cells + v->sequence_count, sizeof *v->start);
    if (!err)
        err = grow(v, context, &v->later_memory, cells, sizeof *v->later);
    v->blocks = v->blocks_memory.memory;
    v->table = v->table_memory.memory;
    v->start = v->start_memory.memory;
    v->later = v->later_memory.memory;
    return err;
}

static void list_blocks(dj_inversions *v, size_t block)
{
    size_t number = 0;
    for (size_t i = 0; i < v->sequence_count; i++)
        for (size_t first = 0, count = v->sequences[i].count; first < count; first += block)
            v->blocks[number++] =
                (dj_inversion_block){.sequence = (uint32_t)i,
                                     .first = (uint32_t)first,
                                     .end = (uint32_t)(first + block < count ? first + block : count)};
}

int dj_inversions_begin(dj_inversions *inversions, dj_context *context, dj_live_points *live_points,
                        const dj_sequence *sequences, size_t count)
{
    dj_inversions *v = inversions;
    size_t accesses = 0;
    for (size_t i = 0; i < count; i++)
        accesses += sequences[i].count;
    v->live_points = live_points;
    v->sequences = sequences;
    v->sequence_count = count;
    v->points = live_points->points + accesses;
    v->shift = choose_shift(v->points);
    v->buckets = ((v->points >> v->shift) + LANES) / LANES * LANES;
    size_t block = v->buckets <= DJ_INVERSION_FEW_BUCKETS ? FEW_BLOCK : MANY_BLOCK;
    v->block_count = 0;
    for (size_t i = 0; i < count; i++)
        v->block_count += (sequences[i].count + block - 1) / block;
    atomic_store_explicit(&v->next_count, 0, memory_order_relaxed);
    atomic_store_explicit(&v->next_sum, 0, memory_order_relaxed);
    atomic_store_explicit(&v->next_sequence, 0, memory_order_relaxed);
    atomic_store_explicit(&v->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&v->next_bucket, 0, memory_order_relaxed);
    int err = allocate(v, context);
    if (!err)
        list_blocks(v, block);
    return err;
}

void dj_inversions_free(dj_inversions *inversions)
{
    dj_inversions *v = inversions;
    dj_huge_free(&v->blocks_memory, &v->footprint);
    dj_huge_free(&v->table_memory, &v->footprint);
    dj_huge_free(&v->start_memory, &v->footprint);
    dj_huge_free(&v->later_memory, &v->footprint);
}

// How many points from `from` to `end` - 1 lie in a bucket.
static uint32_t points_in_bucket(const dj_inversions *v, size_t bucket, uint64_t from, uint64_t end)
{
    uint64_t first = (uint64_t)bucket << v->shift, last = (uint64_t)(bucket + 1) << v->shift;
    from = from > first ? from : first;
    end = end < last ? end : last;
    return from < end ? (uint32_t)(end - from) : 0;
}

// Turns counts into prefix sums, for some buckets.
static void sum_buckets(const dj_inversions *v, const dj_parallel_path *path, size_t first)
{
    uint32_t live[LANES];
    uint64_t points = v->live_points->points;
    size_t block = 0;
    for (unsigned i = 0; i < LANES; i++)
        live[i] = path->count_live(v, first + i);
    for (size_t sequence = 0; sequence < v->sequence_count; sequence++) {
        uint32_t in_sequence[LANES] = {0};
        for (; block < v->block_count && v->blocks[block].sequence == sequence; block++) {
            uint32_t *counts = v->table + block * v->buckets + first;
            for (unsigned i = 0; i < LANES; i++) {
                uint32_t count = counts[i];
                counts[i] = in_sequence[i];
                in_sequence[i] += count;
            }
        }
        uint64_t end = points + v->sequences[sequence].count;
        for (unsigned i = 0; i < LANES; i++) {
            v->start[sequence * (v->buckets + 1) + first + i] = in_sequence[i];
            v->later[sequence * v->buckets + first + i] = live[i];
            live[i] += points_in_bucket(v, first + i, points, end) - in_sequence[i];
        }
        points = end;
    }
}

static void sum_sequence(const dj_inversions *v, size_t sequence)
{
    uint32_t *later = v->later + sequence * v->buckets, after = 0;
    for (size_t bucket = v->buckets; bucket-- > 0;) {
        uint32_t count = later[bucket];
        later[bucket] = after;
        after += count;
    }
    uint32_t *start = v->start + sequence * (v->buckets + 1), before = 0;
    for (size_t bucket = 0; bucket < v->buckets; bucket++) {
        uint32_t count = start[bucket];
        start[bucket] = before;
        before += count;
    }
    start[v->buckets] = before;
}

static uint64_t count_taken(const dj_inversions *v)
{
    uint64_t taken = 0;
    for (size_t sequence = 0; sequence < v->sequence_count; sequence++)
        taken += v->start[sequence * (v->buckets + 1) + v->buckets];
    return taken;
}

void dj_inversions_run(dj_inversions *inversions, const dj_parallel_path *path, dj_team_member *member)
{
    dj_inversions *v = inversions;
    for (size_t block; (block = dj_take_task(&v->next_count)) < v->block_count;)
        path->count_block(v, block);
    dj_member_wait_for_all(member);
    for (size_t lanes; (lanes = dj_take_task(&v->next_sum)) * LANES < v->buckets;)
        sum_buckets(v, path, lanes * LANES);
    dj_member_wait_for_all(member);
    for (size_t sequence; (sequence = dj_take_task(&v->next_sequence)) < v->sequence_count;)
        sum_sequence(v, sequence);
    dj_member_wait_for_all(member);
    for (size_t block; (block = dj_take_task(&v->next_block)) < v->block_count;)
        path->scatter_block(v, block);
    dj_member_wait_for_all(member);
    for (size_t bucket; (bucket = dj_take_task(&v->next_bucket)) < v->buckets;)
        path->finish_bucket(v, bucket);
    dj_member_wait_for_all(member);
    if (member->number == 0) {
        v->live_points->live += v->points - v->live_points->points - count_taken(v);
        v->live_points->points = v->points;
    }
}
