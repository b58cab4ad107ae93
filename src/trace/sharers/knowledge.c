// SPDX-License-Identifier: MIT
// A thread that waits for access q of u also learns what u knew before that access. For this, the clock of u
// is kept as a list of versions, each with the number of accesses that u had made when it last learned
// something. An old version is only less than what u knew, so some may be left out: the list is bounded.
#include "trace/sharers/knowledge.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { VERSIONS_LEAST = 4, VERSIONS_MOST = 1024, CLOCK_NUMBERS = 1 << 23 };

typedef struct dj_version {
    uint64_t from; // accesses of the thread: holds before this access and all later ones
    dj_clock *clock;
} version;

int dj_clock_create(dj_context *context, size_t count, dj_clock **out)
{
    dj_clock *clock = calloc(1, sizeof *clock + count * sizeof *clock->made);
    if (!clock)
        return dj_fail_memory(context, "the order of threads", count * sizeof *clock->made);
    clock->references = 1;
    clock->count = (uint32_t)count;
    *out = clock;
    return DJ_OK;
}

void dj_clock_release(dj_clock *clock)
{
    if (clock && --clock->references == 0)
        free(clock);
}

void dj_knowledge_free(dj_knowledge *k)
{
    for (size_t i = 0; i < k->count; i++) {
        dj_thread_knowledge *t = &k->threads[i];
        for (size_t v = 0; v < t->version_count; v++)
            dj_clock_release(t->versions[v].clock);
        free(t->versions);
        free(t->made);
    }
    free(k->threads);
    *k = (dj_knowledge){0};
}

int dj_knowledge_add_thread(dj_knowledge *k, dj_context *context)
{
    int err =
        dj_grow(context, "the order of threads", &k->threads, &k->capacity, k->count + 1, sizeof *k->threads);
    if (!err)
        k->threads[k->count++] = (dj_thread_knowledge){0};
    return err;
}

// What the thread knew before its access number `accesses`, counted from 1.
static const dj_clock *find_version(const dj_thread_knowledge *u, uint64_t accesses)
{
    size_t first = 0;
    for (size_t count = u->version_count; count > 0;) {
        size_t half = count / 2;
        if (u->versions[first + half].from < accesses) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first ? u->versions[first - 1].clock : NULL;
}

int dj_knowledge_learn(dj_knowledge *k, dj_context *context, uint32_t t, uint32_t u, uint64_t accesses)
{
    dj_thread_knowledge *to = &k->threads[t];
    const dj_clock *clock = find_version(&k->threads[u], accesses);
    size_t needed = clock && clock->count > u ? clock->count : (size_t)u + 1;
    int err = dj_grow(context, "the order of threads", &to->made, &to->count, needed, sizeof *to->made);
    if (err)
        return err;
    for (uint32_t i = 0; clock && i < clock->count; i++)
        to->made[i] = clock->made[i] > to->made[i] ? clock->made[i] : to->made[i];
    to->made[u] = accesses > to->made[u] ? accesses : to->made[u];
    to->changed_at = to->done;
    to->has_learned = to->has_changed = true;
    return DJ_OK;
}

// Leaves out every other version but the last.
static void thin_out(dj_thread_knowledge *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->version_count; i++)
        if ((t->version_count - 1 - i) % 2 == 0)
            t->versions[kept++] = t->versions[i];
        else
            dj_clock_release(t->versions[i].clock);
    t->version_count = kept;
}

static size_t versions_most(size_t threads)
{
    size_t most = CLOCK_NUMBERS / (threads * threads);
    return most < VERSIONS_LEAST ? VERSIONS_LEAST : most > VERSIONS_MOST ? VERSIONS_MOST : most;
}

int dj_knowledge_keep(dj_knowledge *k, dj_context *context, uint32_t thread)
{
    dj_thread_knowledge *t = &k->threads[thread];
    dj_clock *clock = NULL;
    if (!t->has_changed)
        return DJ_OK;
    if (t->version_count >= versions_most(k->count))
        thin_out(t);
    int err = dj_grow(context, "the order of threads", &t->versions, &t->version_capacity,
                      t->version_count + 1, sizeof *t->versions);
    if (!err)
        err = dj_clock_create(context, t->count, &clock);
    if (err)
        return err;
    memcpy(clock->made, t->made, t->count * sizeof *t->made);
    if (t->version_count > 0 && t->versions[t->version_count - 1].from == t->changed_at)
        dj_clock_release(t->versions[--t->version_count].clock);
    t->versions[t->version_count++] = (version){t->changed_at, clock};
    t->has_changed = false;
    return DJ_OK;
}

bool dj_knowledge_is_new(const dj_knowledge *k, uint32_t t)
{
    return k->threads[t].has_learned && k->threads[t].changed_at == k->threads[t].done;
}

dj_clock *dj_knowledge_clock(const dj_knowledge *k, uint32_t thread)
{
    const dj_thread_knowledge *t = &k->threads[thread];
    if (t->version_count == 0)
        return NULL;
    dj_clock *clock = t->versions[t->version_count - 1].clock;
    clock->references++;
    return clock;
}
