// SPDX-License-Identifier: MIT
// The steps that analyze a fragment, in order: see hprda.cu.
#include "gpu/hprda_merge.cuh"

#include <cub/cub.cuh>

const char *const dj_gpu_hprda_step_names[HPRDA_STEPS] = {"repeats removed", "local analysis", "merge",
                                                          "block merge", "adjustment"};

static const uint32_t THREADS = 256, TALLY_BLOCKS = 1056;

int dj_gpu_hprda_scratch_bytes(dj_context *context, uint64_t fragment, size_t *out)
{
    cudaError_t error = cub::DeviceScan::ExclusiveSum(nullptr, *out, (const uint32_t *)nullptr,
                                                      (uint32_t *)nullptr, (int)fragment);
    return dj_cuda_check(context, error, "a scan");
}

static uint32_t blocks_of(uint64_t things)
{
    return (uint32_t)((things + THREADS - 1) / THREADS);
}

static uint32_t blocks_of_pieces(const hprda_view &v)
{
    return (v.pieces + HPRDA_THREADS - 1) / HPRDA_THREADS;
}

// Whether the last kernel could be started.
static int started(dj_context *context)
{
    return dj_cuda_check(context, cudaGetLastError(), "the start of a kernel");
}

// Fetches a number from the device when everything before is done.
static int fetch(dj_gpu_hprda *g, dj_context *context, const void *from, uint32_t *out)
{
    cudaError_t error = cudaMemcpyAsync(out, from, sizeof *out, cudaMemcpyDeviceToHost, g->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(g->stream);
    return dj_cuda_check(context, error, "engine hprda-gpu");
}

// Exclusive prefix sums of `from`, and the total.
static int scan(dj_gpu_hprda *g, dj_context *context, const uint32_t *from, uint32_t *to, uint32_t count,
                uint32_t *sum)
{
    uint32_t last = 0, before = 0;
    cudaError_t error = cub::DeviceScan::ExclusiveSum(g->column[HPRDA_SCRATCH], g->scratch_bytes, from, to,
                                                      (int)count, g->stream);
    int err = dj_cuda_check(context, error, "a scan");
    if (!err)
        err = fetch(g, context, from + count - 1, &last);
    if (!err)
        err = fetch(g, context, to + count - 1, &before);
    *sum = before + last;
    return err;
}

static int clear_table(dj_gpu_hprda *g, dj_context *context)
{
    const hprda_view *v = &g->view;
    return dj_cuda_check(context, cudaMemsetAsync(v->table, 0, (uint64_t)v->pieces * v->st * 8, g->stream),
                         "the hash table");
}

static int mark(dj_gpu_hprda *g, dj_context *context, int at)
{
    return g->config.timed ? dj_cuda_check(context, cudaEventRecord(g->mark[at], g->stream), "an event")
                           : DJ_OK;
}

static int add_times(dj_gpu_hprda *g, dj_context *context)
{
    const double n = (double)g->accesses, m = g->view.count, e = (double)g->places;
    const double table = (double)g->view.pieces * g->view.st * 8;
    const double bytes[HPRDA_STEPS] = {8 * n + 8 * m, table + 12 * m + 20 * e, table + 32 * e, table + 28 * e,
                                       4 * m};
    cudaError_t error = cudaStreamSynchronize(g->stream);
    for (int i = 0; i < HPRDA_STEPS && g->config.timed && error == cudaSuccess; i++) {
        float milliseconds = 0;
        error = cudaEventElapsedTime(&milliseconds, g->mark[i], g->mark[i + 1]);
        g->seconds[i] += milliseconds / 1e3;
        g->bytes[i] += bytes[i];
    }
    return dj_cuda_check(context, error, "engine hprda-gpu");
}

static int divide(dj_gpu_hprda *g, dj_context *context)
{
    const uint64_t *key = (const uint64_t *)g->column[HPRDA_KEY];
    const uint32_t n = (uint32_t)g->accesses;
    uint32_t *flag = (uint32_t *)g->column[HPRDA_TABLE], *index = flag + n, kept = 0;
    DJ_LAUNCH(hprda_flag, blocks_of(n), THREADS, g->stream, key, n, flag);
    int err = started(context);
    if (!err)
        err = scan(g, context, flag, index, n, &kept);
    if (err)
        return err;
    DJ_LAUNCH(hprda_keep, blocks_of(n), THREADS, g->stream, key, flag, index, n,
              (uint64_t *)g->column[HPRDA_KEPT], (uint32_t *)g->column[HPRDA_WHERE]);
    const uint32_t st = (uint32_t)g->config.st;
    g->repeats += n - kept;
    g->view = hprda_view{(const uint64_t *)g->column[HPRDA_KEPT],
                         kept,
                         st,
                         (kept + st - 1) / st,
                         {(uint64_t *)g->column[HPRDA_POOL_KEY], (uint32_t *)g->column[HPRDA_POOL_FIRST],
                          (uint32_t *)g->column[HPRDA_POOL_LAST], (uint32_t *)g->column[HPRDA_POOL_NEXT]},
                         (uint32_t *)g->column[HPRDA_TABLE],
                         (uint32_t *)g->column[HPRDA_DISTANCE],
                         (uint32_t *)g->column[HPRDA_DISTINCT],
                         (uint32_t *)g->column[HPRDA_BASE],
                         (uint32_t *)g->column[HPRDA_BITS]};
    return started(context);
}

static int analyze_locally(dj_gpu_hprda *g, dj_context *context)
{
    int err = clear_table(g, context);
    if (err)
        return err;
    DJ_LAUNCH(hprda_local_analysis, blocks_of_pieces(g->view), HPRDA_THREADS, g->stream, g->view);
    return started(context);
}

static int merge(dj_gpu_hprda *g, dj_context *context)
{
    uint32_t places = 0;
    int err = scan(g, context, g->view.distinct, g->view.base, g->view.pieces, &places);
    g->places = places;
    if (!err)
        err = clear_table(g, context);
    if (err)
        return err;
    DJ_LAUNCH(hprda_merge_pieces, blocks_of_pieces(g->view), HPRDA_THREADS, g->stream, g->view);
    return started(context);
}

static int merge_blocks(dj_gpu_hprda *g, dj_context *context)
{
    const hprda_view v = g->view;
    const uint64_t entries = (uint64_t)v.pieces * v.st * 2;
    uint32_t *const device_keys = (uint32_t *)g->column[HPRDA_KEYS];
    uint32_t keys = 0;
    int err = clear_table(g, context);
    if (!err)
        err = dj_cuda_check(context, cudaMemsetAsync(device_keys, 0, 4, g->stream), "the hash table");
    const uint64_t most = (uint64_t)HPRDA_THREADS * v.st;
    for (uint64_t at = 0; !err && at < v.count; at += most) {
        uint64_t count = v.count - at < most ? v.count - at : most;
        DJ_LAUNCH(hprda_merge_block, blocks_of(count), THREADS, g->stream, v, (uint32_t)at, (uint32_t)count,
                  entries, device_keys);
        err = started(context);
    }
    if (!err)
        err = fetch(g, context, device_keys, &keys);
    g->keys = keys;
    return err;
}

static int count_distances(dj_gpu_hprda *g, dj_context *context, const hprda_scale &scale)
{
    uint64_t *counts = (uint64_t *)g->column[HPRDA_COUNTS];
    // Scaled distances do not exceed the number of keys.
    uint64_t needed = (g->config.adjusts ? g->keys : g->places) + 1;
    uint32_t blocks = blocks_of(g->view.count);
    uint64_t fresh = needed > g->counts ? needed - g->counts : 0;
    int err =
        dj_cuda_check(context, cudaMemsetAsync(counts + g->counts, 0, fresh * 8, g->stream), "counters");
    g->counts += fresh;
    if (err)
        return err;
    DJ_LAUNCH(hprda_tally, blocks < TALLY_BLOCKS ? blocks : TALLY_BLOCKS, THREADS, g->stream,
              g->view.distance, g->view.count, scale, counts, (uint32_t)g->config.fragment + 1);
    return started(context);
}

static int spread(dj_gpu_hprda *g, dj_context *context, const hprda_scale &scale)
{
    uint32_t *answers = (uint32_t *)g->column[HPRDA_ANSWERS];
    int err = dj_cuda_check(context, cudaMemsetAsync(answers, 0, g->accesses * 4, g->stream), "distances");
    if (err)
        return err;
    DJ_LAUNCH(hprda_spread, blocks_of(g->view.count), THREADS, g->stream, g->view.distance,
              (const uint32_t *)g->column[HPRDA_WHERE], g->view.count, scale, answers);
    return started(context);
}

static int adjust(dj_gpu_hprda *g, dj_context *context)
{
    const dj_gpu_hprda_config *c = &g->config;
    hprda_scale scale = {g->keys, g->places, UINT32_MAX};
    if (c->adjusts)
        scale.most = c->always ? 0 : (uint32_t)g->keys;
    return c->totals ? count_distances(g, context, scale) : spread(g, context, scale);
}

int dj_gpu_hprda_analyze(dj_gpu_hprda *g, dj_context *context, uint64_t *keys)
{
    static int (*const steps[HPRDA_STEPS])(dj_gpu_hprda *, dj_context *) = {divide, analyze_locally, merge,
                                                                            merge_blocks, adjust};
    int err = dj_gpu_hprda_wait_put(g, context);
    g->accesses = g->put;
    g->put = 0;
    *keys = 0;
    if (err || g->accesses == 0)
        return err;
    err = mark(g, context, 0);
    for (int i = 0; !err && i < HPRDA_STEPS; i++) {
        err = steps[i](g, context);
        if (!err)
            err = mark(g, context, i + 1);
    }
    if (!err)
        err = add_times(g, context);
    *keys = g->keys;
    return err;
}

// Fetches the keys that have a flag, in order. The flags are in the table.
static int fetch_flagged(dj_gpu_hprda *g, dj_context *context, const uint64_t *key, uint32_t count,
                         uint64_t *out)
{
    const uint32_t *flag = (const uint32_t *)g->column[HPRDA_TABLE];
    uint32_t *index = (uint32_t *)g->column[HPRDA_TABLE] + count, kept = 0;
    uint64_t *keys = (uint64_t *)g->column[HPRDA_KEY];
    int err = scan(g, context, flag, index, count, &kept);
    if (err)
        return err;
    DJ_LAUNCH(hprda_keep, blocks_of(count), THREADS, g->stream, key, flag, index, count, keys,
              (uint32_t *)nullptr);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(out, keys, kept * sizeof *out, cudaMemcpyDeviceToHost, g->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(g->stream);
    return dj_cuda_check(context, error, "the keys of a fragment");
}

int dj_gpu_hprda_first(dj_gpu_hprda *g, dj_context *context, uint64_t *out)
{
    const hprda_view &v = g->view;
    DJ_LAUNCH(hprda_flag_cold, blocks_of(v.count), THREADS, g->stream, v.distance, v.count, v.table);
    int err = started(context);
    return err ? err : fetch_flagged(g, context, v.key, v.count, out);
}

int dj_gpu_hprda_last(dj_gpu_hprda *g, dj_context *context, uint64_t *out)
{
    const hprda_view &v = g->view;
    uint64_t *at_places = (uint64_t *)g->column[HPRDA_KEPT]; // the trace is no longer needed
    int err = dj_cuda_check(context, cudaMemsetAsync(v.table, 0, g->places * 4, g->stream), "the hash table");
    if (err)
        return err;
    DJ_LAUNCH(hprda_flag_last, blocks_of(v.count), THREADS, g->stream, v, v.table, at_places);
    err = started(context);
    return err ? err : fetch_flagged(g, context, at_places, (uint32_t)g->places, out);
}
