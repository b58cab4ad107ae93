// SPDX-License-Identifier: MIT
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

// A signal handler has no other way to reach these.
static dj_context *stopped_context;
static const char *volatile unfinished_path;

static void on_signal(int number)
{
    if (!dj_context_stopped(stopped_context)) {
        dj_context_stop(stopped_context);
        return;
    }
    if (unfinished_path)
        unlink(unfinished_path);
    signal(number, SIG_DFL);
    raise(number);
}

void dj_interrupt_install(dj_context *context)
{
    stopped_context = context;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    // No SA_RESTART: a read that waits on a silent pipe must return, or Ctrl-C
    // would do nothing. Readers see EINTR and ask dj_context_stopped.
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void dj_interrupt_unlink(const char *path)
{
    unfinished_path = path;
}
