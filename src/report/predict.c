// SPDX-License-Identifier: MIT
// The report of 'deja predict': the growth of distances, the curve and the histogram at another input, and
// the code and data whose reuses are evadable.
#include "report/predict.h"

#include <deja/version.h>

#include <math.h>
#include <string.h>

#include "base/human.h"
#include "report/parts.h"

static const char *growth_words(enum dj_growth growth)
{
    switch (growth) {
    case DJ_GROWTH_CONSTANT:
        return "stays";
    case DJ_GROWTH_CUBE_ROOT:
        return "as the cube root";
    case DJ_GROWTH_SQUARE_ROOT:
        return "as the square root";
    case DJ_GROWTH_TWO_THIRDS:
        return "as the power 2/3";
    case DJ_GROWTH_LINEAR:
        return "linearly";
    default:
        return dj_growth_name(growth);
    }
}

static const char *name_input(dj_document *document, const dj_prediction_view *view, double size)
{
    char count[DJ_HUMAN_BYTES];
    if (view->in_data)
        return dj_document_format(document, "%s %s", dj_human_count(count, dj_whole(size)),
                                  dj_name_distinct(document, view->profile));
    return dj_document_format(document, "input %.10g", size);
}

static void add_head(dj_document *document, const dj_prediction_view *view)
{
    const dj_growth_prediction *p = view->prediction;
    char evadable[DJ_HUMAN_BYTES], error[DJ_HUMAN_BYTES];
    const char *grow =
        p->evadable > 0
            ? dj_document_format(document,
                                 "%s of the reuses are evadable: their distance grows with the input",
                                 dj_human_share(evadable, p->evadable, 1))
            : "no reuse is evadable: distances do not grow with the input";
    document->summary = dj_document_format(
        document, "At %s, %s. The prediction is off by at most about %s of the accesses%s.",
        name_input(document, view, p->to), grow, dj_human_percent(error, p->error, 1),
        p->weak ? ", which is a lot" : "");
    dj_document_say(document, DJ_TEXT_TITLE, 0, "predicted locality at %s",
                    name_input(document, view, p->to));
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0,
                    "from %zu profiles, up to %s · %s · a fully associative LRU cache", view->count,
                    name_input(document, view, p->largest),
                    dj_name_blocks(document, view->profile, &view->profile->lanes[0]));
    dj_add_command(document, DJ_VERSION, view->command);
    if (p->weak)
        dj_document_say(document, DJ_TEXT_ALARM, 0,
                        "WEAK: up to about %s of the accesses may have other distances than predicted. "
                        "Measure larger inputs, or predict for a smaller one.",
                        dj_human_percent(error, p->error, 1));
}

static void add_facts(dj_document *document, const dj_prediction_view *view)
{
    enum { NAME_WIDTH = 20 };
    const dj_growth_prediction *p = view->prediction;
    char within[DJ_HUMAN_BYTES];
    dj_node *facts = dj_document_facts(document);
    facts->facts.width = NAME_WIDTH;
    dj_datum times = dj_datum_real(DJ_DATUM_REAL, p->beyond, 2);
    dj_facts_add(document, facts, "accesses", dj_datum_count(dj_whole(p->accesses)),
                 dj_document_format(document, "predicted; probably within %s",
                                    dj_human_rough(within, 100 * p->count_error)));
    dj_facts_add(document, facts, dj_name_distinct(document, view->profile),
                 dj_datum_count(dj_whole(p->data)), "");
    dj_facts_add(document, facts, "cold", dj_datum_part(DJ_DATUM_PERCENT, p->cold, p->accesses),
                 "of the accesses");
    dj_facts_add(document, facts, "times the largest", times, "input measured, by its data");
    dj_facts_add(document, facts, "held-out error", dj_datum_part(DJ_DATUM_PERCENT, p->held_out, 1),
                 "the largest input, predicted from the others");
    dj_facts_add(document, facts, "error", dj_datum_part(DJ_DATUM_PERCENT, p->error, 1),
                 p->sampled > 0 ? "at this size, including that of the samples" : "at this size");
}

static void add_groups(dj_document *document, const dj_prediction_view *view)
{
    static const dj_sheet_column columns[] = {
        DJ_COLUMN("distance grows", "growth", 20, 0),
        DJ_COLUMN("reuses", "share", 7, 0),
        DJ_COLUMN("at the largest input", "distances", 22, 1),
        DJ_COLUMN("predicted", "predicted", 22, 0),
        DJ_COLUMN("evadable", "evadable", 8, 2),
    };
    const dj_growth_prediction *p = view->prediction;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "locality groups");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < p->group_count; i++) {
        const dj_predict_group *group = &p->groups[i];
        const dj_datum cells[] = {dj_datum_text(growth_words(group->growth)),
                                  dj_datum_part(DJ_DATUM_SHARE, group->share, 1),
                                  dj_datum_range(dj_whole(group->first), dj_whole(group->last)),
                                  dj_datum_range(dj_whole(group->to_first), dj_whole(group->to_last)),
                                  dj_datum_word(group->evadable ? "yes" : "no")};
        DJ_CELLS(table, cells);
    }
    dj_document_say(
        document, DJ_TEXT_LEGEND, 0,
        "reuses: share of all reuses at the predicted input. evadable: the distance grows with the "
        "input, so that any cache becomes too small.");
}

static void add_curve(dj_document *document, const dj_prediction_view *view)
{
    static const dj_sheet_column columns[] = {
        DJ_COLUMN("cache", "size", 10, 0),       DJ_COLUMN("", NULL, 10, 2),
        DJ_COLUMN("miss ratio", "ratio", 10, 0), DJ_COLUMN("from", "low", 8, 1),
        DJ_COLUMN("to", "high", 8, 1),
    };
    const dj_growth_prediction *p = view->prediction;
    const dj_lane_profile *lane = &view->profile->lanes[0];
    if (p->point_count == 0)
        return;
    dj_chart *chart = dj_document_chart(document, "predicted miss ratio", "fully associative LRU");
    chart->x_name = "cache size";
    chart->x_unit = dj_document_format(document, "%ss", view->profile->provenance.unit);
    chart->y_name = "miss ratio";
    chart->x_bytes = view->profile->provenance.unit_bytes > 0 ? lane->id.block_bytes : 0;
    chart->first = (double)p->points[0].size;
    chart->last = fmax((double)p->points[p->point_count - 1].size, chart->first + 1);
    dj_series *series = dj_chart_add_series(chart, DJ_SERIES_STEPS, "predicted", p->point_count);
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "predicted curve");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < p->point_count; i++) {
        const dj_predict_point *point = &p->points[i];
        if (i < series->count) {
            series->x[i] = (double)point->size;
            series->y[i] = point->ratio;
        }
        const dj_datum cells[] = {
            dj_datum_count(point->size), dj_datum_text(dj_name_bytes(document, view->profile, point->size)),
            dj_datum_part(DJ_DATUM_PERCENT, point->ratio, 1), dj_datum_part(DJ_DATUM_PERCENT, point->low, 1),
            dj_datum_part(DJ_DATUM_PERCENT, point->high, 1)};
        DJ_CELLS(table, cells);
    }
}

static void add_histogram(dj_document *document, const dj_prediction_view *view)
{
    const dj_growth_prediction *p = view->prediction;
    unsigned last = 0;
    for (unsigned bin = 0; bin < DJ_PREDICT_BINS; bin++)
        last = dj_whole(p->bins[bin] * p->accesses) > 0 ? bin : last;
    dj_node *node = dj_document_add(document, DJ_NODE_BARS);
    dj_bars *bars = &node->bars;
    bars->title = "predicted reuse distance";
    bars->unit = "accesses";
    bars->list = dj_document_take(document, last + 2, sizeof *bars->list);
    for (unsigned bin = 0; bars->list && bin <= last; bin++)
        bars->list[bars->count++] = (dj_bar){.lo = bin == 0 ? 0 : UINT64_C(1) << (bin - 1),
                                             .hi = bin == 0 ? 0 : UINT64_MAX >> (64 - bin),
                                             .count = dj_whole(p->bins[bin] * p->accesses)};
    if (bars->list)
        bars->list[bars->count++] = (dj_bar){.count = dj_whole(p->cold), .label = "cold"};
}

// The last cache that is not larger than the data of the largest input.
static size_t choose_point(const dj_growth_prediction *p)
{
    size_t at = 0;
    while (at + 1 < p->point_count && (double)p->points[at + 1].size <= p->largest_data)
        at++;
    return at;
}

static void add_rows(dj_document *document, const dj_prediction_view *view, enum dj_predict_by by)
{
    static const char *const titles[] = {"evadable by object", "evadable by line",
                                         "evadable by pair of places"};
    const dj_growth_prediction *p = view->prediction;
    const dj_predict_rows *rows = &p->rows[by];
    const size_t point = choose_point(p), top = view->top ? view->top : 10;
    char size[DJ_HUMAN_BYTES];
    if (rows->count == 0)
        return;
    const dj_sheet_column columns[] = {
        DJ_COLUMN("", "name", 24, 0),
        DJ_COLUMN("evadable", "evadable", 8, 0),
        DJ_COLUMN("accesses", "accesses", 8, 1),
        DJ_COLUMN(p->point_count ? dj_document_format(document, "misses in %s",
                                                      dj_human_size(size, p->points[point].size))
                                 : NULL,
                  "misses", 8, 0),
        DJ_COLUMN("±", "error", 5, 2),
        DJ_COLUMN("grows", "growth", 18, 3)};
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, titles[by]);
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < rows->count; i++) {
        const dj_predict_row *row = &rows->list[i];
        const dj_datum cells[] = {
            dj_datum_text(row->name),
            dj_datum_whole(DJ_DATUM_SHORT, dj_whole(row->evadable)),
            dj_datum_whole(DJ_DATUM_SHORT, dj_whole(row->accesses)),
            dj_datum_whole(DJ_DATUM_SHORT, p->point_count ? dj_whole(row->misses[point]) : 0),
            dj_datum_part(DJ_DATUM_SHARE, row->error, 1),
            dj_datum_text(growth_words(row->growth))};
        dj_sheet_row *added = DJ_CELLS(table, cells);
        added->hidden = i >= top;
    }
    if (rows->count > top)
        table->rest = dj_document_format(document, "… and %zu more", rows->count - top);
}

int dj_document_prediction(dj_context *context, const dj_prediction_view *view, dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    add_head(document, view);
    add_facts(document, view);
    add_groups(document, view);
    add_curve(document, view);
    add_histogram(document, view);
    for (int by = 0; by < DJ_PREDICT_BYS; by++)
        add_rows(document, view, (enum dj_predict_by)by);
    return dj_document_finish(context, err, document, out);
}
