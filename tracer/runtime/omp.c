// SPDX-License-Identifier: MIT
// OpenMP locks, which the libraries of gcc and clang share.
#include "wrap.h"

#define SET(name) DJ_RT_AROUND_VOID(name, (void *lock), (lock), , dj_rt_acquire(lock))
#define TEST(name) DJ_RT_AROUND(int, name, (void *lock), (lock), , if (status) dj_rt_acquire(lock))
#define UNSET(name) DJ_RT_BEFORE(void, name, (void *lock), (lock), dj_rt_release(lock))

SET(omp_set_lock)
SET(omp_set_nest_lock)
TEST(omp_test_lock)
TEST(omp_test_nest_lock)
UNSET(omp_unset_lock)
UNSET(omp_unset_nest_lock)
