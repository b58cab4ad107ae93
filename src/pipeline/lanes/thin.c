// SPDX-License-Identifier: MIT
// Drops the blocks of a lane that are not in the sample after its rate has fallen.
#include "pipeline/lanes/lane_state.h"

bool dj_kept_has(void *user, uint64_t key)
{
    const dj_lane_kept *kept = user;
    uint64_t block;
    uint32_t device;
    dj_keyer_split(kept->keyer, key, &block, &device);
    return dj_group_has(kept->group, block * kept->keyer->block / kept->largest, device);
}

int dj_lane_thin(dj_lane *lane, dj_context *context, dj_lane_kept *kept)
{
    int err = dj_lane_drain(lane, context);
    for (size_t i = 0; !err && i < lane->stack_capacity; i++)
        if (lane->stacks[i].engine)
            err = lane->config.engine->keep(lane->stacks[i].engine, context, dj_kept_has, kept);
    return err;
}

void dj_kept_order(dj_lane_kept *kept, dj_order *order)
{
    size_t to = 0;
    for (size_t i = 0; i < order->count; i++) {
        if (!dj_kept_has(kept, order->key[i]))
            continue;
        order->key[to] = order->key[i];
        if (order->tag)
            order->tag[to] = order->tag[i];
        if (order->time)
            order->time[to] = order->time[i];
        if (order->weight)
            order->weight[to] = order->weight[i];
        to++;
    }
    order->count = to;
}
