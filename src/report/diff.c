// SPDX-License-Identifier: MIT
// The report of 'deja diff': the verdict, the totals, the curves, and the code and data that differ.
#include "report/diff.h"

#include <deja/version.h>

#include <math.h>
#include <string.h>

#include "base/human.h"
#include "report/crossings.h"
#include "report/parts.h"

enum { TOP_DEFAULT = 10 };
// A change of a row that is less than this share of the largest one is not worth a line.
static const double LEAST_SHOWN = 0.001;

static void add_head(dj_document *document, const dj_diff_view *view)
{
    const dj_profile *after = view->profiles[DJ_AFTER];
    document->summary = dj_diff_verdict(document, view);
    dj_document_say(document, DJ_TEXT_TITLE, 0, "%s → %s", view->names[DJ_BEFORE], view->names[DJ_AFTER]);
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "%s · a fully associative LRU cache",
                    dj_name_blocks(document, after, &after->lanes[0]));
    dj_add_command(document, DJ_VERSION, view->command);
    for (int run = 0; run < DJ_SIDES; run++) {
        const dj_provenance *from = &view->profiles[run]->provenance;
        if (from->partial)
            dj_document_say(document, DJ_TEXT_ALARM, 0, "PARTIAL: %s ended early (%s).", view->names[run],
                            from->partial_reason ? from->partial_reason : "unknown reason");
    }
    if (view->diff->estimated)
        dj_document_say(document, DJ_TEXT_ALARM, 0,
                        "ESTIMATE: a difference below its error (±) may be none. Rows within their error are "
                        "not shown.");
}

static void say_crossing(void *user, bool crossed, const char *text)
{
    dj_document_say(user, crossed ? DJ_TEXT_ALARM : DJ_TEXT_LEGEND, 0, "%s", text);
}

static const char *name_change(dj_document *document, const dj_diff *diff, const dj_diff_count *count)
{
    const double change = dj_diff_change(diff, count);
    return change == 0 ? "0"
                       : dj_document_format(document, "%s%s", change < 0 ? "-" : "+",
                                            dj_diff_number(document, diff, fabs(change)));
}

// Counts are whole numbers; per element of work, they are not.
static dj_datum value_of(const dj_diff *diff, const dj_diff_count *count, int run)
{
    if (!dj_diff_is_scaled(diff))
        return dj_datum_whole(DJ_DATUM_SHORT, count->runs[run]);
    return dj_datum_real(DJ_DATUM_SHORT_REAL, dj_diff_value(diff, count, run), 6);
}

static dj_datum error_of(dj_document *document, const dj_diff *diff, const dj_diff_count *count)
{
    const double error = dj_diff_error(count);
    return error > 0
               ? dj_datum_text(dj_diff_number(document, diff, dj_diff_is_scaled(diff) ? error : ceil(error)))
               : dj_datum_none("");
}

#define TITLE_UNLESS_EXACT(diff, title) ((diff)->estimated ? (title) : NULL)

static void add_total(dj_document *document, const dj_diff *diff, dj_sheet *table, const char *name,
                      const dj_diff_count *count)
{
    const dj_datum cells[] = {dj_datum_text(name),
                              value_of(diff, count, DJ_BEFORE),
                              value_of(diff, count, DJ_AFTER),
                              dj_datum_text(name_change(document, diff, count)),
                              dj_datum_text(dj_diff_percent(document, diff, count)),
                              error_of(document, diff, count)};
    DJ_CELLS(table, cells);
}

static void add_totals(dj_document *document, const dj_diff_view *view)
{
    const dj_diff *diff = view->diff;
    const dj_sheet_column columns[] = {
        DJ_COLUMN("", "name", 16, 0),      DJ_COLUMN("before", "before", 8, 0),
        DJ_COLUMN("after", "after", 8, 0), DJ_COLUMN("change", NULL, 8, 0),
        DJ_COLUMN("", "percent", 8, 0),    DJ_COLUMN(TITLE_UNLESS_EXACT(diff, "±"), NULL, 6, 1),
    };
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "totals");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    add_total(document, diff, table, "accesses", &diff->accesses);
    add_total(document, diff, table, dj_name_distinct(document, view->profiles[DJ_AFTER]), &diff->distinct);
    add_total(document, diff, table, "cold", &diff->cold);
    for (size_t c = 0; c < diff->cache_count; c++)
        add_total(document, diff, table, dj_document_format(document, "%s misses", diff->caches[c].name),
                  &diff->misses[c]);
}

static void add_curve(dj_document *document, const dj_diff_view *view)
{
    static const dj_sheet_column columns[] = {
        DJ_COLUMN("cache", "size", 10, 0),    DJ_COLUMN("", NULL, 10, 2),
        DJ_COLUMN("before", "before", 10, 0), DJ_COLUMN("after", "after", 10, 0),
        DJ_COLUMN("misses", NULL, 8, 1),
    };
    const dj_diff *diff = view->diff;
    const dj_profile *after = view->profiles[DJ_AFTER];
    if (diff->point_count == 0)
        return;
    dj_chart *chart = dj_document_chart(document, "miss ratio", "fully associative LRU");
    chart->x_name = "cache size";
    chart->x_unit = dj_document_format(document, "%ss", after->provenance.unit);
    chart->y_name = "miss ratio";
    chart->x_bytes = after->provenance.unit_bytes > 0 ? after->lanes[0].id.block_bytes : 0;
    chart->first = (double)diff->points[0].size;
    chart->last = fmax((double)diff->points[diff->point_count - 1].size, chart->first + 1);
    dj_series *series[DJ_SIDES] = {dj_chart_add_series(chart, DJ_SERIES_STEPS, "before", diff->point_count),
                                   dj_chart_add_series(chart, DJ_SERIES_STEPS, "after", diff->point_count)};
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "miss ratio");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < diff->point_count; i++) {
        const dj_diff_point *point = &diff->points[i];
        for (int run = 0; run < DJ_SIDES; run++)
            if (i < series[run]->count) {
                series[run]->x[i] = (double)point->size;
                series[run]->y[i] = point->ratios[run];
            }
        const dj_datum cells[] = {dj_datum_count(point->size),
                                  dj_datum_text(dj_name_bytes(document, after, point->size)),
                                  dj_datum_part(DJ_DATUM_PERCENT, point->ratios[DJ_BEFORE], 1),
                                  dj_datum_part(DJ_DATUM_PERCENT, point->ratios[DJ_AFTER], 1),
                                  dj_datum_text(dj_diff_percent(document, diff, &point->misses))};
        DJ_CELLS(table, cells);
    }
}

static const char *name_row(dj_document *document, const dj_diff_row *row)
{
    if (row->was)
        return dj_document_format(document, "%s (was %s)", row->name, row->was);
    return row->in[DJ_BEFORE] && row->in[DJ_AFTER]
               ? row->name
               : dj_document_format(document, "%s (%s)", row->name, row->in[DJ_AFTER] ? "new" : "removed");
}

static void add_row(dj_document *document, const dj_diff *diff, dj_sheet *table, const dj_diff_row *row,
                    bool hidden)
{
    const dj_diff_count *count = dj_diff_ranked(diff, row);
    const bool both = row->in[DJ_BEFORE] && row->in[DJ_AFTER];
    const dj_datum cells[] = {
        dj_datum_text(name_row(document, row)),
        dj_datum_text(row->name),
        dj_datum_text(row->was ? row->was : ""),
        dj_datum_word(both                ? "both"
                      : row->in[DJ_AFTER] ? "after"
                                          : "before"),
        value_of(diff, count, DJ_BEFORE),
        value_of(diff, count, DJ_AFTER),
        dj_datum_text(name_change(document, diff, count)),
        dj_datum_text(dj_diff_percent(document, diff, count)),
        value_of(diff, &row->accesses, DJ_BEFORE),
        value_of(diff, &row->accesses, DJ_AFTER),
        dj_datum_text(dj_diff_percent(document, diff, &row->accesses)),
        error_of(document, diff, count),
    };
    DJ_CELLS(table, cells)->hidden = hidden;
}

// The rows that are not shown, so that the changes add up to the total.
static const char *name_others(dj_document *document, const dj_diff *diff, size_t more, double change)
{
    char count[DJ_HUMAN_BYTES];
    if (more == 0)
        return NULL;
    return dj_document_format(document, "… and %s more: %s%s", dj_human_count(count, more),
                              change < 0   ? "-"
                              : change > 0 ? "+"
                                           : "",
                              dj_diff_number(document, diff, fabs(change)));
}

static void add_rows(dj_document *document, const dj_diff_view *view, const dj_diff_rows *rows)
{
    const dj_diff *diff = view->diff;
    const char *measure = dj_diff_measure(document, view);
    const bool by_accesses = diff->ranked < 0;
    const dj_sheet_column columns[] = {
        DJ_COLUMN("", NULL, 24, 0),
        DJ_COLUMN(NULL, "name", 0, 0),
        DJ_COLUMN(NULL, "was", 0, 0),
        DJ_COLUMN(NULL, "in", 0, 0),
        DJ_COLUMN("before", "before", 8, 0),
        DJ_COLUMN("after", "after", 8, 0),
        DJ_COLUMN("change", NULL, 8, 0),
        DJ_COLUMN("", "percent", 8, 0),
        DJ_COLUMN(NULL, "accesses_before", 0, 0),
        DJ_COLUMN(NULL, "accesses_after", 0, 0),
        DJ_COLUMN(by_accesses ? NULL : "accesses", NULL, 8, 2),
        DJ_COLUMN(TITLE_UNLESS_EXACT(diff, "±"), NULL, 6, 1),
    };
    const size_t top = view->top ? view->top : TOP_DEFAULT;
    size_t shown = 0, hidden = 0;
    double rest = 0;
    if (rows->count == 0)
        return;
    const double largest = fabs(dj_diff_change(diff, dj_diff_ranked(diff, &rows->list[0])));
    dj_sheet *table = dj_document_table(
        document, DJ_NODE_TABLE,
        dj_document_format(document, "%s by %s", by_accesses ? "accesses" : measure, dj_by_name(rows->by)));
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < rows->count; i++) {
        const dj_diff_count *count = dj_diff_ranked(diff, &rows->list[i]);
        const bool counts = fabs(dj_diff_change(diff, count)) >= LEAST_SHOWN * largest;
        const bool show = shown < top && counts && dj_diff_differs(diff, count);
        add_row(document, diff, table, &rows->list[i], !show);
        shown += show;
        hidden += !show;
        rest += show ? 0 : dj_diff_change(diff, count);
    }
    table->rest = name_others(document, diff, hidden, rest);
}

static void add_remarks(dj_document *document, const dj_diff_view *view)
{
    static const double LARGER = 1.05, LEAST_SHARED = 0.5;
    const dj_diff *diff = view->diff;
    const double before = (double)diff->distinct.runs[DJ_BEFORE],
                 after = (double)diff->distinct.runs[DJ_AFTER];
    char times[DJ_HUMAN_BYTES];
    if (diff->shared < LEAST_SHARED)
        dj_document_say(document, DJ_TEXT_ALARM, 0,
                        "Only %.0f%% of the accesses are in functions that both runs have. These may be "
                        "different programs.",
                        floor(100 * diff->shared));
    if (diff->not_compared)
        dj_document_say(document, DJ_TEXT_LEGEND, 0, "Only in one of the profiles: %s.", diff->not_compared);
    if (dj_diff_is_scaled(diff))
        dj_document_say(document, DJ_TEXT_LEGEND, 0,
                        "Counts are divided by the work: %.10g before, %.10g after.", diff->work[DJ_BEFORE],
                        diff->work[DJ_AFTER]);
    else if (before > 0 && (after > LARGER * before || before > LARGER * after))
        dj_document_say(
            document, DJ_TEXT_LEGEND, 0,
            "The second run touches %s times the data of the first. If its input differs, use --per "
            "to compare counts per element of work.",
            dj_human_real(times, after / before, 2));
}

int dj_document_diff(dj_context *context, const dj_diff_view *view, dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    add_head(document, view);
    dj_crossings_say(document, view->crossings, say_crossing, document);
    add_totals(document, view);
    for (size_t i = 0; i < view->diff->row_lists; i++)
        add_rows(document, view, &view->diff->rows[i]);
    add_curve(document, view);
    add_remarks(document, view);
    return dj_document_finish(context, err, document, out);
}
