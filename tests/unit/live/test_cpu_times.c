// SPDX-License-Identifier: MIT
// CPU times of threads, against the clocks that the threads read themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <deja/session.h>

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/cpu_times.h"
#include "support/context.h"

#if defined(__SANITIZE_THREAD__)
enum { OF_SANITIZER = 1 }; // it has a thread of its own, from the first one on
#else
enum { OF_SANITIZER = 0 };
#endif
enum { THREADS = 3, STEP_MS = 60 };

typedef struct spinner {
    pthread_t thread;
    pid_t number;
    double spin, used; // seconds
} spinner;

static pthread_barrier_t worked, sampled;

static double own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *spin(void *argument)
{
    spinner *s = argument;
    s->number = gettid();
    while (own_seconds() < s->spin)
        ;
    s->used = own_seconds();
    pthread_barrier_wait(&worked);
    pthread_barrier_wait(&sampled);
    return NULL;
}

static void threads_in_order(void **state)
{
    (void)state;
    dj_cpu_times times = {0};
    spinner all[THREADS];
    pthread_barrier_init(&worked, NULL, THREADS + 1);
    pthread_barrier_init(&sampled, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        all[i] = (spinner){.spin = (i + 1) * STEP_MS / 1e3};
        assert_int_equal(pthread_create(&all[i].thread, NULL, spin, &all[i]), 0);
    }
    pthread_barrier_wait(&worked);
    for (int n = 0; n < 3; n++)
        assert_int_equal(dj_cpu_times_sample(&times, context, getpid()), DJ_OK);
    pthread_barrier_wait(&sampled);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i].thread, NULL);
    assert_int_equal(dj_cpu_times_sample(&times, context, getpid()), DJ_OK);
    assert_int_equal(times.count, 1 + OF_SANITIZER + THREADS); // those that ended are kept
    assert_int_equal(times.threads[0].thread, getpid());
    for (int i = 0; i < THREADS; i++) {
        const dj_cpu_time *own = &times.threads[1 + OF_SANITIZER + i];
        double seconds = (double)own->ns / 1e9;
        assert_int_equal(own->thread, all[i].number);
        assert_true(seconds > all[i].used - 0.02 && seconds < all[i].used + 0.02);
    }
    dj_cpu_times_free(&times);
}

static void no_process(void **state)
{
    (void)state;
    dj_cpu_times times = {0};
    assert_int_equal(dj_cpu_times_sample(&times, context, 0x7ffffffe), DJ_OK);
    assert_int_equal(times.count, 0);
}

static void run_untraced(void **state)
{
    (void)state;
    static const char *const words[] = {
        "sh", "-c", "cat; echo lost; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; exit 7"};
    const dj_session_options options = {.arguments = words, .argument_count = 3};
    double *seconds = NULL;
    size_t count = 0;
    int status = 0;
    assert_int_equal(dj_session_time(context, &options, &seconds, &count, &status), DJ_OK);
    assert_int_equal(status, 7);
    assert_int_equal(count, 1);
    assert_true(seconds[0] > 0 && seconds[0] < 60);
    free(seconds);
}

static void run_nothing(void **state)
{
    (void)state;
    static const char *const words[] = {"/nonexistent/program"};
    const dj_session_options options = {.arguments = words, .argument_count = 1};
    double *seconds = NULL;
    size_t count = 0;
    assert_true(dj_session_time(context, &options, &seconds, &count, NULL) < 0);
    assert_non_null(strstr(dj_context_message(context), "/nonexistent/program"));
    assert_null(seconds);
}

static void *stop_soon(void *argument)
{
    usleep(100000);
    dj_context_stop(argument);
    return NULL;
}

// The program would run for a minute, and must not outlive the call.
static void run_stopped(void **state)
{
    (void)state;
    static const char *const words[] = {"sleep", "60"};
    const dj_session_options options = {.arguments = words, .argument_count = 2};
    double *seconds = NULL;
    size_t count = 0;
    dj_context *own = NULL;
    pthread_t stopper;
    time_t begin = time(NULL);
    assert_int_equal(dj_context_create(&own), DJ_OK);
    assert_int_equal(pthread_create(&stopper, NULL, stop_soon, own), 0);
    assert_int_equal(dj_session_time(own, &options, &seconds, &count, NULL), DJ_ERR_STOPPED);
    pthread_join(stopper, NULL);
    assert_true(time(NULL) - begin < 30);
    dj_context_destroy(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_in_order), cmocka_unit_test(no_process),  cmocka_unit_test(run_untraced),
        cmocka_unit_test(run_nothing),      cmocka_unit_test(run_stopped),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
