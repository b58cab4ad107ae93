// SPDX-License-Identifier: MIT
#include "reorder/replay.h"

#include <stdlib.h>

typedef struct replay {
    const dj_dataflow *flow;
    const uint32_t *order;
    uint64_t block;
    size_t at;       // in `order`
    uint32_t places; // of order[at] that have been returned
    uint32_t *shape; // its places
    size_t capacity;
} replay;

static void put(const replay *r, dj_batch_buffers *to, uint32_t i, uint32_t use)
{
    static const uint8_t kinds[] = {DJ_KIND_READ, DJ_KIND_READ, DJ_KIND_WRITE, DJ_KIND_MODIFY};
    to->address[i] = r->flow->keys[dj_use_element(r->flow, use)] * r->block;
    to->place[i] = r->shape[r->places];
    to->kind[i] = kinds[r->flow->uses[use] & (DJ_USE_READS | DJ_USE_WRITES)];
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    replay *r = state;
    const dj_dataflow *d = r->flow;
    *out = NULL;
    if (r->at == d->count)
        return DJ_OK;
    int err = dj_pool_take(context, pool, out);
    if (err)
        return err;
    dj_batch *batch = *out;
    dj_batch_buffers to = dj_batch_writable(batch);
    while (batch->count < DJ_BATCH_CAPACITY && r->at < d->count) {
        const uint32_t instance = r->order ? r->order[r->at] : (uint32_t)r->at,
                       first = d->first_use[instance], count = d->first_use[instance + 1] - first;
        if (r->places == 0)
            dj_dataflow_places(d, instance, r->shape);
        for (; r->places < count && batch->count < DJ_BATCH_CAPACITY; r->places++)
            if (d->uses[first + r->places] & DJ_USE_COUNTS)
                put(r, &to, batch->count++, first + r->places);
        if (r->places == count) {
            r->places = 0;
            r->at++;
        }
    }
    dj_batch_set_columns(batch, DJ_COLUMN_PLACE | DJ_COLUMN_KIND);
    return DJ_OK;
}

static void progress(const void *state, dj_progress *out)
{
    const replay *r = state;
    *out = (dj_progress){r->at, r->flow->count};
}

static void close_source(void *state)
{
    replay *r = state;
    free(r->shape);
    free(r);
}

int dj_replay_source(dj_context *context, const dj_dataflow *dataflow, const uint32_t *order, uint64_t block,
                     const dj_source_info *info, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .progress = progress, .close = close_source};
    uint32_t most = 0;
    for (size_t i = 0; i < dataflow->count; i++) {
        const uint32_t count = dataflow->first_use[i + 1] - dataflow->first_use[i];
        most = count > most ? count : most;
    }
    replay *r = calloc(1, sizeof *r);
    uint32_t *shape = malloc((most + 1) * sizeof *shape);
    dj_source_info own = *info;
    own.columns = DJ_COLUMN_PLACE | DJ_COLUMN_KIND;
    own.default_split = false;
    if (r && shape) {
        *r = (replay){.flow = dataflow, .order = order, .block = block, .shape = shape};
        if (dj_source_create(context, &ops, r, &own, out) == DJ_OK)
            return DJ_OK;
    }
    free(shape);
    free(r);
    return dj_fail_memory(context, "the reordered accesses", 0);
}
