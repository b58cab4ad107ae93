// SPDX-License-Identifier: MIT
// Replaces hprda.cu, as stubs.c replaces the other sources. Unreachable without a device.
#include "gpu/hprda.h"

static int no_device(dj_context *context)
{
    dj_gpu_info info;
    return dj_gpu_find(context, &info);
}

uint64_t dj_gpu_hprda_bytes(const dj_gpu_hprda_config *config)
{
    (void)config;
    return 0;
}

int dj_gpu_hprda_open(dj_context *context, const dj_gpu_hprda_config *config, dj_gpu_hprda **out)
{
    (void)config;
    *out = NULL;
    return no_device(context);
}

void dj_gpu_hprda_close(dj_gpu_hprda *gpu)
{
    (void)gpu;
}

int dj_gpu_hprda_put(dj_gpu_hprda *gpu, dj_context *context, const uint64_t *key, uint64_t count)
{
    (void)gpu;
    (void)key;
    (void)count;
    return no_device(context);
}

int dj_gpu_hprda_analyze(dj_gpu_hprda *gpu, dj_context *context, uint64_t *keys)
{
    (void)gpu;
    *keys = 0;
    return no_device(context);
}

int dj_gpu_hprda_distances(dj_gpu_hprda *gpu, dj_context *context, uint64_t from, uint64_t count,
                           uint32_t *out)
{
    (void)gpu;
    (void)from;
    (void)count;
    (void)out;
    return no_device(context);
}

int dj_gpu_hprda_first(dj_gpu_hprda *gpu, dj_context *context, uint64_t *out)
{
    (void)gpu;
    (void)out;
    return no_device(context);
}

int dj_gpu_hprda_last(dj_gpu_hprda *gpu, dj_context *context, uint64_t *out)
{
    (void)gpu;
    (void)out;
    return no_device(context);
}

int dj_gpu_hprda_totals(dj_gpu_hprda *gpu, dj_context *context, dj_histogram *into)
{
    (void)gpu;
    (void)into;
    return no_device(context);
}

size_t dj_gpu_hprda_steps(const dj_gpu_hprda *gpu, dj_gpu_step steps[DJ_GPU_STEPS])
{
    (void)gpu;
    (void)steps;
    return 0;
}
