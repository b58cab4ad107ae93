// SPDX-License-Identifier: MIT
// Code and data ranked by their poor spatial reuse, with source lines and advice.
#include <string.h>

#include "base/human.h"
#include "report/parts.h"
#include "report/spatial/spatial.h"

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

static void add_columns(dj_sheet *table, const dj_spatial_page *page)
{
    char block[DJ_HUMAN_BYTES];
    const bool usage = page->spatial->usage_block > 0;
    const char *used =
        dj_document_format(page->document, "used/%s", dj_human_size(block, page->spatial->usage_block));
    const dj_sheet_column columns[] = {
        DJ_COLUMN("", NULL, 0, RANK_STAYS),
        DJ_COLUMN("poor", NULL, 4, RANK_STAYS),
        DJ_COLUMN("score", NULL, 5, RANK_STAYS),
        DJ_COLUMN(dj_spatial_far_name(page), NULL, 5, RANK_REUSES),
        DJ_COLUMN("overall", NULL, 5, RANK_OVERALL),
        DJ_COLUMN(usage ? "stride" : NULL, NULL, 6, RANK_STRIDE),
        DJ_COLUMN(usage ? used : NULL, NULL, 5, RANK_USED),
        DJ_COLUMN(page->spatial->cache_count > 0 ? "saves" : NULL, NULL, 5, RANK_SAVED)};
    DJ_COLUMNS(table, columns);
}

// The stride of at least half of the steps.
static dj_datum stride_of(const dj_usage *usage)
{
    if (usage->steps == 0)
        return dj_datum_none("-");
    return 2 * usage->stride_count[0] >= usage->steps ? dj_datum_signed(usage->stride[0])
                                                      : dj_datum_none("varies");
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

// The data that the line accesses, and the line, as far as it fits.
static void add_below(const dj_spatial_page *page, dj_sheet *table, dj_sheet_row *to, const dj_rank_row *row)
{
    const char *source = source_line(page, row);
    bool object = *row->object_name != 0;
    if (!object && (!source || !*source))
        return;
    dj_text *note = dj_row_note(table, to, INDENT);
    if (object)
        dj_text_add(page->document, note, DJ_STYLE_MARK, DJ_FIT_MIDDLE, "%s", row->object_name);
    if (object && source && *source)
        dj_text_add(page->document, note, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "  ");
    if (source && *source)
        dj_text_add(page->document, note, DJ_STYLE_FAINT, DJ_FIT_END, "%s", source);
}

static void add_row(const dj_spatial_page *page, dj_sheet *table, const dj_rank_row *row, size_t number)
{
    const dj_usage *usage = &row->usage;
    const dj_datum cells[] = {
        dj_datum_text(dj_document_format(page->document, "%3zu. %s", number, row->name)),
        dj_datum_part(DJ_DATUM_SHARE, row->share, 1),
        dj_spatial_score_datum(row->far),
        dj_datum_whole(DJ_DATUM_SHORT, row->far.reuses),
        dj_spatial_score_datum(row->all),
        stride_of(usage),
        usage->fetched > 0 ? dj_datum_real(DJ_DATUM_REAL, (double)usage->used / (double)usage->fetched, 1)
                           : dj_datum_none("-"),
        dj_datum_whole(DJ_DATUM_SHORT, row->saved)};
    dj_sheet_row *to = DJ_CELLS(table, cells);
    to->style = row->share >= 0.1 ? DJ_STYLE_ALARM : row->share >= 0.01 ? DJ_STYLE_WARM : DJ_STYLE_PLAIN;
    add_below(page, table, to, row);
    if (!*row->path)
        return;
    dj_text *path = dj_row_note(table, to, INDENT);
    path->role = DJ_TEXT_SENTENCES;
    dj_text_add(page->document, path, DJ_STYLE_FAINT, DJ_FIT_WHOLE, "%s", row->path);
}

// Rows with less are noise, unless there are no others.
#define SHARE_LEAST 0.001

static size_t count_rows(const dj_ranking *ranking, size_t top)
{
    size_t rows = 0;
    while (rows < ranking->count && rows < top && ranking->rows[rows].poor > 0 &&
           (rows == 0 || ranking->rows[rows].share >= SHARE_LEAST))
        rows++;
    return rows;
}

// `again`: the table before it has the same columns.
static void add_legend(const dj_spatial_page *page, bool again)
{
    if (again) {
        dj_document_say(page->document, DJ_TEXT_LEGEND, 2, "columns as above; overall: score of all reuses")
            ->gap = false;
        return;
    }
    char block[DJ_HUMAN_BYTES];
    dj_document *document = page->document;
    const dj_spatial *s = page->spatial;
    size_t cache = page->options.cache < s->cache_count ? page->options.cache : 0;
    dj_node *node = dj_document_say(document, DJ_TEXT_LEGEND, 2,
                                    "poor: share of all poor reuses; score, %s: score and number of %s",
                                    dj_spatial_far_name(page), dj_spatial_far_plural(page));
    dj_text *legend = &node->text;
    node->gap = false;
    if (s->usage_block > 0) {
        dj_human_size(block, s->usage_block);
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; stride: bytes from one access to the next; used/%s: bytes used of each block of %s "
                    "before eviction",
                    block, block);
    }
    if (s->cache_count > 0)
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; saves: %s misses that a score of 1 would avoid", s->caches[cache].name);
}

static void add_ranking(const dj_spatial_page *page, const dj_ranking *ranking, enum dj_rank_by by,
                        size_t rows, bool again)
{
    static const char *const titles[] = {[DJ_RANK_LINE] = "lines by poor spatial reuse",
                                         [DJ_RANK_LINE_CALLING_CONTEXT] =
                                             "lines in calling context by poor spatial reuse",
                                         [DJ_RANK_LOOP] = "loops by poor spatial reuse"};
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, titles[by]);
    size_t more = 0;
    double part = 0;
    table->good = NAME_GOOD;
    add_columns(table, page);
    for (size_t i = 0; i < rows; i++)
        add_row(page, table, &ranking->rows[i], i + 1);
    for (size_t i = rows; i < ranking->count && ranking->rows[i].poor > 0; i++, more++)
        part += ranking->rows[i].share;
    table->rest = dj_name_rest(page->document, more, part, 1, "poor reuses");
    add_legend(page, again);
}

// With advice below the table.
static int add_by(dj_context *context, const dj_spatial_page *page, enum dj_rank_by by, size_t top,
                  bool advice, bool again)
{
    dj_ranking_options options = page->options;
    dj_ranking *ranking = NULL;
    options.by = by;
    int err = dj_ranking_create(context, page->profile, &options, &ranking);
    if (err)
        return err;
    size_t rows = count_rows(ranking, top);
    if (rows > 0)
        add_ranking(page, ranking, by, rows, again);
    else if (advice)
        dj_document_say(page->document, DJ_TEXT_HEADING, 0, "no line has poor spatial reuse");
    if (advice)
        dj_add_spatial_advice(page, ranking, rows);
    dj_ranking_destroy(ranking);
    return DJ_OK;
}

int dj_add_ranking(dj_context *context, const dj_spatial_page *page)
{
    size_t before = page->document->count;
    int err = add_by(context, page, DJ_RANK_LOOP, (page->top + 1) / 2, false, false);
    bool any = page->document->count > before;
    return err ? err : add_by(context, page, page->options.by, page->top, true, any);
}
