// SPDX-License-Identifier: MIT
// Idea:  The paper's, with its sizes: a fragment of N accesses is divided into local traces of `st`, one per
//        thread, with 64 threads per block. Each thread analyzes its local trace by itself with a local array
//        and a private hash table (2 × st entries of the 2N). The result is elements of a pool, one per
//        key of the local trace: key, first and last access, and the next element of the key (20 bytes). The
//        threads of a block then merge its local traces in order, each thread some of the keys; the cleared
//        table now belongs to the block as a whole. Finally the blocks are merged in order, with one
//        table for all; then sums beyond the number of keys are scaled down. The elements of a local trace
//        are consecutive, so no space needs to be searched for, and since no local trace contains a key twice
//        no thread waits for another.
// Paper: Cui, Yi, Xue, Wang, Yang and Feng, "A highly parallel reuse distance analysis algorithm on
//        GPUs", IPDPS 2012, sections III and IV.
// Cost:  O(st / 32) per access at most, three probes per key of each local trace, one kernel per block; 56
//        bytes of device memory per access of a fragment.
// Bound: like engine hprda, with bit-identical answers.
#include "gpu/hprda.h"

#include "gpu/hprda_state.cuh"

#include <cstdlib>

static uint64_t blocks_of_pieces(uint64_t pieces)
{
    return (pieces + HPRDA_THREADS - 1) / HPRDA_THREADS;
}

static uint64_t local_words(uint64_t st)
{
    uint64_t words = (st + HPRDA_WORD - 1) / HPRDA_WORD;
    return words + (words + HPRDA_SUMMED - 1) / HPRDA_SUMMED;
}

static void measure(const dj_gpu_hprda_config *c, uint64_t bytes[HPRDA_COLUMNS])
{
    const uint64_t n = c->fragment, pieces = (n + c->st - 1) / c->st, elements = pieces * c->st;
    const uint64_t arrays =
        c->st > HPRDA_SHARED_ST ? blocks_of_pieces(pieces) * HPRDA_THREADS * local_words(c->st) : 0;
    bytes[HPRDA_KEY] = bytes[HPRDA_KEPT] = n * 8;
    bytes[HPRDA_WHERE] = bytes[HPRDA_ANSWERS] = c->totals ? 0 : n * 4;
    bytes[HPRDA_POOL_KEY] = elements * 8;
    bytes[HPRDA_POOL_FIRST] = bytes[HPRDA_POOL_LAST] = bytes[HPRDA_POOL_NEXT] = elements * 4;
    bytes[HPRDA_TABLE] = elements * 8;
    bytes[HPRDA_DISTANCE] = n * 4;
    bytes[HPRDA_DISTINCT] = bytes[HPRDA_BASE] = pieces * 4;
    bytes[HPRDA_BITS] = arrays * 4;
    bytes[HPRDA_COUNTS] = c->totals ? (n + 2) * 8 : 0;
    bytes[HPRDA_KEYS] = 4;
    bytes[HPRDA_SCRATCH] = n / 16 + (1 << 16);
}

// A local trace is not longer than the fragment: with one local trace, its size does not matter.
static dj_gpu_hprda_config sized(const dj_gpu_hprda_config *config)
{
    dj_gpu_hprda_config c = *config;
    c.st = c.st < c.fragment ? c.st : c.fragment;
    return c;
}

uint64_t dj_gpu_hprda_bytes(const dj_gpu_hprda_config *config)
{
    dj_gpu_hprda_config c = sized(config);
    uint64_t bytes[HPRDA_COLUMNS], sum = 0;
    measure(&c, bytes);
    for (uint64_t b : bytes)
        sum += b;
    return sum;
}

static int allocate(dj_gpu_hprda *g, dj_context *context)
{
    uint64_t bytes[HPRDA_COLUMNS];
    measure(&g->config, bytes);
    size_t scan = 0;
    int err = dj_gpu_hprda_scratch_bytes(context, g->config.fragment, &scan);
    bytes[HPRDA_SCRATCH] = scan > bytes[HPRDA_SCRATCH] ? scan : bytes[HPRDA_SCRATCH];
    g->scratch_bytes = bytes[HPRDA_SCRATCH];
    for (int i = 0; !err && i < HPRDA_COLUMNS; i++)
        if (bytes[i] > 0)
            err = dj_cuda_check(context, cudaMalloc(&g->column[i], bytes[i]), "a fragment");
    return err;
}

int dj_gpu_hprda_open(dj_context *context, const dj_gpu_hprda_config *config, dj_gpu_hprda **out)
{
    dj_gpu_hprda *g = (dj_gpu_hprda *)calloc(1, sizeof *g);
    if (!g)
        return dj_fail_memory(context, "engine hprda-gpu", sizeof *g);
    g->config = sized(config);
    int err = allocate(g, context);
    if (!err)
        err = dj_cuda_check(context, cudaStreamCreate(&g->stream), "a stream");
    if (!err)
        err = dj_cuda_check(context, cudaEventCreate(&g->copied), "an event");
    for (int i = 0; !err && i <= HPRDA_STEPS; i++)
        err = dj_cuda_check(context, cudaEventCreate(&g->mark[i]), "an event");
    if (err) {
        dj_gpu_hprda_close(g);
        return err;
    }
    *out = g;
    return DJ_OK;
}

void dj_gpu_hprda_close(dj_gpu_hprda *g)
{
    if (!g)
        return;
    if (g->stream) {
        dj_cuda_ignore(cudaStreamSynchronize(g->stream));
        dj_cuda_ignore(cudaStreamDestroy(g->stream));
    }
    if (g->copied)
        dj_cuda_ignore(cudaEventDestroy(g->copied));
    for (cudaEvent_t event : g->mark)
        if (event)
            dj_cuda_ignore(cudaEventDestroy(event));
    for (void *column : g->column)
        dj_cuda_ignore(cudaFree(column));
    free(g);
}

int dj_gpu_hprda_wait_put(dj_gpu_hprda *g, dj_context *context)
{
    bool copying = g->copying;
    g->copying = false;
    return copying ? dj_cuda_check(context, cudaEventSynchronize(g->copied), "a copy of the trace") : DJ_OK;
}

int dj_gpu_hprda_put(dj_gpu_hprda *g, dj_context *context, const uint64_t *key, uint64_t count)
{
    int err = dj_gpu_hprda_wait_put(g, context);
    if (err)
        return err;
    cudaError_t error = cudaMemcpyAsync((uint64_t *)g->column[HPRDA_KEY] + g->put, key, count * sizeof *key,
                                        cudaMemcpyDefault, g->stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(g->copied, g->stream);
    g->put += count;
    g->copying = true;
    return dj_cuda_check(context, error, "a copy of the trace");
}

int dj_gpu_hprda_distances(dj_gpu_hprda *g, dj_context *context, uint64_t from, uint64_t count, uint32_t *out)
{
    const uint32_t *answers = (const uint32_t *)g->column[HPRDA_ANSWERS] + from;
    cudaError_t error = cudaMemcpyAsync(out, answers, count * sizeof *out, cudaMemcpyDeviceToHost, g->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(g->stream);
    return dj_cuda_check(context, error, "distances");
}

int dj_gpu_hprda_totals(dj_gpu_hprda *g, dj_context *context, dj_histogram *into)
{
    const uint64_t FETCHED = 1 << 20;
    const uint64_t *counts = (const uint64_t *)g->column[HPRDA_COUNTS];
    uint64_t *fetched = (uint64_t *)malloc(FETCHED * sizeof *fetched);
    int err = fetched ? DJ_OK : dj_fail_memory(context, "engine hprda-gpu", FETCHED * sizeof *fetched);
    if (!err)
        err = dj_histogram_reserve(into, context, g->counts);
    if (!err && g->repeats > 0)
        err = dj_histogram_add(into, context, 0, g->repeats);
    for (uint64_t at = 0; !err && at < g->counts; at += FETCHED) {
        uint64_t count = g->counts - at < FETCHED ? g->counts - at : FETCHED;
        err = dj_cuda_check(context,
                            cudaMemcpy(fetched, counts + at, count * sizeof *fetched, cudaMemcpyDeviceToHost),
                            "counters");
        if (!err)
            err = dj_histogram_add_counts(into, context, at, fetched, count);
    }
    free(fetched);
    return err;
}

size_t dj_gpu_hprda_steps(const dj_gpu_hprda *g, dj_gpu_step steps[DJ_GPU_STEPS])
{
    for (int i = 0; i < HPRDA_STEPS; i++)
        steps[i] = dj_gpu_step{dj_gpu_hprda_step_names[i], g->seconds[i], g->bytes[i]};
    return g->config.timed ? HPRDA_STEPS : 0;
}
