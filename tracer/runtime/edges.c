// SPDX-License-Identifier: MIT
// Records by what threads wait for each other. A program with one thread has no such records.
#include "core.h"

static DJ_RT_HOT void put(unsigned what, uint64_t object)
{
    if (dj_rt_concurrent && dj_rt_is_traced())
        dj_rt_put(DJ_RECORD(DJ_RECORD_SYNC, 1, what), object);
}

void dj_rt_acquire(const volatile void *object)
{
    put(DJ_RT_SYNC_ACQUIRE, (uintptr_t)object);
}

void dj_rt_release(const volatile void *object)
{
    put(DJ_RT_SYNC_RELEASE, (uintptr_t)object);
    dj_rt_publish();
}

void dj_rt_acquire_thread(uint32_t number)
{
    put(DJ_RT_SYNC_ACQUIRE | DJ_RT_SYNC_THREAD, number);
}

void dj_rt_release_thread(uint32_t number)
{
    put(DJ_RT_SYNC_RELEASE | DJ_RT_SYNC_THREAD, number);
    dj_rt_publish();
}
