// SPDX-License-Identifier: MIT
// A thread that must wait leaves the drawing and enters the list of the thread that it waits for, which
// brings it back when it has made enough accesses. Speeds of threads that can run are in a Fenwick tree, in
// which a draw finds its thread in a logarithmic number of steps.
//
// There is no deadlock. Every wait is for accesses that precede the waiting one in the recorded order. Of all
// accesses not made yet, take the first in the recorded order: everything before it has been made, so its
// thread does not wait.
#include "trace/sharers/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "trace/sharers/waits.h"

enum { NOBODY = UINT32_MAX };

typedef struct thread {
    uint64_t speed;
    uint64_t done, accesses; // made, and all
    dj_wait wait;            // the next one
    bool waits;              // there is one
    bool runs;               // its speed is in the tree
    uint32_t first_waiting;  // of those that wait for this one; NOBODY: none
    uint32_t next_waiting;   // after this one, in the list that it is in
    dj_wait_reader reader;
} thread;

struct dj_schedule {
    dj_schedule_config config;
    thread *threads;
    uint64_t *tree; // Fenwick: node i + 1 has the sum of the last (i + 1) & -(i + 1) threads up to i
    uint64_t sum;   // of all speeds in the tree
    dj_random random;
    uint32_t current;
    uint64_t left; // accesses of the current turn
    uint32_t ended;
};

void dj_schedule_destroy(dj_schedule *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->threads && i < s->config.count; i++)
        dj_wait_reader_free(&s->threads[i].reader);
    free(s->threads);
    free(s->tree);
    dj_waits_release(s->config.waits);
    free(s);
}

// Lets a thread take part in draws, or not.
static void set_running(dj_schedule *s, uint32_t i, bool runs)
{
    thread *t = &s->threads[i];
    if (t->runs == runs)
        return;
    t->runs = runs;
    uint64_t change = runs ? t->speed : -t->speed;
    s->sum += change;
    for (uint32_t node = i + 1; node <= s->config.count; node += node & -node)
        s->tree[node] += change;
}

// The first thread with which the sum of speeds exceeds `target`.
static uint32_t find_running(const dj_schedule *s, uint64_t target)
{
    uint32_t node = 0;
    for (uint32_t step = 1u << (31 - __builtin_clz(s->config.count)); step > 0; step >>= 1)
        if (node + step <= s->config.count && s->tree[node + step] <= target) {
            node += step;
            target -= s->tree[node];
        }
    return node;
}

static int read_wait(dj_schedule *s, dj_context *context, uint32_t i)
{
    thread *t = &s->threads[i];
    return dj_waits_next(s->config.waits, context, i, &t->reader, &t->wait, &t->waits);
}

// The sharer that the next access of a thread must wait for, or NOBODY. Passes waits that are over.
static int find_obstacle(dj_schedule *s, dj_context *context, uint32_t i, uint32_t *out)
{
    thread *t = &s->threads[i];
    int err = DJ_OK;
    *out = NOBODY;
    while (!err && t->waits && t->wait.at <= t->done) {
        uint32_t other = t->wait.thread;
        if (other < s->config.count && s->threads[other].done < t->wait.accesses) {
            *out = other;
            return DJ_OK;
        }
        err = read_wait(s, context, i);
    }
    return err;
}

// Before its next access: lets it run, or puts it into the list of the thread that it waits for.
static int place(dj_schedule *s, dj_context *context, uint32_t i)
{
    uint32_t obstacle = NOBODY;
    int err = find_obstacle(s, context, i, &obstacle);
    if (err)
        return err;
    set_running(s, i, obstacle == NOBODY);
    if (obstacle != NOBODY) {
        s->threads[i].next_waiting = s->threads[obstacle].first_waiting;
        s->threads[obstacle].first_waiting = i;
    }
    return DJ_OK;
}

// After a turn of thread `i`: those for which it has made enough accesses may run or wait for another one.
static int wake(dj_schedule *s, dj_context *context, uint32_t i)
{
    uint32_t waiting = s->threads[i].first_waiting;
    int err = DJ_OK;
    s->threads[i].first_waiting = NOBODY;
    while (!err && waiting != NOBODY) {
        uint32_t next = s->threads[waiting].next_waiting;
        err = place(s, context, waiting);
        waiting = next;
    }
    return err;
}

static int end_turn(dj_schedule *s, dj_context *context)
{
    uint32_t i = s->current;
    const thread *t = &s->threads[i];
    int err = DJ_OK;
    s->current = NOBODY;
    if (t->done == t->accesses) {
        set_running(s, i, false);
        s->ended++;
    } else {
        err = place(s, context, i);
    }
    return err ? err : wake(s, context, i);
}

// How far the thread gets in a turn. Others do not run meanwhile, so the first wait that is not over ends it.
static int measure_turn(dj_schedule *s, dj_context *context, uint32_t i, uint64_t *out)
{
    thread *t = &s->threads[i];
    const uint64_t begun = t->done, rest = t->accesses - begun;
    const uint64_t most = rest < s->config.quantum ? rest : s->config.quantum;
    uint32_t obstacle = NOBODY;
    int err = DJ_OK;
    *out = most;
    while (!err && obstacle == NOBODY && t->waits && t->wait.at - begun < most) {
        t->done = t->wait.at;
        err = find_obstacle(s, context, i, &obstacle);
    }
    if (obstacle != NOBODY)
        *out = t->done - begun;
    t->done = begun;
    return err;
}

static int begin_turn(dj_schedule *s, dj_context *context)
{
    if (s->sum == 0)
        return dj_fail(
            context, DJ_ERR_INPUT,
            "the threads wait for each other: what was stored about them was changed; measure again");
    s->current = find_running(s, dj_random_below(&s->random, s->sum));
    return measure_turn(s, context, s->current, &s->left);
}

int dj_schedule_turn(dj_schedule *s, dj_context *context, uint32_t *sharer, uint64_t *left, bool *chosen)
{
    int err = DJ_OK;
    if (s->left == 0 && s->current != NOBODY)
        err = end_turn(s, context);
    if (!err && s->left == 0 && s->ended < s->config.count)
        err = begin_turn(s, context);
    *sharer = s->current;
    *left = s->left;
    *chosen = s->current != NOBODY && s->sum > s->threads[s->current].speed;
    return err;
}

void dj_schedule_advance(dj_schedule *s, uint64_t accesses)
{
    s->threads[s->current].done += accesses;
    s->left -= accesses;
}

static int prepare(dj_schedule *s, dj_context *context)
{
    const dj_schedule_config *c = &s->config;
    s->threads = calloc(c->count, sizeof *s->threads);
    s->tree = calloc((size_t)c->count + 1, sizeof *s->tree);
    int err = s->threads && s->tree ? DJ_OK : dj_fail_memory(context, "the schedule of threads", 0);
    for (uint32_t i = 0; !err && i < c->count; i++) {
        s->threads[i] = (thread){.speed = c->speeds[i], .accesses = c->accesses[i], .first_waiting = NOBODY};
        err = read_wait(s, context, i);
    }
    for (uint32_t i = 0; !err && i < c->count; i++)
        err = place(s, context, i);
    return err;
}

int dj_schedule_create(dj_context *context, const dj_schedule_config *config, dj_schedule **out)
{
    dj_schedule *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the schedule of threads", sizeof *s);
    s->config = *config;
    s->config.waits = dj_waits_retain(config->waits);
    s->current = NOBODY;
    dj_random_seed(&s->random, config->seed);
    int err = prepare(s, context);
    if (err)
        dj_schedule_destroy(s);
    else
        *out = s;
    return err;
}
