// SPDX-License-Identifier: MIT
#include "base/machine.h"
#include "engine/parallel/kernel.h"

const dj_parallel_path dj_parallel_portable = DJ_PARALLEL_PATH;

const dj_parallel_path *dj_parallel_best_path(void)
{
#if defined(__x86_64__)
    if (strcmp(dj_machine_simd(), "portable") != 0)
        return &dj_parallel_avx2;
#endif
    return &dj_parallel_portable;
}
