// SPDX-License-Identifier: MIT
// One key a line, decimal; and the same with other columns as comma-separated values.
#include "trace/sink.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
    dj_sink_buffer buffer;
    bool begun;
    uint32_t columns; // csv: those of the header line
    uint64_t written;
} text;

static int create(dj_context *context, const dj_sink_setup *setup, void **state)
{
    text *t = calloc(1, sizeof *t);
    if (!t)
        return dj_fail_memory(context, "a sink", 0);
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

enum { CSV_COLUMNS = DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_TIME, CSV_LINE_MOST = 128 };

static void put_header(dj_sink_buffer *buffer, uint32_t columns)
{
    put_word(buffer, columns & DJ_COLUMN_TIME ? "time,key" : "key");
    put_word(buffer, columns & DJ_COLUMN_SIZE ? ",size" : "");
    put_word(buffer, columns & DJ_COLUMN_KIND ? ",op\n" : "\n");
}

static void put_line(dj_sink_buffer *buffer, const dj_columns *column, uint32_t columns, uint32_t i)
{
    static const char *const words[] = {"R", "W", "M", "I", "O"};
    if (columns & DJ_COLUMN_TIME) {
        dj_sink_buffer_decimal(buffer, column->time[i]);
        put_word(buffer, ",");
    }
    dj_sink_buffer_decimal(buffer, column->address[i]);
    if (columns & DJ_COLUMN_SIZE) {
        put_word(buffer, ",");
        dj_sink_buffer_decimal(buffer, column->size[i]);
    }
    if (columns & DJ_COLUMN_KIND) {
        put_word(buffer, ",");
        put_word(buffer, words[column->kind[i] <= DJ_KIND_OTHER ? column->kind[i] : DJ_KIND_OTHER]);
    }
    put_word(buffer, "\n");
}

static int write_csv(void *state, dj_context *context, const dj_batch *batch)
{
    text *t = state;
    if (batch->count == 0)
        return DJ_OK;
    uint32_t columns = dj_batch_columns(batch) & CSV_COLUMNS;
    if (!t->begun) {
        t->begun = true;
        t->columns = columns;
        put_header(&t->buffer, columns);
    }
    if (columns != t->columns)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "from access %llu on the trace has other columns, which csv cannot tell; write format deja",
            (unsigned long long)t->written);
    for (uint32_t i = 0; i < batch->count; i++) {
        int err = dj_sink_buffer_reserve(&t->buffer, context, CSV_LINE_MOST);
        if (err)
            return err;
        put_line(&t->buffer, &batch->column, columns, i);
    }
    t->written += batch->count;
    return DJ_OK;
}

const dj_sink_ops dj_sink_text = {
    .info = {"text", "one key a line", ".txt .text .trace", 0, false},
    .create = create,
    .write = write_text,
    .finish = finish,
    .destroy = destroy,
};

const dj_sink_ops dj_sink_csv = {
    .info = {"csv", "comma-separated values with a line of names: time,key,size,op as there are", ".csv",
             CSV_COLUMNS, false},
    .create = create,
    .write = write_csv,
    .finish = finish,
    .destroy = destroy,
};
