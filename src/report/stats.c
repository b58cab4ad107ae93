// SPDX-License-Identifier: MIT
// Summaries of traces: the quantities of "Reuse Distance Calculation" (2024), section 4.3, in the words of
// the other reports.
#include "report/stats.h"

#include <inttypes.h>

#include "base/human.h"
#include "report/parts.h"

const char dj_stats_rule[] =
    "median reuse distance relative to the distinct blocks, then the mean likewise; lower is "
    "better, no reuse is worst";

void dj_stats_rank(dj_trace_stats *traces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        dj_locality own = dj_temporal_locality(&traces[i].profile->lanes[0]);
        traces[i].rank = 1;
        for (size_t j = 0; j < count; j++) {
            dj_locality other = dj_temporal_locality(&traces[j].profile->lanes[0]);
            int order = dj_locality_compare(&other, &own);
            traces[i].rank += order < 0 || (order == 0 && j < i);
        }
    }
}

// The facts of a trace.
typedef struct list {
    dj_document *document;
    dj_node *facts;
} list;

static void add(const list *l, const char *name, dj_datum value, const char *note)
{
    dj_facts_add(l->document, l->facts, name, value, note);
}

static void add_real(const list *l, const char *name, double value, const char *note)
{
    add(l, name, dj_datum_real(DJ_DATUM_REAL, value, value == (double)(uint64_t)value ? 0 : 4), note);
}

static void add_spread(const list *l, const dj_moments *m)
{
    add_real(l, "  mean", m->mean, "");
    add_real(l, "  median", m->median, "");
    add_real(l, "  std. deviation", m->std, "of the population");
}

static void add_uses(const list *l, const dj_key_profile *keys, const char *unit)
{
    dj_moments uses = dj_histogram_moments(keys->access_counts);
    add(l, "used only once", dj_datum_count(keys->single_use), "");
    add(l, dj_document_format(l->document, "accesses per %s", unit), dj_datum_none(""), "");
    add_spread(l, &uses);
    add(l, "  max", dj_datum_count(uses.max), "");
}

static void add_distances(const list *l, const dj_lane_profile *lane)
{
    dj_moments m = dj_lane_moments(lane);
    add(l, "reuse distance", dj_datum_none(m.count == 0 ? "no reuse" : ""), "");
    if (m.count == 0)
        return;
    add_spread(l, &m);
    add(l, "  min", dj_datum_count(m.min), "");
    add(l, "  max", dj_datum_count(m.max), "");
}

// The distance between consecutive accesses in the address space.
static void add_strides(const list *l, const dj_stride_profile *strides, const char *unit)
{
    dj_moments m = dj_histogram_moments(strides->stride);
    if (m.count == 0)
        return;
    add(l, dj_document_format(l->document, "stride in %ss", unit), dj_datum_none(""), "");
    add(l, dj_document_format(l->document, "  at most %" PRIu64, strides->near_blocks),
        dj_datum_part(DJ_DATUM_PERCENT, (double)strides->within, (double)strides->pairs),
        "of consecutive accesses");
    add_real(l, "  mean", m.mean, "");
    add_real(l, "  median", m.median, "");
}

static void add_trace(dj_document *document, const dj_trace_stats *trace)
{
    enum { NAME_WIDTH = 20 };
    const dj_profile *profile = trace->profile;
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_add_title(document, profile);
    list l = {document, dj_document_facts(document)};
    l.facts->facts.width = NAME_WIDTH;
    add(&l, "accesses", dj_datum_count(lane->accesses), "");
    add(&l, dj_name_distinct(document, profile), dj_datum_count(lane->distinct), "");
    add_uses(&l, dj_lane_keys(lane), profile->provenance.unit);
    add_distances(&l, lane);
    add_strides(&l, dj_lane_strides(lane), profile->provenance.unit);
    dj_datum seconds = dj_datum_real(DJ_DATUM_REAL, trace->seconds, 3);
    seconds.text = " s";
    add(&l, "time", seconds, "");
}

static const char *const columns[] = {"trace",
                                      "accesses",
                                      "distinct",
                                      "mean_access_count",
                                      "median_access_count",
                                      "std_access_count",
                                      "max_access_count",
                                      "no_reuse",
                                      "mean_distance",
                                      "median_distance",
                                      "std_distance",
                                      "min_distance",
                                      "max_distance",
                                      "pairs",
                                      "near_blocks",
                                      "within",
                                      "mean_stride",
                                      "median_stride",
                                      "seconds",
                                      "rank",
                                      "partial"};

static dj_datum real_if(bool known, double value)
{
    return known ? dj_datum_real(DJ_DATUM_REAL, value, 4) : dj_datum_none("");
}

static dj_datum count_if(bool known, uint64_t value)
{
    return known ? dj_datum_count(value) : dj_datum_none("");
}

// For programs: all figures, one row per trace.
static void add_data(dj_document *document, const dj_trace_stats *traces, size_t count)
{
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_node *node = dj_sheet_node(table);
    node->data = node->hidden = true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        dj_sheet_add_column(table, (dj_sheet_column){.name = columns[i]});
    for (size_t i = 0; i < count; i++) {
        const dj_profile *profile = traces[i].profile;
        const dj_lane_profile *lane = &profile->lanes[0];
        const dj_stride_profile *strides = dj_lane_strides(lane);
        dj_moments uses = dj_histogram_moments(dj_lane_keys(lane)->access_counts), m = dj_lane_moments(lane),
                   stride = dj_histogram_moments(strides->stride);
        dj_datum seconds = dj_datum_real(DJ_DATUM_REAL, traces[i].seconds, 6);
        seconds.fixed = true;
        const dj_datum cells[] = {dj_datum_text(profile->provenance.inputs[0]),
                                  dj_datum_count(lane->accesses),
                                  dj_datum_count(lane->distinct),
                                  real_if(true, uses.mean),
                                  real_if(true, uses.median),
                                  real_if(true, uses.std),
                                  dj_datum_count(uses.max),
                                  dj_datum_count(dj_lane_keys(lane)->single_use),
                                  real_if(m.count > 0, m.mean),
                                  real_if(m.count > 0, m.median),
                                  real_if(m.count > 0, m.std),
                                  count_if(m.count > 0, m.min),
                                  count_if(m.count > 0, m.max),
                                  dj_datum_count(strides->pairs),
                                  dj_datum_count(strides->near_blocks),
                                  dj_datum_count(strides->within),
                                  real_if(stride.count > 0, stride.mean),
                                  real_if(stride.count > 0, stride.median),
                                  seconds,
                                  dj_datum_count(traces[i].rank),
                                  dj_datum_count(profile->provenance.partial)};
        DJ_CELLS(table, cells);
    }
}

static void add_ranking(dj_document *document, const dj_trace_stats *traces, size_t count)
{
    static const dj_sheet_column ranks[] = {DJ_COLUMN("rank", NULL, 4, 0),
                                            DJ_COLUMN("median/distinct", NULL, 16, 0),
                                            DJ_COLUMN("mean/distinct", NULL, 15, 0),
                                            {.title = "trace", .left = true}};
    dj_document_say(document, DJ_TEXT_HEADING, 0, "temporal locality, best first");
    dj_document_say(document, DJ_TEXT_LEGEND, 2, "%s", dj_stats_rule)->gap = false;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_sheet_node(table)->gap = false;
    DJ_COLUMNS(table, ranks);
    for (size_t rank = 1; rank <= count; rank++)
        for (size_t i = 0; i < count; i++) {
            if (traces[i].rank != rank)
                continue;
            dj_locality locality = dj_temporal_locality(&traces[i].profile->lanes[0]);
            const dj_datum none = dj_datum_none("no reuse");
            const dj_datum cells[] = {dj_datum_whole(DJ_DATUM_NUMBER, rank),
                                      locality.any ? dj_datum_real(DJ_DATUM_REAL, locality.median, 4) : none,
                                      locality.any ? dj_datum_real(DJ_DATUM_REAL, locality.mean, 4) : none,
                                      dj_datum_text(traces[i].profile->provenance.inputs[0])};
            DJ_CELLS(table, cells);
        }
}

int dj_document_stats(dj_context *context, const dj_trace_stats *traces, size_t count, bool addresses,
                      dj_document **out)
{
    dj_document *document = NULL;
    bool partitioned = false;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++) {
        const dj_key_profile *keys = dj_lane_keys(&traces[i].profile->lanes[0]);
        add_trace(document, &traces[i]);
        if (addresses && keys->list_key)
            dj_add_addresses(document, keys);
        dj_add_partitions(document, traces[i].profile, traces[i].profile->provenance.inputs[0], !addresses);
        partitioned |= dj_lane_partitions(&traces[i].profile->lanes[0]) != NULL;
    }
    if (count > 1)
        add_ranking(document, traces, count);
    if (!addresses && !partitioned)
        add_data(document, traces, count);
    return dj_document_finish(context, err, document, out);
}
