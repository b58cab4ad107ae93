// SPDX-License-Identifier: MIT
// The last-access order of engines fast and shadow: the keys on the timeline by rank, then those of the
// window.
#include "engine/fast/operations.h"
#include "engine/registry.h"

void dj_fast_order_put(const dj_fast *fast, uint32_t slot, uint64_t key, const dj_order *out)
{
    const dj_fast_slots *s = &fast->slots;
    uint32_t point = s->words[slot];
    if (point == 0)
        return; // in the window
    uint64_t at = dj_fast_timeline_before(&fast->timeline, point);
    out->key[at] = key;
    if (out->tag)
        out->tag[at] = s->tag[dj_fast_slot_index(s, slot)];
    if (out->time)
        out->time[at] = s->stamp[dj_fast_slot_index(s, slot)];
}

static void put_window(const dj_fast *f, const dj_order *out)
{
    const dj_fast_chunk *c = &f->chunk;
    size_t at = out->count;
    for (uint32_t i = DJ_FAST_WINDOW; i-- > 0 && DJ_FAST_WINDOW - i <= f->accesses;) {
        if (dj_fast_comes_again(c, i))
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
    f->store->put_all(f, out);
    put_window(f, out);
    err = dj_fast_squeeze_order(f, context, out);
    if (err != DJ_OK)
        dj_order_free(out);
    return err;
}
