// SPDX-License-Identifier: MIT
// Thread numbers start at 1 and are never reused.
#include <errno.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "core.h"
#include "signals.h"
#include "system.h"

DJ_RT_THREAD dj_rt_thread dj_rt_self;

static uint32_t created, running;
bool dj_rt_concurrent;
static pthread_key_t at_end;
static bool has_key;

uint32_t dj_rt_threads_now(void)
{
    return __atomic_load_n(&running, __ATOMIC_RELAXED);
}

uint32_t dj_rt_thread_expect(void)
{
    __atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&dj_rt_concurrent, true, __ATOMIC_RELAXED);
    return __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
}

void dj_rt_thread_expect_no_more(void)
{
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
}

void dj_rt_thread_is(uint32_t number)
{
    dj_rt_self.number = number;
    dj_rt_self.counted = dj_rt_self.created = true;
    if (has_key)
        pthread_setspecific(at_end, &at_end);
}

// The highest item on the first stack is the program's name, put there by the kernel.
static void find_first_stack(void)
{
    enum { PAGE = 4096, UNLIMITED = 1 << 30 };
    struct rlimit limit = {0};
    const char *top = (const char *)getauxval(AT_EXECFN);
    if (!top || dj_rt_system(SYS_prlimit64, 0, RLIMIT_STACK, 0, DJ_RT_ARGUMENT(&limit), 0, 0) != 0)
        return;
    while (*top)
        top++;
    uint64_t bytes = limit.rlim_cur < UNLIMITED ? limit.rlim_cur : UNLIMITED;
    dj_rt_self.stack_end = ((uint64_t)top + 8 + PAGE) & ~(uint64_t)(PAGE - 1);
    dj_rt_self.stack_low = dj_rt_self.stack_end - bytes;
}

static void find_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    int saved = errno;
    dj_rt_depth++;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
            dj_rt_self.stack_low = (uint64_t)low;
            dj_rt_self.stack_end = (uint64_t)low + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
    dj_rt_depth--;
    errno = saved;
}

static void end(void *unused)
{
    (void)unused;
    dj_rt_thread_end();
}

void dj_rt_threads_begin(void)
{
    if (!has_key)
        has_key = pthread_key_create(&at_end, end) == 0;
    running = 0;
    dj_rt_concurrent = false;
    dj_rt_self.counted = false;
    if (!dj_rt_self.number) {
        dj_rt_self.number = ++created;
        find_first_stack();
    }
}

void dj_rt_thread_begin(void)
{
    dj_rt_critical_begin();
    if (!dj_rt_self.counted) {
        if (!dj_rt_self.number)
            dj_rt_self.number = __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
        dj_rt_self.counted = true;
        if (__atomic_fetch_add(&running, 1, __ATOMIC_RELAXED) > 0)
            __atomic_store_n(&dj_rt_concurrent, true, __ATOMIC_RELAXED);
        if (has_key)
            pthread_setspecific(at_end, &at_end);
    }
    dj_rt_critical_end();
    if (!dj_rt_self.stack_end)
        find_stack();
}

// Destructors of other keys may record afterwards, which starts the thread again.
void dj_rt_thread_end(void)
{
    if (!dj_rt_self.counted)
        return;
    dj_rt_signals_thread_end();
    if (dj_rt_writer != &dj_rt_no_writer)
        dj_rt_release_thread(dj_rt_self.number);
    dj_ring_writer *writer = dj_rt_writer;
    dj_rt_writer = &dj_rt_no_writer;
    if (writer != &dj_rt_no_writer)
        dj_rt_writer_release(writer);
    dj_rt_calls_end();
    dj_rt_self.counted = false;
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
}
