// SPDX-License-Identifier: MIT
// Accesses of any size: to structures, and unaligned accesses that compilers report as a range.
#include "access.h"

DJ_RT_HOT void dj_rt_range(unsigned kind, const void *pc, const void *address, size_t bytes)
{
    if (bytes == 0)
        return;
    if (bytes <= 16 && (bytes & (bytes - 1)) == 0) {
        dj_rt_access(kind, (unsigned)__builtin_ctzl(bytes), pc, address);
        return;
    }
    const uint64_t words[] = {(uintptr_t)pc, (uintptr_t)address, bytes};
    dj_rt_put_record(DJ_RECORD_RANGE, kind, words, 3, NULL);
}

#define RANGE(name, kind)                                                                                    \
    DJ_RT_EXPORT void __tsan_##name(const void *address, size_t bytes);                                      \
    DJ_RT_EXPORT void __tsan_##name##_pc(const void *address, size_t bytes, const void *pc);                 \
    DJ_RT_HOT void __tsan_##name(const void *address, size_t bytes)                                          \
    {                                                                                                        \
        dj_rt_range(kind, __builtin_return_address(0), address, bytes);                                      \
    }                                                                                                        \
    DJ_RT_HOT void __tsan_##name##_pc(const void *address, size_t bytes, const void *pc)                     \
    {                                                                                                        \
        dj_rt_range(kind, pc, address, bytes);                                                               \
    }

RANGE(read_range, DJ_RT_READ)
RANGE(write_range, DJ_RT_WRITE)
