// SPDX-License-Identifier: MIT
#include "base/little.h"
#include "base/zigzag.h"
#include "trace/deja_sites.h"

#include <stdlib.h>

enum { MAP_BITS = 17, MAP_SIZE = 1 << MAP_BITS }; // twice the slots

static int allocate(dj_sites_encoder *e, uint32_t capacity)
{
    e->slots = malloc(DJ_FRAME_SLOTS_MOST * sizeof *e->slots);
    e->map = calloc(MAP_SIZE, sizeof *e->map);
    e->steps = malloc(capacity);
    e->residuals = malloc((size_t)capacity * 8 + 8);
    e->jumps = malloc(capacity * sizeof *e->jumps);
    e->slot_site = malloc(DJ_FRAME_SLOTS_MOST * sizeof *e->slot_site);
    e->slot_property = malloc(DJ_FRAME_SLOTS_MOST * sizeof *e->slot_property);
    bool all = e->slots && e->map && e->steps && e->residuals && e->jumps && e->slot_site && e->slot_property;
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

// The slot of an access that was not predicted; a new one when it has none.
static uint32_t find_slot(dj_sites_encoder *e, uint32_t site, uint64_t property)
{
    uint32_t at = (uint32_t)(((site ^ property << 32) * 0x9e3779b97f4a7c15u) >> (64 - MAP_BITS));
    while (e->map[at] >> 16 == e->generation) {
        uint32_t slot = e->map[at] & 0xffff;
        if (e->slots[slot].site == site && e->slots[slot].property == property)
            return slot;
        at = (at + 1) & (MAP_SIZE - 1);
    }
    uint32_t slot = e->slot_count++;
    e->map[at] = e->generation << 16 | slot;
    e->slots[slot] = (dj_slot){.address = e->address, .property = property, .site = site};
    e->slot_site[slot] = site;
    e->slot_property[slot] = property;
    return slot;
}

static inline unsigned residual_class(uint64_t code)
{
    static const uint8_t class_of_bytes[9] = {0, 1, 2, 3, 4, 5, 6, 7, 7};
    return class_of_bytes[((unsigned)(71 - __builtin_clzll(code | 1)) >> 3) - (code == 0)];
}

static inline __attribute__((always_inline)) uint32_t encode(dj_sites_encoder *e, const dj_columns *columns,
                                                             uint32_t from, uint32_t to, bool has_size,
                                                             bool has_kind)
{
    static const uint8_t class_bytes[8] = {0, 1, 2, 3, 4, 5, 6, 8};
    const uint64_t *restrict address = columns->address, *restrict size = columns->size;
    const uint32_t *restrict sites = columns->site;
    const uint8_t *restrict kind = columns->kind;
    dj_slot *slots = e->slots;
    uint8_t *restrict residual = e->residuals + e->residual_bytes, *restrict step = e->steps + e->count;
    uint32_t slot = e->slot, i = from;
    bool first = e->count == 0; // nothing predicts it
    for (; i < to; i++) {
        uint64_t property = (has_size ? size[i] << 8 : 0) | (has_kind ? kind[i] : 0);
        uint32_t next = slots[slot].next;
        unsigned jump = 0;
        bool huge = has_size && size[i] >> DJ_PROPERTY_SIZE_BITS;
        if (__builtin_expect(
                first || slots[next].site != sites[i] || slots[next].property != property || huge, 0)) {
            if (e->slot_count == DJ_FRAME_SLOTS_MOST || huge)
                break;
            e->address = i > from ? address[i - 1] : e->address;
            next = find_slot(e, sites[i], property);
            e->jumps[e->jump_count++] = htole16((uint16_t)next);
            slots[slot].next = (uint16_t)next;
            jump = DJ_STEP_JUMP;
            first = false;
        }
        slot = next;
        dj_slot *s = &slots[slot];
        uint64_t stride = address[i] - s->address, rest = stride - s->stride;
        uint64_t code = dj_zigzag(rest);
        unsigned class = residual_class(code);
        dj_little_put64(residual, code);
        residual += class_bytes[class];
        *step++ = (uint8_t)(jump | class);
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
    if (size && kind)
        return encode(encoder, columns, from, to, true, true);
    if (size)
        return encode(encoder, columns, from, to, true, false);
    if (kind)
        return encode(encoder, columns, from, to, false, true);
    return encode(encoder, columns, from, to, false, false);
}
