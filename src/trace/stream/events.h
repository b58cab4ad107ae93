// SPDX-License-Identifier: MIT
// Event frames: events in columns, each with its position in the stream.
#ifndef DEJA_TRACE_STREAM_EVENTS_H
#define DEJA_TRACE_STREAM_EVENTS_H

#include "trace/stream/frame.h"

#include <deja/batch.h>

// Events collected for one frame. `text` contains the texts, concatenated without final zeros.
// Zero-initialized.
typedef struct dj_event_list {
    uint32_t count, capacity;
    uint64_t *position, *a, *b, *c;
    uint32_t *type, *text_bytes;
    char *text;
    size_t text_used, text_capacity;
} dj_event_list;

void dj_event_list_free(dj_event_list *list);
// Whether the frame has no space for one more event.
bool dj_event_list_full(const dj_event_list *list, const dj_event *event);
int dj_event_list_add(dj_context *context, dj_event_list *list, const dj_event *event, uint64_t position);
// How many events have positions up to `position`.
uint32_t dj_event_list_until(const dj_event_list *list, uint64_t position);
// Adds the sections of the first `count` events to a frame.
int dj_event_list_write(dj_context *context, const dj_event_list *list, uint32_t count,
                        dj_frame_writer *writer);
// Removes the first `count` events.
void dj_event_list_drop(dj_event_list *list, uint32_t count);
// Replaces the list by the events of a frame. Checks that positions begin at header.first and never decrease.
int dj_event_list_read(dj_context *context, dj_event_list *list, const dj_frame *frame);

#endif
