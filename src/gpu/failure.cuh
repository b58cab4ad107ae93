// SPDX-License-Identifier: MIT
// Turns CUDA errors into Deja errors.
#ifndef DEJA_GPU_FAILURE_CUH
#define DEJA_GPU_FAILURE_CUH

#include <cuda_runtime.h>
#include <deja/error.h>

// Out of device memory is DJ_ERR_MEMORY, everything else DJ_ERR_DEVICE. `what` is what failed.
int dj_cuda_fail(dj_context *context, cudaError_t error, const char *what);

static inline int dj_cuda_check(dj_context *context, cudaError_t error, const char *what)
{
    return error == cudaSuccess ? DJ_OK : dj_cuda_fail(context, error, what);
}

// For errors that cannot be handled; clears the error, or the next call would return it again.
static inline void dj_cuda_ignore(cudaError_t error)
{
    if (error != cudaSuccess)
        (void)cudaGetLastError();
}

#endif
