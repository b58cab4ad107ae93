// SPDX-License-Identifier: MIT
// One key a line, decimal; and the same with other columns as comma-separated values.
#include "trace/sink/sink.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
    dj_sink_buffer buffer;
    enum dj_class kind; // csv: of the trace
    bool begun;
    uint32_t columns; // csv: those of the header line
    bool has_thread;  // csv: the thread of the next access is known
    uint64_t thread;
    uint64_t written;
} text;

static int create(dj_context *context, const dj_sink_setup *setup, void **state)
{
    text *t = calloc(1, sizeof *t);
    if (!t)
        return dj_fail_memory(context, "a sink", 0);
    t->kind = setup->info->kind;
    int err = dj_sink_buffer_create(context, &setup->output, &t->buffer);
    if (err)
        free(t);
    else
        *state = t;
    return err;
}

static int finish(void *state, dj_context *context)
{
    return dj_sink_buffer_flush(&((text *)state)->buffer, context);
}

static void destroy(void *state)
{
    text *t = state;
    dj_sink_buffer_free(&t->buffer);
    free(t);
}

static int write_text(void *state, dj_context *context, const dj_batch *batch)
{
    text *t = state;
    for (uint32_t i = 0; i < batch->count; i++) {
        int err = dj_sink_buffer_reserve(&t->buffer, context, 21);
        if (err)
            return err;
        dj_sink_buffer_decimal(&t->buffer, batch->column.address[i]);
        t->buffer.data[t->buffer.used++] = '\n';
    }
    return DJ_OK;
}

static void put_word(dj_sink_buffer *buffer, const char *word)
{
    size_t length = strlen(word);
    memcpy(buffer->data + buffer->used, word, length);
    buffer->used += length;
}

enum {
    CSV_COLUMNS = DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_THREAD,
    CSV_LINE_MOST = 128,
};

// The names by which the csv reader recognizes the kind of trace.
static void put_header(text *t)
{
    static const char *const target[] = {
        [DJ_CLASS_MEMORY] = "address", [DJ_CLASS_BLOCK_IO] = "offset", [DJ_CLASS_KEYS] = "key"};
    put_word(&t->buffer, t->columns & DJ_COLUMN_THREAD ? "thread," : "");
    put_word(&t->buffer, t->columns & DJ_COLUMN_DEVICE ? "device," : "");
    put_word(&t->buffer, target[t->kind]);
    put_word(&t->buffer, t->columns & DJ_COLUMN_SIZE ? ",size" : "");
    put_word(&t->buffer, t->columns & DJ_COLUMN_KIND ? ",op" : "");
    put_word(&t->buffer, t->columns & DJ_COLUMN_SITE ? ",site\n" : "\n");
}

static void put_number(dj_sink_buffer *buffer, uint64_t number)
{
    put_word(buffer, ",");
    dj_sink_buffer_decimal(buffer, number);
}

static void put_line(dj_sink_buffer *buffer, const dj_columns *column, uint32_t columns, uint32_t i)
{
    static const char *const words[] = {",R", ",W", ",M", ",I", ",O"};
    if (columns & DJ_COLUMN_DEVICE) {
        dj_sink_buffer_decimal(buffer, column->device[i]);
        put_word(buffer, ",");
    }
    dj_sink_buffer_decimal(buffer, column->address[i]);
    if (columns & DJ_COLUMN_SIZE)
        put_number(buffer, column->size[i]);
    if (columns & DJ_COLUMN_KIND)
        put_word(buffer, words[column->kind[i] <= DJ_KIND_OTHER ? column->kind[i] : DJ_KIND_OTHER]);
    if (columns & DJ_COLUMN_SITE)
        put_number(buffer, column->site[i]);
    put_word(buffer, "\n");
}

// Reads the events before an access.
static uint32_t pass_events(text *t, const dj_batch *batch, uint32_t event, uint32_t index)
{
    for (; event < batch->event_count && batch->events[event].index <= index; event++)
        if (batch->events[event].type == DJ_EVENT_THREAD) {
            t->has_thread = true;
            t->thread = batch->events[event].a;
        }
    return event;
}

// Column `thread` is written if the thread of the first access is known.
static int begin_batch(text *t, dj_context *context, const dj_batch *batch)
{
    uint32_t columns = dj_batch_columns(batch) & CSV_COLUMNS;
    if (!t->begun) {
        t->begun = true;
        t->columns = columns | (t->has_thread ? DJ_COLUMN_THREAD : 0u);
        put_header(t);
    }
    if ((columns | (t->columns & DJ_COLUMN_THREAD)) != t->columns)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "the columns of the trace change at access %llu, which csv cannot represent; write format deja",
            (unsigned long long)t->written);
    return DJ_OK;
}

static int write_csv(void *state, dj_context *context, const dj_batch *batch)
{
    text *t = state;
    uint32_t event = pass_events(t, batch, 0, 0);
    int err = batch->count ? begin_batch(t, context, batch) : DJ_OK;
    for (uint32_t i = 0; !err && i < batch->count; i++) {
        err = dj_sink_buffer_reserve(&t->buffer, context, CSV_LINE_MOST);
        if (err)
            break;
        event = pass_events(t, batch, event, i);
        if (t->columns & DJ_COLUMN_THREAD) {
            dj_sink_buffer_decimal(&t->buffer, t->thread);
            put_word(&t->buffer, ",");
        }
        put_line(&t->buffer, &batch->column, t->columns, i);
    }
    pass_events(t, batch, event, UINT32_MAX);
    t->written += batch->count;
    return err;
}

const dj_sink_ops dj_sink_text = {
    .info = {"text", "one key per line", ".txt .text", 0, false},
    .create = create,
    .write = write_text,
    .finish = finish,
    .destroy = destroy,
};

const dj_sink_ops dj_sink_csv = {
    .info = {"csv",
             "comma-separated values with a header line: thread, device, key, size, op and site, if present",
             ".csv", CSV_COLUMNS, false},
    .create = create,
    .write = write_csv,
    .finish = finish,
    .destroy = destroy,
};
