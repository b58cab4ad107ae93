// SPDX-License-Identifier: MIT
// Accesses coded by site. In a program, the site of an access usually determines the next site, and the next
// address of a site is usually its last one plus the stride that occurred twice in a row. Each site in a
// frame gets a slot, numbered by first occurrence, with these predictions. An access is then a nibble:
//
//     bit 3        the slot is not the predicted one: take the next jump
//     bits 0 to 2  bytes of residual: 0, 1, 2, 3, 4, 5, 6 or 8
//
// Size and kind ("property") are also part of the slot: an instruction that reads and writes has two slots,
// whose addresses are predicted separately. A frame starts without slots, so that it can be read
// independently.
#ifndef DEJA_TRACE_STREAM_SITES_H
#define DEJA_TRACE_STREAM_SITES_H

#include "trace/stream/format.h"

#include <deja/batch.h>

enum {
    DJ_STEP_JUMP = 8,
    DJ_STEP_CLASS = 7,
    DJ_PROPERTY_SIZE_BITS = 56, // sizes from 2^56 on cannot be properties
};

typedef struct dj_slot {
    uint64_t address; // last
    uint64_t stride;  // predicted
    uint64_t property;
    uint32_t site;
    uint16_t next;   // slot that followed it the last time
    uint16_t recent; // lowest bits of the last stride; a repetition makes it the predicted one
} dj_slot;

typedef struct dj_sites_encoder {
    uint32_t count; // accesses so far
    uint32_t slot_count, jump_count;
    size_t residual_bytes;
    uint32_t slot;       // of the last access
    uint64_t address;    // of the last access
    uint32_t generation; // of the map: the number of the frame, below 2^16

    dj_slot *slots;
    uint32_t *map;  // site and property to slot: generation << 16 | slot
    uint16_t *hint; // probable slot of a site; neighbouring sites are adjacent, unlike in the map
    uint8_t *steps, *residuals;
    uint16_t *jumps;
    uint32_t *slot_site;
    uint64_t *slot_property;
} dj_sites_encoder;

// `capacity` is the number of accesses per frame.
int dj_sites_encoder_create(dj_context *context, uint32_t capacity, dj_sites_encoder **out);
void dj_sites_encoder_destroy(dj_sites_encoder *encoder);
void dj_sites_encoder_restart(dj_sites_encoder *encoder);
// Encodes the accesses from `from` on and returns where it stopped: at `to`, or earlier if the frame has no
// free slots or a size cannot be a property. Without `properties`, size and kind are not coded; otherwise
// columns that are NULL count as 0.
uint32_t dj_sites_encode(dj_sites_encoder *encoder, const dj_columns *columns, uint32_t from, uint32_t to,
                         bool properties);

typedef struct dj_sites_decoder {
    uint32_t count; // accesses so far
    uint32_t slot;
    uint64_t address;
    uint32_t slots_known; // slots that have occurred
    uint32_t slot_count;
    dj_slot *slots;
    size_t slot_capacity;
    uint32_t *slot_site;
    uint64_t *slot_property;

    const uint8_t *steps, *residuals, *residuals_end, *jumps, *jumps_end;
} dj_sites_decoder;

// Bytes that must be readable after the residuals and jumps of a frame.
enum { DJ_SITES_MARGIN = 64 * 8 };

// Prepares for a frame with `slot_count` slots, whose sites and properties the caller then fills in.
int dj_sites_decoder_begin(dj_context *context, dj_sites_decoder *decoder, uint32_t slot_count);
void dj_sites_decoder_free(dj_sites_decoder *decoder);
// Decodes the next `count` accesses. Columns of `to` that are NULL are not written.
int dj_sites_decode(dj_context *context, dj_sites_decoder *decoder, uint32_t count,
                    const dj_batch_buffers *to);

#endif
