// SPDX-License-Identifier: MIT
// Access counts of keys. 21 to 43 bytes for each key.
#include "base/grow.h"
#include "base/map.h"
#include "base/pack.h"
#include "observe/observers.h"

#include <math.h>
#include <stdlib.h>

// Each partition of a lane has its own map, since a key that occurs in two partitions counts as two.
typedef struct lane_keys {
    dj_map *counts;
    size_t count, capacity;
} lane_keys;

typedef struct keys {
    uint32_t lane_count;
    dj_footprint footprint;
    lane_keys lanes[];
} keys;

static void destroy(void *state)
{
    keys *k = state;
    if (!k)
        return;
    for (uint32_t i = 0; i < k->lane_count; i++) {
        for (size_t part = 0; part < k->lanes[i].count; part++)
            dj_map_destroy(&k->lanes[i].counts[part]);
        free(k->lanes[i].counts);
    }
    free(k);
}

static int make_maps(keys *k, dj_context *context, lane_keys *lane, size_t count)
{
    int err = count > lane->capacity ? dj_grow(context, "access counts", &lane->counts, &lane->capacity,
                                               count, sizeof *lane->counts)
                                     : DJ_OK;
    while (!err && lane->count < count) {
        err = dj_map_create(&lane->counts[lane->count], context, &k->footprint, 0);
        lane->count += !err;
    }
    return err;
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    keys *k = calloc(1, sizeof *k + setup->lane_count * sizeof k->lanes[0]);
    if (!k)
        return dj_fail_memory(context, "access counts", 0);
    k->lane_count = setup->lane_count;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < setup->lane_count; i++)
        err = make_maps(k, context, &k->lanes[i], 1);
    if (err)
        destroy(k);
    else
        *state = k;
    return err;
}

static int add(dj_map *counts, dj_context *context, uint64_t key, uint64_t count)
{
    uint64_t *at = dj_map_at(counts, context, key);
    if (!at)
        return DJ_ERR_MEMORY;
    *at += count;
    return DJ_OK;
}

// For a lane with a filter or a partition.
static int watch_some(keys *k, dj_context *context, uint32_t lane, const dj_view *view)
{
    const dj_lane_view *answers = &view->lanes[lane];
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < view->batch->count; i++) {
        uint32_t part = answers->partition ? answers->partition[i] : 0;
        if (answers->verdict && answers->verdict[i] != DJ_VERDICT_COUNT)
            continue;
        err = make_maps(k, context, &k->lanes[lane], (size_t)part + 1);
        if (!err)
            err = add(&k->lanes[lane].counts[part], context, answers->key[i], 1);
    }
    return err;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    keys *k = state;
    for (uint32_t lane = 0; lane < k->lane_count; lane++) {
        const dj_lane_view *answers = &view->lanes[lane];
        int err = answers->verdict || answers->partition ? watch_some(k, context, lane, view) : DJ_OK;
        for (uint32_t i = 0; !err && !answers->verdict && !answers->partition && i < view->batch->count; i++)
            err = add(&k->lanes[lane].counts[0], context, answers->key[i], 1);
        if (err)
            return err;
    }
    return DJ_OK;
}

// A map doubles when it is full, and while it is rebuilt there are two.
static uint64_t bytes_ahead(const void *state)
{
    const keys *k = state;
    uint64_t sum = 0;
    for (uint32_t lane = 0; lane < k->lane_count; lane++)
        for (size_t part = 0; part < k->lanes[lane].count; part++) {
            const dj_map *counts = &k->lanes[lane].counts[part];
            const uint64_t bytes = (counts->mask + 1) * sizeof *counts->entries;
            sum +=
                counts->count + 2 * (uint64_t)DJ_BATCH_CAPACITY > counts->limit ? 3 * bytes : bytes * 3 / 2;
        }
    return sum;
}

static int thin_map(dj_map *counts, dj_context *context, dj_keeps *keeps, void *user)
{
    dj_map kept = {0};
    uint64_t count = 0;
    for (uint64_t i = 0; i <= counts->mask; i++)
        count += counts->entries[i].value != 0 && keeps(user, counts->entries[i].key);
    int err = dj_map_create(&kept, context, counts->footprint, count);
    for (uint64_t i = 0; !err && i <= counts->mask; i++)
        if (counts->entries[i].value != 0 && keeps(user, counts->entries[i].key))
            err = add(&kept, context, counts->entries[i].key, counts->entries[i].value);
    if (err) {
        dj_map_destroy(&kept);
        return err;
    }
    dj_map_destroy(counts);
    *counts = kept;
    return DJ_OK;
}

static int thin(void *state, dj_context *context, uint32_t lane, dj_keeps *keeps, void *user)
{
    keys *k = state;
    int err = DJ_OK;
    for (size_t part = 0; !err && part < k->lanes[lane].count; part++)
        err = thin_map(&k->lanes[lane].counts[part], context, keeps, user);
    return err;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    keys *k = state;
    const keys *o = other;
    for (uint32_t lane = 0; lane < k->lane_count; lane++) {
        const dj_map *from = &o->lanes[lane].counts[0]; // parts of a trace are not partitioned
        for (uint64_t i = 0; i <= from->mask; i++) {
            int err = from->entries[i].value == 0 ? DJ_OK
                                                  : add(&k->lanes[lane].counts[0], context,
                                                        from->entries[i].key, from->entries[i].value);
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
        const dj_map *counts = &k->lanes[lane].counts[0];
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
        err = load_lane(&k->lanes[lane].counts[0], context, from);
    if (err)
        destroy(k);
    return err;
}

// Each key of a sample stands for `weight`.
static int add_map(const dj_map *counts, dj_context *context, uint64_t weight, dj_key_profile *out)
{
    int err = DJ_OK;
    for (uint64_t i = 0; !err && i <= counts->mask; i++) {
        out->single_use += counts->entries[i].value == 1 ? weight : 0;
        if (counts->entries[i].value != 0)
            err = dj_histogram_add(out->access_counts, context, counts->entries[i].value, weight);
    }
    return err;
}

static int finish_lane(const lane_keys *from, dj_context *context, dj_lane_profile *lane)
{
    dj_key_profile *out = NULL;
    const uint64_t weight = (uint64_t)llround(1 / lane->id.sampling);
    int err = dj_lane_add_section(context, lane, &dj_section_keys, &out);
    if (!err)
        err = dj_histogram_create(context, &out->access_counts);
    for (size_t part = 0; !err && part < from->count; part++)
        err = add_map(&from->counts[part], context, weight, out);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const keys *k = state;
    for (uint32_t i = 0; i < k->lane_count; i++) {
        int err = finish_lane(&k->lanes[i], context, &profile->lanes[i]);
        if (err)
            return err;
    }
    return DJ_OK;
}

const dj_observer_ops dj_observer_keys = {
    .name = "keys",
    .summary = "access counts of keys",
    .fills = &dj_section_keys,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .merge = merge,
    .weighs = true,
    .bounded = true,
    .bytes_ahead = bytes_ahead,
    .thin = thin,
    .finish = finish,
    .save = save,
    .load = load,
};
