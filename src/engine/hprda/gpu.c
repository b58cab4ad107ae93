// SPDX-License-Identifier: MIT
// Idea:  Engine hprda with a CUDA device instead of the processors: the same local traces, sums and
//        adjustment, so the same answers (src/gpu/hprda.cu). A fragment is copied to the device as it
//        arrives and analyzed there as a whole. First accesses in a fragment get their exact distances
//        as in hprda, but from engine gpu if there are many keys.
// Paper: Cui, Yi, Xue, Wang, Yang and Feng, "A highly parallel reuse distance analysis algorithm on
//        GPUs", IPDPS 2012.
// Cost:  56 bytes of device memory per access of a fragment, 4 MiB of host memory; with several
//        fragments another engine processes each key of each fragment twice.
// Bound: like hprda.
#include "engine/hprda/gpu.h"

#include "engine/registry.h"

#include <stdlib.h>
#include <string.h>

enum { STAGING_KEYS = 1 << 18, STAGING_BUFFERS = 2, FEW_KEYS = 1 << 18, HISTORY_AT_ONCE = 1 << 25 };

typedef struct hprda_gpu {
    dj_hprda_parts parts; // must be first for dj_hprda_parts_push
    dj_hprda_gpu_options options;
    bool totals;
    dj_gpu_hprda *gpu;
    // Staging buffers in pinned memory: accesses to the device, distances back.
    uint64_t *staging[STAGING_BUFFERS];
    unsigned turn;
    size_t staging_used;
    uint64_t keys; // of the last fragment analyzed
    dj_hprda_history history;
    dj_histogram *counted; // with totals: first accesses in a fragment that are not first in the trace
    uint64_t cold;
    dj_hprda_fallback fallback;
} hprda_gpu;

static const dj_hprda_gpu_options default_options = {.common = DJ_HPRDA_DEFAULTS, .few = FEW_KEYS};

static const dj_option option_table[] = {
    DJ_HPRDA_OPTIONS("hprda-gpu"),
    {0},
};

static int find_device(dj_context *context)
{
    dj_gpu_info info;
    int err = dj_gpu_find(context, &info);
    return err ? dj_fail_within(context, err, "engine hprda-gpu") : DJ_OK;
}

static void destroy(void *state)
{
    hprda_gpu *h = state;
    if (!h)
        return;
    dj_gpu_hprda_close(h->gpu);
    for (int i = 0; i < STAGING_BUFFERS; i++)
        dj_gpu_unpin(h->staging[i]);
    dj_hprda_parts_free(&h->parts);
    dj_hprda_history_free(&h->history);
    dj_histogram_destroy(h->counted);
    dj_hprda_fallback_free(&h->fallback);
    free(h);
}

static int open_device(hprda_gpu *h, dj_context *context)
{
    const dj_hprda_options *o = &h->options.common;
    const dj_gpu_hprda_config config = {.fragment = o->fragment,
                                        .st = o->st,
                                        .adjusts = o->adjust != DJ_HPRDA_NEVER,
                                        .always = o->adjust == DJ_HPRDA_ALWAYS,
                                        .totals = h->totals,
                                        .timed = h->options.timed};
    int err = dj_gpu_hprda_open(context, &config, &h->gpu);
    if (err == DJ_ERR_MEMORY) {
        dj_warn(context,
                "%s of %llu accesses: engine hprda, on the processors, replaces hprda-gpu; a smaller "
                "--fragment would fit, but yield other estimates",
                dj_context_message(context), (unsigned long long)o->fragment);
        return dj_hprda_fallback_create(&h->fallback, context, o, h->totals);
    }
    if (!err && h->totals)
        err = dj_histogram_create(context, &h->counted);
    for (int i = 0; !err && i < STAGING_BUFFERS; i++) {
        void *memory = NULL;
        err = dj_gpu_pin(context, STAGING_KEYS * sizeof(uint64_t), &memory);
        h->staging[i] = memory;
    }
    return err;
}

static int create(dj_context *context, const dj_engine_params *params, void **state)
{
    const dj_hprda_gpu_options *o = params->options ? params->options : &default_options;
    int err = dj_engine_check(context, &dj_engine_hprda_gpu, params);
    if (!err)
        err = dj_hprda_check_options(context, &o->common);
    if (!err)
        err = find_device(context);
    hprda_gpu *h = err ? NULL : calloc(1, sizeof *h);
    if (!h)
        return err ? err : dj_fail_memory(context, "engine hprda-gpu", sizeof *h);
    h->options = *o;
    h->totals = params->use & DJ_CAN_TOTALS;
    h->parts.returns_early = h->totals;
    err = open_device(h, context);
    if (err) {
        destroy(h);
        return err;
    }
    *state = h;
    return DJ_OK;
}

// ---- a fragment ----

// Fetches the keys of the previous fragment with dj_gpu_hprda_first or dj_gpu_hprda_last; freed with
// free().
static int fetch_keys(hprda_gpu *h, dj_context *context,
                      int (*fetch)(dj_gpu_hprda *gpu, dj_context *context, uint64_t *out), uint64_t **out)
{
    *out = malloc((h->keys + 1) * sizeof **out);
    if (!*out)
        return dj_fail_memory(context, "the keys of a fragment", h->keys * sizeof **out);
    return fetch(h->gpu, context, *out);
}

static int begin_fragment(void *state, dj_context *context, const dj_hprda_part *part)
{
    hprda_gpu *h = state;
    uint64_t *keys = NULL;
    (void)part;
    if (!h->parts.ended)
        return DJ_OK;
    if (!h->history.engine && h->keys > h->options.few) {
        h->history.ops = &dj_engine_gpu;
        h->history.most = HISTORY_AT_ONCE;
    }
    int err = fetch_keys(h, context, dj_gpu_hprda_last, &keys);
    if (!err)
        err = dj_hprda_history_add(&h->history, context, keys, h->keys);
    free(keys);
    return err;
}

static int put_stage(hprda_gpu *h, dj_context *context)
{
    if (h->staging_used == 0)
        return DJ_OK;
    int err = dj_gpu_hprda_put(h->gpu, context, h->staging[h->turn], h->staging_used);
    h->turn = (h->turn + 1) % STAGING_BUFFERS;
    h->staging_used = 0;
    return err;
}

static int add_part(void *state, dj_context *context, const dj_hprda_part *part)
{
    hprda_gpu *h = state;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < part->count;) {
        size_t capacity = STAGING_KEYS - h->staging_used,
               count = part->count - i < capacity ? part->count - i : capacity;
        memcpy(h->staging[h->turn] + h->staging_used, part->work->key + part->from + i,
               count * sizeof(uint64_t));
        h->staging_used += count;
        i += count;
        if (h->staging_used == STAGING_KEYS)
            err = put_stage(h, context);
    }
    return err;
}

static int answer(hprda_gpu *h, dj_context *context)
{
    uint32_t *distances = (uint32_t *)h->staging[0];
    uint64_t at = 0, fetched = 0;
    size_t next = STAGING_KEYS;
    for (size_t p = 0; p < h->parts.count; p++) {
        const dj_hprda_part *part = &h->parts.part[p];
        uint64_t *distance = part->work->distance + part->from;
        for (size_t i = 0; i < part->count; i++, at++) {
            if (at == fetched) {
                uint64_t left = h->parts.accesses - at, count = left < STAGING_KEYS ? left : STAGING_KEYS;
                int err = dj_gpu_hprda_distances(h->gpu, context, at, count, distances);
                if (err)
                    return err;
                fetched += count;
                next = 0;
            }
            distance[i] = distances[next] == DJ_GPU_COLD ? DJ_COLD : distances[next];
            next++;
        }
    }
    return dj_hprda_history_answer(&h->history, context, &h->parts);
}

// The device has counted everything but first accesses.
static int count_first(hprda_gpu *h, dj_context *context)
{
    uint64_t *keys = NULL;
    if (!h->history.engine) {
        h->cold += h->keys;
        return DJ_OK;
    }
    int err = fetch_keys(h, context, dj_gpu_hprda_first, &keys);
    if (!err)
        err = dj_hprda_history_count(&h->history, context, keys, h->keys, h->counted, &h->cold);
    free(keys);
    return err;
}

static int end_fragment(void *state, dj_context *context)
{
    hprda_gpu *h = state;
    if (h->parts.accesses == 0)
        return DJ_OK;
    int err = put_stage(h, context);
    if (!err)
        err = dj_gpu_hprda_analyze(h->gpu, context, &h->keys);
    if (!err)
        err = h->totals ? count_first(h, context) : answer(h, context);
    return err;
}

static const dj_hprda_steps steps = {begin_fragment, add_part, end_fragment};

// ---- the engine ----

static int push(void *state, dj_context *context, dj_work *work)
{
    hprda_gpu *h = state;
    if (!h->fallback.engine)
        return dj_hprda_parts_push(&h->parts, context, &steps, h->options.common.fragment, work);
    int err = dj_hprda_fallback_push(&h->fallback, context, work);
    if (!err && h->totals)
        dj_work_queue_put(&h->parts.answered, work);
    return err;
}

static int pull(void *state, dj_context *context, dj_work **out)
{
    hprda_gpu *h = state;
    if (h->fallback.engine && !h->totals)
        return dj_engine_hprda.pull(h->fallback.engine, context, out);
    return dj_work_pull_at_once(state, context, out);
}

static int drain(void *state, dj_context *context)
{
    hprda_gpu *h = state;
    return h->fallback.engine ? dj_hprda_fallback_drain(&h->fallback, context)
                              : dj_hprda_parts_end(&h->parts, context, &steps);
}

static int totals(void *state, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    hprda_gpu *h = state;
    *cold += h->cold + h->fallback.cold;
    if (h->fallback.engine)
        return dj_histogram_merge(into, context, h->fallback.counted);
    int err = dj_gpu_hprda_totals(h->gpu, context, into);
    return err ? err : dj_histogram_merge(into, context, h->counted);
}

static void stats(const void *state, dj_engine_stats *out)
{
    const hprda_gpu *h = state;
    if (h->fallback.engine) {
        dj_engine_hprda.stats(h->fallback.engine, out);
        return;
    }
    const uint64_t own = sizeof *h + STAGING_BUFFERS * STAGING_KEYS * sizeof(uint64_t) +
                         h->parts.capacity * sizeof *h->parts.part;
    dj_hprda_history_stats(&h->history, out);
    out->keys = h->history.engine ? out->keys : h->keys;
    out->bytes += own;
    out->peak_bytes += own;
}

size_t dj_hprda_gpu_steps(const void *state, dj_gpu_step steps_out[DJ_GPU_STEPS])
{
    const hprda_gpu *h = state;
    return h->gpu ? dj_gpu_hprda_steps(h->gpu, steps_out) : 0;
}

const dj_engine_ops dj_engine_hprda_gpu = {
    .name = "hprda-gpu",
    .summary = "the same estimate as hprda, computed on a GPU",
    .cost = "O(st / 32) per access, in parallel on the GPU; 56 bytes of its memory per access of a fragment",
    .can = DJ_CAN_PER_ACCESS | DJ_CAN_TOTALS,
    .folds = true,
    .options = option_table,
    .options_bytes = sizeof(dj_hprda_gpu_options),
    .default_options = &default_options,
    .find_device = find_device,
    .create = create,
    .destroy = destroy,
    .push = push,
    .pull = pull,
    .drain = drain,
    .totals = totals,
    .stats = stats,
};
