// SPDX-License-Identifier: MIT
// The same for AVX-512. The build compiles this file alone for it.
#include "observe/spatial/classes.h"

const dj_spatial_path dj_spatial_avx512 = {.classify = dj_spatial_classify, .locate = dj_spatial_locate};
