// SPDX-License-Identifier: MIT
#include "live/decode/decode.h"

#include <stdlib.h>

#include "live/decode/internal.h"

enum { EVENTS_MOST = 1 << 16 }; // per batch, approximately

int dj_decoder_create(dj_decoder *d, dj_context *context)
{
    *d = (dj_decoder){.status = -1};
    int err = dj_live_sites_create(&d->sites, context);
    if (!err)
        err = dj_threads_create(&d->threads, context);
    if (!err)
        err = dj_blocks_create(&d->blocks, context);
    if (!err)
        err = dj_threads_find(&d->threads, context, 0, &d->thread);
    if (err)
        dj_decoder_destroy(d);
    return err;
}

void dj_decoder_forget(dj_decoder *d)
{
    dj_segments_destroy(&d->segments);
    dj_live_sites_destroy(&d->sites);
    dj_threads_destroy(&d->threads);
    dj_blocks_destroy(&d->blocks);
    d->thread = NULL;
}

void dj_decoder_destroy(dj_decoder *d)
{
    dj_decoder_forget(d);
    free(d->command);
    free(d->message);
    free(d->children);
    free(d->passes);
    if (d->route)
        free(d->route->steps);
    *d = (dj_decoder){0};
}

static dj_route_segment route_segment(void *user, uint32_t id)
{
    const dj_decoder *d = user;
    const dj_segment *s = &d->segments.list[id];
    const bool calls = s->ending == DJ_ENDING_CALL || s->ending == DJ_ENDING_CALL_INDIRECT;
    return (dj_route_segment){.lo = s->lo,
                              .hi = s->lo + s->bytes,
                              .next = calls ? s->lo + s->bytes : s->target,
                              .repeats = s->strings,
                              .returns = s->ending == DJ_ENDING_RETURN};
}

static int route_site(void *user, dj_context *context, dj_batch *batch, uint64_t address, uint32_t *site)
{
    dj_decoder *d = user;
    return dj_live_sites_find(&d->sites, context, batch, address, site);
}

int dj_decoder_keep_route(dj_decoder *d, dj_context *context, dj_route *route)
{
    *route = (dj_route){.segment = route_segment, .site = route_site, .user = d};
    route->steps = calloc(DJ_ROUTE_MOST, sizeof *route->steps);
    if (!route->steps)
        return dj_fail_memory(context, "the way of a program", DJ_ROUTE_MOST * sizeof *route->steps);
    d->route = route;
    return DJ_OK;
}

static bool is_long(const dj_decoder *d)
{
    return d->route && d->route->count == DJ_ROUTE_MOST;
}

void dj_decoder_prepare(dj_batch *batch)
{
    dj_batch_set_columns(batch, DJ_LIVE_COLUMNS);
}

bool dj_decoder_has_room(const dj_batch *batch)
{
    return batch->count + DJ_DECODER_SLACK <= DJ_BATCH_CAPACITY && batch->event_count < EVENTS_MOST;
}

int dj_decode_event(dj_context *context, dj_batch *batch, uint32_t type, uint64_t a, uint64_t b, uint64_t c)
{
    dj_event event = {batch->count, type, a, b, c, ""};
    return dj_batch_add_event(context, batch, &event);
}

static int feed_other(dj_decoder *d, dj_context *context, uint64_t record, const uint64_t *words,
                      dj_batch *batch)
{
    size_t count = DJ_RECORD_WORDS(record);
    uint32_t id = DJ_RECORD_ID(record);
    switch (DJ_RECORD_TYPE(record)) {
    case DJ_RECORD_UNUSED:
        // A word of zeros is in a part of the file that was cut off and restored.
        return record ? DJ_OK : dj_fail(context, DJ_ERR_INPUT, "a record has no type");
    case DJ_RECORD_DEFINE:
        return dj_segments_define(&d->segments, context, &d->sites, batch, id, words, count);
    case DJ_RECORD_MODULE:
        return dj_decode_module(d, context, id == 1, words, count, batch);
    case DJ_RECORD_THREAD:
        return dj_decode_thread(d, context, id, words, count, batch);
    case DJ_RECORD_ALLOCATOR:
        if (count < 4)
            return dj_fail(context, DJ_ERR_INPUT, "the record of an allocation has %zu words", count);
        return dj_blocks_enter(&d->blocks, context, batch, &d->thread->allocation, id, words);
    case DJ_RECORD_PROCESS:
        return dj_decode_command(d, context, words, count);
    case DJ_RECORD_END:
        d->status = (int)id;
        return DJ_OK;
    case DJ_RECORD_MESSAGE:
        return dj_decode_message(d, context, words, count);
    case DJ_RECORD_REGION:
        return dj_decode_region(context, id, words, count, batch);
    case DJ_RECORD_MAP:
    case DJ_RECORD_UNMAP:
        return dj_decode_mapping(d, context, DJ_RECORD_TYPE(record), words, count, batch);
    case DJ_RECORD_THREAD_NAME:
        return dj_decode_thread_name(d, context, id, words, count, batch);
    case DJ_RECORD_FORK:
        return dj_decode_fork(d, context, id);
    case DJ_RECORD_ALLOC:
        return dj_decode_alloc(d, context, words, count, batch);
    case DJ_RECORD_FREE:
        return dj_decode_free(d, context, words, count, batch);
    case DJ_RECORD_DATA:
        return dj_decode_data(d, context, words, count, batch);
    case DJ_RECORD_STATEMENT:
        return dj_decode_statement(d, context, words, count, batch);
    case DJ_RECORD_SYNC:
        return dj_decode_sync(context, id, words, count, batch);
    case DJ_RECORD_BURST:
        return dj_decode_burst(d, context, id, words, count, batch);
    case DJ_RECORD_BUDGET:
        return dj_decode_budget(context, id, words, count, batch);
    case DJ_RECORD_STACK:
        return dj_decode_stack(d, context, id, words, count, batch);
    case DJ_RECORD_EVENT:
        return dj_decode_given_event(context, id, words, count, batch);
    case DJ_RECORD_ELEMENTS:
        return dj_decode_elements(d, context, words, count, batch);
    default:
        return DJ_OK; // from a newer tracer, or for other readers
    }
}

// Decodes one record that contains its length. With *full, it has done nothing, or a part that it resumes.
static int feed_record(dj_decoder *d, dj_context *context, const uint64_t *words, size_t left,
                       dj_batch *batch, bool *full)
{
    uint64_t record = words[0];
    unsigned type = DJ_RECORD_TYPE(record);
    size_t length = DJ_RECORD_WORDS(record);
    const dj_segment *segment = NULL;
    if (type == DJ_RECORD_SEGMENT) {
        uint32_t id = DJ_RECORD_ID(record);
        if (id >= d->segments.capacity || d->segments.list[id].words != length)
            return dj_decode_bad_segment(d, context, record);
        segment = &d->segments.list[id];
    }
    size_t accesses = segment                      ? segment->count
                      : type == DJ_RECORD_STRING   ? length
                      : type == DJ_RECORD_ELEMENTS ? length / 2
                                                   : 0;
    if (batch->count + accesses + DJ_DECODER_SLACK > DJ_BATCH_CAPACITY || batch->event_count >= EVENTS_MOST ||
        is_long(d)) {
        *full = true;
        return DJ_OK;
    }
    if (segment)
        return dj_decode_segment(d, context, segment, words + 1, left, batch);
    if (type == DJ_RECORD_STRING)
        return dj_decode_string(d, context, record, words + 1, batch);
    dj_strings_flush(&d->strings, batch);
    if (type == DJ_RECORD_RANGE || type == DJ_RECORD_COPY)
        return dj_decode_range(d, context, record, words + 1, batch, full);
    return feed_other(d, context, record, words + 1, batch);
}

int dj_decoder_feed(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count, size_t *at,
                    dj_batch *batch, bool *full)
{
    int err = DJ_OK;
    *full = false;
    while (!err && !*full && *at < count) {
        if (DJ_RECORD_IS_DIRECT(words[*at])) {
            err = dj_decode_direct(d, context, words, count, at, batch, full);
            continue;
        }
        size_t length = DJ_RECORD_WORDS(words[*at]), left = count - *at - 1;
        if (length > left)
            return dj_fail(context, DJ_ERR_INPUT, "a record of %zu words begins where only %zu are left",
                           length, left);
        err = feed_record(d, context, words + *at, left, batch, full);
        if (!err && !*full)
            *at += length + 1;
    }
    return err;
}

int dj_decoder_pause(dj_decoder *d, dj_context *context, dj_batch *batch, bool paused)
{
    if (d->paused == paused)
        return DJ_OK;
    dj_strings_flush(&d->strings, batch);
    d->paused = paused;
    return dj_decode_event(context, batch, DJ_EVENT_REGION, !paused, 0, 0);
}

int dj_decoder_finish(dj_decoder *d, dj_context *context, dj_batch *batch)
{
    dj_strings_flush(&d->strings, batch);
    return dj_decode_passes(d, context, batch);
}
