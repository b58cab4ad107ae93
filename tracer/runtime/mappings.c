// SPDX-License-Identifier: MIT
// Memory that the program maps for itself.
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "wrap.h"

DJ_RT_FRONT(mmap);
DJ_RT_FRONT(mmap64);
DJ_RT_FRONT(munmap);
DJ_RT_FRONT(mremap);

static void tell(enum dj_record_type type, const void *address, size_t bytes)
{
    if (!dj_rt_is_traced())
        return;
    uint64_t words[] = {(uintptr_t)address, bytes};
    dj_rt_put_record(type, 0, words, 2, NULL);
    dj_rt_publish();
}

static void *tell_mapped(void *address, size_t bytes, int protection)
{
    if (address != MAP_FAILED && !(protection & PROT_EXEC))
        tell(DJ_RECORD_MAP, address, bytes);
    return address;
}

DJ_RT_EXPORT void *DJ_RT_NAME(mmap)(void *address, size_t bytes, int protection, int flags, int fd,
                                    off_t offset)
{
    return tell_mapped(DJ_RT_REAL(mmap)(address, bytes, protection, flags, fd, offset), bytes, protection);
}

DJ_RT_EXPORT void *DJ_RT_NAME(mmap64)(void *address, size_t bytes, int protection, int flags, int fd,
                                      off64_t offset)
{
    return tell_mapped(DJ_RT_REAL(mmap64)(address, bytes, protection, flags, fd, offset), bytes, protection);
}

DJ_RT_EXPORT int DJ_RT_NAME(munmap)(void *address, size_t bytes)
{
    tell(DJ_RECORD_UNMAP, address, bytes);
    return DJ_RT_REAL(munmap)(address, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(mremap)(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    void *wanted = va_arg(list, void *); // without a meaning unless MREMAP_FIXED
    va_end(list);
    void *address = DJ_RT_REAL(mremap)(old, old_bytes, bytes, flags, wanted);
    if (address != MAP_FAILED) {
        tell(DJ_RECORD_UNMAP, old, old_bytes);
        tell(DJ_RECORD_MAP, address, bytes);
    }
    return address;
}
