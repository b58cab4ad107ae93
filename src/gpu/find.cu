// SPDX-License-Identifier: MIT
// The device, its memory, and pinned host memory.
#include "gpu/device.h"
#include "gpu/failure.cuh"

#include <cstdio>

int dj_cuda_fail(dj_context *context, cudaError_t error, const char *what)
{
    (void)cudaGetLastError(); // or the next call would return it again
    if (error == cudaErrorMemoryAllocation)
        return dj_fail(context, DJ_ERR_MEMORY, "the GPU does not have enough memory for %s", what);
    return dj_fail(context, DJ_ERR_DEVICE, "the GPU failed at %s: %s", what, cudaGetErrorString(error));
}

// Tests build it for no device at all.
#ifndef DEJA_CUDA_TARGETS
#define DEJA_CUDA_TARGETS "tests"
#endif

const char *dj_gpu_built_for(void)
{
    return DEJA_CUDA_TARGETS;
}

static int fail_to_find(dj_context *context, dj_gpu_info *out, const char *why)
{
    std::snprintf(out->why, sizeof out->why, "%s", why);
    return dj_fail(context, DJ_ERR_DEVICE,
                   "no usable GPU: %s; choose another --engine, or make sure that nvidia-smi finds one", why);
}

int dj_gpu_find(dj_context *context, dj_gpu_info *out)
{
    *out = dj_gpu_info{};
    int count = 0, driver = 0, runtime = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        (void)cudaGetLastError();
        error = cudaDriverGetVersion(&driver);
        return fail_to_find(context, out,
                            error != cudaSuccess || driver == 0
                                ? "no NVIDIA driver"
                                : "the NVIDIA driver is too old for this build");
    }
    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    cudaDeviceProp properties;
    size_t free_bytes = 0, bytes = 0;
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&properties, 0);
    if (error == cudaSuccess)
        error = cudaSetDevice(0);
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&free_bytes, &bytes);
    if (error == cudaSuccess)
        error = cudaDriverGetVersion(&driver);
    if (error == cudaSuccess)
        error = cudaRuntimeGetVersion(&runtime);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return fail_to_find(context, out, cudaGetErrorString(error));
    }
    std::snprintf(out->name, sizeof out->name, "%s", properties.name);
    out->bytes = bytes;
    out->free_bytes = free_bytes;
    out->major = (unsigned)properties.major;
    out->minor = (unsigned)properties.minor;
    out->processors = (unsigned)properties.multiProcessorCount;
    out->driver = (unsigned)driver;
    out->runtime = (unsigned)runtime;
    return DJ_OK;
}

int dj_gpu_pin(dj_context *context, size_t bytes, void **out)
{
    cudaError_t error = cudaMallocHost(out, bytes);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return dj_fail_memory(context, "buffers that the GPU reads", bytes);
    }
    return dj_cuda_check(context, error, "buffers that the GPU reads");
}

void dj_gpu_unpin(void *memory)
{
    if (memory)
        dj_cuda_ignore(cudaFreeHost(memory));
}

int dj_gpu_allocate(dj_context *context, const void *from, size_t bytes, void **out)
{
    int err = dj_cuda_check(context, cudaMalloc(out, bytes), "a trace");
    if (err)
        return err;
    err = dj_cuda_check(context, cudaMemcpy(*out, from, bytes, cudaMemcpyHostToDevice), "a copy of a trace");
    if (err)
        dj_gpu_free(*out);
    return err;
}

void dj_gpu_free(void *memory)
{
    if (memory)
        dj_cuda_ignore(cudaFree(memory));
}
