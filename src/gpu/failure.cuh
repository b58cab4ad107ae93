// SPDX-License-Identifier: MIT
// What CUDA refuses becomes an error of ours.
#ifndef DEJA_GPU_FAILURE_CUH
#define DEJA_GPU_FAILURE_CUH

#include <cuda_runtime.h>
#include <deja/error.h>

// Out of device memory is DJ_ERR_MEMORY, all else DJ_ERR_DEVICE. `what` was being done.
int dj_cuda_fail(dj_context *context, cudaError_t error, const char *what);

static inline int dj_cuda_check(dj_context *context, cudaError_t error, const char *what)
{
    return error == cudaSuccess ? DJ_OK : dj_cuda_fail(context, error, what);
}

// For what nobody can do anything about; forgets it, or the next call would tell it again.
static inline void dj_cuda_ignore(cudaError_t error)
{
    if (error != cudaSuccess)
        (void)cudaGetLastError();
}

#endif
