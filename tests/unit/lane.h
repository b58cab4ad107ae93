// SPDX-License-Identifier: MIT
// Profiles built by hand and a naive LRU stack, for the tests of models and reports.
#ifndef DEJA_TESTS_LANE_H
#define DEJA_TESTS_LANE_H

#include <deja/deja.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline dj_context *make_context(void)
{
    dj_context *context = NULL;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    return context;
}

static inline void add_distance(dj_context *context, dj_lane_profile *lane, uint64_t distance, uint64_t count)
{
    assert_int_equal(dj_histogram_add(lane->distance, context, distance, count), DJ_OK);
}

// A profile of one lane with an empty histogram.
static inline dj_profile *make_profile(dj_context *context, uint64_t block_bytes)
{
    dj_profile *profile = NULL;
    assert_int_equal(dj_profile_create(context, 1, &profile), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &profile->lanes[0].distance), DJ_OK);
    profile->lanes[0].id.block_bytes = block_bytes;
    dj_provenance *from = &profile->provenance;
    from->version = strdup("0.0");
    from->command = strdup("deja analyze");
    from->engine = strdup("fast");
    from->format = strdup("text");
    from->unit = strdup("block");
    from->partial_reason = strdup("");
    from->statements = strdup("");
    from->exact = true;
    return profile;
}

// Computes distances by linear search; returns the number of cold accesses.
static inline uint64_t stack_distances(const uint64_t *keys, size_t count, uint64_t *distances)
{
    uint64_t *stack = malloc((count + 1) * sizeof *stack);
    size_t depth = 0;
    assert_non_null(stack);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < depth && stack[at] != keys[i])
            at++;
        distances[i] = at < depth ? at : DJ_COLD;
        depth += at == depth;
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = keys[i];
    }
    free(stack);
    return depth;
}

static inline dj_profile *profile_of(dj_context *context, const uint64_t *keys, size_t count)
{
    dj_profile *profile = make_profile(context, 64);
    dj_lane_profile *lane = &profile->lanes[0];
    uint64_t *distances = malloc((count + 1) * sizeof *distances), cold = 0;
    assert_non_null(distances);
    lane->distinct = lane->cold = stack_distances(keys, count, distances);
    assert_int_equal(dj_histogram_add_all(lane->distance, context, distances, count, &cold), DJ_OK);
    assert_int_equal(cold, lane->cold);
    profile->accesses = profile->requests = lane->accesses = count;
    free(distances);
    return profile;
}

// A small generator; the seed determines the sequence.
static inline uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
