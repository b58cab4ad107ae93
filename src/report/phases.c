// SPDX-License-Identifier: MIT
// The parts of a trace or a run: phases, their course, and a timeline.
#include <deja/phases.h>

#include <inttypes.h>
#include <math.h>

#include "base/human.h"
#include "report/parts.h"

enum { SHOWN = 24, POINTS_MOST = 256, SIZES_MOST = 3, PHASES_SHOWN = 16 };

typedef struct phases_page {
    dj_document *document;
    const dj_profile *profile;
    const dj_windows *windows;
    const dj_phase_list *list;
} phases_page;

// "1,024 blocks (64 KiB)".
static const char *name_size(const phases_page *page, uint64_t size)
{
    char count[DJ_HUMAN_BYTES];
    const char *bytes = dj_name_bytes(page->document, page->profile, size);
    return dj_document_format(page->document, "%s %s%s%s%s%s", dj_human_count(count, size),
                              page->profile->provenance.unit, size == 1 ? "" : "s", *bytes ? " (" : "", bytes,
                              *bytes ? ")" : "");
}

static void say_verdict(const phases_page *page)
{
    enum { NAMED = 3 };
    const dj_phase_list *list = page->list;
    dj_document *document = page->document;
    const char *text = page->windows->count == 1 ? "One window, too long to show phases" : "One phase";
    if (list->phase_count > 1)
        text = dj_document_format(document, "%zu phases in %zu stretches", list->phase_count,
                                  list->stretch_count);
    else if (list->stretch_count > 1)
        text = dj_document_format(document, "One phase, whose data change %zu time%s",
                                  list->stretch_count - 1, list->stretch_count == 2 ? "" : "s");
    for (size_t i = 0; i < list->phase_count && i < NAMED; i++) {
        const dj_locality_phase *p = &list->phases[i];
        const char *size = p->best ? name_size(page, p->best) : "no cache that helps";
        text = list->phase_count == 1 ? dj_document_format(document, "%s; best cache size: %s", text, size)
                                      : dj_document_format(document, "%s%s phase %zu: %s", text,
                                                           i ? "," : "; best cache sizes:", i + 1, size);
    }
    document->summary =
        dj_document_format(document, "%s%s%s%s", document->summary ? document->summary : "",
                           document->summary ? " " : "", text, list->phase_count > NAMED ? ", …" : ".");
}

static void add_list(const phases_page *page)
{
    const bool bytes = page->profile->provenance.unit_bytes > 0;
    const dj_sheet_column columns[] = {
        {.title = ""},
        {.title = "times", .width = 5, .rank = 2},
        {.title = "accesses", .width = 8},
        {.title = "%", .width = 4, .rank = 1},
        {.title = "distinct", .width = 8, .rank = 3},
        {.title = "best size", .width = 9},
        {.title = bytes ? "bytes" : NULL, .width = 9, .rank = 1},
        {.title = "misses", .width = 7},
        {.title = "at least", .width = 8, .rank = 2},
    };
    const dj_phase_list *list = page->list;
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, "phases");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < list->phase_count; i++) {
        const dj_locality_phase *p = &list->phases[i];
        const dj_datum cells[] = {
            dj_datum_text(dj_document_format(page->document, "phase %zu", i + 1)),
            dj_datum_whole(DJ_DATUM_SHORT, p->stretches),
            dj_datum_whole(DJ_DATUM_SHORT, p->accesses),
            dj_datum_part(DJ_DATUM_SHARE, (double)p->accesses, (double)page->profile->lanes[0].accesses),
            dj_datum_whole(DJ_DATUM_SHORT, (uint64_t)fmin(p->distinct, 0x1p63)),
            p->best ? dj_datum_count(p->best) : dj_datum_none("none"),
            dj_datum_text(p->best ? dj_name_bytes(page->document, page->profile, p->best) : ""),
            dj_datum_part(DJ_DATUM_PERCENT, p->best_ratio, 1),
            dj_datum_part(DJ_DATUM_PERCENT, p->least, 1)};
        dj_sheet_row *row = DJ_CELLS(table, cells);
        row->hidden = i >= PHASES_SHOWN;
    }
    if (list->phase_count > PHASES_SHOWN)
        table->rest = dj_document_format(page->document, "… and %zu more; --json has all of them",
                                         list->phase_count - PHASES_SHOWN);
    dj_document_say(
        page->document, DJ_TEXT_LEGEND, 2,
        "distinct: different %ss in a window, mean; best size: the smallest power of two whose miss ratio "
        "(misses) is at most one percentage point above that of a cache of any size (at least). Only powers "
        "of two are known, from the bins of the windows. The data that a phase brings in when it begins are "
        "not counted.",
        page->profile->provenance.unit)
        ->gap = false;
}

static const char *name_start(const phases_page *page, size_t window)
{
    const dj_window *row = &page->windows->rows[window];
    return page->windows->duration ? dj_document_format(page->document, "from %g s", (double)row->time / 1e9)
                                   : dj_document_format(page->document, "from %" PRIu64, row->first);
}

static void add_course(const phases_page *page)
{
    static const dj_sheet_column columns[] = {
        {.title = ""},
        {.title = "phase", .width = 6},
        {.title = "windows", .width = 8, .rank = 1},
        {.title = "accesses", .width = 9},
        {.title = "cold", .width = 8, .rank = 2},
    };
    const dj_phase_list *list = page->list;
    if (list->stretch_count < 2)
        return;
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, "course of the phases");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < list->stretch_count; i++) {
        const dj_stretch *s = &list->stretches[i];
        const dj_datum cells[] = {
            dj_datum_text(name_start(page, s->first)), dj_datum_whole(DJ_DATUM_NUMBER, s->phase + 1),
            dj_datum_whole(DJ_DATUM_SHORT, s->count), dj_datum_whole(DJ_DATUM_SHORT, s->accesses),
            dj_datum_whole(DJ_DATUM_SHORT, s->cold)};
        dj_sheet_row *row = DJ_CELLS(table, cells);
        row->hidden = i >= SHOWN;
    }
    if (list->stretch_count > SHOWN)
        table->rest = dj_document_format(page->document, "… and %zu more; --json has all of them",
                                         list->stretch_count - SHOWN);
    dj_document_say(
        page->document, DJ_TEXT_LEGEND, 2,
        "A phase may return with other data: cold are accesses to data that are new in the trace.")
        ->gap = false;
}

// The best sizes of the phases with the most accesses, different ones, as powers of two.
static size_t choose_sizes(const dj_phase_list *list, unsigned *sizes)
{
    bool used[DJ_PHASES_MOST] = {false};
    size_t count = 0;
    for (size_t n = 0; n < list->phase_count && count < SIZES_MOST; n++) {
        size_t most = list->phase_count;
        for (size_t i = 0; i < list->phase_count; i++)
            if (!used[i] &&
                (most == list->phase_count || list->phases[i].accesses > list->phases[most].accesses))
                most = i;
        used[most] = true;
        bool again = list->phases[most].best == 0;
        const unsigned k = again ? 0 : dj_log2_bin(list->phases[most].best) - 1;
        for (size_t i = 0; i < count; i++)
            again |= sizes[i] == k;
        if (!again)
            sizes[count++] = k;
    }
    return count;
}

static double start_of(const dj_windows *windows, size_t window)
{
    return windows->duration ? (double)windows->rows[window].time / 1e9 : (double)windows->rows[window].first;
}

static double most_distinct(const dj_windows *windows)
{
    double most = 1;
    for (size_t i = 0; i < windows->count; i++)
        most = fmax(most, (double)windows->rows[i].distinct);
    return most;
}

// Several windows share a point if there are many. Without `size`, the share of the most distinct data.
static void draw(const phases_page *page, dj_chart *chart, const char *name, const unsigned *size)
{
    const dj_windows *windows = page->windows;
    const size_t together = (windows->count + POINTS_MOST - 1) / POINTS_MOST;
    const double most = most_distinct(windows);
    dj_series *series =
        dj_chart_add_series(chart, DJ_SERIES_STEPS, name, (windows->count + together - 1) / together);
    for (size_t i = 0; i < series->count; i++) {
        double part = 0, whole = 0;
        for (size_t w = i * together; w < (i + 1) * together && w < windows->count; w++) {
            const dj_window *row = &windows->rows[w];
            part += size ? (double)dj_window_misses(row, *size) : (double)row->distinct;
            whole += size ? (double)row->accesses : most;
        }
        series->x[i] = start_of(windows, i * together);
        series->y[i] = whole > 0 ? part / whole : NAN;
    }
}

static void add_timeline(const phases_page *page)
{
    const dj_windows *windows = page->windows;
    unsigned sizes[SIZES_MOST];
    const size_t count = choose_sizes(page->list, sizes);
    if (windows->count < 2)
        return;
    dj_chart *chart = dj_document_chart(page->document, "over time", "fully associative LRU cache");
    chart->linear = true;
    chart->x_name = windows->duration ? "time" : "position";
    chart->x_unit = windows->duration ? "s" : "access";
    chart->y_name = "miss ratio; distinct data";
    chart->first = start_of(windows, 0);
    const double step = windows->duration ? (double)windows->duration / 1e9
                                          : (double)windows->rows[windows->count - 1].accesses;
    chart->last = start_of(windows, windows->count - 1) + fmax(step, 1e-9);
    for (size_t i = 0; i < count; i++)
        draw(page, chart,
             dj_document_format(page->document, "miss ratio of %s", name_size(page, UINT64_C(1) << sizes[i])),
             &sizes[i]);
    draw(page, chart,
         dj_document_format(page->document, "distinct data in a window; 100%%: %s",
                            name_size(page, (uint64_t)fmin(most_distinct(windows), 0x1p63))),
         NULL);
}

// For programs: the timeline as rows.
static void add_rows(const phases_page *page)
{
    static const dj_sheet_column fixed[] = {{.name = "window"},   {.name = "first"}, {.name = "time"},
                                            {.name = "accesses"}, {.name = "cold"},  {.name = "distinct"},
                                            {.name = "phase"}};
    unsigned sizes[SIZES_MOST];
    const size_t count = choose_sizes(page->list, sizes);
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, "");
    dj_node *node = dj_sheet_node(table);
    node->data = node->hidden = true;
    DJ_COLUMNS(table, fixed);
    for (size_t k = 0; k < count; k++)
        dj_sheet_add_column(table,
                            (dj_sheet_column){.name = dj_document_format(page->document, "misses_%" PRIu64,
                                                                         UINT64_C(1) << sizes[k])});
    for (size_t i = 0, s = 0; i < page->windows->count; i++) {
        const dj_window *row = &page->windows->rows[i];
        const dj_phase_list *list = page->list;
        s += s + 1 < list->stretch_count && list->stretches[s + 1].first == i;
        dj_datum cells[sizeof fixed / sizeof *fixed + SIZES_MOST] = {
            dj_datum_count(i),
            dj_datum_count(row->first),
            dj_datum_count(row->time),
            dj_datum_count(row->accesses),
            dj_datum_count(row->cold),
            dj_datum_count(row->distinct),
            dj_datum_count(list->stretches[s].phase + 1)};
        for (size_t k = 0; k < count; k++)
            cells[sizeof fixed / sizeof *fixed + k] = dj_datum_count(dj_window_misses(row, sizes[k]));
        dj_sheet_add_cells(table, cells, sizeof fixed / sizeof *fixed + count);
    }
}

int dj_add_phases(dj_context *context, dj_document *document, const dj_profile *profile)
{
    const dj_windows *windows = dj_lane_windows(&profile->lanes[0]);
    dj_phase_list list;
    if (!windows || windows->count == 0)
        return DJ_OK;
    int err = dj_phases_find(context, windows, &list);
    if (err)
        return err;
    const phases_page page = {document, profile, windows, &list};
    say_verdict(&page);
    add_list(&page);
    add_course(&page);
    add_timeline(&page);
    dj_add_windows(document, profile);
    add_rows(&page);
    dj_phase_list_free(&list);
    return DJ_OK;
}
