// SPDX-License-Identifier: MIT
// Idea:  Accesses that repeat the previous one are removed (distance 0). The rest is divided into
//        local traces of `st` accesses, which threads analyze independently: a local array holds the latest
//        access to each key of the local trace. What remains, the first access to each key in a local trace,
//        gets the sum of formula (1): the keys after the last access in the last earlier local trace that
//        contains the key, the keys of each local trace in between, and the keys before it in its own. A key
//        in several of these counts several times: that is the error. Sums beyond the total number of keys
//        are scaled down (formulas 2 and 3). Keys are merged by shard, each by one thread at a time.
//        Fragments of `fragment` accesses are analyzed in order; first accesses in a fragment get their
//        exact distances (hprda/history.c).
// Paper: Cui, Yi, Xue, Wang, Yang and Feng, "A highly parallel reuse distance analysis algorithm on
//        GPUs", IPDPS 2012; this is its OpenMP version.
// Cost:  O(st / 64) per access at most, and a hash map probe per key of each local trace; 21 to 43 bytes per
//        key, twice that with several fragments; holds the work of a fragment.
// Bound: an estimate without an error bound. Distances are exact within a local trace, between adjacent
//        local traces that have no other key in common, and between fragments; others may be too large, or
//        too small if scaled.
#include "engine/hprda/hprda.h"

#include "base/machine.h"
#include "engine/registry.h"

#include <stdlib.h>

static const dj_hprda_options default_options = DJ_HPRDA_DEFAULTS;

enum { GROUP_ACCESSES = 1 << 14, GROUPS_A_THREAD = 16 };

static const dj_option option_table[] = {
    DJ_THREADS_OPTION("hprda", dj_hprda_options, threads),
    DJ_HPRDA_OPTIONS("hprda"),
    {0},
};

static void destroy(void *state)
{
    dj_hprda *h = state;
    if (!h)
        return;
    dj_team_destroy(h->team);
    for (unsigned i = 0; h->scratch && i < h->threads; i++)
        dj_hprda_scratch_free(&h->scratch[i]);
    for (unsigned s = 0; s < DJ_HPRDA_SHARDS; s++)
        dj_map_destroy(&h->shards[s]);
    dj_hprda_parts_free(&h->parts);
    dj_hprda_history_free(&h->history);
    free(h->scratch);
    free(h->key);
    free(h->distance);
    free(h->infos);
    free(h->groups);
    free(h);
}

static int make_shards(dj_hprda *h, dj_context *context)
{
    int err = DJ_OK;
    for (unsigned s = 0; !err && s < DJ_HPRDA_SHARDS; s++) {
        dj_map_destroy(&h->shards[s]);
        err = dj_map_create(&h->shards[s], context, &h->footprints[s], 0);
    }
    return err;
}

// Allocates as many groups as keep all threads busy, each for a whole number of local traces.
static int make_groups(dj_hprda *h, dj_context *context)
{
    uint64_t st = h->options.st, threads = h->threads > 0 ? h->threads : 1;
    h->group_accesses = st < GROUP_ACCESSES ? GROUP_ACCESSES / st * st : st;
    h->group_count = threads * GROUPS_A_THREAD * GROUP_ACCESSES / h->group_accesses;
    h->group_count = h->group_count < threads ? threads : h->group_count;
    h->capacity = h->group_count * h->group_accesses;
    h->key = malloc(h->capacity * sizeof *h->key);
    h->distance = malloc(h->capacity * sizeof *h->distance);
    h->infos = malloc(h->capacity * sizeof *h->infos);
    h->groups = malloc(h->group_count * sizeof *h->groups);
    h->scratch = calloc(threads, sizeof *h->scratch);
    if (!h->key || !h->distance || !h->infos || !h->groups || !h->scratch)
        return dj_fail_memory(context, "engine hprda", h->capacity * sizeof *h->infos);
    int err = DJ_OK;
    for (unsigned i = 0; !err && i < h->threads; i++)
        err = dj_hprda_scratch_create(&h->scratch[i], context, st, h->group_accesses);
    return err;
}

static int create(dj_context *context, const dj_engine_params *params, void **state)
{
    const dj_hprda_options *o = params->options ? params->options : &default_options;
    int err = dj_engine_check(context, &dj_engine_hprda, params);
    if (!err)
        err = dj_hprda_check_options(context, o);
    dj_hprda *h = err ? NULL : calloc(1, sizeof *h);
    if (!h)
        return err ? err : dj_fail_memory(context, "engine hprda", sizeof *h);
    h->options = *o;
    h->analyze = dj_hprda_best_analyze();
    h->threads = o->threads ? (unsigned)o->threads : dj_machine_cpus();
    if (h->threads > 1)
        err = dj_team_create(context, &h->threads, &h->team);
    if (!err)
        err = make_groups(h, context);
    if (!err)
        err = make_shards(h, context);
    if (err) {
        destroy(h);
        return err;
    }
    *state = h;
    return DJ_OK;
}

// Adds the previous fragment, if any, to the history.
static int begin_fragment(void *state, dj_context *context, const dj_hprda_part *part)
{
    dj_hprda *h = state;
    h->previous = ~part->work->key[part->from];
    if (!h->parts.ended)
        return DJ_OK;
    uint64_t *order = NULL;
    int err = dj_hprda_last_order(h, context, &order);
    if (!err)
        err = dj_hprda_history_add(&h->history, context, order, dj_hprda_keys(h));
    free(order);
    if (!err)
        err = make_shards(h, context);
    h->places = 0;
    return err;
}

static int add_part(void *state, dj_context *context, const dj_hprda_part *part)
{
    return dj_hprda_add(state, context, part);
}

static int end_fragment(void *state, dj_context *context)
{
    dj_hprda *h = state;
    int err = dj_hprda_complete(h, context);
    return err ? err : dj_hprda_history_answer(&h->history, context, &h->parts);
}

static const dj_hprda_steps steps = {begin_fragment, add_part, end_fragment};

static int push(void *state, dj_context *context, dj_work *work)
{
    dj_hprda *h = state;
    return dj_hprda_parts_push(&h->parts, context, &steps, h->options.fragment, work);
}

static int drain(void *state, dj_context *context)
{
    return dj_hprda_parts_end(state, context, &steps);
}

static void stats(const void *state, dj_engine_stats *out)
{
    const dj_hprda *h = state;
    dj_hprda_history_stats(&h->history, out);
    uint64_t keys = h->history.engine ? out->keys : dj_hprda_keys(h), bytes = dj_hprda_bytes(h);
    *out = (dj_engine_stats){keys, bytes, h->peak_bytes > bytes ? h->peak_bytes : bytes};
}

const dj_engine_ops dj_engine_hprda = {
    .name = "hprda",
    .summary = "an estimate (HP-RDA), computed on all processors",
    .cost = "O(st / 64) per access, divided among the threads; 21 to 43 bytes per key, twice that with "
            "several fragments",
    .can = DJ_CAN_PER_ACCESS,
    .folds = true,
    .options = option_table,
    .options_bytes = sizeof(dj_hprda_options),
    .default_options = &default_options,
    .create = create,
    .destroy = destroy,
    .push = push,
    .pull = dj_work_pull_at_once,
    .drain = drain,
    .stats = stats,
};
