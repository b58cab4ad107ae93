// SPDX-License-Identifier: MIT
#include "base/children.h"

#include <signal.h>
#include <stdatomic.h>

// More end by themselves when this process ends, unless they are stopped.
enum { CHILDREN_MOST = 256 };

static _Atomic pid_t children[CHILDREN_MOST];

static void replace(pid_t from, pid_t to)
{
    for (int i = 0; i < CHILDREN_MOST; i++) {
        pid_t old = from;
        if (atomic_compare_exchange_strong(&children[i], &old, to))
            return;
    }
}

void dj_children_add(pid_t pid)
{
    replace(0, pid);
}

void dj_children_remove(pid_t pid)
{
    replace(pid, 0);
}

void dj_children_kill(void)
{
    for (int i = 0; i < CHILDREN_MOST; i++) {
        pid_t pid = atomic_load(&children[i]);
        if (pid > 0)
            kill(pid, SIGKILL);
    }
}
