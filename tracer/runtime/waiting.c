// SPDX-License-Identifier: MIT
// The traced process waits for the analyzer, unless that has ended or cannot find the ring.
#include <errno.h>
#include <time.h>

#include "core.h"
#include "system.h"
#include "text.h"

enum { PATIENCE_NS = 100000000 }; // between checks whether to go on waiting

// Dead, but not yet reaped by its parent.
static bool is_zombie(uint32_t pid)
{
    char text[512];
    dj_rt_append(dj_rt_append_number(dj_rt_append(text, "/proc/"), pid), "/stat");
    int fd = dj_rt_open(text, 0);
    if (fd < 0)
        return false;
    long got = dj_rt_read(fd, text, sizeof text);
    dj_rt_close(fd);
    for (long i = got - 3; i >= 0; i--)
        if (text[i] == ')')
            return text[i + 2] == 'Z' || text[i + 2] == 'X';
    return false;
}

uint64_t dj_rt_waited_ns;

// Whether nobody will ever read the ring.
static bool is_in_vain(void)
{
    uint32_t pid = __atomic_load_n(&dj_rt_ring->analyzer_pid, __ATOMIC_RELAXED);
    if (!pid && dj_rt_ring_is_lost())
        return true;
    if (!pid)
        pid = dj_rt_analyzer();
    long asked = dj_rt_system(SYS_kill, pid, 0, 0, 0, 0, 0);
    return asked < 0 ? asked == -ESRCH : is_zombie(pid);
}

void dj_rt_wake_analyzer(void)
{
    dj_rt_futex(&dj_rt_ring->published, FUTEX_WAKE, 1, NULL);
}

// Called without the lock of the frames, so that handlers run and other threads write meanwhile.
void dj_rt_wait_for_space(uint32_t seen)
{
    dj_ring *ring = dj_rt_ring;
    struct timespec patience = {.tv_sec = 0, .tv_nsec = PATIENCE_NS};
    const uint64_t since = dj_rt_clock_ns(CLOCK_MONOTONIC);
    __atomic_fetch_add(&ring->tracer_waits, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ring->analyzer_waits, __ATOMIC_SEQ_CST))
        dj_rt_wake_analyzer();
    long woken = dj_rt_futex(&ring->consumed, FUTEX_WAIT, seen, &patience);
    if (woken == -ETIMEDOUT && is_in_vain())
        __atomic_store_n(&ring->detach, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&ring->tracer_waits, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&dj_rt_waited_ns, dj_rt_clock_ns(CLOCK_MONOTONIC) - since, __ATOMIC_RELAXED);
}
