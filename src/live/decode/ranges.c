// SPDX-License-Identifier: MIT
// Ranges accessed by one call, such as memset and memcpy, split into pieces within one line each. A range may
// exceed a batch.
#include "live/decode/internal.h"

enum { RANGE_WORDS = 3, COPY_WORDS = 4 };

#define BYTES_MOST (UINT64_C(1) << 48)

typedef struct operand {
    uint64_t address;
    uint8_t kind;
    uint64_t *done; // bytes so far
} operand;

static void add_piece(dj_batch *batch, const operand *o, uint64_t bytes, uint32_t site)
{
    uint64_t left = bytes - *o->done;
    if (!left)
        return;
    uint64_t address = o->address + *o->done, piece = DJ_STRING_LINE - address % DJ_STRING_LINE;
    piece = piece < left ? piece : left;
    dj_batch_append(batch, address, piece, site, o->kind);
    *o->done += piece;
}

static uint64_t count_pieces(uint64_t address, uint64_t bytes)
{
    return (address % DJ_STRING_LINE + bytes + DJ_STRING_LINE - 1) / DJ_STRING_LINE;
}

int dj_decode_range(dj_decoder *d, dj_context *context, uint64_t record, const uint64_t *words,
                    dj_batch *batch, bool *full)
{
    bool copy = DJ_RECORD_TYPE(record) == DJ_RECORD_COPY;
    size_t count = DJ_RECORD_WORDS(record), needed = copy ? COPY_WORDS : RANGE_WORDS;
    uint64_t bytes = count < needed ? 0 : words[needed - 1];
    if (count < needed || bytes >= BYTES_MOST || (!copy && DJ_RECORD_ID(record) > DJ_KIND_OTHER))
        return dj_fail(context, DJ_ERR_INPUT, "the record of a range of %llu bytes has %zu words",
                       (unsigned long long)bytes, count);
    const operand first = {words[copy ? 2 : 1], copy ? DJ_KIND_READ : (uint8_t)DJ_RECORD_ID(record),
                           &d->range_done[0]};
    const operand second = {words[1], DJ_KIND_WRITE, &d->range_done[1]};
    uint32_t site;
    if (d->paused) {
        d->left_out += count_pieces(first.address, bytes - *first.done) +
                       (copy ? count_pieces(second.address, bytes - *second.done) : 0);
        d->range_done[0] = d->range_done[1] = 0;
        return DJ_OK;
    }
    int err = dj_live_sites_find_call(&d->sites, context, batch, words[0], &site);
    while (!err && (*first.done < bytes || (copy && *second.done < bytes))) {
        if (!dj_decoder_has_room(batch)) {
            *full = true;
            return DJ_OK;
        }
        add_piece(batch, &first, bytes, site);
        if (copy)
            add_piece(batch, &second, bytes, site);
    }
    d->range_done[0] = d->range_done[1] = 0;
    return err;
}
