// SPDX-License-Identifier: MIT
// Chunks are copied in on one stream, analyzed on another, and their answers are copied out on a third,
// so that a chunk is copied while the previous one is analyzed.
#include "gpu/device.h"
#include "gpu/exact.cuh"
#include "gpu/failure.cuh"

#include <algorithm>
#include <new>

static void set_up(dj_gpu *gpu, const dj_gpu_config *config)
{
    gpu->config = *config;
    gpu->capacity = config->chunk + config->key_capacity;
}

static int check_config(dj_context *context, const dj_gpu_config *config)
{
    if (config->chunk == 0 || config->chunk >= DJ_GPU_MOST ||
        config->key_capacity >= DJ_GPU_MOST - config->chunk)
        return dj_fail(context, DJ_ERR_USAGE, "a chunk for the GPU must have 1 to %llu accesses",
                       (unsigned long long)DJ_GPU_MOST - 1);
    return DJ_OK;
}

uint64_t dj_gpu_bytes(const dj_gpu_config *config)
{
    dj_gpu gpu = {};
    set_up(&gpu, config);
    if (dj_link_scratch(gpu.capacity, &gpu.link.scratch_bytes) != cudaSuccess)
        (void)cudaGetLastError();
    return dj_gpu_lay_out(&gpu, nullptr);
}

static cudaError_t make_event(cudaEvent_t *event, bool timed)
{
    return cudaEventCreateWithFlags(event, timed ? cudaEventDefault : cudaEventDisableTiming);
}

static cudaError_t make_events(dj_gpu *gpu)
{
    cudaError_t error = make_event(&gpu->copied, false);
    for (int i = 0; error == cudaSuccess && i < DJ_GPU_PUTS; i++)
        error = make_event(&gpu->puts[i], false);
    for (dj_gpu_slot &slot : gpu->slots) {
        if (error == cudaSuccess)
            error = make_event(&slot.analyzed, false);
        if (error == cudaSuccess)
            error = make_event(&slot.answered, false);
        for (int i = 0; error == cudaSuccess && gpu->config.timed && i <= DJ_GPU_STAGES; i++)
            error = make_event(&slot.stage[i], true);
    }
    return error;
}

static cudaError_t make_streams(dj_gpu *gpu)
{
    cudaError_t error = cudaStreamCreateWithFlags(&gpu->copying, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&gpu->working, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&gpu->answering, cudaStreamNonBlocking);
    return error;
}

// Zeroes what must be zero: counts, the status of tiles, and the varying bits.
static cudaError_t clear(dj_gpu *gpu)
{
    cudaError_t error = cudaMemsetAsync(gpu->varying, 0, sizeof *gpu->varying, gpu->copying);
    uint64_t status_bytes = (uint64_t)dj_tiles(gpu->capacity) * 32 * sizeof *gpu->nest.status;
    if (error == cudaSuccess)
        error = cudaMemsetAsync(gpu->nest.status, 0, status_bytes, gpu->working);
    if (error == cudaSuccess && gpu->counts)
        error = cudaMemsetAsync(gpu->counts, 0, gpu->capacity * sizeof *gpu->counts, gpu->working);
    return error;
}

int dj_gpu_open(dj_context *context, const dj_gpu_config *config, dj_gpu **out)
{
    dj_gpu_info info;
    int err = check_config(context, config);
    if (!err)
        err = dj_gpu_find(context, &info);
    dj_gpu *gpu = err ? nullptr : new (std::nothrow) dj_gpu{};
    if (!gpu)
        return err ? err : dj_fail_memory(context, "the state of a GPU", sizeof *gpu);
    set_up(gpu, config);
    gpu->nest.processors = info.processors;
    err = dj_cuda_check(context, dj_link_scratch(gpu->capacity, &gpu->link.scratch_bytes), "sorting");
    if (!err)
        err = dj_cuda_check(context, cudaMalloc((void **)&gpu->memory, dj_gpu_lay_out(gpu, nullptr)),
                            "a chunk");
    if (!err) {
        dj_gpu_lay_out(gpu, gpu->memory);
        err = dj_gpu_pin(context, sizeof *gpu->report, (void **)&gpu->report);
    }
    if (!err)
        err = dj_cuda_check(context, make_streams(gpu), "initialization");
    if (!err)
        err = dj_cuda_check(context, make_events(gpu), "initialization");
    if (!err)
        err = dj_cuda_check(context, clear(gpu), "initialization");
    if (err)
        dj_gpu_close(gpu);
    else
        *out = gpu;
    return err;
}

static void drop_event(cudaEvent_t event)
{
    if (event)
        dj_cuda_ignore(cudaEventDestroy(event));
}

static void drop_stream(cudaStream_t stream)
{
    if (!stream)
        return;
    dj_cuda_ignore(cudaStreamSynchronize(stream)); // otherwise its memory would be freed while in use
    dj_cuda_ignore(cudaStreamDestroy(stream));
}

void dj_gpu_close(dj_gpu *gpu)
{
    if (!gpu)
        return;
    drop_stream(gpu->copying);
    drop_stream(gpu->working);
    drop_stream(gpu->answering);
    drop_event(gpu->copied);
    for (cudaEvent_t event : gpu->puts)
        drop_event(event);
    for (const dj_gpu_slot &slot : gpu->slots) {
        drop_event(slot.analyzed);
        drop_event(slot.answered);
        for (cudaEvent_t event : slot.stage)
            drop_event(event);
    }
    dj_gpu_unpin(gpu->report);
    dj_gpu_free(gpu->memory);
    delete gpu;
}

template <typename T> static cudaError_t copy(dj_gpu *gpu, T *to, const T *from, uint64_t count)
{
    return to && count ? cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, gpu->copying)
                       : cudaSuccess;
}

// Copies accesses to position `at`, and determines which bits of their keys vary.
static cudaError_t copy_in(dj_gpu *gpu, dj_gpu_accesses to, uint64_t at, const dj_gpu_columns *from,
                           uint64_t count)
{
    cudaError_t error = copy(gpu, to.key + at, from->key, count);
    if (error == cudaSuccess && to.tag)
        error = copy(gpu, to.tag + at, from->tag, count);
    if (error == cudaSuccess && to.time)
        error = copy(gpu, to.time + at, from->time, count);
    if (error == cudaSuccess && !gpu->has_base)
        error = cudaMemcpyAsync(gpu->base, to.key + at, sizeof *gpu->base, cudaMemcpyDeviceToDevice,
                                gpu->copying);
    if (error != cudaSuccess)
        return error;
    gpu->has_base = true;
    return dj_link_survey(to.key + at, count, gpu->base, gpu->varying, gpu->copying);
}

int dj_gpu_begin(dj_gpu *gpu, dj_context *context, const dj_order *order)
{
    if (order->count > gpu->config.key_capacity)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "more keys than the device has space for");
    if (order->count == 0)
        return DJ_OK;
    dj_gpu_columns columns = {order->key, order->tag, order->time};
    gpu->keys = order->count;
    cudaError_t error = copy_in(gpu, gpu->order, 0, &columns, order->count);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(gpu->copying);
    return dj_cuda_check(context, error, "a copy of keys");
}

int dj_gpu_put(dj_gpu *gpu, dj_context *context, const dj_gpu_columns *columns, uint64_t count,
               uint64_t *ticket)
{
    dj_gpu_slot *slot = &gpu->slots[gpu->filling];
    *ticket = gpu->put_count;
    if (count == 0)
        return DJ_OK;
    if (count > gpu->config.chunk - slot->count)
        return dj_fail(context, DJ_ERR_USAGE, "more accesses than fit in the chunk");
    cudaError_t error = cudaSuccess;
    if (slot->count == 0 && slot->was_used)
        error = cudaStreamWaitEvent(gpu->copying, slot->analyzed, 0);
    if (error == cudaSuccess)
        error = copy_in(gpu, slot->in, gpu->config.key_capacity + slot->count, columns, count);
    *ticket = ++gpu->put_count;
    if (error == cudaSuccess)
        error = cudaEventRecord(gpu->puts[*ticket % DJ_GPU_PUTS], gpu->copying);
    slot->count += count;
    return dj_cuda_check(context, error, "a copy to the device");
}

// If the event was recorded again, it belongs to a later copy, which ends later.
int dj_gpu_wait_put(dj_gpu *gpu, dj_context *context, uint64_t ticket)
{
    return ticket == 0 ? DJ_OK
                       : dj_cuda_check(context, cudaEventSynchronize(gpu->puts[ticket % DJ_GPU_PUTS]),
                                       "a copy to the device");
}

// Waits for the last chunk.
static int wait_for_chunk(dj_gpu *gpu, dj_context *context)
{
    if (!gpu->is_running)
        return DJ_OK;
    dj_gpu_slot *slot = &gpu->slots[gpu->filling ^ 1];
    int err = dj_cuda_check(context, cudaEventSynchronize(slot->analyzed), "the analysis of a chunk");
    if (err)
        return err;
    gpu->is_running = false;
    gpu->cold += gpu->report->keys - gpu->keys;
    dj_gpu_measure(gpu, slot);
    gpu->keys = gpu->report->keys;
    slot->count = 0;
    return DJ_OK;
}

int dj_gpu_analyze(dj_gpu *gpu, dj_context *context, const dj_gpu_answers *answers)
{
    dj_gpu_slot *slot = &gpu->slots[gpu->filling];
    int err = wait_for_chunk(gpu, context);
    if (err || slot->count == 0)
        return err;
    if (gpu->keys > gpu->config.key_capacity)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "more keys than the GPU has space for");
    cudaError_t error = cudaMemcpyAsync(&gpu->report->varying, gpu->varying, sizeof gpu->report->varying,
                                        cudaMemcpyDeviceToHost, gpu->copying);
    if (error == cudaSuccess)
        error = cudaEventRecord(gpu->copied, gpu->copying);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(gpu->copied);
    err = dj_cuda_check(context, error, "a copy to the device");
    if (!err)
        err = dj_gpu_start(gpu, context, slot, gpu->report->varying, answers);
    slot->was_used = true;
    gpu->is_running = true;
    gpu->filling ^= 1;
    gpu->chunks++;
    return err;
}

int dj_gpu_wait_answers(dj_gpu *gpu, dj_context *context)
{
    if (gpu->answered == gpu->chunks)
        return DJ_OK;
    const dj_gpu_slot *slot = &gpu->slots[gpu->answered++ % 2];
    return dj_cuda_check(context, cudaEventSynchronize(slot->answered), "the answers of a chunk");
}

uint64_t dj_gpu_keys(const dj_gpu *gpu)
{
    return gpu->keys;
}

int dj_gpu_finish(dj_gpu *gpu, dj_context *context, uint64_t *keys)
{
    int err = wait_for_chunk(gpu, context);
    if (!err)
        err = dj_cuda_check(context, cudaStreamSynchronize(gpu->answering), "the answers of a chunk");
    *keys = gpu->keys;
    return err;
}

static dj_gpu_columns columns_of(dj_gpu_accesses from, uint64_t at)
{
    return {from.key + at, from.tag ? from.tag + at : nullptr, from.time ? from.time + at : nullptr};
}

// Copies the state to another device object, whose memory differs. Nothing may be running.
static cudaError_t move_state(dj_gpu *to, const dj_gpu *from)
{
    const dj_gpu_slot *old = &from->slots[from->filling];
    dj_gpu_columns order = columns_of(from->order, 0), put = columns_of(old->in, from->config.key_capacity);
    cudaError_t error = clear(to);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(to->working);
    if (error == cudaSuccess && from->has_base)
        error = copy(to, to->base, from->base, 1);
    if (error == cudaSuccess && from->keys)
        error = copy_in(to, to->order, 0, &order, from->keys);
    if (error == cudaSuccess && old->count)
        error = copy_in(to, to->slots[to->filling].in, to->config.key_capacity, &put, old->count);
    if (error == cudaSuccess && from->counts)
        error = copy(to, to->counts, from->counts, from->keys);
    return error == cudaSuccess ? cudaStreamSynchronize(to->copying) : error;
}

int dj_gpu_grow(dj_gpu *gpu, dj_context *context, uint64_t chunk, uint64_t key_capacity)
{
    dj_gpu_config config = gpu->config;
    config.chunk = std::max(chunk, config.chunk);
    config.key_capacity = std::max(key_capacity, config.key_capacity);
    uint64_t keys;
    int err = check_config(context, &config);
    if (!err)
        err = dj_gpu_finish(gpu, context, &keys);
    if (!err)
        err = dj_cuda_check(context, cudaStreamSynchronize(gpu->copying), "a copy to the device");
    if (err)
        return err;
    dj_gpu larger = *gpu;
    set_up(&larger, &config);
    err = dj_cuda_check(context, dj_link_scratch(larger.capacity, &larger.link.scratch_bytes), "sorting");
    if (!err)
        err = dj_cuda_check(context, cudaMalloc((void **)&larger.memory, dj_gpu_lay_out(&larger, nullptr)),
                            "longer chunks");
    if (err)
        return err;
    dj_gpu_lay_out(&larger, larger.memory);
    err = dj_cuda_check(context, move_state(&larger, gpu), "longer chunks");
    dj_gpu_free(err ? larger.memory : gpu->memory);
    if (!err)
        *gpu = larger;
    return err;
}
