// SPDX-License-Identifier: MIT
// The AVX-512 version of portable.c. Only this file is compiled for AVX-512.
#include "observe/spatial/classes.h"

const dj_spatial_path dj_spatial_avx512 = {.classify = dj_spatial_classify, .locate = dj_spatial_locate};
