// SPDX-License-Identifier: MIT
// The last-access order of engine fast: the keys on the timeline by rank, then
// those of the window.
#include "engine/fast.h"

#include "engine/registry.h"

static void put_from_table(const dj_fast *f, uint32_t slot, uint64_t key, const dj_order *out)
{
    uint32_t point = *dj_fast_slot_time(&f->table, slot);
    if (point == 0)
        return; // in the window
    uint64_t at = dj_fast_timeline_before(&f->timeline, point);
    out->key[at] = key;
    if (out->tag)
        out->tag[at] = f->table.tag[dj_fast_slot_index(slot)];
    if (out->time)
        out->time[at] = f->table.stamp[dj_fast_slot_index(slot)];
}

static bool comes_again(const dj_fast_chunk *c, uint32_t i)
{
    for (uint32_t later = i + 1; later < DJ_FAST_WINDOW; later++)
        if (c->key[later] == c->key[i])
            return true;
    return false;
}

static void put_window(const dj_fast *f, const dj_order *out)
{
    const dj_fast_chunk *c = &f->chunk;
    size_t at = out->count;
    for (uint32_t i = DJ_FAST_WINDOW; i-- > 0 && DJ_FAST_WINDOW - i <= f->accesses;) {
        if (comes_again(c, i))
            continue;
        at--;
        out->key[at] = c->key[i];
        if (out->tag)
            out->tag[at] = c->tag[i];
        if (out->time)
            out->time[at] = c->stamp[i];
    }
}

int dj_fast_order(void *state, dj_context *context, dj_order *out)
{
    const dj_fast *f = state;
    int err = dj_order_create(context, f->keys, f->use, out);
    if (err != DJ_OK)
        return err;
    for (uint64_t line = 0; line <= f->table.homes; line++) {
        const dj_fast_line *l = &f->table.lines[line];
        for (unsigned way = 0; way < l->used; way++)
            put_from_table(f, dj_fast_slot(line, way), l->key[way], out);
    }
    put_window(f, out);
    return DJ_OK;
}
