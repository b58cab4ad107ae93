// SPDX-License-Identifier: MIT
// Code and data ranked by their poor spatial reuse, with source lines and advice.
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "report/parts.h"
#include "report/row_ranges.h"
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

static void add_columns(dj_sheet *table, const dj_spatial_page *page, bool ranged)
{
    char block[DJ_HUMAN_BYTES];
    const bool usage = page->spatial->usage_block > 0;
    const char *used =
        dj_document_format(page->document, "used/%s", dj_human_size(block, page->spatial->usage_block));
    const dj_sheet_column columns[] = {
        DJ_COLUMN("", NULL, 0, RANK_STAYS),
        DJ_COLUMN("poor", NULL, 4, RANK_STAYS),
        DJ_COLUMN(ranged ? "poor, range" : NULL, NULL, 9, RANK_STAYS),
        DJ_COLUMN(ranged ? "rank" : NULL, NULL, 3, RANK_STAYS),
        DJ_COLUMN("score", NULL, 5, RANK_STAYS),
        DJ_COLUMN(ranged ? "probably" : NULL, NULL, 9, RANK_STAYS),
        DJ_COLUMN(dj_spatial_far_name(page), NULL, 5, RANK_REUSES),
        DJ_COLUMN(ranged ? dj_document_format(page->document, "%s, range", dj_spatial_far_name(page)) : NULL,
                  NULL, 9, RANK_REUSES),
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

// `rank` NULL: without ranges.
static void add_row(const dj_spatial_page *page, dj_sheet *table, const dj_rank_row *row,
                    const dj_row_rank *rank, size_t number)
{
    const dj_usage *usage = &row->usage;
    dj_document *document = page->document;
    const dj_spatial_tally_range *range = &row->far_range;
    const dj_datum none = dj_datum_none("");
    const dj_datum cells[] = {
        dj_datum_text(dj_document_format(page->document, "%3zu. %s", number, row->name)),
        dj_spatial_mark(page, dj_datum_part(DJ_DATUM_SHARE, row->share, 1)),
        rank ? dj_spatial_count_range_datum(document, range->poor, row->weak) : none,
        rank ? dj_datum_word(dj_name_rank(document, rank)) : none,
        dj_spatial_score_datum(row->far),
        rank ? dj_spatial_range_datum(document, range->score) : none,
        dj_spatial_mark(page, dj_datum_whole(DJ_DATUM_SHORT, row->far.reuses)),
        rank ? dj_spatial_count_range_datum(document, range->reuses, false) : none,
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
static void add_legend(const dj_spatial_page *page, bool ranged, bool again)
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
    if (dj_spatial_is_estimate(s))
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE, "; ≈: estimated%s",
                    ranged ? "" : ", without a range; rows of less than 1% may be missing");
    if (ranged)
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; poor, range: probably contains the exact number of poor reuses (?: too wide to be "
                    "useful); rank: which ones the row may have; probably: where the exact score is; rows "
                    "that no burst has seen are missing");
}

// One for each row; NULL if they have no ranges. The caller frees it.
static int find_ranks(dj_context *context, const dj_ranking *ranking, dj_row_rank **out)
{
    *out = ranking->ranged ? calloc(ranking->count + 1, sizeof **out) : NULL;
    if (!*out)
        return ranking->ranged ? dj_fail_memory(context, "the ranks of a table", 0) : DJ_OK;
    for (size_t i = 0; i < ranking->count; i++)
        (*out)[i].range =
            (dj_row_range){ranking->rows[i].far_range.poor.low, ranking->rows[i].far_range.poor.high};
    return dj_rank_rows(context, *out, ranking->count);
}

static void add_ranking(const dj_spatial_page *page, const dj_ranking *ranking, const dj_row_rank *ranks,
                        enum dj_rank_by by, size_t rows, bool again)
{
    static const char *const titles[] = {[DJ_RANK_LINE] = "lines by poor spatial reuse",
                                         [DJ_RANK_LINE_CALLING_CONTEXT] =
                                             "lines in calling context by poor spatial reuse",
                                         [DJ_RANK_LOOP] = "loops by poor spatial reuse"};
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, titles[by]);
    size_t more = 0;
    double part = 0;
    table->good = NAME_GOOD;
    add_columns(table, page, ranking->ranged);
    for (size_t i = 0; i < rows; i++)
        add_row(page, table, &ranking->rows[i], ranks ? &ranks[i] : NULL, i + 1);
    for (size_t i = rows; i < ranking->count && ranking->rows[i].poor > 0; i++, more++)
        part += ranking->rows[i].share;
    table->rest = dj_name_rest(page->document, more, part, 1, "poor reuses");
    add_legend(page, ranking->ranged, again);
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
    dj_row_rank *ranks = NULL;
    err = find_ranks(context, ranking, &ranks);
    size_t rows = count_rows(ranking, top);
    if (!err && rows > 0)
        add_ranking(page, ranking, ranks, by, rows, again);
    else if (!err && advice)
        dj_document_say(page->document, DJ_TEXT_HEADING, 0, "no line has poor spatial reuse%s",
                        dj_spatial_is_estimate(page->spatial) ? " in the bursts" : "");
    if (!err && advice)
        dj_add_spatial_advice(page, ranking, rows);
    free(ranks);
    dj_ranking_destroy(ranking);
    return err;
}

int dj_add_ranking(dj_context *context, const dj_spatial_page *page)
{
    size_t before = page->document->count;
    int err = add_by(context, page, DJ_RANK_LOOP, (page->top + 1) / 2, false, false);
    bool any = page->document->count > before;
    return err ? err : add_by(context, page, page->options.by, page->top, true, any);
}
