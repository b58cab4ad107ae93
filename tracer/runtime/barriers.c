// SPDX-License-Identifier: MIT
// Barriers. A thread that is released may arrive at the next barrier before another one has left this one,
// which does not wait for that. So each generation is an object of its own: an address within the barrier.
#include <pthread.h>

#include "wrap.h"

enum { BARRIERS = 1024, PROBES = 16 };

typedef struct barrier {
    uintptr_t address; // 0: none
    uint32_t members;
    uint64_t arrived; // so far
} barrier;

// A barrier that is not found here, for lack of space or because another process initialized it, has one
// object for all generations.
static barrier known[BARRIERS];

static barrier *find(const pthread_barrier_t *wanted, bool add)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uintptr_t address = (uintptr_t)wanted;
    size_t at = address * golden >> 54;
    for (int i = 0; i < PROBES; i++) {
        barrier *b = &known[(at + (size_t)i) % BARRIERS];
        uintptr_t found = __atomic_load_n(&b->address, __ATOMIC_ACQUIRE);
        if (!found && add)
            __atomic_compare_exchange_n(&b->address, &found, address, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE);
        if (found == address || (!found && add))
            return b;
        if (!found)
            return NULL;
    }
    return NULL;
}

static const char *arrive(const pthread_barrier_t *at)
{
    barrier *b = find(at, false);
    if (!b || !b->members)
        return (const char *)at;
    uint64_t earlier = __atomic_fetch_add(&b->arrived, 1, __ATOMIC_RELAXED);
    return (const char *)at + earlier / b->members % sizeof *at;
}

DJ_RT_WRAP(pthread_barrier_init);
DJ_RT_EXPORT int DJ_RT_NAME(pthread_barrier_init)(pthread_barrier_t *at,
                                                  const pthread_barrierattr_t *attributes, unsigned members)
{
    int status = DJ_RT_REAL(pthread_barrier_init)(at, attributes, members);
    barrier *b = status == 0 ? find(at, true) : NULL;
    if (b) {
        b->members = members;
        b->arrived = 0;
    }
    return status;
}

DJ_RT_WRAP(pthread_barrier_wait);
DJ_RT_EXPORT int DJ_RT_NAME(pthread_barrier_wait)(pthread_barrier_t *at)
{
    const char *object = arrive(at);
    dj_rt_release(object);
    int status = DJ_RT_REAL(pthread_barrier_wait)(at);
    dj_rt_acquire(object);
    return status;
}
