// SPDX-License-Identifier: MIT
#include "observe/bursts/schedule.h"

#include "base/sample.h"

enum {
    SHORT_LOG2 = 11,
    LONG_LOG2_LEAST = 12,
    LONG_LOG2_MOST = 16,
    REACH_LOG2 = 6, // a long warm-up has this many accesses for each block that a sampled one stands for
    MANY = 24,      // per level
    FEW = 8,
    SPARSEST_LOG2 = 9, // warm-up and interval differ by no more
    LEVELS_MOST = 40,
};

static unsigned at_most(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned at_least(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

dj_burst_schedule dj_burst_schedule_begin(uint64_t seed, unsigned sample_log2, enum dj_burst_kind kind)
{
    const unsigned longest = at_least(at_most(REACH_LOG2 + sample_log2, LONG_LOG2_MOST), LONG_LOG2_LEAST);
    return kind == DJ_BURSTS_SHORT
               ? (dj_burst_schedule){.seed = seed, .warm_log2 = SHORT_LOG2, .per_level = MANY}
               : (dj_burst_schedule){.seed = ~seed, .warm_log2 = longest, .per_level = FEW};
}

static unsigned level_of(const dj_burst_schedule *s)
{
    const uint64_t level = s->number > 0 ? (s->number - 1) / s->per_level : 0;
    return level < 1 ? 0 : level < LEVELS_MOST ? (unsigned)level - 1 : LEVELS_MOST;
}

// The middle of the accesses that count is uniform in the interval, so a burst may extend into the next one.
// The interval of burst 0 lies before the trace: the first accesses must also be able to count. No burst is
// longer than an interval, so it begins after the last but one has ended.
dj_burst dj_burst_schedule_next(dj_burst_schedule *s)
{
    const uint64_t warm = UINT64_C(1) << s->warm_log2, count = warm / 4, first = 2 * warm;
    const uint64_t interval = first << at_most(level_of(s), SPARSEST_LOG2 - 1);
    const uint64_t end = s->interval + (dj_sample_hash(s->number, s->seed) & (interval - 1)) + count / 2;
    s->number++;
    s->interval += interval;
    return (dj_burst){.begin = end > first + warm + count ? end - first - warm - count : 0,
                      .counted = end > first + count ? end - first - count : 0,
                      .end = end > first ? end - first : 0,
                      .weight = interval / count};
}

dj_burst_finder dj_burst_finder_begin(const dj_burst_schedule *schedule)
{
    dj_burst_finder f = {.schedule = *schedule};
    f.next[0] = dj_burst_schedule_next(&f.schedule);
    f.next[1] = dj_burst_schedule_next(&f.schedule);
    return f;
}

bool dj_burst_finder_meets(dj_burst_finder *f, uint64_t from, uint64_t to)
{
    while (f->next[0].end <= from) {
        f->next[0] = f->next[1];
        f->next[1] = dj_burst_schedule_next(&f->schedule);
    }
    return f->next[0].begin < to || f->next[1].begin < to;
}
