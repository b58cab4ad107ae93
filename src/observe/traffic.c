// SPDX-License-Identifier: MIT
// Reads, writes and bytes of the accesses that the first lane counts.
#include "observe/observers.h"

#include <stdlib.h>

#include "base/pack.h"

typedef struct traffic {
    uint64_t bytes, reads, writes;
    bool sampled; // the first lane counts accesses that it does not see
} traffic;

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    traffic *t = calloc(1, sizeof *t);
    if (!t)
        return dj_fail_memory(context, "traffic counts", 0);
    t->sampled = setup->lanes[0].sampling < 1;
    *state = t;
    return DJ_OK;
}

static bool is_write(uint8_t kind)
{
    return kind == DJ_KIND_WRITE || kind == DJ_KIND_MODIFY;
}

// Without branches, so that the compiler compares many at once: in a sample, this sees every access.
static void watch_counted(traffic *t, const dj_batch *batch, const uint8_t *verdict)
{
    const uint64_t *size = batch->column.size;
    const uint8_t *kind = batch->column.kind;
    uint64_t bytes = 0;
    uint32_t reads = 0, writes = 0;
    for (uint32_t i = 0; size && i < batch->count; i++)
        bytes += size[i] & (0 - (uint64_t)dj_verdict_belongs(verdict[i]));
    for (uint32_t i = 0; kind && i < batch->count; i++) {
        const bool belongs = dj_verdict_belongs(verdict[i]);
        reads += belongs & (kind[i] == DJ_KIND_READ);
        writes += belongs & is_write(kind[i]);
    }
    t->bytes += bytes;
    t->reads += reads;
    t->writes += writes;
}

static bool needs_all(void *state, const dj_batch *batch)
{
    return ((const traffic *)state)->sampled && (batch->column.size || batch->column.kind);
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    traffic *t = state;
    const dj_batch *batch = view->batch;
    if (!batch->column.size && !batch->column.kind)
        return DJ_OK;
    if (view->lanes[0].verdict) {
        watch_counted(t, batch, view->lanes[0].verdict);
        return DJ_OK;
    }
    for (uint32_t i = 0; batch->column.size && i < batch->count; i++)
        t->bytes += batch->column.size[i];
    uint32_t reads = 0, writes = 0;
    for (uint32_t i = 0; batch->column.kind && i < batch->count; i++) {
        reads += batch->column.kind[i] == DJ_KIND_READ;
        writes += is_write(batch->column.kind[i]);
    }
    t->reads += reads;
    t->writes += writes;
    return DJ_OK;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)context;
    (void)position;
    traffic *t = state;
    const traffic *o = other;
    t->bytes += o->bytes;
    t->reads += o->reads;
    t->writes += o->writes;
    return DJ_OK;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const traffic *t = state;
    dj_pack_number(to, t->bytes);
    dj_pack_number(to, t->reads);
    dj_pack_number(to, t->writes);
    return DJ_OK;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    int err = create(context, setup, state);
    if (err)
        return err;
    traffic *t = *state;
    err = dj_unpack_number(from, context, &t->bytes);
    if (!err)
        err = dj_unpack_number(from, context, &t->reads);
    if (!err)
        err = dj_unpack_number(from, context, &t->writes);
    if (err)
        free(t);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    (void)context;
    const traffic *t = state;
    profile->bytes = t->bytes;
    profile->reads = t->reads;
    profile->writes = t->writes;
    return DJ_OK;
}

const dj_observer_ops dj_observer_traffic = {
    .name = "traffic",
    .summary = "reads, writes and bytes",
    .fills = &dj_section_traffic,
    .create = create,
    .destroy = free,
    .watch = watch,
    .needs_all = needs_all,
    .watches = DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
    .merge = merge,
    .unordered = true,
    .weighs = true, // all accesses are counted
    .bounded = true,
    .finish = finish,
    .save = save,
    .load = load,
};
