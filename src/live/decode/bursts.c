// SPDX-License-Identifier: MIT
// Programs that are traced in bursts: where bursts end, and the calls that are active when one begins.
#include "live/decode/internal.h"

// Two gaps in a row, the second with the length of what was left out, are one.
int dj_decode_burst(dj_decoder *d, dj_context *context, uint32_t id, const uint64_t *words, size_t count,
                    dj_batch *batch)
{
    if (count < 1)
        return dj_fail(context, DJ_ERR_INPUT, "the record of a burst lacks its length");
    d->in_gap = id != 0;
    return dj_decode_event(context, batch, DJ_EVENT_GAP, 0, id ? 0 : words[0], id ? words[0] : 0);
}

int dj_decode_budget(dj_context *context, uint32_t id, const uint64_t *words, size_t count, dj_batch *batch)
{
    if (count < (id ? 1 : 3))
        return dj_fail(context, DJ_ERR_INPUT, "the record of a budget has %zu words", count);
    return id ? dj_decode_event(context, batch, DJ_EVENT_COST, words[0], 0, 0)
              : dj_decode_event(context, batch, DJ_EVENT_BUDGET, words[0], words[1], words[2]);
}

// A function may have called others that do not report their calls, so that nothing else tells its name.
static int name_function(dj_decoder *d, dj_context *context, uint64_t pc, dj_batch *batch)
{
    uint32_t site;
    int err = dj_live_sites_find_call(&d->sites, context, batch, pc, &site);
    return err ? err : dj_decode_event(context, batch, DJ_EVENT_ENTERED, site, 0, 0);
}

int dj_decode_stack(dj_decoder *d, dj_context *context, uint32_t id, const uint64_t *words, size_t count,
                    dj_batch *batch)
{
    const size_t each = id == 2 ? 3 : 2;
    int err = dj_decode_event(context, batch, DJ_EVENT_RETURN, 0, 0, UINT64_MAX);
    d->thread->depth = 0;
    for (size_t i = 0; !err && i + each <= count; i += each) {
        err = dj_thread_enter(d->thread, context, (dj_entered){words[i + 1] - sizeof(uint64_t), words[i]});
        if (!err)
            err = dj_decode_call(d, context, words[i], words[i + 1], batch);
        if (!err && each > 2)
            err = name_function(d, context, words[i + 2], batch);
    }
    return err;
}
