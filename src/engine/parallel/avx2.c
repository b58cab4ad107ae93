// SPDX-License-Identifier: MIT
// Only this file is compiled for AVX2, BMI2 and POPCNT.
#include "engine/parallel/path.h"

#if defined(__AVX2__)
#include "engine/parallel/kernel.h"

const dj_parallel_path dj_parallel_avx2 = DJ_PARALLEL_PATH;
#endif
