// SPDX-License-Identifier: MIT
// The CPU time of each thread of a process, sampled while it runs. The kernel forgets that of a thread when
// the thread ends, so the time after its last sample is missing.
#ifndef DEJA_LIVE_CPU_TIMES_H
#define DEJA_LIVE_CPU_TIMES_H

#include <deja/error.h>

#include <sys/types.h>

enum { DJ_CPU_SAMPLE_MS = 2 }; // how often to sample

typedef struct dj_cpu_time {
    pid_t thread; // as the kernel numbers it
    uint64_t ns;
} dj_cpu_time;

typedef struct dj_cpu_times {
    dj_cpu_time *threads; // in the order of their creation
    size_t count, capacity;
} dj_cpu_times;

// Samples all threads of a process. Threads that live shorter than the time between two samples are missed.
// A process that has ended, or may not be read, changes nothing.
int dj_cpu_times_sample(dj_cpu_times *times, dj_context *context, pid_t process);
void dj_cpu_times_free(dj_cpu_times *times);

#endif
