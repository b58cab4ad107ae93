// SPDX-License-Identifier: MIT
// Memory that the program maps.
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "wrap.h"

DJ_RT_WRAP(mmap);
DJ_RT_WRAP(mmap64);
DJ_RT_WRAP(munmap);
DJ_RT_WRAP(mremap);

static void record_unmapped(const void *address, size_t bytes)
{
    if (!dj_rt_is_traced())
        return;
    uint64_t words[] = {(uintptr_t)address, bytes};
    dj_rt_put_record(DJ_RECORD_UNMAP, 0, words, 2, NULL);
    dj_rt_publish();
}

static void record_mapped(const void *address, size_t bytes, uint64_t pc, uint64_t sp)
{
    if (!dj_rt_is_traced())
        return;
    dj_rt_notice_modules(pc);
    if (dj_rt_sampled)
        dj_rt_bursts_know_stack();
    uint64_t words[] = {(uintptr_t)address, bytes, pc, sp};
    dj_rt_put_record(DJ_RECORD_MAP, 0, words, 4, NULL);
    dj_rt_publish();
}

// Code is recorded as a module.
#define RECORD_MAPPED(address, bytes, protection)                                                            \
    do                                                                                                       \
        if ((address) != MAP_FAILED && !((protection)&PROT_EXEC))                                            \
            record_mapped(address, bytes, DJ_RT_CALLER(), DJ_RT_CALLER_SP());                                \
    while (0)

DJ_RT_EXPORT void *DJ_RT_NAME(mmap)(void *address, size_t bytes, int protection, int flags, int fd,
                                    off_t offset)
{
    void *mapped = DJ_RT_REAL(mmap)(address, bytes, protection, flags, fd, offset);
    RECORD_MAPPED(mapped, bytes, protection);
    return mapped;
}

DJ_RT_EXPORT void *DJ_RT_NAME(mmap64)(void *address, size_t bytes, int protection, int flags, int fd,
                                      off64_t offset)
{
    void *mapped = DJ_RT_REAL(mmap64)(address, bytes, protection, flags, fd, offset);
    RECORD_MAPPED(mapped, bytes, protection);
    return mapped;
}

DJ_RT_EXPORT int DJ_RT_NAME(munmap)(void *address, size_t bytes)
{
    record_unmapped(address, bytes);
    return DJ_RT_REAL(munmap)(address, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(mremap)(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    void *wanted = va_arg(list, void *); // unused unless MREMAP_FIXED
    va_end(list);
    void *address = DJ_RT_REAL(mremap)(old, old_bytes, bytes, flags, wanted);
    if (address != MAP_FAILED)
        record_unmapped(old, old_bytes);
    RECORD_MAPPED(address, bytes, PROT_NONE);
    return address;
}
