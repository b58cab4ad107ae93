// SPDX-License-Identifier: MIT
#include "trace/stream/events.h"

#include <stdlib.h>
#include <string.h>

void dj_event_list_free(dj_event_list *list)
{
    free(list->position);
    free(list->a);
    free(list->b);
    free(list->c);
    free(list->type);
    free(list->text_bytes);
    free(list->text);
    *list = (dj_event_list){0};
}

bool dj_event_list_full(const dj_event_list *list, const dj_event *event)
{
    return list->count == DJ_FRAME_EVENTS_MOST || list->text_used + strlen(event->text) > DJ_FRAME_TEXT_MOST;
}

// Grows the list to a capacity of `count` events; keeps the existing ones.
static int grow(dj_context *context, dj_event_list *list, uint32_t count)
{
    if (count <= list->capacity)
        return DJ_OK;
    uint32_t capacity = count < 64 ? 64 : 2 * count;
    void *grown;
#define GROW(column)                                                                                         \
    ((grown = realloc(list->column, capacity * sizeof *list->column)) != NULL &&                             \
     (list->column = grown) != NULL)
    if (!GROW(position) || !GROW(a) || !GROW(b) || !GROW(c) || !GROW(type) || !GROW(text_bytes))
        return dj_fail_memory(context, "the events of a stream", 0);
#undef GROW
    list->capacity = capacity;
    return DJ_OK;
}

static int make_room(dj_context *context, dj_event_list *list, size_t bytes)
{
    if (bytes <= list->text_capacity)
        return DJ_OK;
    char *text = realloc(list->text, 2 * bytes);
    if (!text)
        return dj_fail_memory(context, "the texts of events", 2 * bytes);
    list->text = text;
    list->text_capacity = 2 * bytes;
    return DJ_OK;
}

int dj_event_list_add(dj_context *context, dj_event_list *list, const dj_event *event, uint64_t position)
{
    size_t bytes = strlen(event->text);
    if (bytes > DJ_EVENT_TEXT_MOST)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "the text of an event at access %llu is longer than 1 MiB",
                       (unsigned long long)position);
    int err = grow(context, list, list->count + 1);
    if (!err)
        err = make_room(context, list, list->text_used + bytes);
    if (err)
        return err;
    if (bytes)
        memcpy(list->text + list->text_used, event->text, bytes);
    list->text_used += bytes;
    uint32_t i = list->count++;
    list->position[i] = position;
    list->type[i] = event->type;
    list->a[i] = event->a;
    list->b[i] = event->b;
    list->c[i] = event->c;
    list->text_bytes[i] = (uint32_t)bytes;
    return DJ_OK;
}

typedef struct column {
    enum dj_frame_field field;
    void *numbers;
} column;

enum { COLUMNS = 6 };

static void list_columns(const dj_event_list *list, column out[COLUMNS])
{
    out[0] = (column){DJ_FRAME_FIELD_EVENT_POSITION, list->position};
    out[1] = (column){DJ_FRAME_FIELD_EVENT_TYPE, list->type};
    out[2] = (column){DJ_FRAME_FIELD_EVENT_A, list->a};
    out[3] = (column){DJ_FRAME_FIELD_EVENT_B, list->b};
    out[4] = (column){DJ_FRAME_FIELD_EVENT_C, list->c};
    out[5] = (column){DJ_FRAME_FIELD_EVENT_TEXT_BYTES, list->text_bytes};
}

uint32_t dj_event_list_until(const dj_event_list *list, uint64_t position)
{
    uint32_t count = list->count;
    while (count > 0 && list->position[count - 1] > position)
        count--;
    return count;
}

static size_t text_of(const dj_event_list *list, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += list->text_bytes[i];
    return bytes;
}

int dj_event_list_write(dj_context *context, const dj_event_list *list, uint32_t count,
                        dj_frame_writer *writer)
{
    column columns[COLUMNS];
    list_columns(list, columns);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < COLUMNS; i++)
        err = dj_frame_add_numbers(writer, context, columns[i].field, columns[i].numbers, count);
    dj_frame_section text = {.field = DJ_FRAME_FIELD_EVENT_TEXT,
                             .plain_bytes = (uint32_t)text_of(list, count)};
    return err ? err : dj_frame_add(writer, context, &text, list->text);
}

void dj_event_list_drop(dj_event_list *list, uint32_t count)
{
    column columns[COLUMNS];
    size_t text = text_of(list, count), left = list->count - count;
    list_columns(list, columns);
    for (size_t i = 0; left && i < COLUMNS; i++) {
        size_t width = dj_field_width(columns[i].field);
        memmove(columns[i].numbers, (const char *)columns[i].numbers + count * width, left * width);
    }
    list->text_used -= text;
    if (list->text_used)
        memmove(list->text, list->text + text, list->text_used);
    list->count = (uint32_t)left;
}

static int check(dj_context *context, const dj_event_list *list, const dj_frame *frame)
{
    uint64_t last = frame->header.first, text = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->position[i] < last || (i == 0 && list->position[i] != last))
            return dj_fail(context, DJ_ERR_INPUT, "the events of a frame are out of order");
        if (list->type[i] < DJ_EVENT_MODULE || list->type[i] > DJ_EVENT_LAST)
            return dj_fail(context, DJ_ERR_INPUT, "unknown event type %u; use a newer version of deja",
                           list->type[i]);
        last = list->position[i];
        text += list->text_bytes[i];
    }
    if (text != frame->part[DJ_FRAME_FIELD_EVENT_TEXT][0].bytes)
        return dj_fail(context, DJ_ERR_INPUT, "the texts of a frame's events have the wrong length");
    return DJ_OK;
}

int dj_event_list_read(dj_context *context, dj_event_list *list, const dj_frame *frame)
{
    column columns[COLUMNS];
    int err = grow(context, list, frame->header.count);
    if (err)
        return err;
    list_columns(list, columns);
    list->count = frame->header.count;
    for (size_t i = 0; !err && i < COLUMNS; i++) {
        dj_planes_reader reader;
        err = dj_frame_planes(context, frame, columns[i].field, list->count, &reader);
        if (!err)
            dj_planes_read(&reader, columns[i].numbers, list->count);
    }
    if (!err)
        err = check(context, list, frame);
    if (err)
        return err;
    list->text_used = frame->part[DJ_FRAME_FIELD_EVENT_TEXT][0].bytes;
    err = make_room(context, list, list->text_used);
    if (!err && list->text_used)
        memcpy(list->text, frame->part[DJ_FRAME_FIELD_EVENT_TEXT][0].data, list->text_used);
    return err;
}
