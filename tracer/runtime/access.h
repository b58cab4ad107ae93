// SPDX-License-Identifier: MIT
// Records of accesses, as written by the callbacks.
#ifndef DEJA_RUNTIME_ACCESS_H
#define DEJA_RUNTIME_ACCESS_H

#include "runtime.h"

static inline __attribute__((always_inline)) void dj_rt_access(unsigned kind, unsigned log2_bytes,
                                                               const void *pc, const void *address)
{
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_ACCESS | kind << 3 | log2_bytes, (uintptr_t)pc), (uint64_t)address);
}

// Any number of bytes at once.
void dj_rt_range(unsigned kind, const void *pc, const void *address, size_t bytes);

#endif
