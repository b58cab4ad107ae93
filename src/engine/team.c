// SPDX-License-Identifier: MIT
#include "engine/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Barriers come every few microseconds during a turn, so threads spin for a while before they sleep.
enum { SPINS = 2000 };

struct dj_team {
    unsigned count, started;
    pthread_t *threads;
    dj_team_member *members;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*run)(void *user, dj_team_member *member);
    void *user;
    uint64_t turn;    // number of the last one started
    unsigned working; // threads that have not finished it
    bool ending;
    // The barrier.
    atomic_uint arrived;
    atomic_uint generation;
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void dj_member_wait_for_all(dj_team_member *member)
{
    dj_team *t = member->team;
    unsigned generation = atomic_load_explicit(&t->generation, memory_order_acquire);
    if (atomic_fetch_add_explicit(&t->arrived, 1, memory_order_acq_rel) + 1 == t->count) {
        atomic_store_explicit(&t->arrived, 0, memory_order_relaxed);
        pthread_mutex_lock(&t->lock);
        atomic_store_explicit(&t->generation, generation + 1, memory_order_release);
        pthread_cond_broadcast(&t->changed);
        pthread_mutex_unlock(&t->lock);
        return;
    }
    for (unsigned spins = 0; spins < SPINS; spins++) {
        if (atomic_load_explicit(&t->generation, memory_order_acquire) != generation)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&t->lock);
    while (atomic_load_explicit(&t->generation, memory_order_acquire) == generation)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *argument)
{
    dj_team_member *member = argument;
    dj_team *t = member->team;
    uint64_t done = 0;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->turn == done && !t->ending)
            pthread_cond_wait(&t->changed, &t->lock);
        if (t->turn == done)
            break;
        pthread_mutex_unlock(&t->lock);
        t->run(t->user, member);
        done++;
        pthread_mutex_lock(&t->lock);
        if (--t->working == 0)
            pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

// Returns 0, or an error number if there cannot be another thread.
static int start_member(dj_team *t)
{
    dj_team_member *member = &t->members[t->started];
    *member = (dj_team_member){.team = t, .number = t->started};
    if (dj_context_create(&member->context) != DJ_OK)
        return ENOMEM;
    int error = pthread_create(&t->threads[t->started], NULL, work, member);
    if (error)
        dj_context_destroy(member->context);
    else
        t->started++;
    return error;
}

int dj_team_create(dj_context *context, unsigned *count, dj_team **out)
{
    int error = 0;
    dj_team *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return dj_fail_memory(context, "threads", sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->threads = calloc(*count, sizeof *t->threads);
    t->members = calloc(*count, sizeof *t->members);
    if (!t->threads || !t->members) {
        dj_team_destroy(t);
        return dj_fail_memory(context, "threads", *count * sizeof *t->members);
    }
    while (!error && t->started < *count)
        error = start_member(t);
    if (error)
        dj_threads_warn(context, t->started, *count, error);
    t->count = t->started;
    for (unsigned i = 0; i < t->count; i++) // they look at it in a turn only
        t->members[i].count = t->count;
    *count = t->count ? t->count : 1;
    if (t->count)
        *out = t;
    else
        dj_team_destroy(t);
    return DJ_OK;
}

void dj_team_destroy(dj_team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->ending = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i < team->started; i++) {
        pthread_join(team->threads[i], NULL);
        dj_context_destroy(team->members[i].context);
    }
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    free(team->members);
    free(team->threads);
    free(team);
}

void dj_team_start(dj_team *team, void (*run)(void *user, dj_team_member *member), void *user)
{
    pthread_mutex_lock(&team->lock);
    team->run = run;
    team->user = user;
    team->working = team->count;
    team->turn++;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

void dj_team_wait(dj_team *team)
{
    pthread_mutex_lock(&team->lock);
    while (team->working > 0)
        pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

int dj_team_failure(const dj_team *team, dj_context *context)
{
    for (unsigned i = 0; i < team->count; i++)
        if (dj_context_message(team->members[i].context)[0])
            return dj_fail(context, DJ_ERR_MEMORY, "%s", dj_context_message(team->members[i].context));
    return DJ_OK;
}

void dj_team_pass_warning(const dj_team *team, dj_context *context)
{
    for (unsigned i = 0; i < team->count; i++)
        if (dj_context_warning(team->members[i].context)[0])
            dj_warn(context, "%s", dj_context_warning(team->members[i].context));
}

void dj_threads_warn(dj_context *context, unsigned started, unsigned wanted, int error)
{
    dj_warn(context, "cannot start thread %u of %u (%s): the analysis uses fewer threads and takes longer",
            started + 1, wanted, strerror(error));
}

int dj_threads_check(dj_context *context, uint64_t threads)
{
    if (threads > DJ_THREADS_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "--threads %llu: must be at most %d",
                       (unsigned long long)threads, DJ_THREADS_MOST);
    return DJ_OK;
}
