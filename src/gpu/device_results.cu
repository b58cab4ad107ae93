// SPDX-License-Identifier: MIT
// What a device returns when its chunks are done: counts, keys, and accesses that were put but not
// analyzed.
#include "gpu/device.h"
#include "gpu/exact.cuh"
#include "gpu/failure.cuh"

#include <algorithm>
#include <cstdlib>

enum { FETCHED = 1 << 19 }; // counts at a time

// Fetches the next counts while some are added.
static int add_counts(dj_gpu *gpu, dj_context *context, dj_histogram *into, uint64_t *buffer)
{
    int err = DJ_OK;
    for (uint64_t from = 0, before = 0, step = 0; !err; step++) {
        uint64_t some = std::min<uint64_t>(gpu->keys - from, FETCHED), *next = buffer + step % 2 * FETCHED;
        cudaError_t error = cudaSuccess;
        if (some)
            error = cudaMemcpyAsync(next, gpu->counts + from, some * sizeof *next, cudaMemcpyDeviceToHost,
                                    gpu->answering);
        if (before)
            err = dj_histogram_add_counts(into, context, from - before, buffer + (step + 1) % 2 * FETCHED,
                                          before);
        if (error == cudaSuccess)
            error = cudaStreamSynchronize(gpu->answering);
        if (!err)
            err = dj_cuda_check(context, error, "a copy of counts");
        if (!some)
            break;
        from += some;
        before = some;
    }
    return err;
}

int dj_gpu_totals(dj_gpu *gpu, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    void *buffer = nullptr;
    int err = dj_gpu_pin(context, 2 * FETCHED * sizeof(uint64_t), &buffer);
    if (!err)
        err = dj_histogram_reserve(into, context, gpu->keys);
    if (!err)
        err = add_counts(gpu, context, into, (uint64_t *)buffer);
    dj_gpu_unpin(buffer);
    *cold += gpu->cold;
    return err;
}

template <typename T> static cudaError_t fetch(T **to, const T *from, uint64_t at, uint64_t count)
{
    if (!from)
        return cudaSuccess;
    *to = (T *)std::malloc((count + 1) * sizeof(T));
    return *to ? cudaMemcpy(*to, from + at, count * sizeof(T), cudaMemcpyDeviceToHost)
               : cudaErrorMemoryAllocation;
}

static int fetch_all(dj_context *context, dj_gpu_accesses from, uint64_t at, uint64_t count, dj_order *out)
{
    *out = dj_order{};
    out->count = count;
    cudaError_t error = fetch(&out->key, from.key, at, count);
    if (error == cudaSuccess)
        error = fetch(&out->tag, from.tag, at, count);
    if (error == cudaSuccess)
        error = fetch(&out->time, from.time, at, count);
    if (error == cudaSuccess)
        return DJ_OK;
    dj_order_free(out);
    return dj_cuda_fail(context, error, "a copy of keys");
}

int dj_gpu_order(dj_gpu *gpu, dj_context *context, dj_order *out)
{
    return fetch_all(context, gpu->order, 0, gpu->keys, out);
}

int dj_gpu_take_back(dj_gpu *gpu, dj_context *context, dj_order *out)
{
    dj_gpu_slot *slot = &gpu->slots[gpu->filling];
    int err = dj_cuda_check(context, cudaStreamSynchronize(gpu->copying), "a copy to the device");
    if (!err)
        err = fetch_all(context, slot->in, gpu->config.key_capacity, slot->count, out);
    if (!err)
        slot->count = 0;
    return err;
}
