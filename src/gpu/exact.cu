// SPDX-License-Identifier: MIT
// Idea:  The keys of earlier chunks precede the chunk, each accessed once, in the order of their last
//        accesses: the distances of the chunk are then those in the complete trace. Sorting links each
//        access to the previous one (link.cu), and the distance is the number of accesses in between
//        minus the reuses nested within (nest.cu).
// Cost:  About 60 bytes of device memory per access of the chunk, 84 if each distance is returned; the
//        preceding keys cost as much as accesses.
#include "gpu/exact.cuh"
#include "gpu/failure.cuh"

static const char *const names[DJ_GPU_STAGES] = {"narrow", "sort",   "link",  "order",
                                                 "divide", "finish", "recall"};

static bool uses(const dj_gpu *gpu, uint32_t bit)
{
    return gpu->config.use & bit;
}

// Divides up memory; starting from NULL it only counts.
struct dj_gpu_layout {
    char *memory;
    uint64_t bytes;

    template <typename T> void take(T **out, uint64_t count)
    {
        *out = memory && count ? (T *)(memory + bytes) : nullptr;
        bytes += (count * sizeof(T) + 255) / 256 * 256;
    }
};

static void carve_accesses(const dj_gpu *gpu, dj_gpu_layout *carver, dj_gpu_accesses *accesses)
{
    carver->take(&accesses->key, gpu->capacity);
    carver->take(&accesses->tag, uses(gpu, DJ_CAN_TAGS) ? gpu->capacity : 0);
    carver->take(&accesses->time, uses(gpu, DJ_CAN_TIMES) ? gpu->capacity : 0);
}

uint64_t dj_gpu_lay_out(dj_gpu *gpu, char *memory)
{
    dj_gpu_layout carver = {memory, 0};
    uint64_t all = gpu->capacity, tiles = dj_tiles(all),
             each = uses(gpu, DJ_CAN_TOTALS) ? 0 : gpu->config.chunk;
    for (dj_gpu_slot &slot : gpu->slots) {
        carve_accesses(gpu, &carver, &slot.in);
        carver.take(&slot.distance, each);
        carver.take(&slot.prev_tag, uses(gpu, DJ_CAN_TAGS) ? each : 0);
        carver.take(&slot.prev_time, uses(gpu, DJ_CAN_TIMES) ? each : 0);
    }
    carve_accesses(gpu, &carver, &gpu->order);
    for (int i = 0; i < 2; i++) {
        carver.take(&gpu->link.key[i], all);
        carver.take(&gpu->link.time[i], all);
        gpu->nest.pairs[i] = (uint2 *)gpu->link.key[i]; // which are no longer needed then
        carver.take(&gpu->nest.length[i], 2 * tiles + 32);
    }
    carver.take(&gpu->link.last, tiles + 2);
    carver.take((char **)&gpu->link.scratch, gpu->link.scratch_bytes);
    carver.take(&gpu->prev, all);
    carver.take(&gpu->next, each ? all : 0);
    carver.take(&gpu->counts, each ? 0 : all);
    carver.take(&gpu->nest.status, tiles * 32);
    carver.take(&gpu->nest.tickets, DJ_NEST_PASSES);
    carver.take(&gpu->base, 1);
    carver.take(&gpu->varying, 1);
    return carver.bytes;
}

static void mark(const dj_gpu *gpu, const dj_gpu_slot *slot, int stage)
{
    if (gpu->config.timed)
        (void)cudaEventRecord(slot->stage[stage], gpu->working); // dj_gpu_start detects failures
}

// The chunk as analyzed: from the first preceding key on.
static dj_gpu_accesses all_of(const dj_gpu *gpu, const dj_gpu_slot *slot)
{
    uint64_t from = gpu->config.key_capacity - gpu->keys;
    return {slot->in.key + from, slot->in.tag ? slot->in.tag + from : nullptr,
            slot->in.time ? slot->in.time + from : nullptr};
}

template <typename T>
static cudaError_t move(T *to, const T *from, uint64_t count, cudaMemcpyKind kind, cudaStream_t stream)
{
    return to && from && count ? cudaMemcpyAsync(to, from, count * sizeof(T), kind, stream) : cudaSuccess;
}

static cudaError_t move_all(dj_gpu_accesses to, dj_gpu_accesses from, uint64_t count, cudaStream_t stream)
{
    cudaError_t error = move(to.key, from.key, count, cudaMemcpyDeviceToDevice, stream);
    if (error == cudaSuccess)
        error = move(to.tag, from.tag, count, cudaMemcpyDeviceToDevice, stream);
    if (error == cudaSuccess)
        error = move(to.time, from.time, count, cudaMemcpyDeviceToDevice, stream);
    return error;
}

static cudaError_t link_all(dj_gpu *gpu, const dj_gpu_slot *slot, uint32_t count, uint64_t varying)
{
    dj_gpu_accesses all = all_of(gpu, slot);
    cudaStream_t stream = gpu->working;
    cudaError_t error = move_all(all, gpu->order, gpu->keys, stream);
    mark(gpu, slot, DJ_GPU_NARROW);
    if (error == cudaSuccess)
        error = dj_link_narrow(&gpu->link, all.key, count, varying, stream);
    mark(gpu, slot, DJ_GPU_SORT);
    if (error == cudaSuccess)
        error = dj_link_sort(&gpu->link, count, varying, stream);
    mark(gpu, slot, DJ_GPU_LINK);
    if (error == cudaSuccess)
        error = dj_link_join(&gpu->link, count, varying, gpu->prev, gpu->next, stream);
    mark(gpu, slot, DJ_GPU_ORDER);
    if (error == cudaSuccess)
        error = dj_link_order(&gpu->link, gpu->prev, count, all, gpu->order, stream);
    if (error == cudaSuccess)
        error = move(&gpu->report->keys, gpu->link.last + dj_tiles(count), 1, cudaMemcpyDeviceToHost, stream);
    return error;
}

static cudaError_t answer_all(dj_gpu *gpu, const dj_gpu_slot *slot, uint32_t count)
{
    cudaStream_t stream = gpu->working;
    uint32_t first = (uint32_t)gpu->keys;
    dj_nest_answers answers = {gpu->counts, slot->distance, gpu->next, first};
    mark(gpu, slot, DJ_GPU_DIVIDE);
    cudaError_t error = dj_nest_divide(&gpu->nest, gpu->prev, count, stream);
    mark(gpu, slot, DJ_GPU_FINISH);
    if (error == cudaSuccess && slot->distance)
        error = cudaMemsetAsync(slot->distance, 0xff, slot->count * sizeof *slot->distance, stream);
    if (error == cudaSuccess)
        error = dj_nest_finish(&gpu->nest, count, &answers, stream);
    mark(gpu, slot, DJ_GPU_RECALL);
    if (error == cudaSuccess && (slot->prev_tag || slot->prev_time))
        error = dj_link_recall(gpu->prev, first, (uint32_t)slot->count, all_of(gpu, slot), slot->prev_tag,
                               slot->prev_time, stream);
    mark(gpu, slot, DJ_GPU_STAGES);
    return error;
}

static cudaError_t send_answers(const dj_gpu *gpu, const dj_gpu_slot *slot, const dj_gpu_answers *answers)
{
    cudaStream_t stream = gpu->answering;
    cudaError_t error = cudaStreamWaitEvent(stream, slot->analyzed, 0);
    if (error == cudaSuccess)
        error = move(answers->distance, slot->distance, slot->count, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = move(answers->prev_tag, slot->prev_tag, slot->count, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = move(answers->prev_time, slot->prev_time, slot->count, cudaMemcpyDeviceToHost, stream);
    return error == cudaSuccess ? cudaEventRecord(slot->answered, stream) : error;
}

int dj_gpu_start(dj_gpu *gpu, dj_context *context, dj_gpu_slot *slot, uint64_t varying,
                 const dj_gpu_answers *answers)
{
    uint32_t count = (uint32_t)(gpu->keys + slot->count);
    cudaError_t error = cudaSuccess;
    if (slot->was_used && answers)
        error = cudaStreamWaitEvent(gpu->working, slot->answered, 0);
    if (error == cudaSuccess)
        error = link_all(gpu, slot, count, varying);
    if (error == cudaSuccess)
        error = answer_all(gpu, slot, count);
    if (error == cudaSuccess)
        error = cudaEventRecord(slot->analyzed, gpu->working);
    if (error == cudaSuccess && answers)
        error = send_answers(gpu, slot, answers);
    gpu->running = count;
    gpu->running_varying = varying;
    return dj_cuda_check(context, error, "the analysis of a chunk");
}

// The minimum that each stage reads and writes; scattered words count as words, not as the sectors that
// contain them.
static void count_bytes(dj_gpu *gpu, const dj_gpu_slot *slot)
{
    double all = gpu->running, reuses = all - gpu->report->keys, keys = gpu->report->keys;
    unsigned bits = dj_link_bits(gpu->running_varying);
    double times = (dj_nest_bits(gpu->running) - DJ_TILE_BITS + 7) / 8; // bytes that are sorted back
    double key = bits <= 32 ? 4 : 8, with_time = key + 4, each = slot->distance ? 4 : 0;
    gpu->bytes[DJ_GPU_NARROW] += all * (8 + with_time);
    gpu->bytes[DJ_GPU_SORT] += all * (key + 2 * with_time * ((bits + 7) / 8));
    gpu->bytes[DJ_GPU_LINK] += all * (with_time + 4 + 4 + 16 * times + 12) + reuses * each;
    gpu->bytes[DJ_GPU_ORDER] += all * 4 + keys * (16 + (slot->in.tag ? 8 : 0) + (slot->in.time ? 16 : 0));
    gpu->bytes[DJ_GPU_DIVIDE] += all * 4 + reuses * (8 + 16 * (dj_nest_passes(gpu->running) - 1));
    gpu->bytes[DJ_GPU_FINISH] += reuses * (8 + (each > 0 ? 8 : 16)) + (double)slot->count * each;
    gpu->bytes[DJ_GPU_RECALL] +=
        (double)slot->count * ((slot->prev_tag ? 12 : 0) + (slot->prev_time ? 20 : 0));
}

void dj_gpu_measure(dj_gpu *gpu, const dj_gpu_slot *slot)
{
    if (!gpu->config.timed)
        return;
    for (int i = 0; i < DJ_GPU_STAGES; i++) {
        float milliseconds = 0;
        dj_cuda_ignore(cudaEventElapsedTime(&milliseconds, slot->stage[i], slot->stage[i + 1]));
        gpu->seconds[i] += milliseconds * 1e-3;
    }
    count_bytes(gpu, slot);
}

size_t dj_gpu_steps(const dj_gpu *gpu, dj_gpu_step steps[DJ_GPU_STEPS])
{
    for (int i = 0; i < DJ_GPU_STAGES; i++)
        steps[i] = {names[i], gpu->seconds[i], gpu->bytes[i]};
    return DJ_GPU_STAGES;
}
