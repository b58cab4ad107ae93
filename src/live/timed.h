// SPDX-License-Identifier: MIT
// Runs a program as it is, only to time its threads.
#ifndef DEJA_LIVE_TIMED_H
#define DEJA_LIVE_TIMED_H

#include "live/cpu_times.h"

typedef struct dj_timed_run {
    const char *const *arguments; // the program first
    size_t count;
    void (*before_exec)(void); // in the new process: undoes what was changed for this one; may be NULL
} dj_timed_run;

// Standard input is /dev/null, and all output is discarded. The program is killed if the context is stopped
// (DJ_ERR_STOPPED) or this process ends.
int dj_timed_run_start(dj_context *context, const dj_timed_run *run, dj_cpu_times *times, int *wait_status);

#endif
