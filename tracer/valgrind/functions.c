// SPDX-License-Identifier: MIT
#include "tool.h"

// A name, and the record that its entry produces.
typedef struct known {
    const HChar *name;
    dj_function function;
} known;

#define ALLOCATOR(kind)                                                                                      \
    {                                                                                                        \
        DJ_RECORD_ALLOCATOR, DJ_ALLOCATOR_##kind                                                             \
    }

#define JOIN                                                                                                 \
    {                                                                                                        \
        DJ_RECORD_SYNC, 0                                                                                    \
    }

static const known by_name[] = {
    {"malloc", ALLOCATOR(MALLOC)},
    {"__libc_malloc", ALLOCATOR(MALLOC)},
    {"valloc", ALLOCATOR(MALLOC)},
    {"__libc_valloc", ALLOCATOR(MALLOC)},
    {"pvalloc", ALLOCATOR(MALLOC)},
    {"__libc_pvalloc", ALLOCATOR(MALLOC)},
    {"calloc", ALLOCATOR(CALLOC)},
    {"__libc_calloc", ALLOCATOR(CALLOC)},
    {"realloc", ALLOCATOR(REALLOC)},
    {"__libc_realloc", ALLOCATOR(REALLOC)},
    {"memalign", ALLOCATOR(MEMALIGN)},
    {"__libc_memalign", ALLOCATOR(MEMALIGN)},
    {"aligned_alloc", ALLOCATOR(MEMALIGN)},
    {"__libc_aligned_alloc", ALLOCATOR(MEMALIGN)},
    {"posix_memalign", ALLOCATOR(POSIX)},
    {"__posix_memalign", ALLOCATOR(POSIX)},
    {"free", ALLOCATOR(FREE)},
    {"__libc_free", ALLOCATOR(FREE)},
    {"cfree", ALLOCATOR(FREE)},
    // Annotations, from tracer/marks and the library of recompiled programs.
    {"dj_mark_data", {DJ_RECORD_DATA, 0}},
    {"dj_mark_statement", {DJ_RECORD_STATEMENT, 0}},
    {"dj_mark_region", {DJ_RECORD_REGION, 0}},
    {"dj_mark_thread_name", {DJ_RECORD_THREAD_NAME, 0}},
    {"pthread_join", JOIN},
    {"__pthread_join", JOIN},
    {"___pthread_join", JOIN},
    {"pthread_tryjoin_np", JOIN},
    {"__pthread_tryjoin_np", JOIN},
    {"pthread_timedjoin_np", JOIN},
    {"__pthread_timedjoin_np", JOIN},
    {"pthread_clockjoin_np", JOIN},
    {"__pthread_clockjoin_np", JOIN},
    {"thrd_join", JOIN},
};

// operator new and delete, single and array; plain, nothrow, sized, aligned.
static const known by_prefix[] = {
    {"_Znwm", ALLOCATOR(MALLOC)},
    {"_Znam", ALLOCATOR(MALLOC)},
    {"_ZdlPv", ALLOCATOR(FREE)},
    {"_ZdaPv", ALLOCATOR(FREE)},
};

dj_function dj_function_at(Addr pc)
{
    const dj_function none = {0, 0};
    const HChar *name;
    DiEpoch now = VG_(current_DiEpoch)();
    if (!VG_(get_fnname_if_entry)(now, pc, &name) || !VG_(get_fnname_raw)(now, pc, &name))
        return none;
    const HChar *version = VG_(strchr)(name, '@');
    SizeT length = version ? (SizeT)(version - name) : VG_(strlen)(name);
    for (UInt i = 0; i < sizeof by_name / sizeof *by_name; i++)
        if (VG_(strlen)(by_name[i].name) == length && VG_(strncmp)(name, by_name[i].name, length) == 0)
            return by_name[i].function;
    for (UInt i = 0; i < sizeof by_prefix / sizeof *by_prefix; i++)
        if (VG_(strncmp)(name, by_prefix[i].name, VG_(strlen)(by_prefix[i].name)) == 0)
            return by_prefix[i].function;
    return none;
}
