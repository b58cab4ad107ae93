// SPDX-License-Identifier: MIT
// A program of which only parts are traced, in bursts, as by ../valgrind/bursts.c. The length of bursts and
// gaps is counted in records: those written, and those that would have been.
//
// In a gap no writer has a limit above its cursor, so that every record takes the slow path, which counts it
// and returns. That takes about as long as in a program that nobody traces. All threads are in a gap
// together: one that still has a limit writes on to the end of its frame at most.
#include "core.h"
#include "system.h"

#include "tracer/budget.h"

enum {
    FIRST = 500000,   // records of the first burst
    SHORTEST = 30000, // of others
    LONG_EACH = 8,    // one burst in so many is a long one
    LONG_TIMES = 16,  // the others, but not longer than
    LONG_PART = 2,    // this part of all before, so that it does not decide alone
    DOUBLED_EACH = 64,
    DOUBLED_MOST = 6,
    CHUNK = 4096, // records that a thread skips before it looks around
    // With a budget: records of the first burst, and of the gap after it, that are measured.
    MEASURED = 500000,
    MEASURED_GAP = 5000000,
};

bool dj_rt_sampled, dj_rt_gap;
uint32_t dj_rt_burst;
DJ_RT_THREAD int32_t dj_rt_left;
DJ_RT_THREAD uint32_t dj_rt_own_burst;

static struct {
    uint64_t rate; // in millionths
    uint64_t random;
    uint64_t length, written;   // records of this burst, or of the next one: planned, and so far
    uint64_t planned;           // records of all bursts but the first
    uint64_t position;          // records so far, at the end of the last burst
    uint64_t interval_end, gap; // of this interval; the length of its gap
    uint64_t skipped;           // in this gap
    uint32_t interval;
    dj_burst_budget budget;
    bool chosen; // the rate, for the budget
    uint64_t unsampled;
} here;

// Processor time of a process begins at 0.
static dj_burst_cost cost_at(uint64_t length)
{
    return (dj_burst_cost){dj_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID) +
                               __atomic_load_n(&dj_rt_waited_ns, __ATOMIC_RELAXED),
                           length};
}

void dj_rt_bursts_begin(uint32_t rate, uint32_t seed, uint32_t budget)
{
    if (rate == 0 || rate >= DJ_RT_RATE_ALL)
        return;
    dj_rt_sampled = true;
    here.rate = rate;
    here.random = seed;
    here.length = here.interval_end = FIRST;
    if (budget > DJ_BUDGET_ONE)
        here.budget = (dj_burst_budget){.factor = budget, .began = cost_at(0)};
}

static uint64_t length_so_far(void)
{
    return here.position + here.written + (dj_rt_gap ? __atomic_load_n(&here.skipped, __ATOMIC_RELAXED) : 0);
}

// The current burst or gap begins here; what was not sampled is that of the parent.
void dj_rt_bursts_begin_child(void)
{
    here.length -= here.written < here.length ? here.written : here.length;
    here.position = length_so_far();
    if (dj_rt_gap)
        here.gap -= here.skipped < here.gap ? here.skipped : here.gap;
    here.written = here.skipped = 0;
    if (here.budget.factor)
        here.budget.began = here.budget.mark = cost_at(length_so_far());
    here.unsampled = 0;
}

static uint64_t draw(uint64_t below)
{
    uint64_t z = here.random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return below ? (z ^ z >> 31) % below : 0;
}

static void lengthen(void)
{
    const uint64_t part = here.planned / LONG_PART, most = here.length * LONG_TIMES;
    const uint64_t length = part < most ? part : most;
    here.length = length > here.length ? length : here.length;
}

static void plan_interval(void)
{
    uint32_t doubled = here.interval / DOUBLED_EACH;
    here.length = (uint64_t)SHORTEST << (doubled < DOUBLED_MOST ? doubled : DOUBLED_MOST);
    if (here.interval % LONG_EACH == LONG_EACH / 2)
        lengthen();
    here.planned += here.length;
    uint64_t interval = here.length * DJ_RT_RATE_ALL / here.rate;
    uint64_t begin = here.interval_end + draw(interval - here.length);
    here.gap = begin > here.position ? begin - here.position : 1;
    here.interval_end += interval;
    here.interval++;
}

// Of a budget: whether the first burst goes on, to be measured. At its beginning the analyzer has more to
// read than later.
static bool must_measure(void)
{
    if (here.budget.factor == 0 || here.chosen)
        return false;
    if (here.length == FIRST) {
        here.budget.mark = cost_at(here.written);
        here.length += MEASURED;
        return true;
    }
    dj_burst_cost_add(&here.budget.burst, &here.budget.mark, cost_at(here.written));
    return false;
}

// Intervals begin after the first gap, which has been measured.
static void choose_rate(void)
{
    const uint64_t over = here.budget.factor - DJ_BUDGET_ONE;
    here.rate = dj_budget_rate(&here.budget, over, (uint32_t)here.rate);
    here.unsampled = here.skipped;
    here.interval_end = here.position + here.skipped;
    here.chosen = true;
    plan_interval();
}

static void put_budget(void)
{
    const uint64_t words[] = {here.budget.factor, here.rate, here.unsampled};
    dj_rt_put_record(DJ_RECORD_BUDGET, 0, words, 3, NULL);
}

// Requires the lock of the frames, as the next one does.
void dj_rt_bursts_count(uint64_t records)
{
    if (!dj_rt_gap)
        here.written += records;
}

bool dj_rt_bursts_end_now(uint64_t *written)
{
    if (!dj_rt_sampled || dj_rt_gap || here.written < here.length || must_measure())
        return false;
    *written = here.written;
    here.position += here.written;
    here.written = 0;
    if (here.budget.factor)
        here.budget.mark = cost_at(0);
    if (here.budget.factor && !here.chosen)
        here.gap = MEASURED_GAP;
    else
        plan_interval();
    __atomic_store_n(&here.skipped, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&dj_rt_gap, true, __ATOMIC_RELEASE);
    return true;
}

// The last burst or gap ends with the process.
void dj_rt_bursts_end(void)
{
    if (!dj_rt_sampled)
        return;
    dj_rt_frames_lock();
    const bool gap = dj_rt_gap;
    const uint64_t length = gap ? __atomic_load_n(&here.skipped, __ATOMIC_RELAXED) : here.written;
    const uint64_t reached =
        here.budget.factor ? dj_budget_reached(&here.budget, cost_at(length_so_far())) : 0;
    dj_rt_frames_unlock();
    dj_rt_put_record(DJ_RECORD_BURST, !gap, &length, 1, NULL);
    if (here.budget.factor)
        put_budget();
    if (reached)
        dj_rt_put_record(DJ_RECORD_BUDGET, 1, &reached, 1, NULL);
}

// The first thread that finds the gap to be over ends it.
static bool end_gap(void)
{
    dj_rt_frames_lock();
    bool ends = dj_rt_gap && here.skipped >= here.gap;
    if (ends && here.budget.factor) {
        dj_burst_cost_add(&here.budget.gaps, &here.budget.mark, cost_at(here.skipped));
        here.budget.mark = cost_at(here.skipped);
        if (!here.chosen)
            choose_rate();
        ends = here.skipped >= here.gap;
    }
    if (ends) {
        here.position += here.skipped;
        if (dj_rt_ring)
            __atomic_store_n(&dj_rt_ring->gap_length, 0, __ATOMIC_RELAXED);
        dj_rt_frames_end_gap(here.skipped);
        dj_rt_burst++;
        __atomic_store_n(&dj_rt_gap, false, __ATOMIC_RELEASE);
    }
    dj_rt_frames_unlock();
    if (ends && dj_rt_burst == 1 && here.chosen)
        put_budget();
    return ends;
}

bool dj_rt_bursts_skip(void)
{
    if (dj_rt_critical)
        return true;
    if (__atomic_load_n(&dj_rt_gap, __ATOMIC_ACQUIRE)) {
        dj_rt_left = CHUNK;
        dj_rt_publish(); // what this thread wrote in the burst
        if (dj_rt_ring)
            __atomic_fetch_add(&dj_rt_ring->gap_length, CHUNK, __ATOMIC_RELAXED);
        if (__atomic_add_fetch(&here.skipped, CHUNK, __ATOMIC_RELAXED) < here.gap || !end_gap())
            return __atomic_load_n(&dj_rt_gap, __ATOMIC_ACQUIRE);
    }
    return false;
}

// A handler that leaves by longjmp may abandon the stack before it is sent: then it is not known.
bool dj_rt_bursts_know_stack(void)
{
    const uint32_t burst = dj_rt_burst;
    const bool gap = dj_rt_gap;
    if (!gap && dj_rt_own_burst == burst)
        return false;
    dj_rt_send_stack();
    if (!gap)
        dj_rt_own_burst = burst;
    return true;
}

// A function that is being left is no longer on the stack.
void dj_rt_put_sampled(uint64_t head, uint64_t word)
{
    if (dj_rt_gap && dj_rt_bursts_skip())
        return;
    if (!dj_rt_bursts_know_stack() || DJ_RECORD_TYPE(head) != DJ_DIRECT_EXIT)
        dj_rt_put_slow(head, word);
}
