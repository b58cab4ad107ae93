// SPDX-License-Identifier: MIT
#include <sys/resource.h>
#include <time.h>

#include "bench/bench.h"

static bool cpu_time;

void bench_use_cpu_time(void)
{
    cpu_time = true;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    struct rusage children;
    if (cpu_time && getrusage(RUSAGE_CHILDREN, &children) == 0)
        seconds += seconds_of(children.ru_utime) + seconds_of(children.ru_stime);
    return seconds;
}
