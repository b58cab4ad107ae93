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

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_wall_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double bench_cpu_seconds(void)
{
    double seconds = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    struct rusage children;
    if (getrusage(RUSAGE_CHILDREN, &children) == 0)
        seconds += seconds_of(children.ru_utime) + seconds_of(children.ru_stime);
    return seconds;
}

double bench_seconds(void)
{
    return cpu_time ? bench_cpu_seconds() : bench_wall_seconds();
}
