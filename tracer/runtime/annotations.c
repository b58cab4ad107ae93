// SPDX-License-Identifier: MIT
// Annotations of a recompiled program (deja/record.h) are written to the ring. Its accesses are traced
// anyway. Under Valgrind, whose tracer knows these functions by name (../valgrind/functions.c), there is no
// ring and they do nothing.
#include "core.h"

#define DEJA_RECORD_OFF
#include <deja/record.h>

#include "tracer/marks/marks.h"

void dj_mark_data(const void *base, size_t bytes, size_t element_bytes, const char *name)
{
    const uint64_t words[] = {(uintptr_t)base, bytes, element_bytes};
    dj_rt_put_record(DJ_RECORD_DATA, 0, words, 3, name);
}

void dj_mark_statement(void)
{
    const uint64_t pc = (uintptr_t)__builtin_return_address(0);
    dj_rt_put_record(DJ_RECORD_STATEMENT, 0, &pc, 1, NULL);
}

void dj_mark_region(const char *name, int begins)
{
    dj_rt_put_record(DJ_RECORD_REGION, begins != 0, NULL, 0, name);
}

// The thread may have no number before its first record.
void dj_rt_put_thread_name(const char *name)
{
    if (!dj_rt_off && (dj_rt_self.number || dj_rt_ensure_space(2)))
        dj_rt_put_record(DJ_RECORD_THREAD_NAME, dj_rt_self.number, NULL, 0, name);
}

void dj_mark_thread_name(const char *name)
{
    dj_rt_put_thread_name(name);
}

DJ_RT_EXPORT const dj_record_calls dj_recorder = {
    .version = DJ_RECORD_CALLS_VERSION,
    .data = dj_mark_data,
    .statement = dj_mark_statement,
    .region = dj_mark_region,
    .thread_name = dj_mark_thread_name,
};
