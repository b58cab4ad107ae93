// SPDX-License-Identifier: MIT
// The access frame that the writer of a stream assembles.
#ifndef DEJA_TRACE_STREAM_WRITE_H
#define DEJA_TRACE_STREAM_WRITE_H

#include "trace/stream/frame.h"
#include "trace/stream/sites.h"

// Accesses of a full frame. More of them save few bytes and cost some speed, because the sections no longer
// fit into the second-level cache.
enum { DJ_WRITER_ACCESSES = 1 << 18 };

typedef struct dj_access_writer {
    uint32_t count;
    uint32_t columns;
    bool sited, properties;
    dj_planes planes[DJ_FRAME_FIELD_COLUMNS];
    dj_sites_encoder *sites;
    // Frames until coding by site, and coding of sizes and kinds with it, are tried again after they did not
    // pay.
    unsigned sited_pause, properties_pause;
} dj_access_writer;

int dj_access_writer_create(dj_context *context, dj_access_writer *writer);
void dj_access_writer_free(dj_access_writer *writer);
// Whether the accesses of a batch fit into the current frame.
bool dj_access_writer_fits(const dj_access_writer *writer, const dj_batch *batch);
// Begins a frame for a batch.
void dj_access_writer_begin(dj_access_writer *writer, const dj_batch *batch);
// Appends accesses until the frame is full; returns where it stopped.
uint32_t dj_access_writer_add(dj_access_writer *writer, const dj_batch *batch, uint32_t from, uint32_t to);
// Adds the sections, and fills in count, columns and flags of the header. The writer is then empty.
int dj_access_writer_end(dj_context *context, dj_access_writer *writer, dj_frame_writer *frame,
                         dj_frame_header *header);

#endif
