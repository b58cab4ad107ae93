// SPDX-License-Identifier: MIT
// The reader of Deja's own stream. Everything up to the last complete frame of a truncated stream is
// delivered, followed by an error.
#include "trace/stream/read.h"
#include "base/little_endian.h"
#include "trace/input/input.h"
#include "trace/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    dj_source_info info;
    bool instructions;
    dj_frame frame;
    size_t held; // bytes of the current frame, consumed before the next one
    dj_access_reader accesses;
    dj_event_reader events;
    uint64_t position; // accesses delivered
    bool ended;
    uint32_t columns; // announced for all files
} reader;

static void deja_close(void *state)
{
    reader *r = state;
    dj_event_reader_free(&r->events);
    dj_access_reader_free(&r->accesses);
    dj_frame_free(&r->frame);
    free(r);
}

// Adds the position of the current frame, and what to do unless the message says it.
static int located(dj_context *context, const dj_input *input, int err)
{
    char what[1024];
    if (err != DJ_ERR_INPUT)
        return err;
    snprintf(what, sizeof what, "%s", dj_context_message(context));
    return dj_input_fail(context, input, dj_input_offset(input), "%s%s", what,
                         strchr(what, ';') ? "" : "; the file is damaged: copy it again, or record again");
}

static int cut_short(dj_context *context, const dj_input *input, uint64_t accesses)
{
    if (accesses == 0)
        return dj_input_fail(
            context, input, dj_input_offset(input),
            "the stream is cut short here, before its first access: its writer did not finish it "
            "(killed, or still running); nothing could be read");
    return dj_input_fail(
        context, input, dj_input_offset(input),
        "the stream is cut short here, after %llu access%s: its writer did not finish it (killed, "
        "or still running); everything before is valid",
        (unsigned long long)accesses, accesses == 1 ? "" : "es");
}

// Reads the bytes of the next item in the stream; DJ_ERR_INPUT if they are incomplete.
static int peek(dj_context *context, dj_input *input, size_t bytes, uint64_t accesses, dj_span *span)
{
    int err = dj_input_peek(context, input, bytes, span);
    return err || span->bytes >= bytes ? err : cut_short(context, input, accesses);
}

static int read_header(reader *r, dj_context *context, dj_input *input)
{
    dj_span span;
    size_t bytes = 0;
    dj_stream_header header;
    int err = peek(context, input, DJ_STREAM_HEADER_BYTES, 0, &span);
    if (err)
        return err;
    err = dj_stream_header_measure(context, span.data, &bytes);
    if (err)
        return located(context, input, err);
    err = peek(context, input, bytes, 0, &span);
    if (err)
        return err;
    err = dj_stream_header_unpack(context, span.data, bytes, &header);
    if (err)
        return located(context, input, err);
    r->info = header.info;
    dj_input_consume(input, bytes);
    return DJ_OK;
}

static int deja_open(dj_context *context, dj_input *input, const dj_source_options *options, void **state)
{
    reader *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "the reader of a stream", sizeof *r);
    r->instructions = options && options->instructions;
    int err = read_header(r, context, input);
    r->columns = r->info.columns;
    if (err)
        deja_close(r);
    else
        *state = r;
    return err;
}

static int deja_resume(void *state, dj_context *context, dj_input *input)
{
    reader *r = state;
    dj_source_info before = r->info;
    r->held = 0;
    r->accesses.left = 0;
    r->position = 0;
    r->ended = false;
    dj_event_reader_restart(&r->events);
    int err = read_header(r, context, input);
    if (!err && (before.kind != r->info.kind || before.unit_bytes != r->info.unit_bytes))
        err =
            dj_input_fail(context, input, 0,
                          "the addresses of this stream are of another kind than those of the previous file");
    return err;
}

static void deja_describe(const void *state, dj_source_info *info)
{
    const reader *r = state;
    const char *format = info->format;
    *info = r->info;
    info->format = format;
    info->provides = DJ_COLUMN_THREAD; // if there are thread events, which is not known yet
}

static int load_accesses(reader *r, dj_context *context)
{
    if (r->frame.header.first != r->position || r->frame.header.count == 0)
        return dj_fail(context, DJ_ERR_INPUT, "a frame of accesses does not continue the previous one");
    if (r->frame.header.columns & ~r->info.columns)
        return dj_fail(context, DJ_ERR_INPUT,
                       "a frame has columns that the stream's header does not announce");
    return dj_access_reader_begin(context, &r->accesses, &r->frame);
}

static int load_events(reader *r, dj_context *context)
{
    if (r->frame.header.count == 0 || r->frame.header.first < r->position)
        return dj_fail(context, DJ_ERR_INPUT, "a frame of events is at an impossible position of the stream");
    return dj_event_reader_begin(context, &r->events, &r->frame);
}

static int load_end(reader *r, dj_context *context)
{
    const uint8_t *totals;
    int err = dj_frame_plain(context, &r->frame, DJ_FRAME_FIELD_TOTALS, 24, &totals);
    if (!err && (dj_read_le64(totals) != r->position || dj_read_le64(totals + 8) != r->events.delivered))
        err = dj_fail(context, DJ_ERR_INPUT, "the totals at the end of the stream do not match its contents");
    r->ended = !err;
    return err;
}

static bool has_events(const reader *r)
{
    uint64_t position;
    return dj_event_reader_peek(&r->events, &position);
}

// Advances in the stream: loads a frame or reaches the end. Pending events must be delivered before further
// events or the end: DJ_OK with nothing loaded and the frame not consumed.
static int next_frame(reader *r, dj_context *context, dj_input *input, bool *loaded)
{
    dj_span span;
    dj_frame_header header;
    dj_input_consume(input, r->held);
    r->held = 0;
    *loaded = false;
    int err = peek(context, input, DJ_FRAME_HEADER_BYTES, r->position, &span);
    if (err)
        return err;
    err = dj_frame_header_unpack(context, span.data, &header);
    if (err)
        return located(context, input, err);
    if (has_events(r) && (header.type == DJ_FRAME_EVENTS || header.type == DJ_FRAME_END))
        return DJ_OK;
    err = peek(context, input, DJ_FRAME_HEADER_BYTES + header.payload_bytes, r->position, &span);
    if (err)
        return err;
    r->held = DJ_FRAME_HEADER_BYTES + header.payload_bytes;
    *loaded = true;
    if (header.type >= DJ_FRAME_SKIPPED)
        return DJ_OK;
    err = dj_frame_load(context, &r->frame, &header, span.data + DJ_FRAME_HEADER_BYTES);
    if (!err && header.type == DJ_FRAME_ACCESSES)
        err = load_accesses(r, context);
    else if (!err && header.type == DJ_FRAME_EVENTS)
        err = load_events(r, context);
    else if (!err && header.type == DJ_FRAME_END)
        err = load_end(r, context);
    return located(context, input, err);
}

// Removes instruction fetches and moves events with their accesses.
static int drop_fetches(reader *r, dj_context *context, dj_batch *batch)
{
    uint32_t kept = 0;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < batch->count; i++) {
        err = dj_event_reader_add_until(context, &r->events, batch, r->position + i, kept);
        if (batch->column.kind[i] != DJ_KIND_FETCH)
            dj_batch_copy_access(batch, kept++, batch, i);
    }
    batch->count = kept;
    return err;
}

static int add_accesses(reader *r, dj_context *context, dj_batch *batch)
{
    uint32_t left = r->accesses.left, count = left < DJ_BATCH_CAPACITY ? left : (uint32_t)DJ_BATCH_CAPACITY;
    int err = dj_access_reader_read(context, &r->accesses, batch, count);
    if (err)
        return err;
    uint32_t columns = dj_batch_columns(batch) & r->columns;
    dj_batch_set_columns(batch, columns);
    if (columns & DJ_COLUMN_SITE)
        dj_renumber_sites(&r->events.renumber, dj_batch_writable(batch).site, count);
    const uint8_t *kind = batch->column.kind;
    if (!r->instructions && kind && memchr(kind, DJ_KIND_FETCH, count))
        err = drop_fetches(r, context, batch);
    for (uint64_t at; !err && dj_event_reader_peek(&r->events, &at) && at < r->position + count;)
        err = dj_event_reader_add(context, &r->events, batch, (uint32_t)(at - r->position));
    r->position += count;
    return err;
}

static int check_end(dj_context *context, dj_input *input)
{
    dj_span span;
    int err = dj_input_peek(context, input, 1, &span);
    if (!err && span.bytes)
        err = dj_input_fail(context, input, dj_input_offset(input),
                            "there is data after the end of the stream");
    return err;
}

static int deja_read(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    reader *r = state;
    int err = DJ_OK;
    while (!err && batch->count == 0 && batch->event_count == 0) {
        bool loaded = true;
        if (r->accesses.left) {
            err = located(context, input, add_accesses(r, context, batch));
            continue;
        }
        if (r->ended)
            return DJ_OK;
        err = next_frame(r, context, input, &loaded);
        int given =
            err || !loaded ? dj_event_reader_add_until(context, &r->events, batch, r->position, 0) : DJ_OK;
        err = err ? err : given;
        if (!loaded && !err && has_events(r))
            err =
                located(context, input,
                        dj_fail(context, DJ_ERR_INPUT, "events lie beyond the accesses that they belong to"));
        if (!err && r->ended) {
            dj_input_consume(input, r->held);
            r->held = 0;
            err = check_end(context, input);
        }
    }
    return err;
}

static int deja_probe(const dj_head *head)
{
    return head->bytes >= 8 && memcmp(head->data, DJ_STREAM_MAGIC, 8) == 0 ? 100 : 0;
}

const dj_format dj_format_deja = {
    .info = {"deja", "Deja's own stream: complete, compressed and checksummed", ".deja", DJ_CLASS_MEMORY,
             true},
    .default_block = 64,
    .unit_bytes = 1,
    .columns = DJ_STREAM_COLUMNS,
    .probe = deja_probe,
    .open = deja_open,
    .describe = deja_describe,
    .resume = deja_resume,
    .read = deja_read,
    .close = deja_close,
};
