// SPDX-License-Identifier: MIT
// The Deja stream on disk; docs/formats.md is the specification. All numbers are little-endian. The file is a
// header followed by frames; a frame is a header, a table of sections, and the sections.
#ifndef DEJA_TRACE_STREAM_FORMAT_H
#define DEJA_TRACE_STREAM_FORMAT_H

#include <deja/source.h>

enum {
    DJ_STREAM_VERSION = 1,
    DJ_STREAM_COLUMNS = 0x6f,    // bits of dj_column_bit that exist
    DJ_STREAM_HEADER_BYTES = 56, // before the texts and the checksum
    DJ_STREAM_HEADER_MOST = 64 << 10,

    DJ_FRAME_HEADER_BYTES = 48,
    DJ_FRAME_PAYLOAD_MOST = 48 << 20,
    DJ_FRAME_ACCESSES_MOST = 1 << 19,
    DJ_FRAME_EVENTS_MOST = 1 << 16,
    DJ_FRAME_INDEX_MOST = 1 << 12,
    DJ_FRAME_SLOTS_MOST = 1 << 16, // sites in a frame coded by site

    DJ_SECTION_BYTES = 12, // of a table entry
    DJ_SECTIONS_MOST = 80,
    DJ_EVENT_TEXT_MOST = 1 << 20,       // bytes of one event's text
    DJ_FRAME_TEXT_MOST = 4 * (1 << 20), // bytes of all texts of a frame
};

#define DJ_STREAM_MAGIC                                                                                      \
    "\x89"                                                                                                   \
    "DEJA\r\n\x1a"
#define DJ_FRAME_MAGIC 0x464a4489u // 89 'D' 'J' 'F'

enum dj_frame_type {
    DJ_FRAME_ACCESSES = 1,
    DJ_FRAME_EVENTS = 2,
    DJ_FRAME_INDEX = 3,
    DJ_FRAME_END = 4,
    DJ_FRAME_SKIPPED = 128, // readers skip unknown types from here on
};

enum dj_frame_flag {
    DJ_FRAME_SITED = 1,      // address and site are coded together, by site
    DJ_FRAME_PROPERTIES = 2, // size and kind are too
};

// The contents of a section. Columns come first, in the order of enum dj_column_bit.
enum dj_frame_field {
    DJ_FRAME_FIELD_ADDRESS = 0,
    DJ_FRAME_FIELD_SIZE = 1,
    DJ_FRAME_FIELD_DEVICE = 2,
    DJ_FRAME_FIELD_SITE = 3,
    DJ_FRAME_FIELD_PLACE = 4,
    DJ_FRAME_FIELD_UNUSED = 5,
    DJ_FRAME_FIELD_TIME = 6,
    DJ_FRAME_FIELD_KIND = 7,
    DJ_FRAME_FIELD_COLUMNS = 8,        // the number of columns
    DJ_FRAME_FIELD_STEPS = 8,          // sited: a nibble per access
    DJ_FRAME_FIELD_RESIDUALS = 9,      // sited: differences from the predicted addresses
    DJ_FRAME_FIELD_JUMPS = 10,         // sited: slots that were not predicted
    DJ_FRAME_FIELD_SLOT_COUNT = 11,    // sited: one number
    DJ_FRAME_FIELD_SLOT_SITE = 12,     // sited: per slot
    DJ_FRAME_FIELD_SLOT_PROPERTY = 13, // sited: per slot, size << 8 | kind
    DJ_FRAME_FIELD_EVENT_POSITION = 16,
    DJ_FRAME_FIELD_EVENT_TYPE = 17,
    DJ_FRAME_FIELD_EVENT_A = 18,
    DJ_FRAME_FIELD_EVENT_B = 19,
    DJ_FRAME_FIELD_EVENT_C = 20,
    DJ_FRAME_FIELD_EVENT_TEXT_BYTES = 21,
    DJ_FRAME_FIELD_EVENT_TEXT = 22,
    DJ_FRAME_FIELD_INDEX_OFFSET = 24,
    DJ_FRAME_FIELD_INDEX_TYPE = 25,
    DJ_FRAME_FIELD_INDEX_FIRST = 26,
    DJ_FRAME_FIELD_INDEX_COUNT = 27,
    DJ_FRAME_FIELD_INDEX_PREVIOUS = 28, // offset of the previous index frame
    DJ_FRAME_FIELD_TOTALS = 29,         // accesses, events, offset of the last index frame
    DJ_FRAME_FIELD_COUNT = 30,
};

enum dj_coding {
    DJ_CODING_PLAIN = 0,      // the numbers, consecutively
    DJ_CODING_PLANE = 1,      // byte `part` of each number
    DJ_CODING_DIFFERENCE = 2, // byte `part` of the zigzag difference to the previous number
};

enum dj_compression {
    DJ_COMPRESSION_NONE = 0,
    DJ_COMPRESSION_ZSTD = 1,
};

typedef struct dj_stream_header {
    dj_source_info info;    // `format` is not stored; `tracer` is the origin
    const char *origin;     // original format of the accesses
    const char *provenance; // one line of free text: command, program, machine
} dj_stream_header;

typedef struct dj_frame_header {
    uint8_t type;  // enum dj_frame_type
    uint8_t flags; // enum dj_frame_flag
    uint16_t section_count;
    uint32_t payload_bytes;
    uint32_t count;   // of accesses, events or index entries
    uint32_t columns; // bits of dj_column_bit
    uint64_t first;   // position in the stream of the first access or event
    uint64_t payload_checksum;
} dj_frame_header;

typedef struct dj_frame_section {
    uint8_t field;       // enum dj_frame_field
    uint8_t part;        // plane
    uint8_t coding;      // enum dj_coding
    uint8_t compression; // enum dj_compression
    uint32_t plain_bytes;
    uint32_t stored_bytes;
} dj_frame_section;

// Bytes of a number of this field; 1 for fields of bytes. The functions that read fail with DJ_ERR_INPUT
// without the position, which the caller adds.
unsigned dj_field_width(unsigned field);

// Writes the header with its texts to `to`, which has dj_stream_header_bytes.
size_t dj_stream_header_bytes(const dj_stream_header *header);
void dj_stream_header_pack(const dj_stream_header *header, uint8_t *to);
// The size of the complete header at `from`, of which DJ_STREAM_HEADER_BYTES are available.
int dj_stream_header_measure(dj_context *context, const uint8_t *from, size_t *bytes);
// Reads a header of `bytes` bytes. The texts point into `from`.
int dj_stream_header_unpack(dj_context *context, const uint8_t *from, size_t bytes, dj_stream_header *out);

void dj_frame_header_pack(const dj_frame_header *header, uint8_t *to);
int dj_frame_header_unpack(dj_context *context, const uint8_t *from, dj_frame_header *out);
uint64_t dj_stream_checksum(const void *data, size_t bytes);

void dj_frame_section_pack(const dj_frame_section *section, uint8_t *to);
void dj_frame_section_unpack(const uint8_t *from, dj_frame_section *out);

#endif
