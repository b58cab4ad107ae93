// SPDX-License-Identifier: MIT
// How often each key was accessed. 21 to 43 bytes a key.
#include "base/map.h"
#include "base/pack.h"
#include "observe/observers.h"

#include <stdlib.h>

typedef struct keys {
    uint32_t lane_count;
    dj_footprint footprint;
    dj_map counts[]; // one for each lane
} keys;

static void destroy(void *state)
{
    keys *k = state;
    if (!k)
        return;
    for (uint32_t i = 0; i < k->lane_count; i++)
        dj_map_destroy(&k->counts[i]);
    free(k);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    keys *k = calloc(1, sizeof *k + setup->lane_count * sizeof k->counts[0]);
    if (!k)
        return dj_fail_memory(context, "access counts", 0);
    for (uint32_t i = 0; i < setup->lane_count; i++) {
        int err = dj_map_create(&k->counts[i], context, &k->footprint, 0);
        if (err) {
            destroy(k);
            return err;
        }
        k->lane_count = i + 1;
    }
    *state = k;
    return DJ_OK;
}

static int add(dj_map *counts, dj_context *context, uint64_t key, uint64_t count)
{
    uint64_t *at = dj_map_at(counts, context, key);
    if (!at)
        return DJ_ERR_MEMORY;
    *at += count;
    return DJ_OK;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    keys *k = state;
    for (uint32_t lane = 0; lane < k->lane_count; lane++) {
        for (uint32_t i = 0; i < view->batch->count; i++) {
            int err = add(&k->counts[lane], context, view->lanes[lane].key[i], 1);
            if (err)
                return err;
        }
    }
    return DJ_OK;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    keys *k = state;
    const keys *o = other;
    for (uint32_t lane = 0; lane < k->lane_count; lane++) {
        const dj_map *from = &o->counts[lane];
        for (uint64_t i = 0; i <= from->mask; i++) {
            int err = from->entries[i].value == 0
                          ? DJ_OK
                          : add(&k->counts[lane], context, from->entries[i].key, from->entries[i].value);
            if (err)
                return err;
        }
    }
    return DJ_OK;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const keys *k = state;
    for (uint32_t lane = 0; lane < k->lane_count; lane++) {
        const dj_map *counts = &k->counts[lane];
        dj_pack_number(to, counts->count);
        for (uint64_t i = 0; i <= counts->mask; i++) {
            if (counts->entries[i].value == 0)
                continue;
            dj_pack_number(to, counts->entries[i].key);
            dj_pack_number(to, counts->entries[i].value);
        }
    }
    return DJ_OK;
}

static int load_lane(dj_map *counts, dj_context *context, dj_unpacker *from)
{
    uint64_t left, key = 0, count = 0;
    int err = dj_unpack_number(from, context, &left);
    for (; !err && left > 0; left--) {
        err = dj_unpack_number(from, context, &key);
        if (!err)
            err = dj_unpack_number(from, context, &count);
        if (!err && (count == 0 || dj_map_get(counts, key) != 0))
            err = dj_fail(context, DJ_ERR_INPUT, "a key is counted twice or never; the file is damaged");
        if (!err)
            err = add(counts, context, key, count);
    }
    return err;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    int err = create(context, setup, state);
    if (err)
        return err;
    keys *k = *state;
    for (uint32_t lane = 0; !err && lane < k->lane_count; lane++)
        err = load_lane(&k->counts[lane], context, from);
    if (err)
        destroy(k);
    return err;
}

static int finish_lane(const dj_map *counts, dj_context *context, dj_lane_profile *lane)
{
    dj_key_profile *out = NULL;
    int err = dj_lane_add_section(context, lane, &dj_section_keys, &out);
    if (!err)
        err = dj_histogram_create(context, &out->access_counts);
    for (uint64_t i = 0; !err && i <= counts->mask; i++) {
        out->single_use += counts->entries[i].value == 1;
        if (counts->entries[i].value != 0)
            err = dj_histogram_add(out->access_counts, context, counts->entries[i].value, 1);
    }
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const keys *k = state;
    for (uint32_t i = 0; i < k->lane_count; i++) {
        int err = finish_lane(&k->counts[i], context, &profile->lanes[i]);
        if (err)
            return err;
    }
    return DJ_OK;
}

const dj_observer_ops dj_observer_keys = {
    .name = "keys",
    .summary = "how often each key was accessed",
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .merge = merge,
    .finish = finish,
    .save = save,
    .load = load,
};
