// SPDX-License-Identifier: MIT
#include "trace/stream/frame.h"
#include "trace/stream/sites.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

void dj_frame_free(dj_frame *frame)
{
    free(frame->memory);
    ZSTD_freeDCtx(frame->zstd);
    memset(frame, 0, sizeof *frame);
}

static int bad_section(dj_context *context, const dj_frame_section *s, const char *what)
{
    return dj_fail(context, DJ_ERR_INPUT, "section %u.%u of a frame %s", s->field, s->part, what);
}

// An upper bound for the size of a section, so that no memory is allocated for false claims.
static uint64_t most_bytes(const dj_frame_header *header, const dj_frame_section *s)
{
    uint64_t items = header->count;
    switch (s->field) {
    case DJ_FRAME_FIELD_SLOT_SITE:
    case DJ_FRAME_FIELD_SLOT_PROPERTY:
        items = DJ_FRAME_SLOTS_MOST;
        break;
    case DJ_FRAME_FIELD_RESIDUALS:
        return items * 8;
    case DJ_FRAME_FIELD_JUMPS:
        return items * 2;
    case DJ_FRAME_FIELD_EVENT_TEXT:
        return DJ_FRAME_TEXT_MOST;
    case DJ_FRAME_FIELD_SLOT_COUNT:
    case DJ_FRAME_FIELD_INDEX_PREVIOUS:
    case DJ_FRAME_FIELD_TOTALS:
        return 24;
    default:
        break;
    }
    return s->coding == DJ_CODING_PLAIN ? items * dj_field_width(s->field) : items;
}

static int check_section(dj_context *context, const dj_frame *frame, const dj_frame_section *s)
{
    if (s->field >= DJ_FRAME_FIELD_COUNT || s->part >= DJ_PLANES || s->coding > DJ_CODING_DIFFERENCE ||
        s->compression > DJ_COMPRESSION_ZSTD)
        return bad_section(context, s, "has an unknown coding; use a newer version of deja");
    if (s->part >= (s->coding == DJ_CODING_PLAIN ? 1 : dj_field_width(s->field)))
        return bad_section(context, s, "does not belong to its field");
    if (s->plain_bytes == 0 || s->plain_bytes > most_bytes(&frame->header, s))
        return bad_section(context, s, "has an impossible length");
    if (s->compression == DJ_COMPRESSION_NONE && s->stored_bytes != s->plain_bytes)
        return bad_section(context, s, "has contradictory lengths");
    if (frame->part[s->field][s->part].data)
        return bad_section(context, s, "appears twice");
    return DJ_OK;
}

// Residuals and jumps are read a little past their ends, so they are always copied.
static bool needs_copy(const dj_frame_section *s)
{
    return s->compression != DJ_COMPRESSION_NONE || s->field == DJ_FRAME_FIELD_RESIDUALS ||
           s->field == DJ_FRAME_FIELD_JUMPS;
}

static int make_room(dj_context *context, dj_frame *frame, size_t bytes)
{
    if (!frame->zstd && !(frame->zstd = ZSTD_createDCtx()))
        return dj_fail_memory(context, "zstd", 0);
    if (bytes <= frame->capacity)
        return DJ_OK;
    free(frame->memory);
    frame->memory = malloc(bytes);
    frame->capacity = frame->memory ? bytes : 0;
    return frame->memory ? DJ_OK : dj_fail_memory(context, "a frame of the stream", bytes);
}

static int copy_section(dj_context *context, dj_frame *frame, const dj_frame_section *s,
                        const uint8_t *stored, uint8_t *to)
{
    if (s->compression == DJ_COMPRESSION_NONE) {
        memcpy(to, stored, s->plain_bytes);
    } else if (ZSTD_decompressDCtx(frame->zstd, to, s->plain_bytes, stored, s->stored_bytes) !=
               s->plain_bytes) {
        return bad_section(context, s, "cannot be decompressed");
    }
    memset(to + s->plain_bytes, 0, DJ_SITES_MARGIN);
    return DJ_OK;
}

// Passes over the table twice: first to check it and add up the memory, then to fill the memory.
static int walk(dj_context *context, dj_frame *frame, const uint8_t *payload, bool fill, size_t *bytes)
{
    size_t at = (size_t)frame->header.section_count * DJ_SECTION_BYTES;
    memset(frame->part, 0, sizeof frame->part);
    *bytes = 0;
    for (unsigned i = 0; i < frame->header.section_count; i++) {
        dj_frame_section s;
        dj_frame_section_unpack(payload + (size_t)i * DJ_SECTION_BYTES, &s);
        int err = check_section(context, frame, &s);
        if (!err && s.stored_bytes > frame->header.payload_bytes - at)
            err = bad_section(context, &s, "extends beyond the frame");
        if (!err && fill && needs_copy(&s))
            err = copy_section(context, frame, &s, payload + at, frame->memory + *bytes);
        if (err)
            return err;
        frame->part[s.field][s.part] = (struct dj_frame_part){
            fill && needs_copy(&s) ? frame->memory + *bytes : payload + at, s.plain_bytes, s.coding};
        *bytes += needs_copy(&s) ? s.plain_bytes + DJ_SITES_MARGIN : 0;
        at += s.stored_bytes;
    }
    return DJ_OK;
}

int dj_frame_load(dj_context *context, dj_frame *frame, const dj_frame_header *header, const uint8_t *payload)
{
    size_t bytes;
    if (dj_stream_checksum(payload, header->payload_bytes) != header->payload_checksum)
        return dj_fail(context, DJ_ERR_INPUT, "the checksum of a frame is wrong");
    frame->header = *header;
    int err = walk(context, frame, payload, false, &bytes);
    if (!err)
        err = make_room(context, frame, bytes);
    return err ? err : walk(context, frame, payload, true, &bytes);
}

int dj_frame_planes(dj_context *context, const dj_frame *frame, enum dj_frame_field field, uint32_t count,
                    dj_planes_reader *out)
{
    *out = (dj_planes_reader){.width = dj_field_width(field)};
    bool coded[DJ_CODING_DIFFERENCE + 1] = {false};
    for (unsigned p = 0; p < out->width; p++) {
        const struct dj_frame_part *part = &frame->part[field][p];
        if (!part->data)
            continue;
        coded[part->coding] = true;
        if (part->bytes != (part->coding == DJ_CODING_PLAIN ? (uint64_t)count * out->width : count))
            return dj_fail(context, DJ_ERR_INPUT, "field %u of a frame has the wrong length", field);
        if (part->coding == DJ_CODING_PLAIN)
            out->plain = part->data;
        else
            out->plane[p] = part->data;
    }
    out->differences = coded[DJ_CODING_DIFFERENCE];
    if (coded[DJ_CODING_PLAIN] + coded[DJ_CODING_PLANE] + coded[DJ_CODING_DIFFERENCE] > 1)
        return dj_fail(context, DJ_ERR_INPUT, "field %u of a frame mixes two codings", field);
    return DJ_OK;
}

int dj_frame_plain(dj_context *context, const dj_frame *frame, enum dj_frame_field field, uint32_t bytes,
                   const uint8_t **out)
{
    const struct dj_frame_part *part = &frame->part[field][0];
    if (!part->data || part->bytes != bytes || part->coding != DJ_CODING_PLAIN)
        return dj_fail(context, DJ_ERR_INPUT, "field %u of a frame is missing or has the wrong length",
                       field);
    *out = part->data;
    return DJ_OK;
}
