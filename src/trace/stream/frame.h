// SPDX-License-Identifier: MIT
// Frames: assembles sections for writing, and finds them when reading.
#ifndef DEJA_TRACE_STREAM_FRAME_H
#define DEJA_TRACE_STREAM_FRAME_H

#include "trace/stream/format.h"
#include "trace/stream/planes.h"

// Whether all kinds are valid values of enum dj_kind; others are neither written nor read.
static inline bool dj_kinds_exist(const uint8_t *kind, uint32_t count)
{
    uint8_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = kind[i] > most ? kind[i] : most;
    return most <= DJ_KIND_OTHER;
}

typedef struct dj_frame_writer dj_frame_writer;

// `level` is the zstd level; sections that do not become shorter are stored uncompressed.
int dj_frame_writer_create(dj_context *context, int level, dj_frame_writer **out);
void dj_frame_writer_destroy(dj_frame_writer *writer);
void dj_frame_begin(dj_frame_writer *writer);
int dj_frame_add(dj_frame_writer *writer, dj_context *context, const dj_frame_section *section,
                 const void *data);
int dj_frame_add_planes(dj_frame_writer *writer, dj_context *context, enum dj_frame_field field,
                        const dj_planes *planes);
// Adds numbers of the field's width, in planes.
int dj_frame_add_numbers(dj_frame_writer *writer, dj_context *context, enum dj_frame_field field,
                         const void *numbers, uint32_t count);
// Fills in what the header says about the payload, and returns the complete frame, which is valid until the
// next begin.
void dj_frame_end(dj_frame_writer *writer, dj_frame_header *header, const uint8_t **out, size_t *bytes);

// A frame that was read. Its memory is reused for the next frame.
typedef struct dj_frame {
    dj_frame_header header;
    struct dj_frame_part {
        const uint8_t *data; // NULL: no such section
        uint32_t bytes;
        uint8_t coding;
    } part[DJ_FRAME_FIELD_COUNT][DJ_PLANES];
    uint8_t *memory;
    size_t capacity;
    void *zstd;
} dj_frame;

void dj_frame_free(dj_frame *frame);

// Checks the checksum of a payload, then finds and decompresses its sections. Uncompressed sections are not
// copied: the payload must remain valid while the frame is used.
int dj_frame_load(dj_context *context, dj_frame *frame, const dj_frame_header *header,
                  const uint8_t *payload);

// Returns a reader of `count` numbers; the numbers of a field without sections are 0.
int dj_frame_planes(dj_context *context, const dj_frame *frame, enum dj_frame_field field, uint32_t count,
                    dj_planes_reader *out);
// A field of plain numbers, `bytes` long.
int dj_frame_plain(dj_context *context, const dj_frame *frame, enum dj_frame_field field, uint32_t bytes,
                   const uint8_t **out);

#endif
