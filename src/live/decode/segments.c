// SPDX-License-Identifier: MIT
// Executions of segments that were described before.
#include "live/decode/internal.h"

#include <string.h>

// One access at a time: some were predicated away, are steps of string instructions, or are at the end of the
// frame.
static void copy_slowly(dj_decoder *d, const dj_segment *segment, const uint64_t *words, dj_batch *batch)
{
    const dj_segment_columns *from = &d->segments.column;
    for (uint32_t i = 0, k = segment->first; i < segment->count; i++, k++) {
        if (words[i] == DJ_RING_SKIPPED)
            continue;
        if (from->string[k]) {
            dj_strings_step(&d->strings, batch,
                            &(dj_string_run){words[i], words[i] + from->size[k], from->site[k], from->kind[k],
                                             from->string[k]});
            continue;
        }
        dj_strings_flush(&d->strings, batch);
        dj_batch_append(batch, words[i], from->size[k], from->site[k], from->kind[k]);
    }
}

// Copies four at a time, slightly too many at the end. Returns false if an address may mean "skipped"; then
// nothing that it copied counts.
static inline bool copy_quickly(const dj_segments *segments, const dj_segment *segment, const uint64_t *words,
                                const dj_batch *batch)
{
    // Local copies, since a store of bytes could otherwise alias any of them.
    uint64_t *address = (uint64_t *)(uintptr_t)batch->column.address + batch->count;
    uint64_t *size = (uint64_t *)(uintptr_t)batch->column.size + batch->count;
    uint32_t *site = (uint32_t *)(uintptr_t)batch->column.site + batch->count;
    uint8_t *kind = (uint8_t *)(uintptr_t)batch->column.kind + batch->count;
    const uint64_t *from_size = segments->column.size + segment->first;
    const uint32_t *from_site = segments->column.site + segment->first;
    const uint8_t *from_kind = segments->column.kind + segment->first;
    uint64_t any = 0;
    for (size_t i = 0, count = segment->count; i < count; i += DJ_SEGMENT_STEP) {
        any |= words[i] | words[i + 1] | words[i + 2] | words[i + 3];
        memcpy(address + i, words + i, DJ_SEGMENT_STEP * sizeof *address);
        memcpy(size + i, from_size + i, DJ_SEGMENT_STEP * sizeof *size);
        memcpy(site + i, from_site + i, DJ_SEGMENT_STEP * sizeof *site);
        memcpy(kind + i, from_kind + i, DJ_SEGMENT_STEP * sizeof *kind);
    }
    return any >> 63 == 0;
}

static int end_segment(dj_decoder *d, dj_context *context, const dj_segment *segment, const uint64_t *words,
                       dj_batch *batch)
{
    if (segment->ending == DJ_ENDING_CALL)
        return dj_decode_event(context, batch, DJ_EVENT_CALL, segment->call_site, segment->target, words[0]);
    if (segment->ending == DJ_ENDING_CALL_INDIRECT)
        return dj_decode_event(context, batch, DJ_EVENT_CALL, segment->call_site, words[1], words[0]);
    int err = dj_decode_event(context, batch, DJ_EVENT_RETURN, 0, 0, words[0]);
    if (!err && d->thread->allocation.function)
        err = dj_blocks_return(&d->blocks, context, batch, &d->thread->allocation, words[0], words[1]);
    return err;
}

int dj_decode_bad_segment(const dj_decoder *d, dj_context *context, uint64_t record)
{
    uint32_t id = DJ_RECORD_ID(record);
    if (id >= d->segments.capacity || d->segments.list[id].words == UINT32_MAX)
        return dj_fail(context, DJ_ERR_INPUT, "segment %u was never described", id);
    return dj_fail(context, DJ_ERR_INPUT, "segment %u has %u words instead of %u", id,
                   DJ_RECORD_WORDS(record), d->segments.list[id].words);
}

// The steps of a string instruction are one step of the route.
static inline void keep_route(const dj_decoder *d, const dj_segment *segment, const dj_batch *batch)
{
    dj_route *route = d->route;
    if (!route)
        return;
    const uint32_t id = (uint32_t)(segment - d->segments.list);
    if (segment->strings && route->count && route->steps[route->count - 1].segment == id)
        return;
    route->steps[route->count++] = (dj_route_step){id, batch->count, batch->event_count};
}

int dj_decode_segment(dj_decoder *d, dj_context *context, const dj_segment *segment, const uint64_t *words,
                      size_t safe, dj_batch *batch)
{
    const uint64_t *ending = words + segment->addresses;
    if (segment->addresses < segment->count) {
        words = dj_segments_expand(&d->segments, segment, words);
        safe = segment->count + DJ_SEGMENT_STEP;
    }
    if (__builtin_expect(d->thread->allocation.function == DJ_ALLOCATOR_POSIX, 0))
        dj_blocks_look(&d->thread->allocation, words, d->segments.column.kind + segment->first,
                       segment->count);
    if (d->strings.count && segment->count && !segment->strings && !d->paused)
        dj_strings_flush(&d->strings, batch);
    keep_route(d, segment, batch);
    if (__builtin_expect(d->paused, 0)) {
        d->left_out += segment->count;
    } else if (segment->strings) {
        copy_slowly(d, segment, words, batch);
    } else if (segment->count) {
        if (segment->count + DJ_SEGMENT_STEP <= safe && copy_quickly(&d->segments, segment, words, batch))
            batch->count += segment->count;
        else
            copy_slowly(d, segment, words, batch);
    }
    if (segment->ending == DJ_ENDING_NONE)
        return DJ_OK;
    if (d->strings.count)
        dj_strings_flush(&d->strings, batch);
    return end_segment(d, context, segment, ending, batch);
}

// The number of bytes for which all operands stay within their lines.
static uint64_t next_piece(const uint64_t *words, uint32_t operands, uint64_t done, uint64_t bytes)
{
    uint64_t piece = bytes - done;
    for (uint32_t i = 0; i < operands; i++) {
        uint64_t left = DJ_STRING_LINE - (words[i] + done) % DJ_STRING_LINE;
        piece = left < piece ? left : piece;
    }
    return piece;
}

// Many steps of a string instruction at once, decoded as if they came one by one.
int dj_decode_string(dj_decoder *d, dj_context *context, uint64_t record, const uint64_t *words,
                     dj_batch *batch)
{
    const dj_segment_columns *from = &d->segments.column;
    uint32_t id = DJ_RECORD_ID(record), length = DJ_RECORD_WORDS(record);
    if (id >= d->segments.capacity || d->segments.list[id].words == UINT32_MAX)
        return dj_decode_bad_segment(d, context, record);
    const dj_segment *segment = &d->segments.list[id];
    uint64_t bytes = length ? words[length - 1] : 0;
    if (segment->count == 0 || segment->count > 2 || !segment->strings || length != segment->count + 1 ||
        bytes == 0 || bytes > DJ_STRING_LINE)
        return dj_fail(context, DJ_ERR_INPUT,
                       "the record of a string instruction has %u words and %llu bytes", length,
                       (unsigned long long)bytes);
    uint64_t step = from->size[segment->first], steps = (bytes + step - 1) / step * segment->count;
    if (d->paused) {
        d->left_out += steps;
        return DJ_OK;
    }
    keep_route(d, segment, batch);
    uint64_t pieces = 0;
    for (uint64_t done = 0, piece; done < bytes; done += piece) {
        piece = next_piece(words, segment->count, done, bytes);
        for (uint32_t i = 0, k = segment->first; i < segment->count; i++, k++, pieces++)
            dj_strings_step(&d->strings, batch,
                            &(dj_string_run){words[i] + done, words[i] + done + piece, from->site[k],
                                             from->kind[k], from->string[k]});
    }
    d->strings.joined += steps > pieces ? steps - pieces : 0;
    return DJ_OK;
}
