// SPDX-License-Identifier: MIT
// Removes many keys from engine fast at once.
#include "engine/fast/operations.h"

int dj_fast_keep(void *state, dj_context *context, dj_keeps *keeps, void *user)
{
    dj_fast *f = state;
    const dj_fast_table *t = &((const dj_fast_hashed *)state)->table;
    int err = dj_fast_flush_window(f, context);
    for (uint64_t line = 0; err == DJ_OK && line <= t->homes; line++)
        for (unsigned way = 0; way < t->lines[line].used; way++) {
            uint32_t *point = &t->lines[line].time[way];
            if (*point == 0 || keeps(user, t->lines[line].key[way]))
                continue;
            dj_fast_timeline_clear(&f->timeline, *point);
            f->keys--;
            *point = 0;
        }
    if (err == DJ_OK)
        dj_fast_timeline_recount(&f->timeline);
    // As many keys may come again before the next call.
    uint64_t live = f->keys - f->operations->hole_count;
    if (err == DJ_OK)
        err = f->store->forget(f, context, 2 * live);
    return err == DJ_OK ? dj_fast_shorten(f, context) : err;
}
