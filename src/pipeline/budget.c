// SPDX-License-Identifier: MIT
#include "pipeline/budget.h"

#include <deja/batch.h>

#include "base/human.h"

// What does not depend on the number of keys was measured, and rounded up.
enum {
    PROCESS_BYTES = 17 << 20, // code and libraries, reading, decompression, reports
    LANE_BYTES = 6 << 20,     // batches, rounded distances, slices of a sample
    WEIGHT_BYTES = 2 << 20,   // sizes and byte distances of batches
    STACK_BYTES = 16 << 10,   // of a partition, besides its engine and what the observers hold
    COUNT_BYTES = 3 * 4,      // per exact distance: a counter, also while the array grows, and in the profile
    IN_FLIGHT = 2 * DJ_BATCH_CAPACITY, // keys that each lane may add before the number of keys is checked
    LEAST_KEYS = 2 * IN_FLIGHT,        // in each lane
};

static uint64_t in_flight(const dj_budget_task *t)
{
    return t->lanes * (uint64_t)IN_FLIGHT;
}

static uint64_t least_keys(const dj_budget_task *t)
{
    return t->lanes * (uint64_t)LEAST_KEYS;
}

static uint64_t sampled_bytes(const dj_budget_task *t, uint32_t stacks, uint64_t keys)
{
    const uint64_t lane = LANE_BYTES + (t->params.use & DJ_CAN_WEIGHTS ? WEIGHT_BYTES : 0),
                   most = keys + in_flight(t);
    return PROCESS_BYTES + t->lanes * lane + (stacks - t->lanes) * (uint64_t)STACK_BYTES +
           t->engine->bytes_for(&t->params, stacks, most) + t->key_bytes * most;
}

// With exact distances below this, which is a power of two, as the array of a histogram.
static uint64_t exact_bytes(const dj_budget_task *t, uint64_t distances)
{
    return sampled_bytes(t, t->lanes, distances) + t->lanes * COUNT_BYTES * distances;
}

int dj_budget_make(dj_context *context, uint64_t bytes, const dj_budget_task *task, dj_budget *out)
{
    uint64_t low = least_keys(task), high = bytes, exact = 1;
    while (exact < low)
        exact *= 2;
    const uint64_t least = exact_bytes(task, exact);
    if (bytes < least) {
        char given[DJ_HUMAN_BYTES];
        return dj_fail(context, DJ_ERR_USAGE,
                       "--memory: %s is too little for this analysis; the least that works is %lluM",
                       dj_human_bytes(given, bytes), (unsigned long long)((least + (1 << 20) - 1) >> 20));
    }
    // The most keys that fit. Each takes more than a byte.
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (sampled_bytes(task, task->lanes, middle) <= bytes)
            low = middle;
        else
            high = middle;
    }
    while (exact_bytes(task, 2 * exact) <= bytes)
        exact *= 2;
    *out = (dj_budget){.bytes = bytes,
                       .task = *task,
                       .exact_keys = exact - in_flight(task),
                       .sampled_keys = low,
                       .most_keys = low + in_flight(task),
                       .exact_distances = exact};
    return DJ_OK;
}

static uint64_t bytes_of(const dj_budget *b, const dj_holding *h, uint64_t keys)
{
    const uint64_t counts = h->exact ? b->task.lanes * COUNT_BYTES * b->exact_distances : 0;
    return sampled_bytes(&b->task, h->stacks, keys) + counts + h->observed;
}

bool dj_budget_is_full(const dj_budget *b, const dj_holding *h)
{
    if (h->keys > (h->exact ? b->exact_keys : b->sampled_keys))
        return true;
    return (h->observed > 0 || h->stacks > b->task.lanes) && bytes_of(b, h, h->keys) > b->bytes;
}

uint64_t dj_budget_least(const dj_budget *b, const dj_holding *h)
{
    return bytes_of(b, h, least_keys(&b->task));
}
