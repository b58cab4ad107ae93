// SPDX-License-Identifier: MIT
// The sink `deja`: frames of accesses, each preceded by the frame of its events; index frames; the end.
#include "trace/stream/write.h"

#include "base/little_endian.h"
#include "trace/sink/sink.h"
#include "trace/stream/events.h"

#include <stdlib.h>
#include <string.h>

// Fast: level 1 saves a fifth of the bytes and costs a fifth of the speed.
enum { DEFAULT_LEVEL = -3 };

typedef struct index_list {
    uint32_t count;
    uint64_t offset[DJ_FRAME_INDEX_MOST], first[DJ_FRAME_INDEX_MOST];
    uint32_t items[DJ_FRAME_INDEX_MOST];
    uint8_t type[DJ_FRAME_INDEX_MOST];
} index_list;

typedef struct writer {
    dj_sink_output output;
    dj_frame_writer *frame;
    dj_access_writer accesses;
    dj_event_list events;
    index_list index;
    uint32_t columns;        // announced by the header
    uint64_t offset;         // bytes written
    uint64_t position;       // accesses written, without the current frame
    uint64_t event_total;    // events written, likewise
    uint64_t index_previous; // offset of the last index frame, 0: none
} writer;

static int write_bytes(writer *w, dj_context *context, const void *data, size_t bytes)
{
    int err = w->output.write(w->output.user, context, data, bytes);
    w->offset += bytes;
    return err;
}

static int write_frame(writer *w, dj_context *context, dj_frame_header *header)
{
    const uint8_t *data;
    size_t bytes;
    dj_frame_end(w->frame, header, &data, &bytes);
    return write_bytes(w, context, data, bytes);
}

static int write_index(writer *w, dj_context *context)
{
    index_list *x = &w->index;
    uint64_t offset = w->offset;
    uint8_t previous[8];
    dj_write_le64(previous, w->index_previous);
    dj_frame_header header = {.type = DJ_FRAME_INDEX, .count = x->count, .first = x->first[0]};
    dj_frame_section section = {.field = DJ_FRAME_FIELD_INDEX_PREVIOUS, .plain_bytes = sizeof previous};
    dj_frame_begin(w->frame);
    int err = dj_frame_add(w->frame, context, &section, previous);
    if (!err)
        err = dj_frame_add_numbers(w->frame, context, DJ_FRAME_FIELD_INDEX_OFFSET, x->offset, x->count);
    if (!err)
        err = dj_frame_add_numbers(w->frame, context, DJ_FRAME_FIELD_INDEX_TYPE, x->type, x->count);
    if (!err)
        err = dj_frame_add_numbers(w->frame, context, DJ_FRAME_FIELD_INDEX_FIRST, x->first, x->count);
    if (!err)
        err = dj_frame_add_numbers(w->frame, context, DJ_FRAME_FIELD_INDEX_COUNT, x->items, x->count);
    if (!err)
        err = write_frame(w, context, &header);
    x->count = 0;
    w->index_previous = offset;
    return err;
}

static int write_indexed(writer *w, dj_context *context, dj_frame_header *header)
{
    index_list *x = &w->index;
    x->offset[x->count] = w->offset;
    x->first[x->count] = header->first;
    x->items[x->count] = header->count;
    x->type[x->count++] = header->type;
    int err = write_frame(w, context, header);
    return !err && x->count == DJ_FRAME_INDEX_MOST ? write_index(w, context) : err;
}

// Writes everything collected so far: events first, so that a reader has them when it reaches their accesses.
// Later events wait.
static int flush(writer *w, dj_context *context)
{
    int err = DJ_OK;
    uint32_t events = dj_event_list_until(&w->events, w->position + w->accesses.count);
    if (events) {
        dj_frame_header header = {.type = DJ_FRAME_EVENTS, .count = events, .first = w->events.position[0]};
        dj_frame_begin(w->frame);
        err = dj_event_list_write(context, &w->events, events, w->frame);
        if (!err)
            err = write_indexed(w, context, &header);
        w->event_total += events;
        dj_event_list_drop(&w->events, events);
    }
    if (!err && w->accesses.count) {
        dj_frame_header header = {.type = DJ_FRAME_ACCESSES, .first = w->position};
        dj_frame_begin(w->frame);
        w->position += w->accesses.count;
        err = dj_access_writer_end(context, &w->accesses, w->frame, &header);
        if (!err)
            err = write_indexed(w, context, &header);
    }
    return err;
}

// Appends the accesses up to `to`, in as many frames as necessary.
static int add_accesses(writer *w, dj_context *context, const dj_batch *batch, uint32_t *at, uint32_t to)
{
    int err = DJ_OK;
    while (!err && *at < to) {
        if (w->accesses.count == 0)
            dj_access_writer_begin(&w->accesses, batch);
        *at = dj_access_writer_add(&w->accesses, batch, *at, to);
        if (*at < to || w->accesses.count == DJ_WRITER_ACCESSES)
            err = flush(w, context);
    }
    return err;
}

// Refuses to write what no reader would accept.
static int check(const writer *w, dj_context *context, const dj_batch *batch)
{
    if (batch->count && dj_batch_columns(batch) & DJ_STREAM_COLUMNS & ~w->columns)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "the source has columns that it did not announce");
    if (batch->count && batch->column.kind && !dj_kinds_exist(batch->column.kind, batch->count))
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "the source has an access of an unknown kind");
    for (uint32_t i = 0; i < batch->event_count; i++)
        if (batch->events[i].type < DJ_EVENT_MODULE || batch->events[i].type > DJ_EVENT_LAST)
            return dj_fail(context, DJ_ERR_UNSUPPORTED, "the source has an event of an unknown type");
    return DJ_OK;
}

static int deja_write(void *state, dj_context *context, const dj_batch *batch)
{
    writer *w = state;
    uint64_t first = w->position + w->accesses.count;
    uint32_t at = 0;
    int err = check(w, context, batch);
    if (!err && batch->count && w->accesses.count && !dj_access_writer_fits(&w->accesses, batch))
        err = flush(w, context);
    for (uint32_t i = 0; !err && i < batch->event_count; i++) {
        const dj_event *event = &batch->events[i];
        uint32_t index = event->index < batch->count ? event->index : batch->count;
        if (dj_event_list_full(&w->events, event)) {
            err = add_accesses(w, context, batch, &at, index);
            if (!err)
                err = flush(w, context);
        }
        if (!err)
            err = dj_event_list_add(context, &w->events, event, first + index);
    }
    return err ? err : add_accesses(w, context, batch, &at, batch->count);
}

static int deja_finish(void *state, dj_context *context)
{
    writer *w = state;
    int err = flush(w, context);
    if (!err && w->index.count)
        err = write_index(w, context);
    if (err)
        return err;
    uint8_t totals[24];
    dj_write_le64(totals, w->position);
    dj_write_le64(totals + 8, w->event_total);
    dj_write_le64(totals + 16, w->index_previous);
    dj_frame_header header = {.type = DJ_FRAME_END, .first = w->position};
    dj_frame_section section = {.field = DJ_FRAME_FIELD_TOTALS, .plain_bytes = sizeof totals};
    dj_frame_begin(w->frame);
    err = dj_frame_add(w->frame, context, &section, totals);
    return err ? err : write_frame(w, context, &header);
}

static int deja_flush(void *state, dj_context *context)
{
    return flush(state, context);
}

static void deja_destroy(void *state)
{
    writer *w = state;
    dj_event_list_free(&w->events);
    dj_access_writer_free(&w->accesses);
    dj_frame_writer_destroy(w->frame);
    free(w);
}

static int write_header(writer *w, dj_context *context, const dj_sink_setup *setup)
{
    dj_stream_header header = {
        .info = *setup->info,
        .origin = setup->options->origin ? setup->options->origin
                  : setup->info->tracer  ? setup->info->tracer
                                         : setup->info->format,
        .provenance = setup->options->provenance ? setup->options->provenance : "",
    };
    header.info.columns &= DJ_STREAM_COLUMNS;
    size_t bytes = dj_stream_header_bytes(&header);
    if (bytes > DJ_STREAM_HEADER_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "the provenance of a stream is limited to %d bytes",
                       DJ_STREAM_HEADER_MOST);
    uint8_t *packed = malloc(bytes);
    if (!packed)
        return dj_fail_memory(context, "the header of a stream", bytes);
    dj_stream_header_pack(&header, packed);
    int err = write_bytes(w, context, packed, bytes);
    free(packed);
    return err;
}

static int deja_create(dj_context *context, const dj_sink_setup *setup, void **state)
{
    writer *w = calloc(1, sizeof *w);
    if (!w)
        return dj_fail_memory(context, "the writer of a stream", sizeof *w);
    w->output = setup->output;
    w->columns = setup->info->columns;
    int err = dj_frame_writer_create(context, setup->options->level ? setup->options->level : DEFAULT_LEVEL,
                                     &w->frame);
    if (!err)
        err = dj_access_writer_create(context, &w->accesses);
    if (!err)
        err = write_header(w, context, setup);
    if (err)
        deja_destroy(w);
    else
        *state = w;
    return err;
}

const dj_sink_ops dj_sink_deja = {
    .info = {"deja", "Deja's own stream: complete, compressed and checksummed", ".deja", DJ_STREAM_COLUMNS,
             true},
    .create = deja_create,
    .write = deja_write,
    .finish = deja_finish,
    .flush = deja_flush,
    .destroy = deja_destroy,
};
