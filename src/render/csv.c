// SPDX-License-Identifier: MIT
// The numbers of a document as CSV: of the nodes marked as data or, without any, of all nodes. Consecutive
// tables with the same columns share one header; others follow an empty line. If the document has a mark, it
// is the last column of every line.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "render/plain.h"
#include "render/render.h"
#include "render/table.h"

// Spreadsheets interpret texts with these first characters as formulas; so do some with the fullwidth
// forms.
static bool is_formula(const char *text)
{
    static const char *const wide[] = {"＝", "＋", "－", "＠"};
    bool found = *text && strchr("=+-@", *text);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        found |= strncmp(text, wide[i], 3) == 0;
    return found;
}

static void put_text(FILE *out, const char *text)
{
    const char *piece;
    size_t bytes;
    fputs(is_formula(text) ? "\"'" : "\"", out);
    while ((bytes = dj_plain_next(&text, true, &piece)) > 0) {
        if (*piece == '"')
            fputc('"', out);
        fwrite(piece, 1, bytes, out);
    }
    fputc('"', out);
}

static bool is_word(const char *text)
{
    for (const char *at = text; *at; at++)
        if (!dj_plain_is_word(*at) && *at != '_' && (at == text || (*at != '-' && *at != '.')))
            return false;
    return *text != 0;
}

static void put_list(FILE *out, const uint64_t *numbers, uint64_t count)
{
    fputc('"', out);
    for (uint64_t i = 0; i < count; i++)
        fprintf(out, "%s%" PRIu64, i ? " " : "", numbers[i]);
    fputc('"', out);
}

static void put_real(FILE *out, double value, const dj_datum *d)
{
    if (isfinite(value) && d->fixed)
        fprintf(out, "%.*f", d->decimals, value);
    else if (isfinite(value))
        fprintf(out, "%.17g", value);
}

static void put_datum(FILE *out, const dj_datum *d)
{
    switch ((enum dj_datum_kind)d->kind) {
    case DJ_DATUM_NONE:
        break;
    case DJ_DATUM_WORD:
        if (is_word(d->text))
            fputs(d->text, out);
        else
            put_text(out, d->text);
        break;
    case DJ_DATUM_TEXT:
        put_text(out, d->text ? d->text : "");
        break;
    case DJ_DATUM_SIGNED:
        fprintf(out, "%" PRId64, d->integer);
        break;
    case DJ_DATUM_REAL:
    case DJ_DATUM_SHORT_REAL:
        put_real(out, d->real, d);
        break;
    case DJ_DATUM_PERCENT:
    case DJ_DATUM_SHARE:
        put_real(out, d->whole > 0 ? d->real / d->whole : 0, d);
        break;
    case DJ_DATUM_RANGE:
        fprintf(out, d->last == UINT64_MAX ? "\"%" PRIu64 "-\"" : "\"%" PRIu64 "-%" PRIu64 "\"", d->count,
                d->last);
        break;
    case DJ_DATUM_SPARK:
    case DJ_DATUM_LIST:
        put_list(out, d->heights, d->last);
        break;
    case DJ_DATUM_HASH:
        fprintf(out, "\"%016" PRIx64 "\"", d->count);
        break;
    default:
        fprintf(out, "%" PRIu64, d->count);
    }
}

// Column names are single words.
static void put_name(FILE *out, const char *name, bool first)
{
    if (!first)
        fputc(',', out);
    for (; *name; name++)
        fputc(dj_plain_is_word(*name) ? *name : '_', out);
}

static bool same_names(const dj_sheet *a, const dj_sheet *b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->column_count && !a->columns[i].name)
            i++;
        while (k < b->column_count && !b->columns[k].name)
            k++;
        if (i == a->column_count || k == b->column_count)
            return i == a->column_count && k == b->column_count;
        if (strcmp(a->columns[i].name, b->columns[k].name) != 0)
            return false;
    }
}

static void end_header(FILE *out, const char *mark)
{
    fputs(mark ? ",mark\n" : "\n", out);
}

static void end_line(FILE *out, const char *mark)
{
    if (mark) {
        fputc(',', out);
        put_text(out, mark);
    }
    fputc('\n', out);
}

static int put_rows(dj_context *context, FILE *out, const dj_sheet *table, const char *mark)
{
    dj_arena arena = {0};
    dj_datum *made = dj_arena_alloc(&arena, table->column_count + 1, sizeof *made);
    if (!made)
        return dj_fail_memory(context, "a table", 0);
    for (size_t r = 0; r < table->row_count; r++) {
        dj_sheet_row row = dj_sheet_get(table, r, made);
        bool first = true;
        if (!table->fill && row.used == 0) // a gap between lines of source
            continue;
        for (size_t i = 0; i < table->column_count; i++) {
            if (!table->columns[i].name)
                continue;
            if (!first)
                fputc(',', out);
            first = false;
            put_datum(out, &row.cells[i]);
        }
        end_line(out, mark);
    }
    dj_arena_free(&arena);
    return DJ_OK;
}

static int put_table(dj_context *context, FILE *out, const dj_sheet *table, bool joined, const char *mark)
{
    bool first = true;
    if (!joined) {
        for (size_t i = 0; i < table->column_count; i++)
            if (table->columns[i].name) {
                put_name(out, table->columns[i].name, first);
                first = false;
            }
        end_header(out, mark);
    }
    return put_rows(context, out, table, mark);
}

static void put_bars(FILE *out, const dj_bars *bars, const char *mark)
{
    fputs("lo,hi,count", out);
    end_header(out, mark);
    for (size_t i = 0; i < bars->count; i++) {
        if (bars->list[i].label)
            fprintf(out, ",,%" PRIu64, bars->list[i].count);
        else
            fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, bars->list[i].lo, bars->list[i].hi,
                    bars->list[i].count);
        end_line(out, mark);
    }
}

static void put_facts(FILE *out, const dj_facts *facts, const char *mark)
{
    fputs("name,value,note", out);
    end_header(out, mark);
    for (size_t i = 0; i < facts->count; i++) {
        const char *name = facts->list[i].name + strspn(facts->list[i].name, " ");
        put_text(out, name);
        fputc(',', out);
        put_datum(out, &facts->list[i].value);
        fputc(',', out);
        if (*facts->list[i].note)
            put_text(out, facts->list[i].note);
        end_line(out, mark);
    }
}

static void put_chart(FILE *out, const dj_chart *chart, const char *mark)
{
    fputs("series,x,y", out);
    end_header(out, mark);
    for (size_t i = 0; i < chart->series_count; i++)
        for (size_t k = 0; k < chart->series[i].count; k++) {
            put_text(out, chart->series[i].name);
            fprintf(out, ",%.17g,%.17g", chart->series[i].x[k], chart->series[i].y[k]);
            end_line(out, mark);
        }
}

static void put_heat(FILE *out, const dj_heat *heat, const char *mark)
{
    fputs("row,column,share", out);
    end_header(out, mark);
    for (size_t i = 0; i < heat->row_count; i++)
        for (size_t k = 0; k < heat->column_count; k++) {
            if (heat->rows[i].label)
                put_text(out, heat->rows[i].label);
            else
                fprintf(out, "%" PRIu64, heat->rows[i].at);
            fprintf(out, ",%" PRIu64 ",%.17g", heat->columns[k], heat->rows[i].cells[k]);
            end_line(out, mark);
        }
}

static bool is_table(const dj_node *node)
{
    return node->kind == DJ_NODE_TABLE || node->kind == DJ_NODE_SOURCE;
}

static int put_node(dj_context *context, FILE *out, const dj_node *node, const dj_node *before,
                    const char *mark)
{
    bool joined = before && is_table(before) && is_table(node) && same_names(&before->table, &node->table);
    if (before && !joined)
        fputc('\n', out);
    switch ((enum dj_node_kind)node->kind) {
    case DJ_NODE_TABLE:
    case DJ_NODE_SOURCE:
        return put_table(context, out, &node->table, joined, mark);
    case DJ_NODE_BARS:
        put_bars(out, &node->bars, mark);
        break;
    case DJ_NODE_FACTS:
        put_facts(out, &node->facts, mark);
        break;
    case DJ_NODE_CHART:
        put_chart(out, &node->chart, mark);
        break;
    case DJ_NODE_HEAT:
        put_heat(out, &node->heat, mark);
        break;
    case DJ_NODE_TEXT:
        break;
    }
    return DJ_OK;
}

int dj_render_csv(dj_context *context, const dj_document *document, const dj_render_options *options,
                  FILE *out)
{
    (void)options; // numbers do not depend on them
    bool chosen = false;
    const dj_node *before = NULL;
    int err = DJ_OK;
    for (size_t i = 0; i < document->count; i++)
        chosen |= document->nodes[i]->data;
    for (size_t i = 0; !err && i < document->count; i++) {
        const dj_node *node = document->nodes[i];
        if (node->kind == DJ_NODE_TEXT || (chosen ? !node->data : node->hidden))
            continue;
        err = put_node(context, out, node, before, document->mark);
        before = node;
    }
    return err;
}
