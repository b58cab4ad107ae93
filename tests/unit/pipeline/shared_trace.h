// SPDX-License-Identifier: MIT
// A random trace of several sharers, run through a pipeline in batches of random length, and everything that
// the lanes answer.
#ifndef TESTS_UNIT_PIPELINE_SHARED_TRACE_H
#define TESTS_UNIT_PIPELINE_SHARED_TRACE_H

#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum {
    REQUESTS = 300,
    PIECES = 3 * REQUESTS,
    MEMORY = 128,
    SMALLEST = 4,
    LANES_MOST = 24,
    ALL_SHARERS = 1 << 20,
};

typedef struct request {
    uint64_t address, size;
    uint32_t sharer;
    uint8_t kind;
} request;

typedef struct piece {
    uint64_t address;
    uint32_t sharer, site;
    uint8_t kind;
} piece;

typedef struct answer {
    uint64_t distance, prev_time;
    uint32_t row, lost_to, prev_tag;
    uint8_t verdict;
} answer;

static request trace[REQUESTS];
static piece pieces[PIECES];
static uint32_t piece_count;
static uint64_t batch_seed; // where batches are cut
static answer measured[LANES_MOST][PIECES];
static uint32_t batch_columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_SITE | DJ_COLUMN_SHARER;

// Kinds are mixed; in every third trace accesses are often repeated, so that they are folded.
static void make_trace(uint64_t seed, uint32_t sharers)
{
    dj_random r;
    dj_random_seed(&r, seed);
    piece_count = 0;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        static const uint8_t kinds[] = {DJ_KIND_READ,   DJ_KIND_READ,  DJ_KIND_READ, DJ_KIND_WRITE,
                                        DJ_KIND_MODIFY, DJ_KIND_FETCH, DJ_KIND_OTHER};
        request *a = &trace[i];
        bool again = i > 0 && seed % 3 == 0 && dj_random_below(&r, 3) > 0;
        a->address = again ? trace[i - 1].address : dj_random_below(&r, seed % 5 == 0 ? 24 : MEMORY);
        a->sharer = again ? trace[i - 1].sharer : (uint32_t)dj_random_below(&r, sharers);
        a->size = 1 + dj_random_below(&r, 2 * SMALLEST);
        a->kind = kinds[dj_random_below(&r, sizeof kinds)];
        uint64_t last = (a->address + a->size - 1) / SMALLEST;
        for (uint64_t block = a->address / SMALLEST; block <= last; block++)
            pieces[piece_count++] = (piece){block * SMALLEST, a->sharer, i + 1, a->kind};
    }
}

static int create_nothing(dj_context *where, const dj_filter_setup *setup, void **state)
{
    (void)where, (void)setup;
    *state = NULL;
    return DJ_OK;
}

static uint64_t measured_count;

static int keep_create(dj_context *where, const dj_setup *setup, void **state)
{
    (void)setup;
    measured_count = 0;
    return create_nothing(where, NULL, state);
}

static int keep_see(void *state, dj_context *where, const dj_view *view)
{
    (void)state, (void)where;
    for (uint32_t n = 0; n < view->lane_count; n++)
        for (uint32_t i = 0; i < view->batch->count; i++) {
            const dj_lane_view *lane = &view->lanes[n];
            answer *a = &measured[n][measured_count + i];
            *a = (answer){.verdict = lane->verdict ? lane->verdict[i] : (uint8_t)DJ_VERDICT_COUNT};
            a->distance = a->verdict == DJ_VERDICT_FILL ? lane->filled[i] : lane->distance[i];
            a->row = lane->partition ? lane->partition[i] : 0;
            a->lost_to = lane->lost_to ? lane->lost_to[i] : 0;
            a->prev_time = lane->prev_time ? lane->prev_time[i] : 0;
            a->prev_tag = lane->prev_tag ? lane->prev_tag[i] : 0;
        }
    measured_count += view->batch->count;
    return DJ_OK;
}

static int keep_finish(void *state, dj_context *where, dj_profile *profile)
{
    (void)state, (void)where, (void)profile;
    return DJ_OK;
}

static dj_observer_ops keeper = {
    .name = "keep",
    .summary = "every answer",
    .create = keep_create,
    .destroy = free,
    .see = keep_see,
    .finish = keep_finish,
};

static uint32_t read_so_far;
static dj_random cuts;

static int next_batch(void *state, dj_context *where, dj_pool *pool, dj_batch **out)
{
    (void)state;
    *out = NULL;
    if (read_so_far == REQUESTS)
        return DJ_OK;
    int err = dj_pool_take(where, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    uint64_t most = 1 + dj_random_below(&cuts, dj_random_below(&cuts, 3) ? 12 : REQUESTS);
    while (read_so_far < REQUESTS && (*out)->count < most) {
        const uint32_t i = (*out)->count++;
        const request *a = &trace[read_so_far++];
        to.address[i] = a->address;
        to.size[i] = a->size;
        to.site[i] = read_so_far;
        to.sharer[i] = a->sharer;
        to.kind[i] = a->kind;
    }
    dj_batch_set_columns(*out, batch_columns);
    return DJ_OK;
}

static void close_nothing(void *state)
{
    (void)state;
}

static int run(dj_pipeline *pipeline)
{
    static const dj_source_ops ops = {.next = next_batch, .close = close_nothing};
    const dj_source_info info = {.format = "toy", .default_block = SMALLEST, .unit_bytes = 1};
    dj_source *source = NULL;
    read_so_far = 0;
    dj_random_seed(&cuts, batch_seed);
    int err = dj_source_create(context, &ops, NULL, &info, &source);
    if (!err)
        err = dj_pipeline_run(pipeline, context, source);
    dj_source_close(source);
    return err;
}

#endif
