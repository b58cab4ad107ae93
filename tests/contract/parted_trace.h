// SPDX-License-Identifier: MIT
// Sample traces with threads, files and times, as a source, and the filters and partitions that can be
// requested.
#ifndef TESTS_CONTRACT_PARTED_TRACE_H
#define TESTS_CONTRACT_PARTED_TRACE_H

#include "contract/scenarios.h"

#include <stdio.h>

enum { THREADS = 5, FILES = 3, PIECES_MOST = SAMPLE_MOST * 60, LANES_MOST = 6 };

// What the samples do not contain, derived from the access numbers.
static uint64_t thread_of(uint32_t access)
{
    return 100 + (access * UINT32_C(2654435761) >> 7) % THREADS;
}

static uint64_t file_of(uint32_t access)
{
    return access * FILES / (trace.count + 1);
}

static uint64_t clock_of(uint32_t access)
{
    return access / 3 * UINT64_C(1000000); // a millisecond for three
}

typedef struct reader {
    uint32_t at, end;
    dj_random random;
} reader;

static int add_events(dj_context *where, dj_batch *batch, uint32_t at, uint32_t first)
{
    const dj_event thread = {.index = batch->count, .type = DJ_EVENT_THREAD, .a = thread_of(at), .text = "t"};
    const dj_event file = {.index = batch->count, .type = DJ_EVENT_FILE, .a = file_of(at), .text = ""};
    int err = DJ_OK;
    if (at == first || thread_of(at) != thread_of(at - 1))
        err = dj_batch_add_event(where, batch, &thread);
    if (!err && (at == first || file_of(at) != file_of(at - 1)))
        err = dj_batch_add_event(where, batch, &file);
    return err;
}

static int read_some(void *state, dj_context *where, dj_pool *pool, dj_batch **out)
{
    reader *r = state;
    *out = NULL;
    if (r->at >= r->end)
        return DJ_OK;
    int err = dj_pool_take(where, pool, out);
    if (err)
        return err;
    dj_batch *batch = *out;
    dj_batch_buffers to = dj_batch_writable(batch);
    dj_batch_set_columns(batch, DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_PLACE |
                                    DJ_COLUMN_KIND | DJ_COLUMN_CLOCK | DJ_COLUMN_OFFSET);
    uint32_t most = (uint32_t)(dj_random_next(&r->random) % 60), first = r->at;
    for (; !err && r->at < r->end && batch->count < most; r->at++) {
        const sample_access *a = &trace.accesses[r->at];
        err = add_events(where, batch, r->at, first == 0 ? 0 : UINT32_MAX);
        uint32_t i = batch->count++;
        to.address[i] = a->address;
        to.size[i] = a->size;
        to.device[i] = a->device;
        to.site[i] = a->site;
        to.place[i] = a->place;
        to.kind[i] = a->kind;
        to.offset[i] = a->offset;
        to.clock[i] = clock_of(r->at);
    }
    return err;
}

static void run_some(dj_pipeline *p, uint32_t from, uint32_t to)
{
    static const dj_source_ops ops = {.next = read_some};
    static const dj_source_info info = {.format = "sample", .kind = DJ_CLASS_BLOCK_IO, .default_block = 1};
    reader r = {.at = from, .end = to};
    dj_source *source = NULL;
    dj_random_seed(&r.random, from * 31 + to);
    check(dj_source_create(context, &ops, &r, &info, &source));
    check(dj_pipeline_run(p, context, source));
    dj_source_close(source);
}

// The request; these are the option structures of the filters.
typedef struct window_options {
    const char *from, *until, *limit;
} window_options;

typedef struct plan {
    int only;        // -1: all, 0: reads, 1: writes
    uint32_t sparse; // one in so many; 0: all
    window_options window;
    uint64_t warm_up;
    enum dj_partition partition;
} plan;

// A filter that leaves few accesses.
static bool is_rare(uint32_t site, uint32_t place, uint32_t device, uint32_t step)
{
    return (site * 7 + place * 31 + device) % step == 0;
}

static void sparse_describe(const void *options, char *text, size_t capacity)
{
    snprintf(text, capacity, "one in %u", *(const uint32_t *)options);
}

static int sparse_create(dj_context *where, const dj_filter_setup *setup, void **state)
{
    uint32_t *step = malloc(sizeof *step);
    if (!step)
        return dj_fail_memory(where, "a test", sizeof *step);
    *step = *(const uint32_t *)setup->options;
    *state = step;
    return DJ_OK;
}

static int sparse_judge(void *state, dj_context *where, const dj_batch *batch, uint8_t *verdicts)
{
    (void)where;
    const dj_columns *c = &batch->column;
    for (uint32_t i = 0; i < batch->count; i++)
        if (!is_rare(c->site[i], c->place[i], c->device[i], *(uint32_t *)state))
            verdicts[i] = DJ_VERDICT_ABSENT;
    return DJ_OK;
}

static const dj_filter_ops sparse_filter = {.name = "sparse",
                                            .summary = "few accesses",
                                            .verdicts = 1u << DJ_VERDICT_ABSENT,
                                            .describe = sparse_describe,
                                            .create = sparse_create,
                                            .destroy = free,
                                            .judge = sparse_judge};

typedef struct chosen {
    dj_filter_choice list[4];
    size_t count;
} chosen;

static chosen choose(const plan *want)
{
    chosen c = {.count = 0};
    if (want->only >= 0)
        c.list[c.count++] = (dj_filter_choice){dj_filter_find("only"), &want->only};
    if (want->window.from || want->window.until || want->window.limit)
        c.list[c.count++] = (dj_filter_choice){dj_filter_find("window"), &want->window};
    if (want->sparse)
        c.list[c.count++] = (dj_filter_choice){&sparse_filter, &want->sparse};
    if (want->warm_up)
        c.list[c.count++] = (dj_filter_choice){dj_filter_find("warm-up"), &want->warm_up};
    return c;
}

#endif
