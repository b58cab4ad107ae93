// SPDX-License-Identifier: MIT
// A few threads, one of which pushes the work. Chunks pass through the stages of engine fast
// (fast/stages.h) in order. A stage processes one chunk at a time, on any thread that is free; each
// thread prefers one stage, so that the table stays in the cache of one thread and the timeline in that
// of another. Not a dj_queue: threads are not bound to a stage, no thread sleeps while there is work,
// and a chunk of a few hundred accesses is too little work for a lock; the lock here is only for
// sleeping.
#include "engine/parallel/stages.h"

#include "engine/registry.h"
#include "engine/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum {
    JOBS = DJ_PARALLEL_STAGES_JOBS, // one less in flight at most, since a chunk needs the previous one
    SPINS = 100,                    // of an idle thread before it yields
    YIELDS = 50,                    // of an idle thread before it sleeps, if there is no work left
    CACHE_LINE = 64,
};

enum stage { SURVEY, EXCHANGE, COUNT, STAGES };

// The order in which each thread tries the stages; thread 0 pushes the work.
static const enum stage preferences[DJ_PARALLEL_STAGES_THREADS][STAGES] = {
    {EXCHANGE, SURVEY, COUNT}, {COUNT, SURVEY, EXCHANGE}, {SURVEY, EXCHANGE, COUNT}};

// Progress of a stage: the jobs before number `done` have passed it.
typedef struct progress {
    _Alignas(CACHE_LINE) _Atomic uint64_t done;
    atomic_bool busy;
} progress;

typedef struct helper {
    dj_parallel_stages *stages;
    unsigned number;
    pthread_t thread;
    dj_context *context;
} helper;

struct dj_parallel_stages {
    _Alignas(CACHE_LINE) atomic_bool ending, failed;
    atomic_uint asleep;
    unsigned started;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    helper helpers[DJ_PARALLEL_STAGES_THREADS - 1];
    dj_fast_hashed *whole;
    dj_fast_stages state;
    dj_fast_job *jobs[JOBS];
    uint64_t filled, collected; // used by the caller only
    uint64_t first;             // the first job since the start
    _Alignas(CACHE_LINE) _Atomic uint64_t offered;
    progress stages[STAGES];
};

static dj_fast_job *job_at(const dj_parallel_stages *s, uint64_t number)
{
    return s->jobs[number % JOBS];
}

static uint64_t stage_done(const dj_parallel_stages *s, enum stage stage)
{
    return atomic_load_explicit(&s->stages[stage].done, memory_order_acquire);
}

static int run_stage(dj_parallel_stages *s, dj_context *context, enum stage stage, uint64_t number)
{
    dj_fast_job *job = job_at(s, number);
    const dj_fast_job *before = number > s->first ? job_at(s, number - 1) : NULL;
    if (stage == EXCHANGE)
        return dj_fast_stages_exchange(&s->state, context, job, before);
    if (stage == SURVEY)
        dj_fast_stages_survey(&s->state, job, before);
    else
        dj_fast_stages_count(&s->state, job);
    return DJ_OK;
}

// Whether the stage, which this thread has locked, can process its next job.
static bool is_ready(const dj_parallel_stages *s, enum stage stage, uint64_t number)
{
    uint64_t there = stage == SURVEY ? atomic_load_explicit(&s->offered, memory_order_acquire)
                                     : stage_done(s, (enum stage)(stage - 1));
    if (number == there)
        return false;
    return stage != EXCHANGE || dj_fast_stages_has_points(&s->state, job_at(s, number)) ||
           stage_done(s, COUNT) == number;
}

// Processes the next job of a stage; false: there is none, or another thread is working on the stage.
static bool try_stage(dj_parallel_stages *s, dj_context *context, enum stage stage)
{
    progress *p = &s->stages[stage];
    bool did = false;
    if (atomic_load_explicit(&p->busy, memory_order_relaxed) ||
        atomic_exchange(&p->busy, true)) // before reading `failed`
        return false;
    uint64_t number = atomic_load_explicit(&p->done, memory_order_relaxed);
    if (!atomic_load(&s->failed) && is_ready(s, stage, number)) {
        did = run_stage(s, context, stage, number) == DJ_OK;
        if (did)
            atomic_store_explicit(&p->done, number + 1, memory_order_release);
        else
            atomic_store(&s->failed, true);
    }
    atomic_store_explicit(&p->busy, false, memory_order_release);
    return did;
}

static bool try_stages(dj_parallel_stages *s, dj_context *context, unsigned thread)
{
    bool did = false;
    for (unsigned i = 0; !did && i < STAGES; i++)
        did = try_stage(s, context, preferences[thread][i]);
    return did;
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// For a thread that has found nothing to do `idle` times.
static void wait_briefly(unsigned idle)
{
    if (idle % SPINS == 0)
        sched_yield();
    else
        pause_briefly();
}

static bool is_idle(const dj_parallel_stages *s)
{
    return stage_done(s, COUNT) == atomic_load(&s->offered) || atomic_load(&s->failed);
}

static void sleep_until_woken(dj_parallel_stages *s)
{
    pthread_mutex_lock(&s->lock);
    atomic_fetch_add(&s->asleep, 1);
    while (is_idle(s) && !atomic_load(&s->ending))
        pthread_cond_wait(&s->wake, &s->lock);
    atomic_fetch_sub(&s->asleep, 1);
    pthread_mutex_unlock(&s->lock);
}

static void *help(void *argument)
{
    const helper *h = argument;
    dj_parallel_stages *s = h->stages;
    unsigned idle = 0;
    while (!atomic_load_explicit(&s->ending, memory_order_relaxed)) {
        if (try_stages(s, h->context, h->number)) {
            idle = 0;
            continue;
        }
        wait_briefly(++idle);
        if (idle % (SPINS * YIELDS) == 0)
            sleep_until_woken(s);
    }
    return NULL;
}

static void wake(dj_parallel_stages *s)
{
    if (atomic_load(&s->asleep) == 0)
        return;
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

// Any number of them is enough, even none.
static void start_helpers(dj_parallel_stages *s, dj_context *context, unsigned threads)
{
    int error = 0;
    while (!error && s->started + 1 < threads && s->started + 1 < DJ_PARALLEL_STAGES_THREADS) {
        helper *h = &s->helpers[s->started];
        *h = (helper){.stages = s, .number = s->started + 1};
        error = dj_context_create(&h->context) == DJ_OK ? pthread_create(&h->thread, NULL, help, h) : ENOMEM;
        if (error)
            dj_context_destroy(h->context);
        else
            s->started++;
    }
    if (error)
        dj_threads_warn(context, s->started + 1, threads, error);
}

int dj_parallel_stages_create(dj_context *context, uint32_t use, unsigned threads, uint64_t expected_keys,
                              dj_parallel_stages **out)
{
    const dj_engine_params params = {.use = use, .expected_keys = expected_keys};
    void *whole = NULL;
    dj_parallel_stages *s = aligned_alloc(CACHE_LINE, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "engine parallel", sizeof *s);
    *s = (dj_parallel_stages){0};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    int err = dj_engine_fast.create(context, &params, &whole);
    s->whole = whole;
    if (!err)
        dj_fast_stages_begin(&s->state, s->whole);
    for (unsigned i = 0; !err && i < JOBS; i++)
        if (!(s->jobs[i] = dj_fast_job_create(s->whole)))
            err = dj_fail_memory(context, "the chunks of engine parallel", sizeof *s->jobs[i]);
    if (err) {
        dj_parallel_stages_destroy(s);
        return err;
    }
    start_helpers(s, context, threads);
    *out = s;
    return DJ_OK;
}

void dj_parallel_stages_destroy(dj_parallel_stages *s)
{
    if (!s)
        return;
    atomic_store(&s->ending, true);
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->started; i++) {
        pthread_join(s->helpers[i].thread, NULL);
        dj_context_destroy(s->helpers[i].context);
    }
    for (unsigned i = 0; i < JOBS; i++)
        free(s->jobs[i]);
    dj_engine_fast.destroy(s->whole);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

// Errors of the pushing thread are already in its context.
static int helper_error(const dj_parallel_stages *s, dj_context *context)
{
    for (unsigned i = 0; i < s->started; i++)
        if (dj_context_message(s->helpers[i].context)[0])
            return dj_fail(context, DJ_ERR_MEMORY, "%s", dj_context_message(s->helpers[i].context));
    return DJ_ERR_MEMORY;
}

static bool is_busy(const dj_parallel_stages *s)
{
    for (unsigned i = 0; i < STAGES; i++)
        if (atomic_load(&s->stages[i].busy))
            return true;
    return false;
}

// Works until at most `most` jobs are in flight.
static int work_until(dj_parallel_stages *s, dj_context *context, uint64_t most)
{
    unsigned idle = 0;
    while (s->filled - stage_done(s, COUNT) > most &&
           !atomic_load_explicit(&s->failed, memory_order_relaxed)) {
        if (try_stages(s, context, 0)) {
            idle = 0;
            continue;
        }
        wait_briefly(++idle);
    }
    if (!atomic_load(&s->failed))
        return DJ_OK;
    while (is_busy(s))
        sched_yield();
    return helper_error(s, context);
}

static void collect(dj_parallel_stages *s, dj_work_queue *answered)
{
    for (uint64_t done = stage_done(s, COUNT); s->collected < done; s->collected++) {
        dj_work *work = job_at(s, s->collected)->completes;
        if (work)
            dj_work_queue_put(answered, work);
    }
}

int dj_parallel_stages_push(dj_parallel_stages *s, dj_context *context, dj_work *work,
                            dj_work_queue *answered)
{
    size_t from = 0;
    do {
        int err = work_until(s, context, JOBS - 2);
        if (err)
            return err;
        collect(s, answered);
        dj_fast_job *job = job_at(s, s->filled);
        job->whole = dj_fast_part_of(&s->whole->fast, work, from);
        from += job->whole.count;
        job->completes = from == work->count ? work : NULL;
        atomic_store(&s->offered, ++s->filled);
        wake(s);
    } while (from < work->count);
    return DJ_OK;
}

int dj_parallel_stages_drain(dj_parallel_stages *s, dj_context *context, dj_work_queue *answered)
{
    int err = work_until(s, context, 0);
    collect(s, answered);
    return err;
}

dj_fast_hashed *dj_parallel_stages_finish(dj_parallel_stages *s)
{
    dj_fast_stages_finish(&s->state, s->filled > s->first ? job_at(s, s->filled - 1) : NULL);
    return s->whole;
}

void dj_parallel_stages_restart(dj_parallel_stages *s)
{
    dj_fast_restart(s->whole);
    dj_fast_stages_begin(&s->state, s->whole);
    s->first = s->filled;
    dj_fast_job_restart(job_at(s, s->first));
}

void dj_parallel_stages_stats(const dj_parallel_stages *s, dj_engine_stats *out)
{
    uint64_t own = sizeof *s + JOBS * sizeof *s->jobs[0];
    dj_engine_fast.stats(s->whole, out);
    out->bytes += own;
    out->peak_bytes += own;
}
