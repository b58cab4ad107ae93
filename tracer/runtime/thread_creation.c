// SPDX-License-Identifier: MIT
// The functions that create and join threads. What the creator did before is recorded before anything that
// the new thread does, and what a thread did before anything after it was joined.
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "core.h"
#include "wrap.h"

typedef struct start {
    union {
        void *(*posix)(void *);
        thrd_start_t standard;
    } run;
    void *argument;
    uint32_t number;
    bool known;     // to joins.c
    unsigned users; // the creator and the new thread; the last one frees it
} start;

static start *prepare(start from)
{
    if (dj_rt_off || !dj_rt_ring)
        return NULL;
    dj_rt_depth++;
    start *s = malloc(sizeof *s);
    dj_rt_depth--;
    if (!s)
        return NULL;
    from.number = dj_rt_thread_expect();
    from.users = 2;
    *s = from;
    dj_rt_release_thread(from.number);
    return s;
}

static void release(start *s)
{
    if (__atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    dj_rt_depth++;
    free(s);
    dj_rt_depth--;
}

static start begin(void *given)
{
    start *from = given, s = *from;
    dj_rt_joinable(pthread_self(), s.number, &from->known);
    release(from);
    dj_rt_thread_is(s.number);
    return s;
}

// The calls are jumps, so that the first function of a thread returns to the C library, as it would without
// this one.
static void *begin_posix(void *given)
{
    start s = begin(given);
    return s.run.posix(s.argument);
}

static int begin_standard(void *given)
{
    start s = begin(given);
    return s.run.standard(s.argument);
}

static int conclude(start *s, int status, const pthread_t *thread)
{
    if (status != 0) {
        dj_rt_thread_expect_no_more();
        s->users = 1; // there is no thread
    } else {
        dj_rt_joinable(*thread, s->number, &s->known);
    }
    release(s);
    return status;
}

DJ_RT_WRAP(pthread_create);
DJ_RT_EXPORT int DJ_RT_NAME(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes,
                                            void *(*run)(void *), void *argument)
{
    start *s = prepare((start){.run.posix = run, .argument = argument});
    if (!s)
        return DJ_RT_REAL(pthread_create)(thread, attributes, run, argument);
    return conclude(s, DJ_RT_REAL(pthread_create)(thread, attributes, begin_posix, s), thread);
}

DJ_RT_WRAP(thrd_create);
DJ_RT_EXPORT int DJ_RT_NAME(thrd_create)(thrd_t *thread, thrd_start_t run, void *argument)
{
    start *s = prepare((start){.run.standard = run, .argument = argument});
    if (!s)
        return DJ_RT_REAL(thrd_create)(thread, run, argument);
    return conclude(s, DJ_RT_REAL(thrd_create)(thread, begin_standard, s), thread);
}

// Looked up before: afterwards the same pthread_t may be that of another thread.
#define JOIN(name, parameters, arguments)                                                                    \
    DJ_RT_AROUND(int, name, parameters, arguments, uint32_t number = find(thread),                           \
                 conclude_join(thread, number, status == 0))

static uint32_t find(pthread_t thread)
{
    return dj_rt_concurrent && dj_rt_is_traced() ? dj_rt_joined(thread) : 0;
}

static void conclude_join(pthread_t thread, uint32_t number, bool joined)
{
    bool known = false;
    if (number && joined)
        dj_rt_acquire_thread(number);
    else if (number)
        dj_rt_joinable(thread, number, &known);
}

JOIN(pthread_join, (pthread_t thread, void **result), (thread, result))
JOIN(pthread_tryjoin_np, (pthread_t thread, void **result), (thread, result))
JOIN(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *end),
     (thread, result, end))
JOIN(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, const struct timespec *end),
     (thread, result, clock, end))
JOIN(thrd_join, (thrd_t thread, int *result), (thread, result))
