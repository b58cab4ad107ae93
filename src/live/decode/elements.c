// SPDX-License-Identifier: MIT
// Programs that report their annotations: what they record is passed on as it is.
#include "live/decode/internal.h"

#include <stdlib.h>

enum { EVENT_WORDS = 3, ACCESS_WORDS = 2, KIND_SHIFT = 32 };

int dj_decode_given_event(dj_context *context, uint32_t type, const uint64_t *words, size_t count,
                          dj_batch *batch)
{
    if (count < EVENT_WORDS || type < DJ_EVENT_MODULE || type > DJ_EVENT_LAST)
        return dj_fail(context, DJ_ERR_INPUT, "the record of an event of type %u has %zu words", type, count);
    char *text = dj_decode_text(words + EVENT_WORDS, count - EVENT_WORDS, false);
    const dj_event event = {batch->count, type, words[0], words[1], words[2], text};
    int err = text ? dj_batch_add_event(context, batch, &event)
                   : dj_fail_memory(context, "the text of an event", count * sizeof *words);
    free(text);
    return err;
}

int dj_decode_elements(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count,
                       dj_batch *batch)
{
    const dj_batch_buffers to = dj_batch_writable(batch);
    uint32_t at = batch->count;
    for (size_t i = 0; i + 1 < count; i += ACCESS_WORDS, at++) {
        uint64_t kind = words[i + 1] >> KIND_SHIFT;
        if (kind > DJ_KIND_OTHER)
            return dj_fail(context, DJ_ERR_INPUT, "a record has an access of an unknown kind");
        to.address[at] = words[i];
        to.site[at] = (uint32_t)words[i + 1];
        to.kind[at] = (uint8_t)kind;
        to.size[at] = 1;
    }
    if (d->paused)
        d->left_out += at - batch->count;
    else
        batch->count = at;
    return DJ_OK;
}
