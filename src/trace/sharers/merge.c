// SPDX-License-Identifier: MIT
// A batch is merged in two steps: first the sharer of each access and its position in the sharer's current
// batch, then one column after the other. When a sharer's batch is used up, the merged batch ends, too, and
// the next one begins with a new batch of that sharer.
#include "trace/sharers/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/sharers/schedule.h"
#include "trace/sharers/short_keys.h"
#include "trace/sharers/turns.h"

typedef struct merged {
    dj_source **sources;
    dj_sharer *sharers;
    dj_batch **batches; // NULL: the source has ended
    uint32_t *used;     // accesses of each batch that were delivered
    uint32_t *limit;    // accesses of each batch; 0: the source has ended
    const void **from;  // one column of each batch
    uint32_t *position; // of each access of a merged batch in the batch of its sharer
    dj_turns turns;
    dj_schedule *schedule; // instead of turns; NULL: none
    uint32_t count;
    uint32_t last;    // sharer that was read last
    uint32_t columns; // that may be merged
    bool separate;
    dj_short_keys keys; // of separate sharers, if the addresses are keys
    bool started;
    char *fault; // reported after the last access; NULL: none
} merged;

void dj_sharers_free(dj_sharer *sharers, size_t count)
{
    for (size_t i = 0; sharers && i < count; i++)
        free(sharers[i].name);
    free(sharers);
}

static void close_merged(void *state)
{
    merged *m = state;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->batches)
            dj_batch_release(m->batches[i]);
        if (m->sources)
            dj_source_close(m->sources[i]);
    }
    dj_turns_destroy(&m->turns);
    dj_schedule_destroy(m->schedule);
    dj_short_keys_destroy(&m->keys);
    dj_sharers_free(m->sharers, m->count);
    free(m->sources);
    free(m->batches);
    free(m->used);
    free(m->limit);
    free(m->from);
    free(m->position);
    free(m->fault);
    free(m);
}

// Replaces a batch that is used up; batches without accesses are skipped.
static int read_sharer(merged *m, dj_context *context, uint32_t i)
{
    int err = DJ_OK;
    m->last = i;
    do {
        dj_batch_release(m->batches[i]);
        m->batches[i] = NULL;
        err = dj_source_next(m->sources[i], context, &m->batches[i]);
    } while (!err && m->batches[i] && m->batches[i]->count == 0);
    m->used[i] = 0;
    m->limit[i] = m->batches[i] ? m->batches[i]->count : 0;
    return err;
}

static int read_sharers(merged *m, dj_context *context)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < m->count; i++)
        if ((!m->started || m->batches[i]) && m->used[i] == m->limit[i])
            err = read_sharer(m, context, i);
    for (uint32_t i = 0; !err && !m->started && i < m->count; i++)
        if (!m->batches[i])
            err = dj_fail(context, DJ_ERR_INPUT, "%s has no accesses", dj_source_name(m->sources[i]));
    m->started = true;
    return err;
}

// Chooses sharers until the batch is full or the next sharer has to be read; returns the number of accesses.
static uint32_t choose(merged *m, uint32_t *sharer)
{
    dj_turns *t = &m->turns;
    uint32_t count = 0;
    while (t->live_count > 0 && count < DJ_BATCH_CAPACITY) {
        if (t->at == t->coming_count)
            dj_turns_refill(t);
        uint32_t most = t->coming_count - t->at, n = 0;
        if (most > DJ_BATCH_CAPACITY - count)
            most = DJ_BATCH_CAPACITY - count;
        const uint32_t *coming = t->coming + t->at;
        for (; n < most; n++) {
            uint32_t s = coming[n], used = m->used[s];
            if (used == m->limit[s])
                break;
            sharer[count + n] = s;
            m->position[count + n] = used;
            m->used[s] = used + 1;
        }
        t->at += n;
        count += n;
        if (n == most)
            continue;
        if (m->batches[coming[n]])
            break;
        dj_turns_drop(t);
    }
    return count;
}

// The same for a schedule, whose turns are longer.
static int choose_turns(merged *m, dj_context *context, uint32_t *sharer, uint32_t *out)
{
    uint32_t count = 0;
    int err = DJ_OK;
    while (!err && count < DJ_BATCH_CAPACITY) {
        uint32_t s, most = DJ_BATCH_CAPACITY - count;
        uint64_t left;
        bool chosen;
        err = dj_schedule_turn(m->schedule, context, &s, &left, &chosen);
        if (err || left == 0 || m->used[s] == m->limit[s])
            break;
        most = m->limit[s] - m->used[s] < most ? m->limit[s] - m->used[s] : most;
        most = left < most ? (uint32_t)left : most;
        for (uint32_t i = 0; i < most; i++) {
            sharer[count + i] = s;
            m->position[count + i] = m->used[s] + i;
        }
        m->used[s] += most;
        m->sharers[s].chosen += chosen ? most : 0;
        count += most;
        dj_schedule_advance(m->schedule, most);
    }
    *out = count;
    return err;
}

#define GATHER(name, type)                                                                                   \
    static void name(const merged *m, const uint32_t *sharer, uint32_t count, type *to)                      \
    {                                                                                                        \
        for (uint32_t i = 0; i < count; i++)                                                                 \
            to[i] = ((const type *)m->from[sharer[i]])[m->position[i]];                                      \
    }
GATHER(gather_8, uint8_t)
GATHER(gather_32, uint32_t)
GATHER(gather_64, uint64_t)

// Whether any batch has the column at `offset` of dj_columns. Where it is missing, its values are 0: reads
// of one block, of unknown size, on the first device.
static bool find_column(const merged *m, uint32_t column, size_t offset)
{
    static const uint64_t missing[DJ_BATCH_CAPACITY];
    bool any = false;
    if ((m->columns & column) != column)
        return false;
    for (uint32_t i = 0; i < m->count; i++) {
        m->from[i] = missing;
        const void *found = NULL;
        if (m->batches[i])
            memcpy(&found, (const char *)&m->batches[i]->column + offset, sizeof found);
        if (!found)
            continue;
        m->from[i] = found;
        any = true;
    }
    return any;
}

// The device of a sharer's data: its number among `count` for each volume.
static int separate_devices(const merged *m, dj_context *context, const uint32_t *sharer, uint32_t count,
                            uint32_t *device)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = device[i] > most ? device[i] : most;
    if (most > (UINT32_MAX - (m->count - 1)) / m->count)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s: the devices of %u separate address spaces cannot be numbered; the largest device "
                       "number is %u",
                       dj_source_name(m->sources[m->last]), m->count, most);
    for (uint32_t i = 0; i < count; i++)
        device[i] = device[i] * m->count + sharer[i];
    return DJ_OK;
}

// The sharer becomes the device of its data. The keyer needs a few bits of the key for that.
static int separate(merged *m, dj_context *context, const dj_batch_buffers *to, uint32_t count)
{
    memcpy(to->device, to->sharer, count * sizeof *to->device);
    int err = m->keys.limit ? dj_short_keys_apply(&m->keys, context, to->address, count) : DJ_OK;
    return err == DJ_ERR_INPUT ? dj_fail_within(context, err, "%s", dj_source_name(m->sources[m->last]))
                               : err;
}

static int merge_devices(merged *m, dj_context *context, const dj_batch_buffers *to, uint32_t count,
                         uint32_t *columns)
{
    if (find_column(m, DJ_COLUMN_DEVICE, offsetof(dj_columns, device))) {
        gather_32(m, to->sharer, count, to->device);
        *columns |= DJ_COLUMN_DEVICE;
        return m->separate ? separate_devices(m, context, to->sharer, count, to->device) : DJ_OK;
    }
    if (!m->separate)
        return DJ_OK;
    *columns |= DJ_COLUMN_DEVICE;
    return separate(m, context, to, count);
}

static int merge_columns(merged *m, dj_context *context, dj_batch *batch)
{
    dj_batch_buffers to = dj_batch_writable(batch);
    uint32_t n = batch->count, columns = DJ_COLUMN_SHARER;
    find_column(m, 0, offsetof(dj_columns, address));
    gather_64(m, to.sharer, n, to.address);
    if (find_column(m, DJ_COLUMN_SIZE, offsetof(dj_columns, size))) {
        gather_64(m, to.sharer, n, to.size);
        columns |= DJ_COLUMN_SIZE;
    }
    if (find_column(m, DJ_COLUMN_SITE, offsetof(dj_columns, site))) {
        gather_32(m, to.sharer, n, to.site);
        columns |= DJ_COLUMN_SITE;
    }
    if (find_column(m, DJ_COLUMN_PLACE, offsetof(dj_columns, place))) {
        gather_32(m, to.sharer, n, to.place);
        columns |= DJ_COLUMN_PLACE;
    }
    if (find_column(m, DJ_COLUMN_KIND, offsetof(dj_columns, kind))) {
        gather_8(m, to.sharer, n, to.kind);
        columns |= DJ_COLUMN_KIND;
    }
    int err = merge_devices(m, context, &to, n, &columns);
    dj_batch_set_columns(batch, columns);
    return err;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    merged *m = state;
    *out = NULL;
    int err = read_sharers(m, context);
    if (err)
        return err;
    err = dj_pool_take(context, pool, out);
    if (err)
        return err;
    for (uint32_t i = 0; i < m->count; i++)
        m->sharers[i].accesses -= m->used[i];
    if (m->schedule)
        err = choose_turns(m, context, dj_batch_writable(*out).sharer, &(*out)->count);
    else
        (*out)->count = choose(m, dj_batch_writable(*out).sharer);
    for (uint32_t i = 0; i < m->count; i++)
        m->sharers[i].accesses += m->used[i];
    if (!err && (*out)->count > 0)
        err = merge_columns(m, context, *out);
    if (err || (*out)->count == 0) {
        dj_batch_release(*out);
        *out = NULL;
    }
    return !err && !*out && m->fault ? dj_fail(context, DJ_ERR_INPUT, "%s", m->fault) : err;
}

static void progress(const void *state, dj_progress *out)
{
    const merged *m = state;
    bool known = true;
    *out = (dj_progress){0};
    for (uint32_t i = 0; i < m->count; i++) {
        dj_progress one;
        dj_source_progress(m->sources[i], &one);
        known &= one.bytes_total > 0;
        out->bytes_read += one.bytes_read;
        out->bytes_total += one.bytes_total;
    }
    if (!known)
        out->bytes_total = 0;
}

static const char *name(const void *state)
{
    const merged *m = state;
    return dj_source_name(m->sources[m->last]);
}

static void use_threads(void *state, unsigned threads)
{
    const merged *m = state;
    for (uint32_t i = 0; i < m->count; i++)
        dj_source_use_threads(m->sources[i], threads / m->count);
}

static const dj_sharer *list_sharers(const void *state, size_t *count)
{
    const merged *m = state;
    *count = m->count;
    return m->sharers;
}

static int allocate(dj_context *context, merged *m)
{
    m->batches = calloc(m->count, sizeof *m->batches);
    m->used = calloc(m->count, sizeof *m->used);
    m->limit = calloc(m->count, sizeof *m->limit);
    m->from = calloc(m->count, sizeof *m->from);
    m->position = malloc(DJ_BATCH_CAPACITY * sizeof *m->position);
    return m->batches && m->used && m->limit && m->from && m->position
               ? DJ_OK
               : dj_fail_memory(context, "a merged source", 0);
}

int dj_merge_sources(dj_context *context, const dj_merge *merge, dj_source *const *sources,
                     dj_sharer *sharers, uint32_t count, dj_source **out)
{
    static const dj_source_ops ops = {.next = next,
                                      .progress = progress,
                                      .close = close_merged,
                                      .name = name,
                                      .use_threads = use_threads,
                                      .sharers = list_sharers};
    dj_source_info info = *merge->info;
    merged *m = calloc(1, sizeof *m);
    dj_source **copy = malloc(count * sizeof *copy);
    if (!m || !copy) {
        free(m);
        free(copy);
        for (uint32_t i = 0; i < count; i++)
            dj_source_close(sources[i]);
        dj_sharers_free(sharers, count);
        dj_schedule_destroy(merge->schedule);
        return dj_fail_memory(context, "a merged source", 0);
    }
    memcpy(copy, sources, count * sizeof *copy);
    *m = (merged){.sources = copy,
                  .sharers = sharers,
                  .count = count,
                  .columns = info.columns,
                  .schedule = merge->schedule,
                  .separate = merge->separate};
    int err = allocate(context, m);
    if (!err && merge->fault)
        err = dj_copy_text(context, merge->fault, &m->fault);
    if (!err && !m->schedule)
        err = dj_turns_create(context, merge->order, merge->speeds, count, merge->seed, &m->turns);
    if (!err && merge->separate && info.kind == DJ_CLASS_KEYS && count > 1)
        err = dj_short_keys_create(context, 32 - (unsigned)__builtin_clz(count - 1), &m->keys);
    info.columns |= DJ_COLUMN_SHARER | (merge->separate ? DJ_COLUMN_DEVICE : 0u);
    info.provides = 0;
    if (!err)
        err = dj_source_create(context, &ops, m, &info, out);
    if (err)
        close_merged(m);
    return err;
}
