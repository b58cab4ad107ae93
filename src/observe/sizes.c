// SPDX-License-Identifier: MIT
// The sizes of requests. Pieces of a split request are added up, also across batches; a request counts if
// the first lane counts its first piece.
#include "observe/counted.h"
#include "observe/observers.h"

#include <stdlib.h>

#include "base/pack.h"
#include "base/sample.h"
#include "observe/rounding.h"

typedef struct sizes {
    dj_histogram *histogram;
    bool rounds; // with fixed memory, when it was full
    bool open;   // a request of which more pieces may follow
    uint64_t size;
} sizes;

static void destroy(void *state)
{
    sizes *s = state;
    if (s)
        dj_histogram_destroy(s->histogram);
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    (void)setup;
    sizes *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "request sizes", 0);
    int err = dj_histogram_create(context, &s->histogram);
    if (err) {
        free(s);
        return err;
    }
    *state = s;
    return DJ_OK;
}

// The histogram cannot hold 2^64 − 1.
static uint64_t size_to_count(const sizes *s)
{
    const uint64_t size = s->size - (s->size == UINT64_MAX);
    return s->rounds ? dj_sample_round(size) : size;
}

static int close_request(sizes *s, dj_context *context)
{
    const bool was_open = s->open;
    s->open = false;
    return was_open ? dj_histogram_add(s->histogram, context, size_to_count(s), 1) : DJ_OK;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    sizes *s = state;
    const dj_columns *column = &view->batch->column;
    const uint8_t *verdict = view->lanes[0].verdict;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && column->size && i < view->batch->count; i++) {
        if (column->continuation && column->continuation[i]) {
            s->size += column->size[i];
            continue;
        }
        err = close_request(s, context);
        s->open = !verdict || dj_verdict_belongs(verdict[i]);
        s->size = column->size[i];
    }
    return err;
}

static uint64_t bytes_ahead(const void *state)
{
    return dj_histogram_bytes_ahead(((const sizes *)state)->histogram);
}

static int thin(void *state, dj_context *context, uint32_t lane, dj_keeps *keeps, void *user)
{
    (void)lane;
    (void)keeps;
    (void)user;
    sizes *s = state;
    int err = s->rounds ? DJ_OK : dj_histogram_round(context, &s->histogram);
    s->rounds = s->rounds || !err;
    return err;
}

// Parts of a trace begin with a request.
static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    sizes *s = state;
    const sizes *o = other;
    int err = close_request(s, context);
    if (!err)
        err = dj_histogram_merge(s->histogram, context, o->histogram);
    s->open = o->open;
    s->size = o->size;
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const sizes *s = state;
    dj_size_profile *out = NULL;
    int err = dj_profile_add_section(context, profile, &dj_section_sizes, &out);
    if (!err)
        err = dj_histogram_create(context, &out->sizes);
    if (!err)
        err = dj_histogram_merge(out->sizes, context, s->histogram);
    if (!err && s->open)
        err = dj_histogram_add(out->sizes, context, size_to_count(s), 1);
    return err;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const sizes *s = state;
    dj_pack_number(to, s->open);
    dj_pack_number(to, s->size);
    dj_pack_histogram(to, s->histogram);
    return DJ_OK;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    uint64_t open = 0;
    int err = create(context, setup, state);
    if (err)
        return err;
    sizes *s = *state;
    err = dj_unpack_below(from, context, 1, "a flag", &open);
    s->open = open;
    if (!err)
        err = dj_unpack_number(from, context, &s->size);
    if (!err)
        err = dj_unpack_histogram(from, context, s->histogram);
    if (err)
        destroy(s);
    return err;
}

const dj_observer_ops dj_observer_sizes = {
    .name = "sizes",
    .summary = "sizes of requests",
    .fills = &dj_section_sizes,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .watches = DJ_COLUMN_SIZE,
    .needs_all = dj_needs_unsampled,
    .merge = merge,
    .weighs = true, // all accesses are counted
    .bounded = true,
    .bytes_ahead = bytes_ahead,
    .thin = thin,
    .finish = finish,
    .save = save,
    .load = load,
};
