// SPDX-License-Identifier: MIT
// The functions that create threads. What the creator did before is recorded before anything that the new
// thread does.
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
    *s = from;
    dj_rt_publish();
    return s;
}

static void release(start *s)
{
    dj_rt_depth++;
    free(s);
    dj_rt_depth--;
}

static start begin(void *given)
{
    start s = *(start *)given;
    release(given);
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

static int conclude(start *s, int status)
{
    if (status != 0) {
        dj_rt_thread_expect_no_more();
        release(s);
    }
    return status;
}

DJ_RT_WRAP(pthread_create);
DJ_RT_EXPORT int DJ_RT_NAME(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes,
                                            void *(*run)(void *), void *argument)
{
    start *s = prepare((start){.run.posix = run, .argument = argument});
    if (!s)
        return DJ_RT_REAL(pthread_create)(thread, attributes, run, argument);
    return conclude(s, DJ_RT_REAL(pthread_create)(thread, attributes, begin_posix, s));
}

DJ_RT_WRAP(thrd_create);
DJ_RT_EXPORT int DJ_RT_NAME(thrd_create)(thrd_t *thread, thrd_start_t run, void *argument)
{
    start *s = prepare((start){.run.standard = run, .argument = argument});
    if (!s)
        return DJ_RT_REAL(thrd_create)(thread, run, argument);
    return conclude(s, DJ_RT_REAL(thrd_create)(thread, begin_standard, s));
}
