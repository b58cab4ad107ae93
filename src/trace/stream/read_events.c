// SPDX-License-Identifier: MIT
#include "trace/stream/read.h"

#include <stdlib.h>
#include <string.h>

void dj_event_reader_free(dj_event_reader *r)
{
    dj_event_list_free(&r->list);
}

void dj_event_reader_restart(dj_event_reader *r)
{
    r->next = r->list.count = 0;
    r->delivered = 0;
    dj_renumber_begin(&r->renumber);
}

int dj_event_reader_begin(dj_context *context, dj_event_reader *r, const dj_frame *frame)
{
    r->next = 0;
    r->text = 0;
    int err = dj_event_list_read(context, &r->list, frame);
    if (err)
        r->list.count = 0;
    return err;
}

int dj_event_reader_add(dj_context *context, dj_event_reader *r, dj_batch *batch, uint32_t index)
{
    const dj_event_list *e = &r->list;
    uint32_t i = r->next++;
    char *text = strndup(e->text_bytes[i] ? e->text + r->text : "", e->text_bytes[i]);
    if (!text)
        return dj_fail_memory(context, "the text of an event", e->text_bytes[i]);
    dj_event event = {index, e->type[i], e->a[i], e->b[i], e->c[i], text};
    dj_renumber_event(&r->renumber, &event);
    int err = dj_batch_add_event(context, batch, &event);
    free(text);
    r->text += e->text_bytes[i];
    r->delivered++;
    return err;
}

int dj_event_reader_add_until(dj_context *context, dj_event_reader *r, dj_batch *batch, uint64_t position,
                              uint32_t index)
{
    uint64_t at;
    int err = DJ_OK;
    while (!err && dj_event_reader_peek(r, &at) && at <= position)
        err = dj_event_reader_add(context, r, batch, index);
    return err;
}
