// SPDX-License-Identifier: MIT
// Accesses coded by site. In a program, the site of an access mostly tells the
// next site, and the next address of a site is mostly its last plus the stride
// that it had twice in a row. Each site that occurs in a frame gets a slot, numbered by first
// occurrence, with these predictions; an access then is a nibble:
//
//     bit 3        the slot is not the predicted one: take the next jump
//     bits 0 to 2  bytes of residual: 0, 1, 2, 3, 4, 5, 6 or 8
//
// Size and kind ("property") are a part of the slot too: an instruction that
// reads and writes has two slots, whose addresses are then predicted apart. A
// frame starts with no slots, so that it can be read alone.
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
    uint16_t next;   // slot that came after it the last time
    uint16_t recent; // lowest bits of the last stride; the same again makes it the predicted one
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
    uint16_t *home; // a slot that may be the one of a site: neighbours lie side by side, unlike in the map
    uint8_t *steps, *residuals;
    uint16_t *jumps;
    uint32_t *slot_site;
    uint64_t *slot_property;
} dj_sites_encoder;

// Room for `capacity` accesses a frame.
int dj_sites_encoder_create(dj_context *context, uint32_t capacity, dj_sites_encoder **out);
void dj_sites_encoder_destroy(dj_sites_encoder *encoder);
void dj_sites_encoder_restart(dj_sites_encoder *encoder);
// Codes the accesses from `from` on and returns where it stopped: at `to`, or
// earlier when the frame has all slots it can, or at a size that is no
// property. Without `properties` size and kind are left out; else those that
// are NULL count as 0.
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

// Makes room for a frame with so many slots, whose sites and properties are
// then to be filled in.
int dj_sites_decoder_begin(dj_context *context, dj_sites_decoder *decoder, uint32_t slot_count);
void dj_sites_decoder_free(dj_sites_decoder *decoder);
// The next `count` accesses. Columns of `to` that are NULL are not written.
int dj_sites_decode(dj_context *context, dj_sites_decoder *decoder, uint32_t count,
                    const dj_batch_buffers *to);

#endif
