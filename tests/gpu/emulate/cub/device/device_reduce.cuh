// SPDX-License-Identifier: MIT
// In place of CUB's header of that name.
#include <cub/cub.cuh>
