// SPDX-License-Identifier: MIT
// OpenMP locks, which the libraries of gcc and clang share.
#include "wrap.h"

DJ_RT_RELEASE(void, omp_unset_lock, (void *lock), (lock))
DJ_RT_RELEASE(void, omp_unset_nest_lock, (void *lock), (lock))
