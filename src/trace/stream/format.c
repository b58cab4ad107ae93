// SPDX-License-Identifier: MIT
// Packing and unpacking of the stream's headers.
#include "trace/stream/format.h"

#include "base/little_endian.h"
#include "base/tracers.h"

#include <string.h>
#include <xxhash.h>

unsigned dj_field_width(unsigned field)
{
    switch (field) {
    case DJ_FRAME_FIELD_DEVICE:
    case DJ_FRAME_FIELD_SITE:
    case DJ_FRAME_FIELD_PLACE:
    case DJ_FRAME_FIELD_UNUSED:
    case DJ_FRAME_FIELD_SLOT_COUNT:
    case DJ_FRAME_FIELD_SLOT_SITE:
    case DJ_FRAME_FIELD_EVENT_TYPE:
    case DJ_FRAME_FIELD_EVENT_TEXT_BYTES:
    case DJ_FRAME_FIELD_INDEX_COUNT:
        return 4;
    case DJ_FRAME_FIELD_KIND:
    case DJ_FRAME_FIELD_STEPS:
    case DJ_FRAME_FIELD_RESIDUALS:
    case DJ_FRAME_FIELD_JUMPS:
    case DJ_FRAME_FIELD_EVENT_TEXT:
    case DJ_FRAME_FIELD_INDEX_TYPE:
        return 1;
    default:
        return 8;
    }
}

uint64_t dj_stream_checksum(const void *data, size_t bytes)
{
    return XXH3_64bits(data, bytes);
}

enum { CHECKSUM_BYTES = 8 };

size_t dj_stream_header_bytes(const dj_stream_header *header)
{
    return DJ_STREAM_HEADER_BYTES + strlen(header->origin) + 1 + strlen(header->provenance) + 1 +
           CHECKSUM_BYTES;
}

void dj_stream_header_pack(const dj_stream_header *header, uint8_t *to)
{
    size_t origin = strlen(header->origin) + 1, provenance = strlen(header->provenance) + 1;
    size_t bytes = dj_stream_header_bytes(header);
    memset(to, 0, DJ_STREAM_HEADER_BYTES);
    memcpy(to, DJ_STREAM_MAGIC, 8);
    dj_write_le16(to + 8, DJ_STREAM_VERSION);
    dj_write_le32(to + 12, (uint32_t)bytes);
    to[16] = (uint8_t)header->info.kind;
    to[17] = header->info.default_split;
    dj_write_le32(to + 20, header->info.columns);
    dj_write_le64(to + 24, header->info.unit_bytes);
    dj_write_le64(to + 32, header->info.default_block);
    dj_write_le32(to + 40, (uint32_t)origin);
    dj_write_le32(to + 44, (uint32_t)provenance);
    memcpy(to + DJ_STREAM_HEADER_BYTES, header->origin, origin);
    memcpy(to + DJ_STREAM_HEADER_BYTES + origin, header->provenance, provenance);
    dj_write_le64(to + bytes - CHECKSUM_BYTES, dj_stream_checksum(to, bytes - CHECKSUM_BYTES));
}

int dj_stream_header_measure(dj_context *context, const uint8_t *from, size_t *bytes)
{
    if (memcmp(from, DJ_STREAM_MAGIC, 8) != 0)
        return dj_fail(context, DJ_ERR_INPUT, "not a deja stream: it does not begin with the magic bytes");
    if (dj_read_le16(from + 8) != DJ_STREAM_VERSION)
        return dj_fail(context, DJ_ERR_INPUT,
                       "the stream has version %u, but this deja supports version %u; use a newer deja",
                       dj_read_le16(from + 8), (unsigned)DJ_STREAM_VERSION);
    *bytes = dj_read_le32(from + 12);
    if (*bytes < DJ_STREAM_HEADER_BYTES + 2 + CHECKSUM_BYTES || *bytes > DJ_STREAM_HEADER_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "the length of the stream's header is impossible");
    return DJ_OK;
}

int dj_stream_header_unpack(dj_context *context, const uint8_t *from, size_t bytes, dj_stream_header *out)
{
    if (dj_read_le64(from + bytes - CHECKSUM_BYTES) != dj_stream_checksum(from, bytes - CHECKSUM_BYTES))
        return dj_fail(context, DJ_ERR_INPUT, "the checksum of the stream's header is wrong");
    uint64_t origin = dj_read_le32(from + 40), provenance = dj_read_le32(from + 44);
    const char *text = (const char *)from + DJ_STREAM_HEADER_BYTES;
    if (origin == 0 || provenance == 0 ||
        origin + provenance != bytes - DJ_STREAM_HEADER_BYTES - CHECKSUM_BYTES || text[origin - 1] != '\0' ||
        text[origin + provenance - 1] != '\0')
        return dj_fail(context, DJ_ERR_INPUT, "the offsets of the texts in the stream's header are wrong");
    if (from[16] > DJ_CLASS_KEYS || from[17] > 1 || dj_read_le64(from + 32) == 0 ||
        dj_read_le32(from + 20) & ~(uint32_t)DJ_STREAM_COLUMNS)
        return dj_fail(context, DJ_ERR_INPUT, "the stream's header describes an impossible trace");
    out->info = (dj_source_info){
        .kind = (enum dj_class)from[16],
        .default_split = from[17] != 0,
        .columns = dj_read_le32(from + 20),
        .unit_bytes = dj_read_le64(from + 24),
        .default_block = dj_read_le64(from + 32),
        .tracer = dj_tracer_find(text),
    };
    out->origin = text;
    out->provenance = text + origin;
    return DJ_OK;
}

void dj_frame_header_pack(const dj_frame_header *header, uint8_t *to)
{
    dj_write_le32(to, DJ_FRAME_MAGIC);
    to[4] = header->type;
    to[5] = header->flags;
    dj_write_le16(to + 6, header->section_count);
    dj_write_le32(to + 8, header->payload_bytes);
    dj_write_le32(to + 12, header->count);
    dj_write_le32(to + 16, header->columns);
    dj_write_le32(to + 20, 0);
    dj_write_le64(to + 24, header->first);
    dj_write_le64(to + 32, header->payload_checksum);
    dj_write_le64(to + 40, dj_stream_checksum(to, 40));
}

static uint32_t most_items(uint8_t type)
{
    switch (type) {
    case DJ_FRAME_ACCESSES:
        return DJ_FRAME_ACCESSES_MOST;
    case DJ_FRAME_EVENTS:
        return DJ_FRAME_EVENTS_MOST;
    case DJ_FRAME_INDEX:
        return DJ_FRAME_INDEX_MOST;
    default:
        return 0;
    }
}

int dj_frame_header_unpack(dj_context *context, const uint8_t *from, dj_frame_header *out)
{
    if (dj_read_le32(from) != DJ_FRAME_MAGIC)
        return dj_fail(context, DJ_ERR_INPUT, "no frame of the stream begins here");
    if (dj_read_le64(from + 40) != dj_stream_checksum(from, 40))
        return dj_fail(context, DJ_ERR_INPUT, "the checksum of a frame's header is wrong");
    *out = (dj_frame_header){
        .type = from[4],
        .flags = from[5],
        .section_count = dj_read_le16(from + 6),
        .payload_bytes = dj_read_le32(from + 8),
        .count = dj_read_le32(from + 12),
        .columns = dj_read_le32(from + 16),
        .first = dj_read_le64(from + 24),
        .payload_checksum = dj_read_le64(from + 32),
    };
    if (out->payload_bytes > DJ_FRAME_PAYLOAD_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "a frame is longer than the maximum");
    if (out->type >= DJ_FRAME_SKIPPED)
        return DJ_OK;
    if (out->type < DJ_FRAME_ACCESSES || out->type > DJ_FRAME_END)
        return dj_fail(context, DJ_ERR_INPUT, "unknown frame type %u; use a newer version of deja",
                       out->type);
    if (out->count > most_items(out->type) || out->section_count > DJ_SECTIONS_MOST ||
        (uint32_t)out->section_count * DJ_SECTION_BYTES > out->payload_bytes)
        return dj_fail(context, DJ_ERR_INPUT, "a frame declares more items or sections than it can have");
    return DJ_OK;
}

void dj_frame_section_pack(const dj_frame_section *section, uint8_t *to)
{
    to[0] = section->field;
    to[1] = section->part;
    to[2] = section->coding;
    to[3] = section->compression;
    dj_write_le32(to + 4, section->plain_bytes);
    dj_write_le32(to + 8, section->stored_bytes);
}

void dj_frame_section_unpack(const uint8_t *from, dj_frame_section *out)
{
    *out = (dj_frame_section){.field = from[0],
                              .part = from[1],
                              .coding = from[2],
                              .compression = from[3],
                              .plain_bytes = dj_read_le32(from + 4),
                              .stored_bytes = dj_read_le32(from + 8)};
}
