// SPDX-License-Identifier: MIT
#include "pipeline/lanes/condense.h"

#include "base/verdicts.h"

// Of the accesses of a batch. Copying more than that costs more than it saves.
enum { MOST = 4 };

// No more than the accesses that a lane sees.
static bool few(const dj_selection *const *selections, uint32_t group_count)
{
    uint64_t present = 0;
    for (uint32_t g = 0; g < group_count; g++) {
        if (!selections[g])
            return false;
        present += dj_selection_present(selections[g]) + selections[g]->invalidated;
    }
    return group_count > 0 && present <= selections[0]->count / MOST;
}

// Which of eight accesses a lane sees: the lowest bit of each byte.
static uint64_t present_in(const dj_selection *const *selections, uint32_t group_count, uint32_t at)
{
    uint64_t present = 0;
    for (uint32_t g = 0; g < group_count; g++)
        present |= dj_verdicts_present(selections[g]->verdict + at);
    return (present | present >> 1) & UINT64_C(0x0101010101010101);
}

bool dj_condenser_find(dj_condenser *c, const dj_selection *const *selections, uint32_t group_count)
{
    c->kept = 0;
    if (!few(selections, group_count))
        return false;
    const uint32_t count = selections[0]->count;
    for (uint32_t i = 0; i < count; i += 8) {
        if (group_count == 1)
            i = dj_skip_absent(selections[0]->verdict, i, count);
        for (uint64_t present = i < count ? present_in(selections, group_count, i) : 0; present;
             present &= present - 1)
            c->at[c->kept++] = (uint16_t)(i + (uint32_t)__builtin_ctzll(present) / 8);
    }
    return true;
}

bool dj_condenser_has_room(const dj_condenser *c, const dj_batch *batch)
{
    const dj_batch *to = c->batch;
    return !to || (to->count + c->kept <= DJ_BATCH_CAPACITY &&
                   (uint64_t)to->event_count + batch->event_count <= DJ_BATCH_CAPACITY &&
                   dj_batch_columns(to) == (dj_batch_columns(batch) | DJ_COLUMN_TIME) &&
                   !to->column.continuation == !batch->column.continuation);
}

static int begin(dj_condenser *c, dj_context *context, dj_pool *pool, const dj_batch *like)
{
    int err = dj_pool_take(context, pool, &c->batch);
    if (err)
        return err;
    dj_batch_set_columns(c->batch, dj_batch_columns(like) | DJ_COLUMN_TIME);
    if (like->column.continuation)
        c->batch->column.continuation = dj_batch_writable(c->batch).continuation;
    return DJ_OK;
}

// Each precedes the next access that is kept.
static int add_events(const dj_condenser *c, dj_context *context, const dj_batch *batch)
{
    uint32_t k = 0;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < batch->event_count; i++) {
        dj_event event = batch->events[i];
        while (k < c->kept && c->at[k] < event.index)
            k++;
        event.index = c->batch->count + k;
        err = dj_batch_add_event(context, c->batch, &event);
    }
    return err;
}

int dj_condenser_add(dj_condenser *c, dj_context *context, dj_pool *pool, const dj_batch *batch)
{
    int err = c->batch ? DJ_OK : begin(c, context, pool, batch);
    if (!err)
        err = add_events(c, context, batch);
    if (err)
        return err;
    dj_batch *to = c->batch;
    const dj_batch_buffers buffers = dj_batch_writable(to);
    for (uint32_t k = 0; k < c->kept; k++, to->count++) {
        dj_batch_copy_access(to, to->count, batch, c->at[k]);
        buffers.time[to->count] = dj_batch_time(batch, c->at[k]);
        if (batch->column.continuation)
            buffers.continuation[to->count] = batch->column.continuation[c->at[k]];
    }
    to->first = to->count > 0 ? to->column.time[0] : batch->first;
    return DJ_OK;
}

dj_batch *dj_condenser_take(dj_condenser *c)
{
    dj_batch *batch = c->batch;
    c->batch = NULL;
    return batch;
}
