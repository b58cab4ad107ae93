// SPDX-License-Identifier: MIT
#include "base/little_endian.h"
#include "base/probe.h"
#include "base/zigzag.h"
#include "trace/stream/sites.h"

#include <stdlib.h>

enum { MAP_BITS = 17, MAP_SIZE = 1 << MAP_BITS, HINTS = 1 << 16 }; // the map holds twice the number of slots

static int allocate(dj_sites_encoder *e, uint32_t capacity)
{
    e->slots = malloc(DJ_FRAME_SLOTS_MOST * sizeof *e->slots);
    e->map = calloc(MAP_SIZE, sizeof *e->map);
    e->hint = calloc(HINTS, sizeof *e->hint);
    e->steps = malloc(capacity);
    e->residuals = malloc((size_t)capacity * 8 + 8);
    e->jumps = malloc(capacity * sizeof *e->jumps);
    e->slot_site = malloc(DJ_FRAME_SLOTS_MOST * sizeof *e->slot_site);
    e->slot_property = malloc(DJ_FRAME_SLOTS_MOST * sizeof *e->slot_property);
    bool all = e->slots && e->map && e->hint && e->steps && e->residuals && e->jumps && e->slot_site &&
               e->slot_property;
    return all ? 0 : -1;
}

int dj_sites_encoder_create(dj_context *context, uint32_t capacity, dj_sites_encoder **out)
{
    dj_sites_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder || allocate(encoder, capacity) != 0) {
        dj_sites_encoder_destroy(encoder);
        return dj_fail_memory(context, "the writer of a stream", 0);
    }
    dj_sites_encoder_restart(encoder);
    *out = encoder;
    return DJ_OK;
}

void dj_sites_encoder_destroy(dj_sites_encoder *encoder)
{
    if (!encoder)
        return;
    free(encoder->slots);
    free(encoder->map);
    free(encoder->hint);
    free(encoder->steps);
    free(encoder->residuals);
    free(encoder->jumps);
    free(encoder->slot_site);
    free(encoder->slot_property);
    free(encoder);
}

void dj_sites_encoder_restart(dj_sites_encoder *encoder)
{
    if (++encoder->generation > UINT16_MAX) {
        memset(encoder->map, 0, MAP_SIZE * sizeof *encoder->map);
        encoder->generation = 1;
    }
    encoder->count = encoder->slot_count = encoder->jump_count = 0;
    encoder->residual_bytes = 0;
    encoder->slot = 0;
    encoder->slots[0] = (dj_slot){0};
    encoder->address = 0;
}

static bool is_slot(const dj_sites_encoder *e, uint32_t slot, uint32_t site, uint64_t property)
{
    return e->slots[slot].site == site && e->slots[slot].property == property;
}

// The slot of an access that was not predicted; creates one if there is none.
static uint32_t find_slot(dj_sites_encoder *e, uint32_t site, uint64_t property)
{
    uint64_t hash = ((site ^ property << 32) * 0x9e3779b97f4a7c15u) >> (64 - MAP_BITS);
    uint32_t slot = e->slot_count;
    DJ_PROBE (at, hash, MAP_SIZE - 1) {
        uint32_t entry = e->map[at];
        if (entry >> 16 != e->generation) {
            e->map[at] = e->generation << 16 | slot;
            break;
        }
        if (is_slot(e, entry & 0xffff, site, property))
            return entry & 0xffff;
    }
    e->slot_count++;
    e->slots[slot] = (dj_slot){.address = e->address, .property = property, .site = site};
    e->slot_site[slot] = site;
    e->slot_property[slot] = property;
    return slot;
}

enum { FULL = UINT16_MAX + 1 };

// Moves to a slot that was not predicted; FULL if the frame has no free slots. Not inlined, because the loop
// needs all registers.
static __attribute__((noinline)) uint32_t jump(dj_sites_encoder *e, uint32_t slot, uint32_t site,
                                               uint64_t property, uint64_t last_address)
{
    if (e->slot_count == DJ_FRAME_SLOTS_MOST)
        return FULL;
    e->address = last_address;
    uint32_t next = e->hint[site % HINTS];
    if (next >= e->slot_count || !is_slot(e, next, site, property))
        next = e->hint[site % HINTS] = (uint16_t)find_slot(e, site, property);
    e->jumps[e->jump_count++] = htole16((uint16_t)next);
    e->slots[slot].next = (uint16_t)next;
    return next;
}

static inline __attribute__((always_inline)) uint32_t encode(dj_sites_encoder *e, const dj_columns *columns,
                                                             uint32_t from, uint32_t to, bool has_size,
                                                             bool has_kind)
{
    static const uint8_t class_of_bytes[9] = {0, 1, 2, 3, 4, 5, 6, 7, 7};
    static const uint8_t class_bytes[8] = {0, 1, 2, 3, 4, 5, 6, 8};
    const uint64_t *restrict address = columns->address, *restrict size = columns->size;
    const uint32_t *restrict sites = columns->site;
    const uint8_t *restrict kind = columns->kind;
    dj_slot *slots = e->slots;
    uint8_t *residual = e->residuals + e->residual_bytes, *step = e->steps + e->count - from;
    uint32_t slot = e->slot, i = from;
    for (; i < to; i++) {
        uint64_t property = (has_size ? size[i] << 8 : 0) | (has_kind ? kind[i] : 0);
        bool huge = has_size && size[i] >> DJ_PROPERTY_SIZE_BITS;
        uint32_t next = slots[slot].next;
        unsigned class = 0;
        if (__builtin_expect(slots[next].site != sites[i] || slots[next].property != property || huge, 0)) {
            next = huge ? FULL : jump(e, slot, sites[i], property, i > from ? address[i - 1] : e->address);
            if (next == FULL)
                break;
            class = DJ_STEP_JUMP;
        }
        slot = next;
        dj_slot *s = &slots[slot];
        uint64_t stride = address[i] - s->address, rest = stride - s->stride, code = dj_zigzag(rest);
        unsigned bytes = class_of_bytes[((unsigned)(71 - __builtin_clzll(code | 1)) >> 3) - (code == 0)];
        dj_write_le64(residual, code);
        residual += class_bytes[bytes];
        step[i] = (uint8_t)(class | bytes);
        s->stride += rest & -(uint64_t)((uint16_t)stride == s->recent);
        s->recent = (uint16_t)stride;
        s->address = address[i];
    }
    e->address = i > from ? address[i - 1] : e->address;
    e->residual_bytes = (size_t)(residual - e->residuals);
    e->slot = slot;
    e->count += i - from;
    return i;
}

uint32_t dj_sites_encode(dj_sites_encoder *encoder, const dj_columns *columns, uint32_t from, uint32_t to,
                         bool properties)
{
    bool size = properties && columns->size, kind = properties && columns->kind;
    if (encoder->count == 0 && from < to) // the first access has no prediction
        encoder->slots[0].site = ~columns->site[from];
    if (size && kind)
        return encode(encoder, columns, from, to, true, true);
    if (size)
        return encode(encoder, columns, from, to, true, false);
    if (kind)
        return encode(encoder, columns, from, to, false, true);
    return encode(encoder, columns, from, to, false, false);
}
