// SPDX-License-Identifier: MIT
// The distance between consecutive accesses, in blocks: a measure of spatial locality that needs no reuse
// distances. Pairs on different devices have no stride and are not counted.
#include "observe/counted.h"
#include "observe/observers.h"
#include <deja/observer_options.h>

#include <stdlib.h>

#include "base/grow.h"
#include "base/pack.h"
#include "base/sample.h"
#include "observe/rounding.h"

typedef struct end {
    uint64_t key;
    uint32_t device;
} end;

typedef struct lane_strides {
    uint64_t pairs, within;
    dj_histogram *stride;
    bool rounds; // with fixed memory, when it was full
    bool begun;
    end first, last;
    // Of a partitioned lane: each partition has its own strides.
    struct part_end {
        bool begun;
        end last;
    } * parts;
    size_t part_capacity;
} lane_strides;

typedef struct strides {
    uint32_t lane_count;
    uint64_t near_blocks;
    lane_strides lanes[];
} strides;

static void destroy(void *state)
{
    strides *s = state;
    if (!s)
        return;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        dj_histogram_destroy(s->lanes[i].stride);
        free(s->lanes[i].parts);
    }
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_strides_options *options = setup->options;
    strides *s = calloc(1, sizeof *s + setup->lane_count * sizeof s->lanes[0]);
    if (!s)
        return dj_fail_memory(context, "strides", 0);
    s->lane_count = setup->lane_count;
    s->near_blocks = options ? options->near_blocks : 1;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        int err = dj_histogram_create(context, &s->lanes[i].stride);
        if (err) {
            destroy(s);
            return err;
        }
    }
    *state = s;
    return DJ_OK;
}

static int add_pair(const strides *s, lane_strides *lane, dj_context *context, end from, end to)
{
    if (from.device != to.device)
        return DJ_OK;
    uint64_t stride = from.key < to.key ? to.key - from.key : from.key - to.key;
    lane->pairs++;
    lane->within += stride <= s->near_blocks;
    // The histogram cannot hold 2^64 − 1, which a pair of hashed keys may produce.
    stride -= stride == UINT64_MAX;
    return dj_histogram_add(lane->stride, context, lane->rounds ? dj_sample_round(stride) : stride, 1);
}

// For a lane with a filter or a partition; accesses that fill are skipped.
static int watch_some(const strides *s, lane_strides *lane, dj_context *context, const dj_view *view,
                      const dj_lane_view *answers)
{
    const uint32_t *device = view->batch->column.device;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < view->batch->count; i++) {
        enum dj_verdict verdict = answers->verdict ? (enum dj_verdict)answers->verdict[i] : DJ_VERDICT_COUNT;
        uint32_t part = answers->partition ? answers->partition[i] : 0;
        end to = {.key = answers->key[i], .device = device ? device[i] : 0};
        // Whether a block is in a sample does not matter.
        if (!dj_verdict_accesses((uint8_t)verdict) && verdict != DJ_VERDICT_UNSAMPLED)
            continue;
        if (answers->partition)
            err = dj_grow(context, "strides", &lane->parts, &lane->part_capacity, (size_t)part + 1,
                          sizeof *lane->parts);
        if (err)
            return err;
        bool *begun = answers->partition ? &lane->parts[part].begun : &lane->begun;
        end *last = answers->partition ? &lane->parts[part].last : &lane->last;
        if (*begun && dj_verdict_belongs((uint8_t)verdict))
            err = add_pair(s, lane, context, *last, to);
        if (!*begun)
            lane->first = to;
        *last = to;
        *begun = true;
    }
    return err;
}

static int watch_all(const strides *s, lane_strides *lane, dj_context *context, const dj_view *view,
                     const dj_lane_view *answers)
{
    const uint32_t *device = view->batch->column.device;
    for (uint32_t i = 0; i < view->batch->count; i++) {
        end to = {.key = answers->key[i], .device = device ? device[i] : 0};
        int err = lane->begun ? add_pair(s, lane, context, lane->last, to) : DJ_OK;
        if (err)
            return err;
        if (!lane->begun)
            lane->first = to;
        lane->last = to;
        lane->begun = true;
    }
    return DJ_OK;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    strides *s = state;
    int err = DJ_OK;
    for (uint32_t n = 0; !err && n < s->lane_count; n++) {
        const dj_lane_view *answers = &view->lanes[n];
        err = answers->verdict || answers->partition ? watch_some(s, &s->lanes[n], context, view, answers)
                                                     : watch_all(s, &s->lanes[n], context, view, answers);
    }
    return err;
}

static uint64_t bytes_ahead(const void *state)
{
    const strides *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->lane_count; i++)
        sum += dj_histogram_bytes_ahead(s->lanes[i].stride);
    return sum;
}

static int thin(void *state, dj_context *context, uint32_t lane, dj_keeps *keeps, void *user)
{
    (void)keeps;
    (void)user;
    lane_strides *l = &((strides *)state)->lanes[lane];
    int err = l->rounds ? DJ_OK : dj_histogram_round(context, &l->stride);
    l->rounds = l->rounds || !err;
    return err;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    strides *s = state;
    const strides *o = other;
    if (s->near_blocks != o->near_blocks)
        return dj_fail(context, DJ_ERR_INPUT, "the parts were analyzed with different values of --near");
    for (uint32_t i = 0; i < s->lane_count; i++) {
        lane_strides *lane = &s->lanes[i];
        const lane_strides *from = &o->lanes[i];
        if (!from->begun)
            continue;
        int err = lane->begun ? add_pair(s, lane, context, lane->last, from->first) : DJ_OK;
        if (!err)
            err = dj_histogram_merge(lane->stride, context, from->stride);
        if (err)
            return err;
        if (!lane->begun)
            lane->first = from->first;
        lane->begun = true;
        lane->last = from->last;
        lane->pairs += from->pairs;
        lane->within += from->within;
    }
    return DJ_OK;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const strides *s = state;
    dj_pack_number(to, s->near_blocks);
    for (uint32_t i = 0; i < s->lane_count; i++) {
        const lane_strides *lane = &s->lanes[i];
        dj_pack_number(to, lane->begun);
        dj_pack_number(to, lane->within);
        dj_pack_number(to, lane->first.key);
        dj_pack_number(to, lane->first.device);
        dj_pack_number(to, lane->last.key);
        dj_pack_number(to, lane->last.device);
        dj_pack_histogram(to, lane->stride);
    }
    return DJ_OK;
}

static int load_end(end *to, dj_context *context, dj_unpacker *from)
{
    uint64_t device = 0;
    int err = dj_unpack_number(from, context, &to->key);
    if (!err)
        err = dj_unpack_below(from, context, UINT32_MAX, "a device", &device);
    to->device = (uint32_t)device;
    return err;
}

static int load_lane(lane_strides *lane, dj_context *context, dj_unpacker *from)
{
    uint64_t begun = 0;
    int err = dj_unpack_below(from, context, 1, "a flag", &begun);
    lane->begun = begun;
    if (!err)
        err = dj_unpack_number(from, context, &lane->within);
    if (!err)
        err = load_end(&lane->first, context, from);
    if (!err)
        err = load_end(&lane->last, context, from);
    if (!err)
        err = dj_unpack_histogram(from, context, lane->stride);
    if (err)
        return err;
    lane->pairs = dj_histogram_moments(lane->stride).count;
    return lane->within <= lane->pairs
               ? DJ_OK
               : dj_fail(context, DJ_ERR_INPUT, "more strides are near than exist; the file is damaged");
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    dj_strides_options options = {0};
    int err = dj_unpack_number(from, context, &options.near_blocks);
    dj_setup own = *setup;
    own.options = &options;
    if (!err)
        err = create(context, &own, state);
    if (err)
        return err;
    strides *s = *state;
    for (uint32_t i = 0; !err && i < s->lane_count; i++)
        err = load_lane(&s->lanes[i], context, from);
    if (err)
        destroy(s);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    strides *s = state;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        dj_stride_profile *out = NULL;
        int err = dj_lane_add_section(context, &profile->lanes[i], &dj_section_strides, &out);
        if (err)
            return err;
        *out = (dj_stride_profile){.pairs = s->lanes[i].pairs,
                                   .within = s->lanes[i].within,
                                   .near_blocks = s->near_blocks,
                                   .stride = s->lanes[i].stride};
        s->lanes[i].stride = NULL;
    }
    return DJ_OK;
}

const dj_observer_ops dj_observer_strides = {
    .name = "strides",
    .summary = "strides between consecutive accesses",
    .fills = &dj_section_strides,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .needs_all = dj_needs_unsampled,
    .merge = merge,
    .finish = finish,
    .save = save,
    .load = load,
    .finishes_once = true,
    .weighs = true, // all accesses are counted
    .bounded = true,
    .bytes_ahead = bytes_ahead,
    .thin = thin,
};
