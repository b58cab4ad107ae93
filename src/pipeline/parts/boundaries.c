// SPDX-License-Identifier: MIT
#include "pipeline/parts/boundaries.h"

#include "base/grow.h"
#include "base/map.h"
#include "base/pack.h"
#include "base/zigzag.h"
#include "pipeline/state.h"

// Codes of answers: 0 is pending; 1 is absent in a lane with a filter; distances follow.
enum { OPEN = 1, OPEN_OR_ABSENT = 2 };

// Successive values are similar in most traces, so differences are written.
static void pack_answer(dj_packer *to, const dj_pipeline *p, uint32_t lane, const dj_pending_answer *answer)
{
    const dj_lane_position *position = &p->positions[lane];
    uint32_t has = dj_lane_use(p->use, position->first);
    bool open = answer->distance == DJ_COLD, absent = answer->distance == DJ_ABSENT;
    uint64_t first = position->selective ? OPEN_OR_ABSENT : OPEN; // code of distance 0
    dj_pack_number(to, open ? 0 : absent ? OPEN : answer->distance + first);
    if (absent)
        return;
    if (position->selective && has & DJ_CAN_TIMES)
        dj_pack_number(to, answer->time);
    if (has & DJ_CAN_WEIGHTS)
        dj_pack_number(to, answer->byte_distance);
    if (!open && has & DJ_CAN_TIMES)
        dj_pack_number(to, answer->prev_time);
    if (!open && has & DJ_CAN_TAGS)
        dj_pack_number(to, answer->prev_tag);
}

static void pack_pending(dj_packer *to, const dj_pipeline *p)
{
    const dj_pending *pending = &p->pending;
    uint64_t address = 0, time = 0;
    dj_pack_number(to, pending->columns);
    dj_pack_number(to, pending->count);
    for (size_t i = 0; i < pending->count; i++) {
        const dj_pending_access *a = &pending->accesses[i];
        dj_pack_number(to, dj_zigzag(a->address - address));
        dj_pack_number(to, a->time - time);
        dj_pack_number(to, a->size);
        dj_pack_number(to, a->device);
        dj_pack_number(to, a->site);
        dj_pack_number(to, a->place);
        dj_pack_number(to, a->kind);
        if (pending->columns & DJ_COLUMN_OFFSET)
            dj_pack_number(to, a->offset);
        for (uint32_t lane = 0; lane < pending->lane_count; lane++)
            pack_answer(to, p, lane, &a->answers[lane]);
        address = a->address;
        time = a->time;
    }
}

static void pack_order(dj_packer *to, const dj_order *order)
{
    uint64_t key = 0, time = 0;
    dj_pack_number(to, order->count);
    for (size_t i = 0; i < order->count; i++) {
        dj_pack_number(to, dj_zigzag(order->key[i] - key));
        key = order->key[i];
        if (order->tag)
            dj_pack_number(to, order->tag[i]);
        if (order->time) {
            dj_pack_number(to, order->time[i] - time);
            time = order->time[i];
        }
        if (order->weight)
            dj_pack_number(to, order->weight[i]);
    }
}

void dj_boundaries_save(dj_packer *to, const dj_pipeline *p)
{
    pack_pending(to, p);
    for (uint32_t i = 0; i < p->lane_count; i++) {
        dj_pack_number(to, p->keyers[i]->blocks_seen);
        dj_pack_number(to, p->keyers[i]->devices_seen);
        pack_order(to, &p->orders[i]);
    }
}

typedef struct loading {
    dj_context *context;
    dj_unpacker *from;
    dj_pipeline *pipeline;
} loading;

static int number(loading *l, uint64_t most, const char *what, uint64_t *out)
{
    return dj_unpack_below(l->from, l->context, most, what, out);
}

static int read_answer(loading *l, uint32_t lane, dj_pending_answer *out)
{
    const dj_lane_position *position = &l->pipeline->positions[lane];
    const uint32_t use = dj_lane_use(l->pipeline->use, position->first);
    uint64_t coded = 0, tag = 0;
    *out = (dj_pending_answer){0};
    int err = dj_unpack_number(l->from, l->context, &coded);
    bool open = coded == 0, absent = position->selective && coded == OPEN;
    out->distance = open     ? DJ_COLD
                    : absent ? DJ_ABSENT
                             : coded - (position->selective ? OPEN_OR_ABSENT : OPEN);
    if (!err && !absent && out->distance == DJ_ABSENT)
        err = dj_fail(l->context, DJ_ERR_INPUT, "a distance is impossible; the file is damaged");
    if (err || absent)
        return err;
    if (position->selective && use & DJ_CAN_TIMES)
        err = number(l, l->pipeline->accesses, "a position", &out->time);
    if (!err && use & DJ_CAN_WEIGHTS)
        err = dj_unpack_number(l->from, l->context, &out->byte_distance);
    if (!err && !open && use & DJ_CAN_TIMES)
        err = dj_unpack_number(l->from, l->context, &out->prev_time);
    if (!err && !open && use & DJ_CAN_TAGS)
        err = number(l, UINT32_MAX, "a tag", &tag);
    out->prev_tag = (uint32_t)tag;
    return err;
}

static int read_access(loading *l, uint64_t columns, dj_pending_access *access)
{
    uint64_t address = 0, time = 0, device = 0, site = 0, place = 0, kind = 0;
    int err = dj_unpack_number(l->from, l->context, &address);
    if (!err)
        err = dj_unpack_number(l->from, l->context, &time);
    if (!err)
        err = dj_unpack_number(l->from, l->context, &access->size);
    if (!err)
        err = number(l, UINT32_MAX, "a device", &device);
    if (!err)
        err = number(l, UINT32_MAX, "a site", &site);
    if (!err)
        err = number(l, UINT32_MAX, "a place", &place);
    if (!err)
        err = number(l, DJ_KIND_OTHER, "a kind of access", &kind);
    if (!err && columns & DJ_COLUMN_OFFSET)
        err = dj_unpack_number(l->from, l->context, &access->offset);
    access->address += dj_unzigzag(address);
    access->time += time;
    access->device = (uint32_t)device;
    access->site = (uint32_t)site;
    access->place = (uint32_t)place;
    access->kind = (uint8_t)kind;
    for (uint32_t i = 0; !err && i < l->pipeline->lane_count; i++)
        err = read_answer(l, i, &access->answers[i]);
    return err;
}

static int read_pending(loading *l)
{
    const uint32_t known = DJ_PENDING_COLUMNS;
    dj_pipeline *p = l->pipeline;
    uint64_t columns = 0, count = 0, before = 0;
    int err = number(l, known, "the columns of accesses", &columns);
    if (!err && columns & ~(uint64_t)known)
        err = dj_fail(l->context, DJ_ERR_INPUT, "it has columns that this deja does not know");
    if (!err)
        err = number(l, p->accesses, "the number of first accesses", &count);
    dj_pending_access access = {.answers = p->answers};
    for (uint64_t i = 0; !err && i < count; i++) {
        err = read_access(l, columns, &access);
        // Each is later than the previous one and still pending.
        if (!err && ((i > 0 && access.time <= before) || access.time >= p->accesses ||
                     !dj_pending_is_open(&p->pending, &access)))
            err = dj_fail(l->context, DJ_ERR_INPUT, "first accesses are out of order; the file is damaged");
        before = access.time;
        if (!err)
            err = dj_pending_add(&p->pending, l->context, &access, (uint32_t)columns);
    }
    return err;
}

typedef struct capacities {
    size_t key, tag, time, weight;
} capacities;

static int grow_order(loading *l, uint32_t use, dj_order *order, capacities *capacity)
{
    static const char what[] = "the last accesses of a summary";
    size_t count = order->count + 1;
    int err = dj_grow(l->context, what, &order->key, &capacity->key, count, sizeof *order->key);
    if (!err && use & DJ_CAN_TAGS)
        err = dj_grow(l->context, what, &order->tag, &capacity->tag, count, sizeof *order->tag);
    if (!err && use & DJ_CAN_TIMES)
        err = dj_grow(l->context, what, &order->time, &capacity->time, count, sizeof *order->time);
    if (!err && use & DJ_CAN_WEIGHTS)
        err = dj_grow(l->context, what, &order->weight, &capacity->weight, count, sizeof *order->weight);
    return err;
}

static int read_last(loading *l, uint32_t use, uint64_t *key, uint64_t *time, dj_order *order)
{
    uint64_t step = 0, tag = 0;
    size_t at = order->count;
    int err = dj_unpack_number(l->from, l->context, &step);
    *key += dj_unzigzag(step);
    order->key[at] = *key;
    if (!err && use & DJ_CAN_TAGS) {
        err = number(l, UINT32_MAX, "a tag", &tag);
        order->tag[at] = (uint32_t)tag;
    }
    if (!err && use & DJ_CAN_TIMES) {
        err = dj_unpack_number(l->from, l->context, &step);
        *time += step;
        order->time[at] = *time;
    }
    if (!err && use & DJ_CAN_WEIGHTS)
        err = dj_unpack_number(l->from, l->context, &order->weight[at]);
    return err;
}

// Allocates one element more than needed, so that no column is NULL if there are no keys.
static int read_order(loading *l, uint32_t lane)
{
    dj_pipeline *p = l->pipeline;
    dj_order *order = &p->orders[lane];
    uint32_t use = dj_lane_use(p->use, p->positions[lane].first);
    uint64_t count = 0, key = 0, time = 0;
    capacities capacity = {0};
    int err = number(l, p->accesses, "the number of keys", &count);
    if (!err)
        err = grow_order(l, use, order, &capacity);
    while (!err && order->count < count) {
        err = read_last(l, use, &key, &time, order);
        order->count++;
        if (!err)
            err = grow_order(l, use, order, &capacity);
    }
    return err;
}

// Every key of a lane has exactly one pending first access.
static int check_keys(loading *l, uint32_t lane, dj_map *keys)
{
    const dj_pipeline *p = l->pipeline;
    const dj_order *order = &p->orders[lane];
    size_t open = 0;
    for (size_t i = 0; i < order->count; i++) {
        uint64_t *at = dj_map_at(keys, l->context, order->key[i]);
        if (!at)
            return DJ_ERR_MEMORY;
        if (*at)
            return dj_fail(l->context, DJ_ERR_INPUT,
                           "a key occurs twice among the last accesses; the file is damaged");
        *at = 1;
    }
    for (size_t i = 0; i < p->pending.count; i++) {
        const dj_pending_access *access = &p->pending.accesses[i];
        if (access->answers[lane].distance != DJ_COLD)
            continue;
        dj_map_entry *key =
            dj_map_probe(keys, dj_keyer_key(p->keyers[lane], access->address, access->device));
        open += key->value == 1;
        key->value += key->value == 1;
    }
    return open == order->count ? DJ_OK
                                : dj_fail(l->context, DJ_ERR_INPUT,
                                          "first and last accesses do not agree; the file is damaged");
}

static int check_lane(loading *l, uint32_t lane)
{
    dj_footprint footprint = {0};
    dj_map keys = {0};
    int err = dj_map_create(&keys, l->context, &footprint, l->pipeline->orders[lane].count);
    if (!err)
        err = check_keys(l, lane, &keys);
    dj_map_destroy(&keys);
    return err;
}

static int read_lane(loading *l, uint32_t lane)
{
    dj_pipeline *p = l->pipeline;
    dj_keyer seen = {0};
    uint64_t devices = 0;
    int err = dj_unpack_number(l->from, l->context, &seen.blocks_seen);
    if (!err)
        err = number(l, UINT32_MAX, "a device", &devices);
    seen.devices_seen = (uint32_t)devices;
    if (!err)
        err = dj_keyer_merge(p->keyers[lane], l->context, &seen);
    if (!err)
        err = read_order(l, lane);
    return err ? err : check_lane(l, lane);
}

int dj_boundaries_load(dj_context *context, dj_unpacker *from, dj_pipeline *pipeline)
{
    loading l = {context, from, pipeline};
    int err = read_pending(&l);
    for (uint32_t i = 0; !err && i < pipeline->lane_count; i++)
        err = read_lane(&l, i);
    return err;
}
