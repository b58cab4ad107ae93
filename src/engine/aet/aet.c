// SPDX-License-Identifier: MIT
// Idea:  A model instead of a stack. The time of the last access is kept for a sample of the keys, chosen by
//        hash. Each access to a sampled key has a time distance, the number of accesses since the previous
//        one; they are counted in bins, and converted to distances when the totals are asked for
//        (aet/times.h). When the table is full, the rate is halved, and the keys that are no longer in the
//        sample are dropped; an access counts with the weight of the rate at which it was seen. An access to
//        the same key as the one before it has distance 0 without any model; it is counted separately,
//        and takes no time.
// Cost:  O(1) per access, mostly a hash of the key; O(bins) for the totals; constant memory.
// Bound: none. Exact for keys that are accessed independently of each other; wrong where the number of
//        distinct keys depends on when in the trace a window begins, or on which key is reused.
#include "engine/aet/aet.h"

#include "base/sample.h"
#include "engine/elements.h"
#include "engine/registry.h"
#include "engine/work.h"

#include <stdlib.h>

// Not one that --sample-seed gives: a sample of a sample must not have the same keys.
#define SEED UINT64_C(0xae70000000000000)

static const dj_aet_options default_options = {DJ_TIMES_FOOTPRINT};

static const char *const models[] = {"footprint", "aet", NULL};

static const dj_option option_table[] = {
    {.name = "aet-model",
     .type = DJ_OPTION_CHOICE,
     .offset = offsetof(dj_aet_options, model),
     .argument = "MODEL",
     .help = "how engine aet gets from times to distances: footprint averages over all windows within the "
             "trace, aet ignores where it begins and ends (default footprint)",
     .choices = models},
    {0},
};

typedef struct aet {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    dj_elements keys;       // those in the sample; time 0: the number is not in use
    unsigned log2;          // the rate is 2^-log2
    bool any;
    uint64_t last;    // key of the last access
    uint64_t repeats; // accesses to the key of the access before
    enum dj_times_model model;
    dj_times times;
    dj_times complete; // with the last accesses, while the totals are computed
    dj_footprint footprint;
} aet;

static int aet_create(dj_context *context, const dj_engine_params *params, void **state)
{
    int err = dj_engine_check(context, &dj_engine_aet, params);
    if (err != DJ_OK)
        return err;
    aet *a = calloc(1, sizeof *a);
    if (!a)
        return dj_fail_memory(context, "engine aet", sizeof *a);
    const dj_engine_params table = {.use = DJ_CAN_TIMES, .expected_keys = DJ_AET_KEYS + 1};
    const dj_aet_options *options = params->options ? params->options : &default_options;
    a->model = (enum dj_times_model)options->model;
    dj_footprint_add(&a->footprint, sizeof *a);
    err = dj_elements_create(&a->keys, context, &table, &a->footprint);
    if (err != DJ_OK)
        free(a);
    else
        *state = a;
    return err;
}

static void aet_destroy(void *state)
{
    aet *a = state;
    if (!a)
        return;
    dj_elements_destroy(&a->keys);
    free(a);
}

static bool is_sampled(const aet *a, uint64_t key)
{
    return dj_sample_has(dj_sample_hash(key, SEED), a->log2);
}

// Halves the rate until the table has space again.
static void reduce(aet *a)
{
    while (a->keys.numbers.count > DJ_AET_KEYS) {
        a->log2++;
        for (uint32_t number = 1; number <= a->keys.count; number++) {
            uint64_t key = a->keys.key[number];
            if (a->keys.time[number] == 0 || is_sampled(a, key))
                continue;
            dj_elements_forget(&a->keys, key);
            dj_elements_release(&a->keys, number);
            a->keys.time[number] = 0;
        }
    }
}

static int access_sampled(aet *a, dj_context *context, uint64_t key)
{
    uint32_t number;
    bool cold;
    int err = dj_elements_find(&a->keys, context, key, &number, &cold);
    if (err != DJ_OK)
        return err;
    const uint64_t now = a->times.accesses, weight = UINT64_C(1) << a->log2;
    uint64_t *last = &a->keys.time[number];
    if (cold) {
        a->times.cold += weight;
        dj_times_add(&a->times.edge, now, weight);
    } else {
        dj_times_add(&a->times.reuse, now - *last, weight);
    }
    *last = now;
    if (cold)
        reduce(a);
    return DJ_OK;
}

static int aet_push(void *state, dj_context *context, dj_work *work)
{
    aet *a = state;
    for (size_t i = 0; i < work->count; i++) {
        const uint64_t key = work->key[i];
        if (a->any && key == a->last) {
            a->repeats++;
            continue;
        }
        a->any = true;
        a->last = key;
        a->times.accesses++;
        int err = is_sampled(a, key) ? access_sampled(a, context, key) : DJ_OK;
        if (err != DJ_OK)
            return err;
    }
    dj_work_queue_put(&a->answered, work);
    return DJ_OK;
}

// The keys in the table stand for all keys, whatever the rate was when each was first seen.
static void add_last_accesses(const aet *a, dj_times *to)
{
    unsigned __int128 counted = 0;
    uint64_t given = 0, keys = a->keys.numbers.count;
    for (uint32_t number = 1; number <= a->keys.count; number++) {
        if (a->keys.time[number] == 0)
            continue;
        counted += to->cold;
        const uint64_t weight = (uint64_t)(counted / keys) - given; // rounded so that all add up
        given += weight;
        dj_times_add(&to->edge, to->accesses - a->keys.time[number] + 1, weight);
    }
}

static int aet_totals(void *state, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    aet *a = state;
    a->complete = a->times;
    add_last_accesses(a, &a->complete);
    int err = dj_times_distances(&a->complete, context, a->model, into, cold);
    return err || a->repeats == 0 ? err : dj_histogram_add(into, context, 0, a->repeats);
}

static void aet_stats(const void *state, dj_engine_stats *out)
{
    const aet *a = state;
    *out = (dj_engine_stats){
        .keys = a->keys.numbers.count, .bytes = a->footprint.bytes, .peak_bytes = a->footprint.peak_bytes};
}

const dj_engine_ops dj_engine_aet = {
    .name = "aet",
    .summary = "a model of time distances, for traces that never end",
    .cost = "O(1) per access; less than 4 MiB for any number of keys",
    .can = DJ_CAN_BOUNDED | DJ_CAN_TOTALS,
    .folds = true,
    .options = option_table,
    .options_bytes = sizeof(dj_aet_options),
    .default_options = &default_options,
    .create = aet_create,
    .destroy = aet_destroy,
    .push = aet_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .totals = aet_totals,
    .stats = aet_stats,
};
