// SPDX-License-Identifier: MIT
// Idea:  The trace is divided into chunks that a CUDA device analyzes, each after the last-access order
//        of everything before. It sorts the chunk by key, which yields the previous access of each, and
//        counts inversions, which yields how many accesses in between are not the last ones to their
//        keys (src/gpu/exact.cu). Threads copy keys into pinned memory (gpu/queue.c), and one thread
//        serves the device (gpu/worker.c): a chunk is copied there while the previous one is analyzed
//        and the answers of the one before that come back. If distances are only counted, they stay on
//        the device.
// Paper: none; counting inversions bit by bit is known from wavelet trees.
// Cost:  O(log chunk) per access and key on the device, a fraction of a nanosecond; 8 bytes per access
//        go to the device, and 4 come back if each is answered. All keys are sorted with each chunk, so
//        chunks grow with them.
// Bound: exact; below 2^31 keys, or as many as fit in the device's memory. With more, engine fast
//        replaces it.
#include "engine/gpu/worker.h"

#include "base/machine.h"
#include "base/size.h"
#include "engine/registry.h"

#include <stdlib.h>

typedef struct gpu_options {
    uint64_t chunk;
    const char *memory;
} gpu_options;

static const gpu_options default_options = {0};

enum { MOST_CHUNK = 1 << 30, BUFFER_ACCESSES = 1 << 19 };

static const dj_option option_table[] = {
    {.name = "chunk",
     .type = DJ_OPTION_UINT,
     .offset = offsetof(gpu_options, chunk),
     .argument = "N",
     .help = "maximum number of accesses per chunk of engine gpu (default: 16777216; more if there are many "
             "keys, fewer if memory is short)"},
    {.name = "gpu-memory",
     .type = DJ_OPTION_TEXT,
     .offset = offsetof(gpu_options, memory),
     .argument = "SIZE",
     .help = "maximum device memory that engine gpu uses, as in 4G (default: all that is free)"},
    {0},
};

typedef struct gpu {
    dj_gpu_queue queue;
    dj_gpu_worker side;
    pthread_t thread;
    bool has_queue, has_side, has_thread;
} gpu;

static int find_device(dj_context *context)
{
    dj_gpu_info info;
    int err = dj_gpu_find(context, &info);
    return err ? dj_fail_within(context, err, "engine gpu") : DJ_OK;
}

static void destroy(void *state)
{
    gpu *g = state;
    if (!g)
        return;
    if (g->has_queue)
        dj_gpu_queue_end(&g->queue);
    if (g->has_thread)
        pthread_join(g->thread, NULL);
    if (g->has_side)
        dj_gpu_worker_destroy(&g->side);
    if (g->has_queue)
        dj_gpu_queue_destroy(&g->queue);
    free(g);
}

static void *attend(void *argument)
{
    gpu *g = argument;
    dj_gpu_worker_run(&g->side);
    return NULL;
}

static int read_options(dj_context *context, const gpu_options *o, uint32_t use, dj_gpu_limits *limits)
{
    *limits = (dj_gpu_limits){.asked_chunk = o->chunk, .most_chunk = dj_gpu_size_most(use)};
    if (o->chunk > MOST_CHUNK)
        return dj_fail(context, DJ_ERR_USAGE, "--chunk %llu: must be at most %d",
                       (unsigned long long)o->chunk, MOST_CHUNK);
    int err = o->memory ? dj_size_bytes(context, "--gpu-memory", o->memory, &limits->asked_bytes) : DJ_OK;
    if (!err && o->memory && limits->asked_bytes == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "--gpu-memory %s: too small", o->memory);
    return err;
}

// A quarter of the processors is left to the threads that read and push.
static unsigned count_copiers(void)
{
    unsigned cpus = dj_machine_cpus(), copiers = cpus / 2 + cpus / 4;
    return copiers < 1 ? 1 : copiers < DJ_GPU_MOST_COPIERS ? copiers : DJ_GPU_MOST_COPIERS - 1;
}

static int start(gpu *g, dj_context *context, const dj_engine_params *params, const dj_gpu_limits *limits)
{
    uint64_t chunk = limits->asked_chunk;
    uint64_t buffer = chunk && chunk < BUFFER_ACCESSES ? chunk : BUFFER_ACCESSES;
    g->has_queue = true;
    int err = dj_gpu_queue_create(&g->queue, context, params->use, buffer, count_copiers());
    if (err)
        return err;
    g->has_side = true;
    err = dj_gpu_worker_create(&g->side, context, &g->queue, params->use, limits);
    if (err)
        return err;
    if (pthread_create(&g->thread, NULL, attend, g) != 0)
        return dj_fail(context, DJ_ERR_MEMORY, "engine gpu: cannot start a thread");
    g->has_thread = true;
    return DJ_OK;
}

static int create(dj_context *context, const dj_engine_params *params, void **state)
{
    const gpu_options *o = params->options ? params->options : &default_options;
    dj_gpu_limits limits;
    int err = dj_engine_check(context, &dj_engine_gpu, params);
    if (!err)
        err = read_options(context, o, params->use, &limits);
    if (!err)
        err = find_device(context);
    gpu *g = err ? NULL : calloc(1, sizeof *g);
    if (!g)
        return err ? err : dj_fail_memory(context, "engine gpu", sizeof *g);
    err = start(g, context, params, &limits);
    if (err)
        destroy(g);
    else
        *state = g;
    return err;
}

// Passes on the message in the context of the device's thread, which must have ended or be idle.
static int pass_error(const gpu *g, dj_context *context, int err)
{
    if (dj_context_warning(g->side.context)[0])
        dj_warn(context, "%s", dj_context_warning(g->side.context));
    return err ? dj_fail(context, (enum dj_err)err, "%s", dj_context_message(g->side.context)) : DJ_OK;
}

static int push(void *state, dj_context *context, dj_work *work)
{
    gpu *g = state;
    int err = dj_gpu_queue_push(&g->queue, context, work);
    int failed = err ? dj_gpu_queue_failure(&g->queue) : DJ_OK;
    return failed ? pass_error(g, context, failed) : err;
}

static int pull(void *state, dj_context *context, dj_work **out)
{
    (void)context;
    *out = dj_gpu_queue_pull(&((gpu *)state)->queue);
    return DJ_OK;
}

static int drain(void *state, dj_context *context)
{
    gpu *g = state;
    return pass_error(g, context, dj_gpu_queue_flush(&g->queue));
}

static int order(void *state, dj_context *context, dj_order *out)
{
    return dj_gpu_worker_order(&((gpu *)state)->side, context, out);
}

static int totals(void *state, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    return dj_gpu_worker_totals(&((gpu *)state)->side, context, into, cold);
}

static void stats(const void *state, dj_engine_stats *out)
{
    const dj_gpu_worker *worker = &((const gpu *)state)->side;
    *out = (dj_engine_stats){.keys = atomic_load(&worker->keys),
                             .bytes = atomic_load(&worker->bytes),
                             .peak_bytes = atomic_load(&worker->peak_bytes)};
}

const dj_engine_ops dj_engine_gpu = {
    .name = "gpu",
    .summary = "sorts chunks by key and counts inversions, on a CUDA device",
    .cost = "O(log chunk) per access, a fraction of a nanosecond; all keys are in the device's memory",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY | DJ_CAN_TOTALS,
    .folds = true,
    .for_long_traces = true,
    .options = option_table,
    .options_bytes = sizeof(gpu_options),
    .default_options = &default_options,
    .find_device = find_device,
    .create = create,
    .destroy = destroy,
    .push = push,
    .pull = pull,
    .drain = drain,
    .order = order,
    .totals = totals,
    .stats = stats,
};
