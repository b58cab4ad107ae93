// SPDX-License-Identifier: MIT
// Counts the misses of caches by simulation, several sizes at once: to check models, and for policies that
// no model covers (FIFO, LFU).
//
// LFU counts the accesses since a block was fetched, without ageing; ties evict the least recent. Sets are
// chosen by the key modulo their number, as hardware does with address bits, or by a hash of it.
#include "observe/simulate/simulate.h"

#include <deja/observer_options.h>
#include <stdlib.h>

#include "base/dictionary.h"
#include "observe/counted.h"
#include "observe/observers.h"

typedef struct simulated {
    dj_simulated result;
    dj_set_cache *sets; // one of the two
    dj_full_cache *full;
} simulated;

typedef struct simulation {
    dj_dictionary ids;
    bool need_ids, hash;
    size_t count;
    simulated caches[];
} simulation;

static void destroy(void *state)
{
    simulation *s = state;
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        dj_set_cache_destroy(s->caches[i].sets);
        dj_full_cache_destroy(s->caches[i].full);
    }
    dj_dictionary_destroy(&s->ids);
    free(s);
}

static int create_cache(dj_context *context, const dj_simulate_options *options, uint64_t size,
                        simulated *cache)
{
    if (size == 0)
        return dj_fail(context, DJ_ERR_USAGE, "a simulated cache must hold at least one block");
    bool full = options->ways == 0 || options->ways >= size;
    uint64_t ways = full ? size : options->ways, sets = full ? 1 : size / ways;
    cache->result =
        (dj_simulated){.policy = options->policy, .size_blocks = sets * ways, .sets = sets, .ways = ways};
    if (sets == 1)
        return dj_full_cache_create(context, options->policy, ways, &cache->full);
    return dj_set_cache_create(context, options->policy, sets, ways, &cache->sets);
}

static const uint64_t default_sizes[] = {64, 1024, 16384};
static const dj_simulate_options defaults = {.policy = DJ_POLICY_LRU,
                                             .sizes = default_sizes,
                                             .size_count = sizeof default_sizes / sizeof *default_sizes};

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_simulate_options *options = setup->options ? setup->options : &defaults;
    if (options->size_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "a simulation needs the sizes of its caches");
    int refused = dj_refuse_partitions(context, setup, "a simulated cache");
    if (refused)
        return refused;
    simulation *s = calloc(1, sizeof *s + options->size_count * sizeof s->caches[0]);
    if (!s)
        return dj_fail_memory(context, "simulated caches", 0);
    s->hash = options->hash;
    int err = dj_dictionary_create(&s->ids, context);
    for (size_t i = 0; err == DJ_OK && i < options->size_count; i++) {
        err = create_cache(context, options, options->sizes[i], &s->caches[i]);
        s->need_ids = s->need_ids || s->caches[i].full;
        s->count = i + 1;
    }
    if (err != DJ_OK) {
        destroy(s);
        return err;
    }
    *state = s;
    return DJ_OK;
}

static int watch_key(simulation *s, dj_context *context, uint64_t key, bool counts)
{
    uint32_t id = 0;
    bool fresh, hit;
    int err = s->need_ids ? dj_dictionary_value(&s->ids, context, key, &id, &fresh) : DJ_OK;
    uint64_t place = s->hash ? dj_map_hash(key) : key;
    for (size_t i = 0; err == DJ_OK && i < s->count; i++) {
        simulated *cache = &s->caches[i];
        if (cache->full)
            err = dj_full_cache_access(cache->full, context, id, &hit);
        else
            hit = dj_set_cache_access(cache->sets, place % cache->result.sets, key);
        cache->result.misses += err == DJ_OK && !hit && counts;
    }
    return err;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    const uint8_t *verdict = view->lanes[0].verdict;
    for (uint32_t i = 0; i < view->batch->count; i++) {
        if (verdict && verdict[i] == DJ_VERDICT_INVALIDATE)
            return dj_fail(context, DJ_ERR_UNSUPPORTED, "simulated caches cannot invalidate blocks");
        if (verdict && verdict[i] == DJ_VERDICT_ABSENT)
            continue;
        int err =
            watch_key(state, context, view->lanes[0].key[i], !verdict || verdict[i] == DJ_VERDICT_COUNT);
        if (err != DJ_OK)
            return err;
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const simulation *s = state;
    dj_simulated_profile *out = NULL;
    int err = dj_lane_add_section(context, &profile->lanes[0], &dj_section_simulated, &out);
    if (err)
        return err;
    out->caches = calloc(s->count + 1, sizeof *out->caches);
    if (!out->caches)
        return dj_fail_memory(context, "a profile", 0);
    out->count = s->count;
    for (size_t i = 0; i < s->count; i++)
        out->caches[i] = s->caches[i].result;
    return DJ_OK;
}

// No merge: the contents of a cache depend on everything before.
const dj_observer_ops dj_observer_simulate = {
    .name = "simulate",
    .summary = "misses of simulated caches",
    .fills = &dj_section_simulated,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .finish = finish,
};
