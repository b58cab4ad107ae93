// SPDX-License-Identifier: MIT
// Replaces the CUDA sources if there is no CUDA compiler, or if a GPU is not wanted.
#include "gpu/device.h"

#include <string.h>

const char *dj_gpu_built_for(void)
{
    return NULL;
}

static int no_device(dj_context *context)
{
    return dj_fail(context, DJ_ERR_DEVICE,
                   "this deja was built without GPU support: %s; choose another --engine", DEJA_NO_CUDA);
}

int dj_gpu_find(dj_context *context, dj_gpu_info *out)
{
    memset(out, 0, sizeof *out);
    strncpy(out->why, DEJA_NO_CUDA, sizeof out->why - 1);
    return no_device(context);
}

// Unreachable without a device; these functions exist for the linker.
int dj_gpu_pin(dj_context *context, size_t bytes, void **out)
{
    (void)bytes;
    *out = NULL;
    return no_device(context);
}

void dj_gpu_unpin(void *memory)
{
    (void)memory;
}

int dj_gpu_allocate(dj_context *context, const void *from, size_t bytes, void **out)
{
    (void)from;
    (void)bytes;
    *out = NULL;
    return no_device(context);
}

void dj_gpu_free(void *memory)
{
    (void)memory;
}

uint64_t dj_gpu_bytes(const dj_gpu_config *config)
{
    (void)config;
    return 0;
}

int dj_gpu_open(dj_context *context, const dj_gpu_config *config, dj_gpu **out)
{
    (void)config;
    *out = NULL;
    return no_device(context);
}

void dj_gpu_close(dj_gpu *gpu)
{
    (void)gpu;
}

int dj_gpu_begin(dj_gpu *gpu, dj_context *context, const dj_order *order)
{
    (void)gpu;
    (void)order;
    return no_device(context);
}

int dj_gpu_grow(dj_gpu *gpu, dj_context *context, uint64_t chunk, uint64_t key_capacity)
{
    (void)gpu;
    (void)chunk;
    (void)key_capacity;
    return no_device(context);
}

int dj_gpu_put(dj_gpu *gpu, dj_context *context, const dj_gpu_columns *columns, uint64_t count,
               uint64_t *ticket)
{
    (void)gpu;
    (void)columns;
    (void)count;
    (void)ticket;
    return no_device(context);
}

int dj_gpu_wait_put(dj_gpu *gpu, dj_context *context, uint64_t ticket)
{
    (void)gpu;
    (void)ticket;
    return no_device(context);
}

int dj_gpu_analyze(dj_gpu *gpu, dj_context *context, const dj_gpu_answers *answers)
{
    (void)gpu;
    (void)answers;
    return no_device(context);
}

int dj_gpu_wait_answers(dj_gpu *gpu, dj_context *context)
{
    (void)gpu;
    return no_device(context);
}

int dj_gpu_finish(dj_gpu *gpu, dj_context *context, uint64_t *keys)
{
    (void)gpu;
    (void)keys;
    return no_device(context);
}

uint64_t dj_gpu_keys(const dj_gpu *gpu)
{
    (void)gpu;
    return 0;
}

int dj_gpu_totals(dj_gpu *gpu, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    (void)gpu;
    (void)into;
    (void)cold;
    return no_device(context);
}

int dj_gpu_order(dj_gpu *gpu, dj_context *context, dj_order *out)
{
    (void)gpu;
    (void)out;
    return no_device(context);
}

int dj_gpu_take_back(dj_gpu *gpu, dj_context *context, dj_order *out)
{
    (void)gpu;
    (void)out;
    return no_device(context);
}

size_t dj_gpu_steps(const dj_gpu *gpu, dj_gpu_step steps[DJ_GPU_STEPS])
{
    (void)gpu;
    (void)steps;
    return 0;
}
