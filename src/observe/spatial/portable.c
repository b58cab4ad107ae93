// SPDX-License-Identifier: MIT
#include "observe/spatial/classes.h"

const dj_spatial_path dj_spatial_portable = {.classify = dj_spatial_classify, .locate = dj_spatial_locate};
