// SPDX-License-Identifier: MIT
#include "base/little_endian.h"
#include "base/zigzag.h"
#include "trace/stream/sites.h"

#include <stdlib.h>

// Residuals and jumps are checked against their ends after each group; within a group, no more than the
// margin can be read.
enum { GROUP = DJ_SITES_MARGIN / 8 };

static int grow(dj_sites_decoder *d, size_t capacity)
{
    if (capacity <= d->slot_capacity)
        return 0;
    dj_sites_decoder_free(d);
    d->slots = malloc(capacity * sizeof *d->slots);
    d->slot_site = malloc(capacity * sizeof *d->slot_site);
    d->slot_property = malloc(capacity * sizeof *d->slot_property);
    bool all = d->slots && d->slot_site && d->slot_property;
    d->slot_capacity = all ? capacity : 0;
    return all ? 0 : -1;
}

int dj_sites_decoder_begin(dj_context *context, dj_sites_decoder *decoder, uint32_t slot_count)
{
    if (grow(decoder, (size_t)slot_count + 1) != 0)
        return dj_fail_memory(context, "the sites of a frame", 0);
    decoder->count = decoder->slot = decoder->slots_known = 0;
    decoder->address = 0;
    decoder->slot_count = slot_count;
    decoder->slots[0] = (dj_slot){0};
    return DJ_OK;
}

void dj_sites_decoder_free(dj_sites_decoder *decoder)
{
    free(decoder->slots);
    free(decoder->slot_site);
    free(decoder->slot_property);
    decoder->slots = NULL;
    decoder->slot_site = NULL;
    decoder->slot_property = NULL;
    decoder->slot_capacity = 0;
}

// The slot of a jump, which is created if it is the first unknown one; false if there is no such slot.
static bool take_jump(dj_sites_decoder *d, uint64_t last_address, uint32_t *slot)
{
    uint32_t target = dj_read_le16(d->jumps);
    d->jumps += 2;
    if (target == d->slots_known && target < d->slot_count)
        d->slots[d->slots_known++] = (dj_slot){
            .address = last_address, .property = d->slot_property[target], .site = d->slot_site[target]};
    d->slots[*slot].next = (uint16_t)target;
    *slot = target;
    return target < d->slots_known;
}

static inline __attribute__((always_inline)) bool decode_group(dj_sites_decoder *d, uint32_t from,
                                                               uint32_t to, const dj_batch_buffers *out,
                                                               bool has_size, bool has_kind)
{
    static const uint8_t class_bytes[8] = {0, 1, 2, 3, 4, 5, 6, 8};
    static const uint64_t class_mask[8] = {0,          0xff,         0xffff,         0xffffff,
                                           0xffffffff, 0xffffffffff, 0xffffffffffff, UINT64_MAX};
    dj_slot *slots = d->slots;
    uint32_t slot = d->slot, number = d->count;
    uint64_t address = d->address;
    const uint8_t *residual = d->residuals, *steps = d->steps;
    for (uint32_t i = from; i < to; i++, number++) {
        unsigned step = (unsigned)steps[number >> 1] >> (4 * (number & 1)), class = step & DJ_STEP_CLASS;
        if (__builtin_expect(step & DJ_STEP_JUMP, 0)) {
            if (!take_jump(d, address, &slot))
                return false;
        } else {
            slot = slots[slot].next;
        }
        dj_slot *s = &slots[slot];
        uint64_t code = dj_read_le64(residual) & class_mask[class];
        residual += class_bytes[class];
        uint64_t rest = dj_unzigzag(code), stride = s->stride + rest;
        s->stride += rest & -(uint64_t)((uint16_t)stride == s->recent);
        s->recent = (uint16_t)stride;
        address = s->address += stride;
        out->address[i] = address;
        out->site[i] = s->site;
        if (has_size)
            out->size[i] = s->property >> 8;
        if (has_kind)
            out->kind[i] = (uint8_t)s->property;
    }
    d->residuals = residual;
    d->address = address;
    d->slot = slot;
    d->count = number;
    return true;
}

int dj_sites_decode(dj_context *context, dj_sites_decoder *decoder, uint32_t count,
                    const dj_batch_buffers *to)
{
    for (uint32_t at = 0; at < count; at += GROUP) {
        uint32_t end = count - at < GROUP ? count : at + GROUP;
        bool good;
        if (to->size && to->kind)
            good = decode_group(decoder, at, end, to, true, true);
        else if (to->size)
            good = decode_group(decoder, at, end, to, true, false);
        else if (to->kind)
            good = decode_group(decoder, at, end, to, false, true);
        else
            good = decode_group(decoder, at, end, to, false, false);
        if (!good || decoder->residuals > decoder->residuals_end || decoder->jumps > decoder->jumps_end)
            return dj_fail(context, DJ_ERR_INPUT, "the accesses of a frame are inconsistent");
    }
    return DJ_OK;
}
