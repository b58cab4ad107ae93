// SPDX-License-Identifier: MIT
// Building documents.
#include <deja/document.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

// After memory runs out, additions go to `scrap`.
typedef struct dj_document_memory {
    dj_arena arena;
    bool failed;
    dj_node scrap;
    dj_sheet_row scrap_row;
    dj_text scrap_note;
    dj_series scrap_series;
} dj_document_memory;

int dj_document_create(dj_context *context, dj_document **out)
{
    dj_document *document = calloc(1, sizeof *document);
    dj_document_memory *memory = calloc(1, sizeof *memory);
    if (!document || !memory) {
        free(document);
        free(memory);
        return dj_fail_memory(context, "a document", 0);
    }
    document->memory = memory;
    *out = document;
    return DJ_OK;
}

void dj_document_destroy(dj_document *document)
{
    if (!document)
        return;
    dj_arena_free(&document->memory->arena);
    free(document->memory);
    free(document);
}

int dj_document_finish(dj_context *context, int err, dj_document *document, dj_document **out)
{
    if (!err && document->memory->failed)
        err = dj_fail_memory(context, "a document", 0);
    if (err)
        dj_document_destroy(document);
    else
        *out = document;
    return err;
}

void *dj_document_take(dj_document *document, size_t count, size_t bytes)
{
    dj_document_memory *memory = document->memory;
    void *taken = memory->failed ? NULL : dj_arena_alloc(&memory->arena, count ? count : 1, bytes);
    memory->failed = !taken;
    return taken;
}

const char *dj_document_copy(dj_document *document, const char *text)
{
    const char *copy =
        text && !document->memory->failed ? dj_arena_copy(&document->memory->arena, text, strlen(text)) : "";
    document->memory->failed |= !copy;
    return copy ? copy : "";
}

static const char *format_list(dj_document *document, const char *format, va_list list)
{
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0) {
        document->memory->failed = true;
        return "";
    }
    const char *copy = dj_document_copy(document, text);
    free(text);
    return copy;
}

const char *dj_document_format(dj_document *document, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *text = format_list(document, format, list);
    va_end(list);
    return text;
}

// Adds one element to a list that grows by doubling; the document keeps the old arrays.
static void *one_more(dj_document *document, void *list, size_t *count, size_t bytes)
{
    void *grown = list;
    if ((*count & (*count - 1)) == 0) {
        grown = dj_document_take(document, *count ? 2 * *count : 1, bytes);
        if (grown && *count)
            memcpy(grown, list, *count * bytes);
    }
    if (document->memory->failed)
        return NULL;
    ++*count;
    return grown;
}

dj_node *dj_document_add(dj_document *document, enum dj_node_kind kind)
{
    dj_node **nodes = one_more(document, document->nodes, &document->count, sizeof *nodes);
    dj_node *node = nodes ? dj_document_take(document, 1, sizeof *node) : NULL;
    document->nodes = nodes ? nodes : document->nodes;
    if (nodes && !node)
        document->count--;
    else if (nodes)
        nodes[document->count - 1] = node;
    if (!node) {
        node = &document->memory->scrap;
        memset(node, 0, sizeof *node);
    }
    node->kind = (uint8_t)kind;
    node->gap = kind != DJ_NODE_TEXT;
    return node;
}

static void add_part(dj_document *document, dj_text *text, dj_text_part part)
{
    dj_text_part *parts = one_more(document, text->parts, &text->part_count, sizeof *parts);
    if (!parts)
        return;
    text->parts = parts;
    parts[text->part_count - 1] = part;
}

dj_node *dj_document_say(dj_document *document, enum dj_text_role role, unsigned indent, const char *format,
                         ...)
{
    static const uint8_t styles[] = {
        [DJ_TEXT_TITLE] = DJ_STYLE_STRONG,   [DJ_TEXT_PROVENANCE] = DJ_STYLE_FAINT,
        [DJ_TEXT_COMMAND] = DJ_STYLE_FAINT,  [DJ_TEXT_ALARM] = DJ_STYLE_ALARM,
        [DJ_TEXT_HEADING] = DJ_STYLE_STRONG, [DJ_TEXT_LEGEND] = DJ_STYLE_FAINT,
        [DJ_TEXT_ITEM] = DJ_STYLE_STRONG,    [DJ_TEXT_SENTENCES] = DJ_STYLE_PLAIN};
    dj_node *node = dj_document_add(document, DJ_NODE_TEXT);
    va_list list;
    node->gap = role == DJ_TEXT_TITLE || role == DJ_TEXT_HEADING || role == DJ_TEXT_LEGEND;
    node->text.role = (uint8_t)role;
    node->text.indent = indent;
    va_start(list, format);
    dj_text_part part = {.text = format_list(document, format, list), .style = styles[role]};
    va_end(list);
    if (*part.text)
        add_part(document, &node->text, part);
    return node;
}

void dj_text_add(dj_document *document, dj_text *text, enum dj_style style, enum dj_fit fit,
                 const char *format, ...)
{
    va_list list;
    va_start(list, format);
    dj_text_part part = {format_list(document, format, list), (uint8_t)style, (uint8_t)fit};
    va_end(list);
    add_part(document, text, part);
}

static dj_datum own(dj_document *document, dj_datum datum)
{
    if (datum.text)
        datum.text = *datum.text ? dj_document_copy(document, datum.text) : ""; // never the caller's
    return datum;
}

dj_node *dj_document_facts(dj_document *document)
{
    return dj_document_add(document, DJ_NODE_FACTS);
}

void dj_facts_add(dj_document *document, dj_node *node, const char *name, dj_datum value, const char *note)
{
    dj_facts *facts = &node->facts;
    dj_fact *list = one_more(document, facts->list, &facts->count, sizeof *list);
    if (!list)
        return;
    facts->list = list;
    list[facts->count - 1] = (dj_fact){.name = dj_document_copy(document, name),
                                       .value = own(document, value),
                                       .note = dj_document_copy(document, note)};
}

dj_sheet *dj_document_table(dj_document *document, enum dj_node_kind kind, const char *title)
{
    dj_node *node = dj_document_add(document, kind);
    node->table = (dj_sheet){.title = dj_document_copy(document, title), .document = document};
    return &node->table;
}

dj_node *dj_sheet_node(dj_sheet *table)
{
    return (dj_node *)((char *)table - offsetof(dj_node, table));
}

void dj_sheet_add_column(dj_sheet *table, dj_sheet_column column)
{
    dj_document *document = table->document;
    dj_sheet_column *columns = one_more(document, table->columns, &table->column_count, sizeof *columns);
    if (!columns)
        return;
    column.title = column.title ? dj_document_copy(document, column.title) : NULL;
    column.name = column.name ? dj_document_copy(document, column.name) : NULL;
    table->columns = columns;
    columns[table->column_count - 1] = column;
}

void dj_sheet_add_columns(dj_sheet *table, const dj_sheet_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dj_sheet_add_column(table, columns[i]);
}

dj_sheet_row *dj_sheet_add_row(dj_sheet *table)
{
    dj_document *document = table->document;
    dj_sheet_row *rows = one_more(document, table->rows, &table->row_count, sizeof *rows);
    dj_datum *cells = rows ? dj_document_take(document, table->column_count, sizeof *cells) : NULL;
    table->rows = rows ? rows : table->rows;
    if (!cells) {
        table->row_count -= rows != NULL;
        document->memory->scrap_row = (dj_sheet_row){.cells = NULL};
        return &document->memory->scrap_row;
    }
    rows[table->row_count - 1] = (dj_sheet_row){.cells = cells};
    return &rows[table->row_count - 1];
}

void dj_row_put(dj_sheet *table, dj_sheet_row *row, dj_datum cell)
{
    if (row->cells && row->used < table->column_count)
        row->cells[row->used++] = own(table->document, cell);
}

dj_sheet_row *dj_sheet_add_cells(dj_sheet *table, const dj_datum *cells, size_t count)
{
    dj_sheet_row *row = dj_sheet_add_row(table);
    for (size_t i = 0; i < count; i++)
        dj_row_put(table, row, cells[i]);
    return row;
}

dj_text *dj_row_note(dj_sheet *table, dj_sheet_row *row, unsigned indent)
{
    dj_text *notes = one_more(table->document, row->notes, &row->note_count, sizeof *notes);
    if (!notes)
        return &table->document->memory->scrap_note;
    row->notes = notes;
    notes[row->note_count - 1] = (dj_text){.role = DJ_TEXT_LINE, .indent = indent};
    return &notes[row->note_count - 1];
}

dj_chart *dj_document_chart(dj_document *document, const char *title, const char *subtitle)
{
    dj_node *node = dj_document_add(document, DJ_NODE_CHART);
    node->chart = (dj_chart){.title = dj_document_copy(document, title),
                             .subtitle = dj_document_copy(document, subtitle),
                             .x_name = "",
                             .x_unit = "",
                             .y_name = "",
                             .document = document};
    return &node->chart;
}

dj_series *dj_chart_add_series(dj_chart *chart, enum dj_series_kind kind, const char *name, size_t count)
{
    dj_document *document = chart->document;
    double *x = dj_document_take(document, count, sizeof *x),
           *y = dj_document_take(document, count, sizeof *y);
    dj_series *list = x && y ? one_more(document, chart->series, &chart->series_count, sizeof *list) : NULL;
    if (!list) {
        document->memory->scrap_series = (dj_series){.count = 0};
        return &document->memory->scrap_series;
    }
    chart->series = list;
    list[chart->series_count - 1] = (dj_series){dj_document_copy(document, name), (uint8_t)kind, x, y, count};
    return &list[chart->series_count - 1];
}

void dj_chart_add_mark(dj_chart *chart, const char *label, double at)
{
    dj_chart_mark *marks = one_more(chart->document, chart->marks, &chart->mark_count, sizeof *marks);
    if (!marks)
        return;
    chart->marks = marks;
    marks[chart->mark_count - 1] = (dj_chart_mark){dj_document_copy(chart->document, label), at};
}
