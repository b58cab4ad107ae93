// SPDX-License-Identifier: MIT
// How kernels are started. Tests replace the device by the processor and define a different DJ_LAUNCH.
#ifndef DEJA_GPU_LAUNCH_CUH
#define DEJA_GPU_LAUNCH_CUH

#include <cuda_runtime.h>

#ifndef DJ_LAUNCH
#define DJ_LAUNCH(kernel, blocks, threads, stream, ...) kernel<<<blocks, threads, 0, stream>>>(__VA_ARGS__)
#endif

#endif
