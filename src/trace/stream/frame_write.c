// SPDX-License-Identifier: MIT
#include "trace/stream/frame.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    FRONT = DJ_FRAME_HEADER_BYTES + DJ_SECTIONS_MOST * DJ_SECTION_BYTES, // reserved for header and table
    LEAST_COMPRESSED = 48, // compressing shorter sections is not worthwhile
};

struct dj_frame_writer {
    ZSTD_CCtx *zstd;
    int level;
    uint8_t *data;
    size_t used, capacity;
    dj_frame_section sections[DJ_SECTIONS_MOST];
    uint16_t section_count;
    dj_planes planes; // for dj_frame_add_numbers
};

int dj_frame_writer_create(dj_context *context, int level, dj_frame_writer **out)
{
    dj_frame_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return dj_fail_memory(context, "the writer of a stream", 0);
    writer->level = level;
    writer->capacity = FRONT;
    writer->zstd = ZSTD_createCCtx();
    writer->data = malloc(writer->capacity);
    if (!writer->zstd || !writer->data) {
        dj_frame_writer_destroy(writer);
        return dj_fail_memory(context, "the writer of a stream", 0);
    }
    *out = writer;
    return DJ_OK;
}

void dj_frame_writer_destroy(dj_frame_writer *writer)
{
    if (!writer)
        return;
    dj_planes_destroy(&writer->planes);
    free(writer->data);
    ZSTD_freeCCtx(writer->zstd);
    free(writer);
}

void dj_frame_begin(dj_frame_writer *writer)
{
    writer->used = FRONT;
    writer->section_count = 0;
}

static int make_room(dj_frame_writer *writer, dj_context *context, size_t bytes)
{
    if (writer->capacity - writer->used >= bytes)
        return DJ_OK;
    size_t capacity = 2 * (writer->used + bytes);
    uint8_t *data = realloc(writer->data, capacity);
    if (!data)
        return dj_fail_memory(context, "a frame of the stream", capacity);
    writer->data = data;
    writer->capacity = capacity;
    return DJ_OK;
}

int dj_frame_add(dj_frame_writer *writer, dj_context *context, const dj_frame_section *section,
                 const void *data)
{
    size_t bytes = section->plain_bytes, bound = ZSTD_compressBound(bytes), stored = bytes;
    if (bytes == 0)
        return DJ_OK;
    int err = make_room(writer, context, bound);
    if (err)
        return err;
    uint8_t *to = writer->data + writer->used;
    if (bytes >= LEAST_COMPRESSED)
        stored = ZSTD_compressCCtx(writer->zstd, to, bound, data, bytes, writer->level);
    if (ZSTD_isError(stored))
        return dj_fail_memory(context, "compression", 0);
    bool shorter = stored < bytes;
    if (!shorter) {
        stored = bytes;
        memcpy(to, data, bytes);
    }
    dj_frame_section *entry = &writer->sections[writer->section_count++];
    *entry = *section;
    entry->compression = shorter ? DJ_COMPRESSION_ZSTD : DJ_COMPRESSION_NONE;
    entry->stored_bytes = (uint32_t)stored;
    writer->used += stored;
    return DJ_OK;
}

int dj_frame_add_planes(dj_frame_writer *writer, dj_context *context, enum dj_frame_field field,
                        const dj_planes *planes)
{
    int err = DJ_OK;
    for (unsigned p = 0; !err && p < planes->active; p++) {
        dj_frame_section section = {.field = (uint8_t)field,
                                    .part = (uint8_t)p,
                                    .coding = planes->differences ? DJ_CODING_DIFFERENCE : DJ_CODING_PLANE,
                                    .plain_bytes = planes->count};
        err = dj_frame_add(writer, context, &section, planes->plane[p]);
    }
    return err;
}

int dj_frame_add_numbers(dj_frame_writer *writer, dj_context *context, enum dj_frame_field field,
                         const void *numbers, uint32_t count)
{
    dj_planes *planes = &writer->planes;
    if (planes->capacity < count) {
        dj_planes_destroy(planes);
        int err = dj_planes_create(context, planes, DJ_PLANES, count);
        if (err)
            return err;
    }
    planes->width = dj_field_width(field);
    dj_planes_restart(planes);
    dj_planes_add(planes, numbers, count);
    return dj_frame_add_planes(writer, context, field, planes);
}

void dj_frame_end(dj_frame_writer *writer, dj_frame_header *header, const uint8_t **out, size_t *bytes)
{
    size_t table = (size_t)writer->section_count * DJ_SECTION_BYTES;
    uint8_t *payload = writer->data + FRONT - table;
    for (unsigned i = 0; i < writer->section_count; i++)
        dj_frame_section_pack(&writer->sections[i], payload + (size_t)i * DJ_SECTION_BYTES);
    header->section_count = writer->section_count;
    header->payload_bytes = (uint32_t)(writer->used - FRONT + table);
    header->payload_checksum = dj_stream_checksum(payload, header->payload_bytes);
    dj_frame_header_pack(header, payload - DJ_FRAME_HEADER_BYTES);
    *out = payload - DJ_FRAME_HEADER_BYTES;
    *bytes = DJ_FRAME_HEADER_BYTES + header->payload_bytes;
}
