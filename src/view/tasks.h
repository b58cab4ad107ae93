// SPDX-License-Identifier: MIT
// Independent tasks, on several threads if the machine has them.
#ifndef DEJA_VIEW_TASKS_H
#define DEJA_VIEW_TASKS_H

#include <deja/error.h>

#include <stddef.h>

typedef struct dj_view_tasks {
    // Runs a task; the context is that of its thread.
    int (*run)(void *user, dj_context *context, size_t task);
    void *user;
    size_t count;
} dj_view_tasks;

// Runs all tasks, unless one fails; then its error is returned.
int dj_view_run_tasks(dj_context *context, const dj_view_tasks *tasks);

#endif
