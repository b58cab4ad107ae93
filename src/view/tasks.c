// SPDX-License-Identifier: MIT
#include "view/tasks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS_MOST = 4 };

typedef struct pool {
    const dj_view_tasks *tasks;
    atomic_size_t next;
    atomic_bool failed;
} pool;

typedef struct helper {
    pool *of;
    dj_context *context;
    pthread_t thread;
    int err;
} helper;

static int work(pool *c, dj_context *context)
{
    int err = DJ_OK;
    for (size_t task; !err && !c->failed && (task = c->next++) < c->tasks->count;)
        err = c->tasks->run(c->tasks->user, context, task);
    if (err)
        c->failed = true;
    return err;
}

static void *help(void *user)
{
    helper *h = user;
    h->err = work(h->of, h->context);
    return NULL;
}

// Without helpers, if they cannot be started.
static size_t start(pool *c, helper *helpers, size_t most)
{
    size_t count = 0;
    for (; count < most; count++) {
        helper *h = &helpers[count];
        *h = (helper){.of = c};
        if (dj_context_create(&h->context) != DJ_OK)
            break;
        if (pthread_create(&h->thread, NULL, help, h) != 0) {
            dj_context_destroy(h->context);
            break;
        }
    }
    return count;
}

int dj_view_run_tasks(dj_context *context, const dj_view_tasks *tasks)
{
    pool c = {.tasks = tasks};
    helper helpers[THREADS_MOST - 1];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t most = cores > THREADS_MOST ? THREADS_MOST : cores > 1 ? (size_t)cores : 1;
    const size_t count = start(&c, helpers, most - 1);
    int err = work(&c, context);
    for (size_t i = 0; i < count; i++) {
        helper *h = &helpers[i];
        pthread_join(h->thread, NULL);
        if (h->err && !err)
            err = dj_fail(context, (enum dj_err)h->err, "%s", dj_context_message(h->context));
        dj_context_destroy(h->context);
    }
    return err;
}
