// SPDX-License-Identifier: MIT
// Functions that create and end processes. The handling of the ring at a fork is in process.c, since not all
// forks come through here.
#include <stdlib.h>
#include <unistd.h>

#include "core.h"
#include "wrap.h"

DJ_RT_WRAP(fork);
DJ_RT_EXPORT pid_t DJ_RT_NAME(fork)(void)
{
    pid_t child = DJ_RT_REAL(fork)();
    if (child > 0)
        dj_rt_put_record(DJ_RECORD_FORK, (uint32_t)child, NULL, 0, NULL);
    return child;
}

DJ_RT_WRAP(_Fork);
DJ_RT_EXPORT pid_t DJ_RT_NAME(_Fork)(void)
{
    if (dj_rt_critical) // called by fork, in a static program
        return DJ_RT_REAL(_Fork)();
    dj_rt_before_fork();
    pid_t child = DJ_RT_REAL(_Fork)();
    if (child == 0)
        dj_rt_begin_child();
    else
        dj_rt_after_fork();
    if (child > 0)
        dj_rt_put_record(DJ_RECORD_FORK, (uint32_t)child, NULL, 0, NULL);
    return child;
}

DJ_RT_WRAP(quick_exit);
DJ_RT_EXPORT void DJ_RT_NAME(quick_exit)(int status)
{
    dj_rt_quick_status(status);
    DJ_RT_REAL(quick_exit)(status);
    __builtin_unreachable();
}

DJ_RT_WRAP(_exit);
DJ_RT_EXPORT void DJ_RT_NAME(_exit)(int status)
{
    dj_rt_process_end(status);
    DJ_RT_REAL(_exit)(status);
    __builtin_unreachable();
}

DJ_RT_WRAP(_Exit);
DJ_RT_EXPORT void DJ_RT_NAME(_Exit)(int status)
{
    dj_rt_process_end(status);
    DJ_RT_REAL(_Exit)(status);
    __builtin_unreachable();
}
