// SPDX-License-Identifier: MIT
// Locks of OpenMP, which the libraries of gcc and clang both have.
#include "wrap.h"

DJ_RT_RELEASE(void, omp_unset_lock, (void *lock), (lock))
DJ_RT_RELEASE(void, omp_unset_nest_lock, (void *lock), (lock))
