// SPDX-License-Identifier: MIT
// Rounds of few threads: one of them leads.
//
// Idea:  the thread that leads has an engine fast that sees the whole trace, and
//        analyzes the beginning of a round by it, so that nothing of that is open.
//        Meanwhile the others analyze one chunk each of the rest. In the next turn
//        its engine takes what they left open, and then stands where it would stand
//        had it seen all of their chunks (fast_take.c).
// Cost:  as fast, and about two accesses of it for each open one, but one thread
//        alone pays for half of that.
#include "engine/parallel.h"
#include "engine/registry.h"

#include <stdlib.h>
#include <time.h>

enum {
    MOST_THREADS = 3, // with more, the others would wait for the first
    PIECE = 1 << 12,  // accesses whose answers are still in the cache when they are looked at
    LEAST_SHARE = 32, // of a round, to see what an access costs
    ALONE = 7,        // rounds until it is seen again whether others help
};

static const char what[] = "the order of engine parallel";

struct dj_parallel_answers {
    uint64_t distance[PIECE], prev_time[PIECE];
    uint32_t prev_tag[PIECE];
};

bool dj_parallel_led_is_for(unsigned threads)
{
    return threads <= MOST_THREADS;
}

int dj_parallel_led_create(dj_parallel *p, dj_context *context)
{
    const dj_engine_params params = {.use = p->use};
    dj_parallel_led *led = &p->led;
    void *whole = NULL;
    led->answers = calloc(1, sizeof *led->answers);
    led->next_chunks = calloc(p->threads, sizeof *led->next_chunks);
    if (!led->answers || !led->next_chunks)
        return dj_fail_memory(context, what, sizeof *led->answers);
    int err = dj_engine_fast.create(context, &params, &whole);
    led->whole = whole;
    for (unsigned i = 1; !err && i < p->threads; i++) {
        err = dj_parallel_chunk_prepare(p, context, &p->chunks[i]);
        if (!err)
            err = dj_parallel_chunk_prepare(p, context, &led->next_chunks[i]);
    }
    return err;
}

void dj_parallel_led_destroy(dj_parallel *p)
{
    dj_parallel_led *led = &p->led;
    for (unsigned i = 0; led->next_chunks && i < p->threads; i++)
        dj_parallel_chunk_free(&led->next_chunks[i]);
    free(led->next_chunks);
    free(led->answers);
    if (led->whole)
        dj_engine_fast.destroy(led->whole);
}

static size_t count_open(const dj_parallel *p, const dj_parallel_round *round)
{
    size_t open = 0;
    for (unsigned i = 1; round && i < p->threads; i++)
        open += round->chunks[i].open;
    return open;
}

// How many accesses of a round the first thread analyzes, so that all threads are ready at once.
static uint64_t share_of_first(const dj_parallel *p, uint64_t accesses)
{
    const dj_parallel_led *led = &p->led;
    double all = (double)accesses, others = p->threads - 1;
    if (p->threads == 1 || led->alone > 0)
        return accesses;
    if (led->for_leading <= 0)
        return accesses / p->threads;
    double taking = led->for_taking * (double)count_open(p, p->waiting);
    double share =
        (led->for_following * all / others - taking) / (led->for_leading + led->for_following / others);
    double least = all / LEAST_SHARE;
    return (uint64_t)(share < least ? least : share > all ? all : share);
}

void dj_parallel_led_divide(dj_parallel *p, dj_parallel_round *round)
{
    dj_parallel_chunk *chunks = p->led.next_chunks;
    uint64_t at = share_of_first(p, round->accesses), left = round->accesses - at;
    p->led.next_chunks = p->chunks;
    p->chunks = round->chunks = chunks;
    chunks[0].first = 0;
    chunks[0].end = at;
    for (unsigned i = 1; i < p->threads; i++) {
        chunks[i].first = at;
        chunks[i].end = at += left * i / (p->threads - 1) - left * (i - 1) / (p->threads - 1);
    }
}

// The answers to the open accesses from `from` on go to where they were asked for.
static void hand_out(const dj_parallel_round *round, const dj_parallel_chunk *c, size_t from,
                     const dj_work *answers)
{
    const dj_parallel_part *part = dj_parallel_find_part(round, c->first + c->spot[from]);
    for (size_t i = 0; i < answers->count; i++) {
        uint64_t access = c->first + c->spot[from + i];
        while (access >= part->begin + part->count)
            part++;
        const dj_work *work = part->work;
        size_t at = part->from + (access - part->begin);
        work->distance[at] = answers->distance[i];
        if (answers->prev_tag)
            work->prev_tag[at] = answers->prev_tag[i];
        if (answers->prev_time)
            work->prev_time[at] = answers->prev_time[i];
    }
}

// Some of the open accesses, which bring what belongs to the last access of each key.
static dj_work make_work(const dj_parallel *p, const dj_parallel_chunk *c, size_t from)
{
    struct dj_parallel_answers *a = p->led.answers;
    dj_work work = {.count = c->open - from < PIECE ? c->open - from : PIECE,
                    .key = c->key + from,
                    .distance = a->distance};
    if (p->use & DJ_CAN_TAGS) {
        work.tag = c->list.tag + from;
        work.prev_tag = a->prev_tag;
    }
    if (p->use & DJ_CAN_TIMES) {
        work.time = c->list.time + from;
        work.prev_time = a->prev_time;
    }
    return work;
}

static int take_chunk(const dj_parallel *p, dj_context *context, const dj_parallel_round *round,
                      const dj_parallel_chunk *c)
{
    uint64_t start;
    int err = dj_fast_take_start(p->led.whole, context, c->open, &start);
    for (size_t from = 0; !err && from < c->open; from += PIECE) {
        dj_work work = make_work(p, c, from);
        err = dj_fast_take(p->led.whole, context, &work, c->list.number + from, start);
        if (!err)
            hand_out(round, c, from, &work);
    }
    return err;
}

int dj_parallel_led_take(dj_parallel *p, dj_context *context, const dj_parallel_round *round)
{
    int err = DJ_OK;
    for (unsigned i = 1; !err && i < p->threads; i++)
        if (round->chunks[i].open > 0)
            err = take_chunk(p, context, round, &round->chunks[i]);
    return err;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int lead(dj_parallel *p, dj_context *context)
{
    double start = processor_time();
    size_t open = count_open(p, p->waiting);
    const dj_parallel_chunk *chunk = &p->running->chunks[0];
    int err = p->waiting ? dj_parallel_led_take(p, context, p->waiting) : DJ_OK;
    double taken = processor_time();
    if (!err)
        err = dj_parallel_analyze_after(p, context, p->running, chunk, p->led.whole);
    if (chunk->end > 0)
        p->led.for_leading = (processor_time() - taken) / (double)chunk->end;
    if (open > 0)
        p->led.for_taking = (taken - start) / (double)open;
    return err;
}

static int follow(dj_parallel *p, dj_member *member)
{
    double start = processor_time();
    const dj_parallel_chunk *chunk = &p->running->chunks[member->number];
    int err = dj_parallel_analyze(p, member->context, p->running, member->number);
    if (member->number == 1 && chunk->end > chunk->first)
        p->led.for_following = (processor_time() - start) / (double)(chunk->end - chunk->first);
    return err;
}

void dj_parallel_led_run(dj_parallel *p, dj_member *member)
{
    if ((member->number == 0 ? lead(p, member->context) : follow(p, member)) != DJ_OK)
        atomic_store(&p->failed, true);
}

void dj_parallel_led_adapt(dj_parallel *p, const dj_parallel_round *round)
{
    dj_parallel_led *led = &p->led;
    double others = (double)(round->accesses - round->chunks[0].end);
    if (led->alone > 0)
        led->alone--;
    else if (p->chunk == p->most_chunk &&
             led->for_taking * (double)count_open(p, round) > led->for_leading * others)
        led->alone = ALONE;
}
