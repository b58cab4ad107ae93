// SPDX-License-Identifier: MIT
#include "model/thread_speed.h"

size_t dj_thread_reference(const dj_thread_work *threads, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        if (threads[i].thread > 1 &&
            (threads[found].thread <= 1 || threads[i].thread < threads[found].thread))
            found = i;
    return found;
}

double dj_thread_speed(const dj_thread_work *thread, const dj_thread_work *reference, bool native)
{
    const double seconds = native ? thread->native_cpu_seconds : thread->cpu_seconds;
    const double other = native ? reference->native_cpu_seconds : reference->cpu_seconds;
    return seconds >= DJ_CPU_SECONDS_LEAST && other >= DJ_CPU_SECONDS_LEAST
               ? (double)thread->accesses / seconds * other / (double)reference->accesses
               : 0;
}
