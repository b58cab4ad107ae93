// SPDX-License-Identifier: MIT
#include "pipeline/lanes/partition.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/text.h"

static const char *const names[] = {"", "thread", "device", "file", "cache"};

const char *dj_partition_name(enum dj_partition partition)
{
    return names[partition];
}

uint32_t dj_partition_columns(enum dj_partition partition)
{
    static const uint32_t columns[] = {0, DJ_COLUMN_THREAD, DJ_COLUMN_DEVICE, DJ_COLUMN_FILE,
                                       DJ_COLUMN_SHARER};
    return columns[partition];
}

void dj_partition_describe(const dj_lane_group *group, char *text, size_t capacity)
{
    const uint32_t sharers = group->sharers_per_cache;
    char size[40] = "";
    if (group->partition == DJ_PARTITION_CACHE && sharers >= DJ_SHARERS_MOST)
        snprintf(size, sizeof size, " of all sharers");
    else if (group->partition == DJ_PARTITION_CACHE && sharers > 1)
        snprintf(size, sizeof size, " of %u sharers", sharers);
    snprintf(text, capacity, "%s%s%s", group->coherent ? "coherent " : "", names[group->partition], size);
}

int dj_partitioner_create(dj_partitioner *p, dj_context *context, const dj_lane_group *group)
{
    *p = (dj_partitioner){.by = group->partition,
                          .current = UINT32_MAX,
                          .sharers_per_cache = group->sharers_per_cache ? group->sharers_per_cache : 1};
    return dj_map_create(&p->rows, context, &p->footprint, 0);
}

void dj_partitioner_destroy(dj_partitioner *p)
{
    for (size_t i = 0; i < p->table.count; i++)
        free(p->table.rows[i].name);
    free(p->table.rows);
    free(p->row_of);
    dj_map_destroy(&p->rows);
    *p = (dj_partitioner){0};
}

static int add_row(dj_partitioner *p, dj_context *context, uint64_t id)
{
    dj_partition_table *t = &p->table;
    if (t->count == DJ_PARTITIONS_MOST)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "--each %s: the trace has more than %d of them",
                       names[p->by], DJ_PARTITIONS_MOST);
    int err = dj_grow(context, "the partitions", &t->rows, &p->capacity, t->count + 1, sizeof *t->rows);
    if (!err)
        err = dj_copy_text(context, "", &t->rows[t->count].name);
    if (err)
        return err;
    t->rows[t->count++].id = id;
    return DJ_OK;
}

static int find_row(dj_partitioner *p, dj_context *context, uint64_t id, uint32_t *row)
{
    uint64_t *at = dj_map_at(&p->rows, context, id);
    if (!at)
        return DJ_ERR_MEMORY;
    int err = DJ_OK;
    if (*at == 0) {
        *at = p->table.count + 1;
        err = add_row(p, context, id);
    }
    *row = (uint32_t)*at - 1;
    return err;
}

// Any of a thread's events may carry its name.
static int enter(dj_partitioner *p, dj_context *context, const dj_event *event)
{
    int err = find_row(p, context, event->a, &p->current);
    if (err || !event->text[0] || p->table.rows[p->current].name[0])
        return err;
    free(p->table.rows[p->current].name);
    p->table.rows[p->current].name = NULL;
    return dj_copy_text(context, event->text, &p->table.rows[p->current].name);
}

static int number_by_events(dj_partitioner *p, dj_context *context, const dj_batch *batch, uint32_t *rows)
{
    const uint32_t type = p->by == DJ_PARTITION_THREAD ? DJ_EVENT_THREAD : DJ_EVENT_FILE;
    uint32_t at = 0;
    for (uint32_t e = 0; e <= batch->event_count; e++) {
        bool last = e == batch->event_count;
        if (!last && batch->events[e].type != type)
            continue;
        uint32_t until = last ? batch->count : batch->events[e].index;
        if (at < until && p->current == UINT32_MAX)
            return dj_fail(context, DJ_ERR_UNSUPPORTED,
                           "--each %s: the trace does not record the %s of its accesses", names[p->by],
                           names[p->by]);
        for (; at < until; at++)
            rows[at] = p->current;
        int err = last ? DJ_OK : enter(p, context, &batch->events[e]);
        if (err)
            return err;
    }
    return DJ_OK;
}

static int number_devices(dj_partitioner *p, dj_context *context, const dj_batch *batch, uint32_t *rows)
{
    const uint32_t *device = batch->column.device;
    if (!device && batch->count > 0)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "--each device: the trace does not record the device of its accesses");
    for (uint32_t i = 0; i < batch->count; i++) {
        if (i > 0 && device[i] == device[i - 1]) {
            rows[i] = rows[i - 1];
            continue;
        }
        int err = find_row(p, context, device[i], &rows[i]);
        if (err)
            return err;
    }
    return DJ_OK;
}

static int meet_sharer(dj_partitioner *p, dj_context *context, uint32_t sharer)
{
    uint32_t row = 0;
    if (sharer >= DJ_SHARERS_MOST)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "sharer %u: more than %d sharers of caches", sharer,
                       DJ_SHARERS_MOST);
    int err = dj_grow(context, "the sharers", &p->row_of, &p->row_of_capacity, (size_t)sharer + 1,
                      sizeof *p->row_of);
    if (!err)
        err = find_row(p, context, sharer / p->sharers_per_cache, &row);
    if (!err)
        p->row_of[sharer] = row + 1;
    return err;
}

static int number_caches(dj_partitioner *p, dj_context *context, const dj_batch *batch, uint32_t *rows)
{
    const uint32_t *sharer = batch->column.sharer;
    if (!sharer && batch->count > 0)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "the source does not say which sharer made an access, so there are no separate caches");
    for (uint32_t i = 0; i < batch->count; i++) {
        if (sharer[i] >= p->row_of_capacity || p->row_of[sharer[i]] == 0) {
            int err = meet_sharer(p, context, sharer[i]);
            if (err)
                return err;
        }
        rows[i] = p->row_of[sharer[i]] - 1;
    }
    return DJ_OK;
}

int dj_partitioner_number(dj_partitioner *p, dj_context *context, const dj_batch *batch, uint32_t *rows)
{
    switch (p->by) {
    case DJ_PARTITION_DEVICE:
        return number_devices(p, context, batch, rows);
    case DJ_PARTITION_CACHE:
        return number_caches(p, context, batch, rows);
    default:
        return number_by_events(p, context, batch, rows);
    }
}
