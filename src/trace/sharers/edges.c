// SPDX-License-Identifier: MIT
#include "trace/sharers/edges.h"

#include <stdlib.h>

#include "base/grow.h"
#include "trace/sharers/knowledge.h"
#include "trace/sharers/last_writers.h"
#include "trace/sharers/library.h"

enum { THREAD_BITS = 16, AHEAD = 8, NOBODY = UINT32_MAX };

// Objects with equal numbers are different.
enum space { SPACE_ADDRESS, SPACE_THREAD, SPACE_HEAP, SPACES };

// Who released an object: the thread that did last, and whoever else must be waited for.
typedef struct object {
    uint32_t thread;
    uint64_t accesses; // that it had made
    dj_clock *others;  // NULL: what this thread knew implies them
} object;

struct dj_edges {
    dj_waits *waits;
    dj_knowledge knowledge;
    dj_last_writers writers;
    dj_library library; // whose words order nothing
    dj_map numbers;     // from ids of threads to numbers + 1
    uint32_t current;
    dj_map rows[SPACES]; // from objects to positions + 1
    object *objects;
    size_t object_count, object_capacity;
    dj_footprint footprint;
};

int dj_edges_create(dj_context *context, const dj_source_info *info, dj_waits *waits, dj_edges **out)
{
    dj_edges *e = calloc(1, sizeof *e);
    if (!e)
        return dj_fail_memory(context, "the order of threads", sizeof *e);
    e->waits = waits;
    e->current = NOBODY;
    int err = dj_last_writers_create(context, info, &e->writers);
    if (!err)
        err = dj_map_create(&e->numbers, context, &e->footprint, 0);
    for (size_t i = 0; !err && i < SPACES; i++)
        err = dj_map_create(&e->rows[i], context, &e->footprint, 0);
    if (err)
        dj_edges_destroy(e);
    else
        *out = e;
    return err;
}

void dj_edges_destroy(dj_edges *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->object_count; i++)
        dj_clock_release(e->objects[i].others);
    for (size_t i = 0; i < SPACES; i++)
        dj_map_destroy(&e->rows[i]);
    dj_map_destroy(&e->numbers);
    dj_last_writers_free(&e->writers);
    dj_library_free(&e->library);
    dj_knowledge_free(&e->knowledge);
    free(e->objects);
    free(e);
}

uint32_t dj_edges_number(const dj_edges *e, uint64_t thread)
{
    return (uint32_t)dj_map_get(&e->numbers, thread) - 1;
}

uint32_t dj_edges_threads(const dj_edges *e)
{
    return (uint32_t)e->knowledge.count;
}

static int enter(dj_edges *e, dj_context *context, uint64_t id, const char *trace)
{
    uint64_t *number = dj_map_at(&e->numbers, context, id);
    if (!number)
        return DJ_ERR_MEMORY;
    int err = DJ_OK;
    if (*number == 0) {
        *number = e->knowledge.count + 1;
        err = e->knowledge.count == DJ_EDGES_THREADS_MOST
                  ? dj_fail(context, DJ_ERR_UNSUPPORTED,
                            "%s has more than %d threads, too many for schedules; choose another order",
                            trace, DJ_EDGES_THREADS_MOST)
                  : dj_knowledge_add_thread(&e->knowledge, context);
    }
    e->current = (uint32_t)*number - 1;
    return err;
}

// The next access of the current thread comes after so many of another one.
static int wait_for(dj_edges *e, dj_context *context, uint32_t thread, uint64_t accesses)
{
    const dj_thread_knowledge *own = &e->knowledge.threads[e->current];
    if (thread == e->current || dj_knows(own, thread, accesses))
        return DJ_OK;
    const dj_wait wait = {.at = own->done, .accesses = accesses, .thread = thread};
    int err = dj_waits_add(e->waits, context, e->current, &wait);
    return err ? err : dj_knowledge_learn(&e->knowledge, context, e->current, thread, accesses);
}

// The object's row, or NULL if memory runs out. A new one has no thread.
static object *find_object(dj_edges *e, dj_context *context, enum space space, uint64_t name)
{
    uint64_t *row = dj_map_at(&e->rows[space], context, name);
    if (!row)
        return NULL;
    if (*row == 0) {
        *row = e->object_count + 1;
        if (dj_grow(context, "synchronization objects", &e->objects, &e->object_capacity, e->object_count + 1,
                    sizeof *e->objects))
            return NULL;
        e->objects[e->object_count++] = (object){.thread = NOBODY};
    }
    return &e->objects[*row - 1];
}

static int acquire(dj_edges *e, dj_context *context, enum space space, uint64_t name)
{
    uint64_t row = dj_map_get(&e->rows[space], name);
    const object *o = row ? &e->objects[row - 1] : NULL;
    if (!o || o->thread == NOBODY)
        return DJ_OK;
    int err = wait_for(e, context, o->thread, o->accesses);
    for (uint32_t i = 0; !err && o->others && i < o->others->count; i++)
        err = wait_for(e, context, i, o->others->made[i]);
    return err;
}

// Whether the current thread knows of all earlier releases.
static bool knows_all(const dj_edges *e, const object *o)
{
    const dj_thread_knowledge *own = &e->knowledge.threads[e->current];
    bool all = o->thread == NOBODY || o->thread == e->current || dj_knows(own, o->thread, o->accesses);
    for (uint32_t i = 0; all && o->others && i < o->others->count; i++)
        all = i == e->current || dj_knows(own, i, o->others->made[i]);
    return all;
}

// What the current thread knows, and the earlier releases.
static int join(const dj_edges *e, dj_context *context, const object *o, dj_clock **out)
{
    dj_clock *joined = NULL, *known = dj_knowledge_clock(&e->knowledge, e->current);
    int err = dj_clock_create(context, e->knowledge.count, &joined);
    const dj_clock *const from[] = {known, o->others};
    for (size_t k = 0; !err && k < 2; k++)
        for (uint32_t i = 0; from[k] && i < from[k]->count && i < joined->count; i++)
            joined->made[i] = from[k]->made[i] > joined->made[i] ? from[k]->made[i] : joined->made[i];
    if (!err && o->accesses > joined->made[o->thread])
        joined->made[o->thread] = o->accesses;
    dj_clock_release(known);
    if (!err)
        *out = joined;
    return err;
}

// That the thread has made its accesses so far implies what it learned before the last of them; what it
// learned since must be named.
static int release(dj_edges *e, dj_context *context, enum space space, uint64_t name)
{
    object *o = find_object(e, context, space, name);
    int err = o ? dj_knowledge_keep(&e->knowledge, context, e->current) : DJ_ERR_MEMORY;
    if (err)
        return err;
    dj_clock *others = NULL;
    if (!knows_all(e, o))
        err = join(e, context, o, &others);
    else if (dj_knowledge_is_new(&e->knowledge, e->current))
        others = dj_knowledge_clock(&e->knowledge, e->current);
    if (err)
        return err;
    dj_clock_release(o->others);
    *o = (object){e->current, e->knowledge.threads[e->current].done, others};
    return DJ_OK;
}

static int see_event(dj_edges *e, dj_context *context, const dj_event *event, const char *trace)
{
    if (event->type == DJ_EVENT_THREAD)
        return enter(e, context, event->a, trace);
    if (event->type == DJ_EVENT_MODULE)
        return dj_library_see(&e->library, context, event);
    if (e->current == NOBODY)
        return DJ_OK;
    if (event->type == DJ_EVENT_ALLOC)
        return acquire(e, context, SPACE_HEAP, event->b);
    if (event->type == DJ_EVENT_FREE)
        return release(e, context, SPACE_HEAP, event->b);
    if (event->type != DJ_EVENT_SYNC)
        return DJ_OK;
    enum space space = event->a & DJ_SYNC_THREAD ? SPACE_THREAD : SPACE_ADDRESS;
    int err = event->a & DJ_SYNC_ACQUIRE ? acquire(e, context, space, event->b) : DJ_OK;
    return !err && event->a & DJ_SYNC_RELEASE ? release(e, context, space, event->b) : err;
}

// The words of one block: waits for the last writes, and notes this one.
static int see_words(dj_edges *e, dj_context *context, dj_last_write *words, uint32_t count, bool reads,
                     bool writes)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && reads && i < count; i++)
        if (words[i])
            err = wait_for(e, context, words[i] & ((1u << THREAD_BITS) - 1), words[i] >> THREAD_BITS);
    const dj_last_write own = (e->knowledge.threads[e->current].done + 1) << THREAD_BITS | e->current;
    for (uint32_t i = 0; writes && i < count; i++)
        words[i] = own;
    return err;
}

static int see_access(dj_edges *e, dj_context *context, const dj_columns *column, uint32_t i)
{
    uint8_t kind = column->kind ? column->kind[i] : DJ_KIND_READ;
    bool writes = kind == DJ_KIND_WRITE || kind == DJ_KIND_MODIFY, reads = kind != DJ_KIND_WRITE;
    uint32_t device = column->device ? column->device[i] : 0;
    if (dj_library_has(&e->library, column->address[i]))
        return DJ_OK;
    dj_word_range words =
        dj_last_writers_words(&e->writers, column->address[i], column->size ? column->size[i] : 1);
    int err = DJ_OK;
    while (!err && words.count > 0) {
        uint32_t offset = words.first % DJ_WRITTEN_WORDS, here = DJ_WRITTEN_WORDS - offset;
        dj_last_write *block = NULL;
        here = words.count < here ? (uint32_t)words.count : here;
        err = dj_last_writers_find(&e->writers, context, device, words.first, writes, &block);
        if (!err && block)
            err = see_words(e, context, block + offset, here, reads, writes);
        words.first += here;
        words.count -= here;
    }
    if (!err && writes && e->knowledge.threads[e->current].has_changed)
        err = dj_knowledge_keep(&e->knowledge, context, e->current);
    return err;
}

// The table of last writers is larger than the processor's caches.
static void fetch_ahead(const dj_edges *e, const dj_batch *batch, uint32_t i)
{
    const uint64_t *address = batch->column.address + i;
    if (i + 2 * AHEAD < batch->count)
        dj_last_writers_fetch_entry(&e->writers, address[2 * AHEAD] >> e->writers.word_bits);
    if (i + AHEAD < batch->count)
        dj_last_writers_fetch_row(&e->writers, address[AHEAD] >> e->writers.word_bits);
}

static int see_accesses(dj_edges *e, dj_context *context, const dj_batch *batch, uint32_t from, uint32_t to,
                        const char *trace)
{
    int err = from < to && e->current == NOBODY ? enter(e, context, DJ_NO_THREAD, trace) : DJ_OK;
    for (uint32_t i = from; !err && i < to; i++) {
        fetch_ahead(e, batch, i);
        err = see_access(e, context, &batch->column, i);
        e->knowledge.threads[e->current].done++;
    }
    return err;
}

int dj_edges_see(dj_edges *e, dj_context *context, const dj_batch *batch, const char *trace)
{
    uint32_t at = 0;
    int err = DJ_OK;
    for (uint32_t k = 0; !err && k < batch->event_count; k++) {
        err = see_accesses(e, context, batch, at, batch->events[k].index, trace);
        at = batch->events[k].index;
        if (!err)
            err = see_event(e, context, &batch->events[k], trace);
    }
    return err ? err : see_accesses(e, context, batch, at, batch->count, trace);
}
