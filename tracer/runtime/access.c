// SPDX-License-Identifier: MIT
// The callbacks that the compiler inserts at each access. The site of a callback is its return address; those
// with _pc receive it as an argument.
#include "access.h"

#define ACCESS(name, kind, log2_bytes)                                                                       \
    DJ_RT_EXPORT DJ_RT_HOT void __tsan_##name(const void *address);                                          \
    DJ_RT_EXPORT DJ_RT_HOT void __tsan_##name##_pc(const void *address, void *pc);                           \
    void __tsan_##name(const void *address)                                                                  \
    {                                                                                                        \
        dj_rt_access(kind, log2_bytes, __builtin_return_address(0), address);                                \
    }                                                                                                        \
    void __tsan_##name##_pc(const void *address, void *pc)                                                   \
    {                                                                                                        \
        dj_rt_access(kind, log2_bytes, pc, address);                                                         \
    }

#define ALL_SIZES(name, kind)                                                                                \
    ACCESS(name##1, kind, 0)                                                                                 \
    ACCESS(name##2, kind, 1)                                                                                 \
    ACCESS(name##4, kind, 2)                                                                                 \
    ACCESS(name##8, kind, 3)                                                                                 \
    ACCESS(name##16, kind, 4)

ALL_SIZES(read, DJ_RT_READ)
ALL_SIZES(write, DJ_RT_WRITE)
ALL_SIZES(read_write, DJ_RT_MODIFY)
ALL_SIZES(unaligned_read, DJ_RT_READ)
ALL_SIZES(unaligned_write, DJ_RT_WRITE)
ALL_SIZES(unaligned_read_write, DJ_RT_MODIFY)
ALL_SIZES(volatile_read, DJ_RT_READ)
ALL_SIZES(volatile_write, DJ_RT_WRITE)
ALL_SIZES(unaligned_volatile_read, DJ_RT_READ)
ALL_SIZES(unaligned_volatile_write, DJ_RT_WRITE)

DJ_RT_EXPORT DJ_RT_HOT void __tsan_vptr_read(const void *address);
DJ_RT_EXPORT DJ_RT_HOT void __tsan_vptr_update(const void *address, const void *value);

void __tsan_vptr_read(const void *address)
{
    dj_rt_access(DJ_RT_READ, 3, __builtin_return_address(0), address);
}

void __tsan_vptr_update(const void *address, const void *value)
{
    (void)value;
    dj_rt_access(DJ_RT_WRITE, 3, __builtin_return_address(0), address);
}
