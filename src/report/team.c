// SPDX-License-Identifier: MIT
// The report of 'deja co-run --threads'.
#include <deja/report.h>
#include <deja/version.h>

#include <math.h>

#include "base/human.h"
#include "report/parts.h"

static dj_datum part_of(double ratio)
{
    return dj_datum_part(DJ_DATUM_PERCENT, ratio, 1);
}

static double throughput(const dj_team_view *view, size_t threads, double ratio)
{
    return dj_corun_throughput(view->core, threads, view->cores, ratio);
}

// The number of threads with the most throughput, by the upper bounds of the miss ratios.
static size_t best_of(const dj_team_view *view)
{
    size_t best = 1;
    for (size_t i = 2; i <= view->count; i++)
        if (throughput(view, i, view->members[i - 1].ratio) >
            throughput(view, best, view->members[best - 1].ratio) * (1 + 1e-9))
            best = i;
    return best;
}

static void add_columns(dj_sheet *table, const dj_team_view *view, bool bounds)
{
    dj_sheet_add_column(table, (dj_sheet_column){.title = "threads", .name = "threads", .width = 7});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "miss ratio", .name = "miss_ratio", .width = 9});
    if (bounds)
        dj_sheet_add_column(table,
                            (dj_sheet_column){.title = "at least", .name = "miss_ratio_least", .width = 9});
    if (!view->core)
        return;
    dj_sheet_add_column(table, (dj_sheet_column){.title = "throughput", .name = "throughput", .width = 9});
    if (bounds)
        dj_sheet_add_column(table,
                            (dj_sheet_column){.title = "at most", .name = "throughput_most", .width = 9});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "gain", .name = "gain", .width = 8});
}

static void add_rows(dj_document *document, const dj_team_view *view)
{
    const double one = view->core ? throughput(view, 1, view->members[0].ratio) : NAN;
    const bool bounds = view->team->scaling == DJ_CORUN_STRONG;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_sheet_node(table)->data = true;
    add_columns(table, view, bounds);
    for (size_t i = 1; i <= view->count; i++) {
        const dj_corun_member *m = &view->members[i - 1];
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_count(i));
        dj_row_put(table, row, part_of(m->ratio));
        if (bounds)
            dj_row_put(table, row, part_of(m->least));
        if (!view->core)
            continue;
        const double all = throughput(view, i, m->ratio);
        const double before = i > 1 ? throughput(view, i - 1, view->members[i - 2].ratio) : all;
        dj_row_put(table, row, dj_datum_real(DJ_DATUM_REAL, all / one, 2));
        if (bounds)
            dj_row_put(table, row, dj_datum_real(DJ_DATUM_REAL, throughput(view, i, m->least) / one, 2));
        dj_row_put(table, row, i > 1 ? part_of(all / before - 1) : dj_datum_none(""));
    }
    if (view->core)
        dj_document_say(
            document, DJ_TEXT_LEGEND, 0,
            "throughput: accesses per time, relative to one thread, at the miss ratio in the second "
            "column. gain: by the last thread.");
}

static void say_assumptions(dj_document *document, const dj_team_view *view)
{
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0,
                    "predicted from one thread, not measured; a fully associative LRU cache; all threads run "
                    "all the time, %s, at independent places of the code",
                    view->team->order == DJ_CORUN_RANDOM ? "in random order" : "at the same speed");
    if (view->team->scaling == DJ_CORUN_STRONG)
        dj_document_say(
            document, DJ_TEXT_PROVENANCE, 0,
            "strong scaling: the threads divide the data, and each block belongs to one of them; "
            "between two accesses to a block, the others access as many blocks as its thread does "
            "(miss ratio), or all together only those that the one thread did (at least)");
    else
        dj_document_say(
            document, DJ_TEXT_PROVENANCE, 0,
            "weak scaling: each thread does the same work as the one, with as much data, of which "
            "%.0f%% are common to all",
            100 * view->team->shared);
    if (view->core)
        dj_document_say(
            document, DJ_TEXT_PROVENANCE, 0,
            "%g cycle%s per access, and %g for each miss; bandwidth is unlimited; %zu core%s, whose "
            "threads overlap their misses",
            view->core->cycles, view->core->cycles == 1 ? "" : "s", view->core->penalty, view->cores,
            view->cores == 1 ? "" : "s");
}

int dj_document_team(dj_context *context, const dj_team_view *view, dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    char blocks[DJ_HUMAN_BYTES];
    dj_document_say(document, DJ_TEXT_TITLE, 0, "%s, 1 to %zu threads, a shared %s of %s %s%s", view->name,
                    view->count, view->cache, dj_human_count(blocks, view->blocks),
                    view->unit ? view->unit : "block", view->blocks == 1 ? "" : "s");
    say_assumptions(document, view);
    dj_add_command(document, DJ_VERSION, view->command);
    add_rows(document, view);
    if (view->core) {
        const size_t best = best_of(view);
        const double gain = throughput(view, best, view->members[best - 1].ratio) /
                            throughput(view, 1, view->members[0].ratio);
        document->summary = dj_document_format(
            document, "Of 1 to %zu threads, %zu %s the most throughput: %.2f times that of one.", view->count,
            best, best == 1 ? "has" : "have", gain);
    }
    return dj_document_finish(context, DJ_OK, document, out);
}
