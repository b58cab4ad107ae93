// SPDX-License-Identifier: MIT
// The report of 'deja reorder': one computation in several orders.
#include "report/reordering.h"

#include <deja/version.h>

#include <math.h>
#include <stdio.h>

#include "base/human.h"
#include "report/parts.h"

enum { TOP_DEFAULT = 10 };

// What distances are counted in.
static const char *unit_of(const dj_reordering_view *view)
{
    const dj_profile *profile = view->reordering->profiles[DJ_AS_WRITTEN];
    const bool grouped = profile->provenance.unit_bytes == 0 && profile->lanes[0].id.block_bytes > 1;
    return grouped ? "block" : profile->provenance.unit;
}

// Not "100%" if it is less.
static const char *name_share(char *to, double part, double whole)
{
    const double ROUNDED_UP = 99.5, MOST = 99.9, percent = 100 * part / whole;
    if (part >= whole || percent < ROUNDED_UP)
        return dj_human_share(to, part, whole);
    snprintf(to, DJ_HUMAN_BYTES, "%.1f%%", fmin(percent, MOST));
    return to;
}

static double long_at(const dj_reordering_view *view, enum dj_execution_order order, size_t cut)
{
    return (double)dj_reordering_long(view->reordering, order, cut);
}

// At the cut that the report is about.
static double long_reuses(const dj_reordering_view *view, enum dj_execution_order order)
{
    return long_at(view, order, view->reordering->cut);
}

// "-41%", "+3%", "0".
static const char *name_change(dj_document *document, double before, double after)
{
    char text[DJ_HUMAN_BYTES];
    if (after == before)
        return "0";
    if (before == 0)
        return "new";
    return dj_document_format(document, "%s%s", after < before ? "-" : "+",
                              name_share(text, fabs(after - before), before));
}

static const char *describe_change(dj_document *document, const dj_reordering_view *view,
                                   enum dj_execution_order order)
{
    char share[DJ_HUMAN_BYTES];
    const double before = long_reuses(view, DJ_AS_WRITTEN), after = long_reuses(view, order);
    if (after == before)
        return "as many";
    if (after == 0)
        return "none";
    return dj_document_format(document, "%s %s", name_share(share, fabs(after - before), before),
                              after < before ? "fewer" : "more");
}

// The data with at least half of what the best order saves; "": none.
static const char *name_cause(dj_document *document, const dj_reordering_view *view)
{
    const enum dj_execution_order best = dj_reordering_best(view->reordering, view->reordering->cut);
    const double gain = long_reuses(view, DJ_AS_WRITTEN) - long_reuses(view, best);
    char share[DJ_HUMAN_BYTES];
    if (best == DJ_AS_WRITTEN || view->objects.count == 0)
        return "";
    const dj_reordered_row *row = &view->objects.list[0];
    const double own = (double)row->longs[DJ_AS_WRITTEN] - (double)row->longs[best];
    return own >= gain / 2 && own <= gain ? dj_document_format(document, " %s of the difference is in %s.",
                                                               name_share(share, own, gain), row->name)
                                          : "";
}

// Where the order of reuse has clearly more long reuses, although it has fewer at the cut of the report; "":
// nowhere.
static const char *name_loss(dj_document *document, const dj_reordering_view *view)
{
    static const double CLEARLY = 1.05;
    const dj_reordering *r = view->reordering;
    char share[DJ_HUMAN_BYTES], from[DJ_HUMAN_BYTES];
    size_t worst = r->cut;
    double most = 0;
    if (long_reuses(view, DJ_REUSE_DRIVEN) >= long_reuses(view, DJ_AS_WRITTEN))
        return "";
    for (size_t cut = 0; cut < dj_reordering_cut_count(r); cut++) {
        const double before = long_at(view, DJ_AS_WRITTEN, cut), after = long_at(view, DJ_REUSE_DRIVEN, cut);
        if (after > CLEARLY * before && after - before > most) {
            most = after - before;
            worst = cut;
        }
    }
    if (most == 0)
        return "";
    dj_human_count(from, dj_reordering_long_from(r, worst));
    return dj_document_format(document, " But %s more reuses would be of %s or more.",
                              dj_human_share(share, most, long_at(view, DJ_AS_WRITTEN, worst)), from);
}

const char *dj_reordering_verdict(dj_document *document, const dj_reordering_view *view)
{
    char from[DJ_HUMAN_BYTES], count[DJ_HUMAN_BYTES];
    dj_human_count(from, dj_reordering_long_from(view->reordering, view->reordering->cut));
    if (long_reuses(view, DJ_AS_WRITTEN) == 0)
        return dj_document_format(document, "No reuse is as long as %s %ss, so no other order can gain.",
                                  from, unit_of(view));
    return dj_document_format(document,
                              "%s reuses are long (%s %ss or more). Executed in the order of reuse, %s would "
                              "be; with loops fused, %s.%s%s",
                              dj_human_count(count, (uint64_t)long_reuses(view, DJ_AS_WRITTEN)), from,
                              unit_of(view), describe_change(document, view, DJ_REUSE_DRIVEN),
                              describe_change(document, view, DJ_LOOPS_FUSED), name_cause(document, view),
                              name_loss(document, view));
}

static void add_head(dj_document *document, const dj_reordering_view *view)
{
    const dj_reordering *r = view->reordering;
    const dj_profile *profile = r->profiles[DJ_AS_WRITTEN];
    document->summary = dj_reordering_verdict(document, view);
    dj_document_say(document, DJ_TEXT_TITLE, 0, "%s in other orders",
                    dj_name_inputs(document, &profile->provenance));
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0,
                    "%s · statements %s%s%s · all orders %s · a fully associative LRU cache",
                    dj_name_blocks(document, profile, &profile->lanes[0]),
                    r->annotated ? "from annotations" : "from line tables at -O0",
                    view->within ? " · within " : "", view->within ? view->within : "",
                    r->scalars ? "compute the same values" : "respect the dependences that are recorded");
    dj_add_command(document, DJ_VERSION, view->command);
    dj_add_alarms(document, profile);
    dj_node *facts = dj_document_facts(document);
    dj_facts_add(document, facts, "statements", dj_datum_count(r->instances), "executed");
    dj_facts_add(document, facts, "accesses", dj_datum_count(r->accesses), "");
    dj_facts_add(document, facts, dj_name_distinct(document, profile),
                 dj_datum_count(profile->lanes[0].distinct), "");
    if (r->in_order > 0)
        dj_facts_add(document, facts, "kept in order",
                     dj_datum_part(DJ_DATUM_PERCENT, (double)r->in_order, (double)r->accesses),
                     "of the accesses, in optimized or unknown code");
}

static void add_orders(dj_document *document, const dj_reordering_view *view)
{
    static const dj_sheet_column columns[] = {
        DJ_COLUMN("reuse distance", "distance_from", 16, 0), DJ_COLUMN("as written", "as_written", 10, 0),
        DJ_COLUMN("reuse-driven", "reuse_driven", 12, 0),    DJ_COLUMN("", NULL, 6, 0),
        DJ_COLUMN("loops fused", "loops_fused", 11, 0),      DJ_COLUMN("", NULL, 6, 0),
    };
    const dj_reordering *r = view->reordering;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "reuses");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    for (size_t cut = 0; cut < dj_reordering_cut_count(r); cut++) {
        const double before = long_at(view, DJ_AS_WRITTEN, cut), driven = long_at(view, DJ_REUSE_DRIVEN, cut),
                     fused = long_at(view, DJ_LOOPS_FUSED, cut);
        if (cut > 0 && before == 0 && driven == 0 && fused == 0)
            break;
        dj_datum from = dj_datum_count(dj_reordering_long_from(r, cut));
        from.text = " or more";
        const dj_datum cells[] = {from,
                                  dj_datum_whole(DJ_DATUM_SHORT, (uint64_t)before),
                                  dj_datum_whole(DJ_DATUM_SHORT, (uint64_t)driven),
                                  dj_datum_text(name_change(document, before, driven)),
                                  dj_datum_whole(DJ_DATUM_SHORT, (uint64_t)fused),
                                  dj_datum_text(name_change(document, before, fused))};
        DJ_CELLS(table, cells);
    }
}

static uint64_t count_within(const dj_profile *profile, uint64_t lo, uint64_t hi)
{
    uint64_t count = 0, times;
    for (uint64_t v = lo; (times = dj_histogram_next(profile->lanes[0].distance, &v)) != 0 && v <= hi; v++)
        count += times;
    return count;
}

static unsigned last_bin(const dj_reordering *r)
{
    uint64_t longest = 0;
    for (int i = 0; i < DJ_EXECUTION_ORDERS; i++) {
        const dj_moments m = dj_lane_moments(&r->profiles[i]->lanes[0]);
        longest = m.count && m.max > longest ? m.max : longest;
    }
    return longest ? 64 - (unsigned)__builtin_clzll(longest) : 0;
}

static void add_histograms(dj_document *document, const dj_reordering_view *view)
{
    static const dj_sheet_column columns[] = {
        DJ_COLUMN("reuse distance", "distances", 20, 0),
        DJ_COLUMN("as written", "as_written", 12, 0),
        DJ_COLUMN("reuse-driven", "reuse_driven", 12, 0),
        DJ_COLUMN("loops fused", "loops_fused", 12, 0),
    };
    const dj_reordering *r = view->reordering;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "histogram");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    const unsigned last = last_bin(r);
    for (unsigned bin = 0; bin <= last; bin++) {
        const uint64_t lo = bin == 0 ? 0 : UINT64_C(1) << (bin - 1),
                       hi = bin == 0 ? 0 : UINT64_MAX >> (64 - bin);
        dj_datum cells[1 + DJ_EXECUTION_ORDERS] = {dj_datum_range(lo, hi)};
        for (int i = 0; i < DJ_EXECUTION_ORDERS; i++)
            cells[1 + i] = dj_datum_count(count_within(r->profiles[i], lo, hi));
        DJ_CELLS(table, cells);
    }
}

static int add_curves(dj_context *context, dj_document *document, const dj_reordering_view *view)
{
    const dj_reordering *r = view->reordering;
    const dj_profile *written = r->profiles[DJ_AS_WRITTEN];
    dj_chart *chart = dj_document_chart(document, "miss ratio", "fully associative LRU");
    chart->x_name = "cache size";
    chart->x_unit = dj_document_format(document, "%ss", unit_of(view));
    chart->y_name = "miss ratio";
    chart->x_bytes = written->provenance.unit_bytes > 0 ? written->lanes[0].id.block_bytes : 0;
    chart->first = 1;
    chart->last = fmax((double)written->lanes[0].distinct, 2);
    int err = DJ_OK;
    for (int i = 0; !err && i < DJ_EXECUTION_ORDERS; i++)
        err = dj_add_lru(context, chart, &r->profiles[i]->lanes[0],
                         dj_execution_order_name((enum dj_execution_order)i), 1);
    return err;
}

static void add_rows(dj_document *document, const dj_reordering_view *view, const dj_reordered_rows *rows,
                     const char *title, const char *name)
{
    const dj_sheet_column columns[] = {
        DJ_COLUMN("", name, 24, 0),
        DJ_COLUMN("accesses", "accesses", 8, 2),
        DJ_COLUMN("as written", "as_written", 10, 0),
        DJ_COLUMN("reuse-driven", "reuse_driven", 12, 0),
        DJ_COLUMN("", NULL, 6, 1),
        DJ_COLUMN("loops fused", "loops_fused", 11, 0),
        DJ_COLUMN("", NULL, 6, 1),
    };
    const size_t top = view->top ? view->top : TOP_DEFAULT;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, title);
    size_t shown = 0, hidden = 0;
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < rows->count; i++) {
        const dj_reordered_row *row = &rows->list[i];
        const double before = (double)row->longs[DJ_AS_WRITTEN];
        const bool matters = row->longs[0] || row->longs[1] || row->longs[2], show = matters && shown < top;
        const dj_datum cells[] = {
            dj_datum_text(row->name),
            dj_datum_whole(DJ_DATUM_SHORT, row->accesses),
            dj_datum_whole(DJ_DATUM_SHORT, row->longs[DJ_AS_WRITTEN]),
            dj_datum_whole(DJ_DATUM_SHORT, row->longs[DJ_REUSE_DRIVEN]),
            dj_datum_text(name_change(document, before, (double)row->longs[DJ_REUSE_DRIVEN])),
            dj_datum_whole(DJ_DATUM_SHORT, row->longs[DJ_LOOPS_FUSED]),
            dj_datum_text(name_change(document, before, (double)row->longs[DJ_LOOPS_FUSED]))};
        DJ_CELLS(table, cells)->hidden = !show;
        shown += show;
        hidden += matters && !show;
    }
    if (hidden)
        table->rest = dj_document_format(document, "… and %zu more", hidden);
}

static void add_remarks(dj_document *document, const dj_reordering_view *view)
{
    dj_document_say(document, DJ_TEXT_LEGEND, 0,
                    "Reuse-driven: after each statement come those that use the same data next, as far as "
                    "dependences allow. Loops fused: loops that follow each other run together, shifted as "
                    "dependences require. Neither is a limit: other orders may be better.");
    dj_document_say(
        document, DJ_TEXT_LEGEND, 0, "%s",
        !view->reordering->scalars
            ? "Only dependences through recorded data are known."
            : "Scalars on the stack count as registers: they are not accesses, and may have several "
              "values at once.");
}

int dj_document_reordering(dj_context *context, const dj_reordering_view *view, dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    add_head(document, view);
    add_orders(document, view);
    char from[DJ_HUMAN_BYTES];
    dj_human_count(from, dj_reordering_long_from(view->reordering, view->reordering->cut));
    add_rows(document, view, &view->objects, dj_document_format(document, "%s or more, by object", from),
             "object");
    add_rows(document, view, &view->lines, dj_document_format(document, "%s or more, by line", from), "line");
    add_histograms(document, view);
    err = add_curves(context, document, view);
    add_remarks(document, view);
    return dj_document_finish(context, err, document, out);
}
