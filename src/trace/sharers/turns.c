// SPDX-License-Identifier: MIT
// By speeds, the n-th access of sharer i, counted from 1, happens at time n / speed. If the speeds are small
// integers, the order repeats after as many accesses as their sum, and is computed once. Otherwise a heap
// finds the next sharer.
#include "trace/sharers/turns.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 4096, PERIOD_MOST = 1 << 16 };

static bool is_before(const dj_turns *t, uint32_t a, uint32_t b)
{
    unsigned __int128 left = (unsigned __int128)(t->done[a] + 1) * t->speed[b];
    unsigned __int128 right = (unsigned __int128)(t->done[b] + 1) * t->speed[a];
    return left == right ? a < b : left < right;
}

static void sift_down(dj_turns *t, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1, moved = t->live[at];
        if (child >= t->live_count)
            return;
        if (child + 1 < t->live_count && is_before(t, t->live[child + 1], t->live[child]))
            child++;
        if (is_before(t, moved, t->live[child]))
            return;
        t->live[at] = t->live[child];
        t->live[child] = moved;
        at = child;
    }
}

static void build_heap(dj_turns *t)
{
    for (uint32_t i = t->live_count / 2; i-- > 0;)
        sift_down(t, i);
}

static void fill_by_speeds(dj_turns *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        t->coming[i] = t->live[0];
        t->done[t->live[0]]++;
        sift_down(t, 0);
    }
    t->coming_count = count;
}

static void sum_speeds(dj_turns *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->live_count; i++)
        t->sums[i] = sum += t->speed[t->live[i]];
}

static uint32_t draw(dj_turns *t)
{
    uint64_t target = dj_random_below(&t->random, t->sums[t->live_count - 1]);
    uint32_t first = 0;
    for (uint32_t count = t->live_count; count > 1;) {
        uint32_t half = count / 2;
        first += t->sums[first + half - 1] <= target ? half : 0;
        count -= half;
    }
    return t->live[first];
}

static void fill_at_random(dj_turns *t)
{
    t->before = t->random;
    for (uint32_t i = 0; i < AHEAD; i++)
        t->coming[i] = draw(t);
    t->coming_count = AHEAD;
}

void dj_turns_refill(dj_turns *t)
{
    t->at = 0;
    if (t->live_count == 0)
        t->coming_count = 0;
    else if (t->kind == DJ_INTERLEAVE_RANDOM)
        fill_at_random(t);
    else if (!t->periodic)
        fill_by_speeds(t, AHEAD);
}

static uint32_t remove_from(uint32_t *list, uint32_t count, uint32_t sharer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (list[i] != sharer)
            list[kept++] = list[i];
    return kept;
}

// The numbers drawn ahead are drawn again from the sharers that are left, so that the order does not depend
// on how far ahead that was.
static void redraw(dj_turns *t, uint32_t gone)
{
    uint64_t sum = t->sums[t->live_count - 1];
    t->random = t->before;
    for (uint32_t i = 0; i <= t->at; i++)
        dj_random_below(&t->random, sum);
    t->live_count = remove_from(t->live, t->live_count, gone);
    sum_speeds(t);
    dj_turns_refill(t);
}

void dj_turns_drop(dj_turns *t)
{
    uint32_t gone = t->coming[t->at];
    if (t->kind == DJ_INTERLEAVE_RANDOM) {
        redraw(t, gone);
        return;
    }
    uint32_t before = remove_from(t->coming, t->at, gone);
    memmove(t->coming + before, t->coming + t->at, (t->coming_count - t->at) * sizeof *t->coming);
    uint32_t after = remove_from(t->coming + before, t->coming_count - t->at, gone);
    t->at = before;
    t->coming_count = before + after;
    t->live_count = remove_from(t->live, t->live_count, gone);
    build_heap(t);
}

static int allocate(dj_context *context, uint32_t count, uint32_t ahead, dj_turns *t)
{
    t->coming = calloc(ahead, sizeof *t->coming);
    t->speed = calloc(count, sizeof *t->speed);
    t->live = calloc(count, sizeof *t->live);
    t->done = calloc(count, sizeof *t->done);
    t->sums = calloc(count, sizeof *t->sums);
    if (t->coming && t->speed && t->live && t->done && t->sums)
        return DJ_OK;
    dj_turns_destroy(t);
    return dj_fail_memory(context, "the turns of sharers", 0);
}

int dj_turns_create(dj_context *context, enum dj_interleaving kind, const uint64_t *speeds, uint32_t count,
                    uint64_t seed, dj_turns *out)
{
    uint64_t period = 0;
    for (uint32_t i = 0; i < count && period <= PERIOD_MOST; i++)
        period += speeds[i];
    if (period == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no sharer has a speed");
    *out = (dj_turns){.kind = kind, .live_count = count};
    out->periodic = kind == DJ_INTERLEAVE_SPEEDS && period <= PERIOD_MOST;
    uint32_t ahead = AHEAD;
    if (out->periodic)
        ahead = (uint32_t)(period * (period < AHEAD ? AHEAD / period : 1));
    int err = allocate(context, count, ahead, out);
    if (err)
        return err;
    memcpy(out->speed, speeds, count * sizeof *speeds);
    for (uint32_t i = 0; i < count; i++)
        out->live[i] = i;
    dj_random_seed(&out->random, seed);
    sum_speeds(out);
    if (kind == DJ_INTERLEAVE_SPEEDS)
        build_heap(out);
    if (out->periodic)
        fill_by_speeds(out, ahead);
    dj_turns_refill(out);
    return DJ_OK;
}

void dj_turns_destroy(dj_turns *t)
{
    free(t->coming);
    free(t->speed);
    free(t->live);
    free(t->done);
    free(t->sums);
    *t = (dj_turns){0};
}
