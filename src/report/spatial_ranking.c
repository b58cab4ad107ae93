// SPDX-License-Identifier: MIT
// Code and data by what they contribute to poor spatial reuse, with the lines
// of source, and what may help.
#include <inttypes.h>
#include <string.h>

#include "report/ink.h"
#include "report/paragraph.h"
#include "report/sheet.h"
#include "report/spatial.h"

enum {
    INDENT = 7,
    NAME_GOOD = 36,
    RANK_STAYS = 0,
    RANK_USED,
    RANK_STRIDE,
    RANK_SAVED,
    RANK_REUSES,
    RANK_OVERALL
};

static void add_columns(dj_sheet *sheet, const dj_spatial_page *page)
{
    char title[32], block[DJ_FIGURE];
    dj_sheet_add(sheet, "poor", 4, RANK_STAYS);
    dj_sheet_add(sheet, "score", 5, RANK_STAYS);
    dj_sheet_add(sheet, dj_spatial_far_name(page), 5, RANK_REUSES);
    dj_sheet_add(sheet, "overall", 5, RANK_OVERALL);
    if (page->spatial->usage_block > 0) {
        dj_sheet_add(sheet, "stride", 6, RANK_STRIDE);
        snprintf(title, sizeof title, "used/%s", dj_figure_size(block, page->spatial->usage_block));
        dj_sheet_add(sheet, title, 5, RANK_USED);
    }
    if (page->spatial->cache_count > 0)
        dj_sheet_add(sheet, "saves", 5, RANK_SAVED);
}

// The one that at least half of the steps have.
static void put_stride(char *to, const dj_usage *usage)
{
    if (usage->steps == 0)
        snprintf(to, DJ_CELL, "-");
    else if (2 * usage->stride_count[0] >= usage->steps)
        snprintf(to, DJ_CELL, "%" PRId64, usage->stride[0]);
    else
        snprintf(to, DJ_CELL, "varies");
}

static void fill(char (*cells)[DJ_CELL], const dj_spatial_page *page, const dj_rank_row *row)
{
    unsigned at = 0;
    dj_figure_share(cells[at++], row->share, 1);
    dj_spatial_score_text(cells[at++], row->far);
    dj_figure_short(cells[at++], (double)row->far.reuses);
    dj_spatial_score_text(cells[at++], row->all);
    if (page->spatial->usage_block > 0) {
        put_stride(cells[at++], &row->usage);
        if (row->usage.fetched > 0)
            snprintf(cells[at++], DJ_CELL, "%.1f", (double)row->usage.used / (double)row->usage.fetched);
        else
            snprintf(cells[at++], DJ_CELL, "-");
    }
    if (page->spatial->cache_count > 0)
        dj_figure_short(cells[at], (double)row->saved);
}

static const char *source_line(const dj_spatial_page *page, const dj_rank_row *row)
{
    const dj_report_source *source = page->view->source;
    if (!source || row->file == DJ_NOWHERE || row->line == 0)
        return NULL;
    const char *text =
        source->line(source->state, dj_profile_attribution(page->profile)->files[row->file], row->line);
    return text ? text + strspn(text, " \t") : NULL;
}

// What the line meets, and the line itself, as much as there is room for.
static void print_below(const dj_spatial_page *page, const dj_rank_row *row)
{
    char object[DJ_FIT], text[DJ_FIT];
    const char *source = source_line(page, row);
    unsigned room = dj_style_width(page->style) - INDENT;
    if (!*row->object_name && !source)
        return;
    dj_fit(object, page->style, row->object_name, source ? room / 2 : room);
    fprintf(page->out, "%*s", INDENT, "");
    dj_ink(page->out, page->style, DJ_INK_MARK);
    fputs(object, page->out);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    unsigned used = dj_fit_columns(object) + (*object ? 2 : 0);
    if (source && *source) {
        dj_ink(page->out, page->style, DJ_INK_FAINT);
        fprintf(page->out, "%s%s", *object ? "  " : "", dj_fit_start(text, page->style, source, room - used));
        dj_ink(page->out, page->style, DJ_INK_PLAIN);
    }
    fputc('\n', page->out);
}

static void print_row(const dj_spatial_page *page, const dj_sheet *sheet, const dj_rank_row *row,
                      size_t number)
{
    char name[DJ_FIT], cells[DJ_SHEET_COLUMNS][DJ_CELL];
    fill(cells, page, row);
    snprintf(name, sizeof name, "%3zu. %.400s", number, row->name);
    dj_ink(page->out, page->style,
           row->share >= 0.1    ? DJ_INK_ALARM
           : row->share >= 0.01 ? DJ_INK_COLD
                                : DJ_INK_PLAIN);
    dj_sheet_print_row(sheet, name, cells);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    print_below(page, row);
    if (*row->path) {
        dj_ink(page->out, page->style, DJ_INK_FAINT);
        dj_paragraph(page->out, page->style, row->path, INDENT);
        dj_ink(page->out, page->style, DJ_INK_PLAIN);
    }
}

static void print_rest(const dj_spatial_page *page, const dj_ranking *ranking, size_t shown)
{
    size_t more = 0;
    double part = 0;
    char count[DJ_FIGURE], share[DJ_FIGURE];
    for (size_t i = shown; i < ranking->count && ranking->rows[i].poor > 0; i++, more++)
        part += ranking->rows[i].share;
    if (more == 0)
        return;
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    fprintf(page->out, "  %s and %s more, %s of the poor reuses\n", page->style->unicode ? "…" : "...",
            dj_figure_count(count, more), dj_figure_share(share, part, 1));
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

// Those with so little are noise, unless there is nothing else.
#define SHARE_LEAST 0.001

static size_t count_rows(const dj_ranking *ranking, size_t top)
{
    size_t rows = 0;
    while (rows < ranking->count && rows < top && ranking->rows[rows].poor > 0 &&
           (rows == 0 || ranking->rows[rows].share >= SHARE_LEAST))
        rows++;
    return rows;
}

static void print_ranking(const dj_spatial_page *page, const dj_ranking *ranking, enum dj_rank_by by,
                          size_t rows)
{
    static const char *const titles[] = {[DJ_RANK_LINE] = "lines by poor spatial reuse",
                                         [DJ_RANK_LINE_CONTEXT] = "lines in context by poor spatial reuse",
                                         [DJ_RANK_LOOP] = "loops by poor spatial reuse"};
    dj_sheet sheet = {
        .style = page->style, .out = page->out, .name_title = titles[by], .name_good = NAME_GOOD};
    unsigned widest = 0;
    add_columns(&sheet, page);
    for (size_t i = 0; i < rows; i++) {
        unsigned columns = 5 + dj_fit_columns(ranking->rows[i].name);
        widest = columns > widest ? columns : widest;
    }
    dj_sheet_lay_out(&sheet, widest);
    fputc('\n', page->out);
    dj_sheet_print_head(&sheet);
    for (size_t i = 0; i < rows; i++)
        print_row(page, &sheet, &ranking->rows[i], i + 1);
    print_rest(page, ranking, rows);
}

// With advice below the table.
static int print_by(dj_context *context, const dj_spatial_page *page, enum dj_rank_by by, size_t top,
                    bool advice)
{
    dj_ranking_options options = page->options;
    dj_ranking *ranking = NULL;
    options.by = by;
    int err = dj_ranking_create(context, page->profile, &options, &ranking);
    if (err)
        return err;
    size_t rows = count_rows(ranking, top);
    if (rows > 0)
        print_ranking(page, ranking, by, rows);
    else if (advice)
        dj_page_heading(page, "no line has poor spatial reuse");
    if (advice)
        dj_page_advice(page, ranking, rows);
    dj_ranking_destroy(ranking);
    return DJ_OK;
}

int dj_page_ranking(dj_context *context, const dj_spatial_page *page)
{
    int err = print_by(context, page, DJ_RANK_LOOP, (page->top + 1) / 2, false);
    return err ? err : print_by(context, page, page->options.by, page->top, true);
}
