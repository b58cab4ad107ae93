// SPDX-License-Identifier: MIT
#include "tool.h"

static const struct {
    const HChar *name;
    UInt allocator;
} by_name[] = {
    {"malloc", DJ_ALLOCATOR_MALLOC},
    {"__libc_malloc", DJ_ALLOCATOR_MALLOC},
    {"valloc", DJ_ALLOCATOR_MALLOC},
    {"__libc_valloc", DJ_ALLOCATOR_MALLOC},
    {"pvalloc", DJ_ALLOCATOR_MALLOC},
    {"__libc_pvalloc", DJ_ALLOCATOR_MALLOC},
    {"calloc", DJ_ALLOCATOR_CALLOC},
    {"__libc_calloc", DJ_ALLOCATOR_CALLOC},
    {"realloc", DJ_ALLOCATOR_REALLOC},
    {"__libc_realloc", DJ_ALLOCATOR_REALLOC},
    {"memalign", DJ_ALLOCATOR_MEMALIGN},
    {"__libc_memalign", DJ_ALLOCATOR_MEMALIGN},
    {"aligned_alloc", DJ_ALLOCATOR_MEMALIGN},
    {"__libc_aligned_alloc", DJ_ALLOCATOR_MEMALIGN},
    {"posix_memalign", DJ_ALLOCATOR_POSIX},
    {"__posix_memalign", DJ_ALLOCATOR_POSIX},
    {"free", DJ_ALLOCATOR_FREE},
    {"__libc_free", DJ_ALLOCATOR_FREE},
    {"cfree", DJ_ALLOCATOR_FREE},
};

// operator new and delete, single and array; plain, nothrow, sized, aligned.
static const struct {
    const HChar *prefix;
    UInt allocator;
} by_prefix[] = {
    {"_Znwm", DJ_ALLOCATOR_MALLOC},
    {"_Znam", DJ_ALLOCATOR_MALLOC},
    {"_ZdlPv", DJ_ALLOCATOR_FREE},
    {"_ZdaPv", DJ_ALLOCATOR_FREE},
};

UInt dj_allocator_at(Addr pc)
{
    const HChar *name;
    DiEpoch now = VG_(current_DiEpoch)();
    if (!VG_(get_fnname_if_entry)(now, pc, &name) || !VG_(get_fnname_raw)(now, pc, &name))
        return 0;
    const HChar *version = VG_(strchr)(name, '@');
    SizeT length = version ? (SizeT)(version - name) : VG_(strlen)(name);
    for (UInt i = 0; i < sizeof by_name / sizeof *by_name; i++)
        if (VG_(strlen)(by_name[i].name) == length && VG_(strncmp)(name, by_name[i].name, length) == 0)
            return by_name[i].allocator;
    for (UInt i = 0; i < sizeof by_prefix / sizeof *by_prefix; i++)
        if (VG_(strncmp)(name, by_prefix[i].prefix, VG_(strlen)(by_prefix[i].prefix)) == 0)
            return by_prefix[i].allocator;
    return 0;
}
