// SPDX-License-Identifier: MIT
// The accesses of a frame, delivered in parts.
#ifndef DEJA_TRACE_STREAM_READ_H
#define DEJA_TRACE_STREAM_READ_H

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

#endif
