// SPDX-License-Identifier: MIT
// The accesses and events of frames, delivered in parts.
#ifndef DEJA_TRACE_STREAM_READ_H
#define DEJA_TRACE_STREAM_READ_H

#include "trace/renumber.h"
#include "trace/stream/events.h"
#include "trace/stream/frame.h"
#include "trace/stream/sites.h"

typedef struct dj_access_reader {
    uint32_t left; // accesses not yet delivered
    uint32_t columns;
    bool sited, properties;
    dj_planes_reader planes[DJ_FRAME_FIELD_COLUMNS];
    dj_sites_decoder sites;
} dj_access_reader;

void dj_access_reader_free(dj_access_reader *reader);
// Starts a frame, which must stay loaded until `left` is 0.
int dj_access_reader_begin(dj_context *context, dj_access_reader *reader, const dj_frame *frame);
// Writes `count` accesses, at most `left`, into an empty batch.
int dj_access_reader_read(dj_context *context, dj_access_reader *reader, dj_batch *batch, uint32_t count);

typedef struct dj_event_reader {
    dj_event_list list;   // of a frame
    uint32_t next;        // the next one to deliver
    size_t text;          // its text
    uint64_t delivered;   // of the file
    dj_renumber renumber; // ids of the files after the first
} dj_event_reader;

void dj_event_reader_free(dj_event_reader *reader);
// Starts another file.
void dj_event_reader_restart(dj_event_reader *reader);
// Starts a frame.
int dj_event_reader_begin(dj_context *context, dj_event_reader *reader, const dj_frame *frame);

// Whether an event is left, and in *position, the access that it precedes.
static inline bool dj_event_reader_peek(const dj_event_reader *reader, uint64_t *position)
{
    bool any = reader->next < reader->list.count;
    *position = any ? reader->list.position[reader->next] : UINT64_MAX;
    return any;
}

// Delivers the next event, before access `index` of the batch.
int dj_event_reader_add(dj_context *context, dj_event_reader *reader, dj_batch *batch, uint32_t index);
// Delivers the events before the access at `position`.
int dj_event_reader_add_until(dj_context *context, dj_event_reader *reader, dj_batch *batch,
                              uint64_t position, uint32_t index);

#endif
