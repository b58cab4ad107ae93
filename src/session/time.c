// SPDX-License-Identifier: MIT
// Times the threads of a program that runs untraced.
#include <deja/session.h>

#include <stdlib.h>
#include <sys/wait.h>

#include "live/timed.h"

int dj_session_time(dj_context *context, const dj_session_options *options, double **seconds, size_t *count,
                    int *status)
{
    dj_cpu_times times = {0};
    int ended = 0;
    const dj_timed_run run = {.arguments = options->arguments,
                              .count = options->argument_count,
                              .before_exec = options->hooks.before_exec};
    *seconds = NULL;
    *count = 0;
    int err = run.count > 0 ? dj_timed_run_start(context, &run, &times, &ended)
                            : dj_fail(context, DJ_ERR_USAGE, "no program given");
    double *list = err ? NULL : calloc(times.count + 1, sizeof *list);
    if (!err && !list)
        err = dj_fail_memory(context, "the CPU times of threads", 0);
    for (size_t i = 0; list && i < times.count; i++)
        list[i] = (double)times.threads[i].ns / 1e9;
    if (!err) {
        *seconds = list;
        *count = times.count;
        if (status)
            *status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    }
    dj_cpu_times_free(&times);
    return err;
}
