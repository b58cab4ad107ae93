// SPDX-License-Identifier: MIT
// Summaries of traces: the quantities of "Reuse Distance Calculation" (2024), section 4.3, in the words of
// the other reports.
#include "report/stats.h"

#include <deja/sample.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "report/parts.h"

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

dj_moments dj_stats_uses(const dj_lane_profile *lane)
{
    dj_moments uses = dj_histogram_moments(dj_lane_keys(lane)->access_counts);
    if (lane->id.sampling < 1 && lane->distinct > 0)
        uses.mean = (double)lane->accesses / (double)lane->distinct;
    return uses;
}

static void add_uses(const list *l, const dj_lane_profile *lane, const char *unit)
{
    dj_moments uses = dj_stats_uses(lane);
    add(l, "used only once", dj_datum_count(dj_lane_keys(lane)->single_use), "");
    add(l, dj_document_format(l->document, "accesses per %s", unit), dj_datum_none(""), "");
    add_spread(l, &uses);
    add(l, "  max", dj_datum_count(uses.max), lane->id.sampling < 1 ? "in the sample" : "");
}

dj_mode dj_stats_mode(const dj_lane_profile *lane)
{
    const dj_mode unknown = {0};
    return lane->id.sampling < 1 ? unknown : dj_histogram_mode(lane->distance);
}

static void add_mode(const list *l, dj_mode mode, uint64_t count, const char *of)
{
    add(l, "  mode", dj_datum_count(mode.value),
        dj_document_format(l->document, "%.2f%% of the %s", 100 * (double)mode.count / (double)count, of));
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
    const dj_mode mode = dj_stats_mode(lane);
    if (mode.count > 0)
        add_mode(l, mode, m.count, "reuses");
}

static void add_sizes(const list *l, const dj_profile *profile)
{
    const dj_histogram *sizes = dj_profile_sizes(profile);
    dj_moments m = sizes ? dj_histogram_moments(sizes) : (dj_moments){0};
    if (m.count == 0)
        return;
    add(l, "request size", dj_datum_none(""), profile->provenance.unit_bytes == 1 ? "in bytes" : "");
    add_spread(l, &m);
    add(l, "  min", dj_datum_count(m.min), "");
    add(l, "  max", dj_datum_count(m.max), "");
    add_mode(l, dj_histogram_mode(sizes), m.count, "requests");
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

// Each block is in a sample with the same probability, so their number is binomial.
static const char *note_distinct(dj_document *document, const dj_lane_profile *lane)
{
    // With fewer blocks in the sample, the normal distribution is no approximation; with none, fewer than
    // six times the weight are probable.
    enum { DEVIATIONS = 3, FEWEST = 4 };
    const dj_sample *sample = dj_lane_sample(lane);
    char count[DJ_HUMAN_BYTES];
    if (!sample)
        return "";
    const double weight = 1 / lane->id.sampling, blocks = fmax((double)sample->blocks, FEWEST);
    const double variance = blocks * weight * (weight - 1);
    return dj_document_format(document, "± %s",
                              dj_human_count(count, (uint64_t)ceil(DEVIATIONS * sqrt(variance))));
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
    add(&l, dj_name_distinct(document, profile), dj_datum_count(lane->distinct),
        note_distinct(document, lane));
    add_uses(&l, lane, profile->provenance.unit);
    add_distances(&l, lane);
    add_sizes(&l, profile);
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
                                      "partial",
                                      "sampling",
                                      "max_error",
                                      "mode_distance",
                                      "mode_count",
                                      "requests",
                                      "mean_size",
                                      "median_size",
                                      "std_size",
                                      "min_size",
                                      "max_size",
                                      "mode_size",
                                      "mode_size_count"};
enum { COLUMNS = sizeof columns / sizeof *columns, SAMPLED = 21, SAMPLED_END = 23 };

static dj_datum real_if(bool known, double value)
{
    return known ? dj_datum_real(DJ_DATUM_REAL, value, 4) : dj_datum_none("");
}

static dj_datum count_if(bool known, uint64_t value)
{
    return known ? dj_datum_count(value) : dj_datum_none("");
}

static int fill_cells(dj_context *context, const dj_trace_stats *trace, dj_datum cells[COLUMNS])
{
    double widest = 0;
    int err = DJ_OK;
    const dj_profile *profile = trace->profile;
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_stride_profile *strides = dj_lane_strides(lane);
    const dj_histogram *histogram = dj_profile_sizes(profile);
    const dj_moments uses = dj_stats_uses(lane), m = dj_lane_moments(lane),
                     stride = dj_histogram_moments(strides->stride),
                     size = histogram ? dj_histogram_moments(histogram) : (dj_moments){0};
    const dj_mode mode = dj_stats_mode(lane),
                  of_sizes = histogram ? dj_histogram_mode(histogram) : (dj_mode){0};
    dj_datum seconds = dj_datum_real(DJ_DATUM_REAL, trace->seconds, 6);
    seconds.fixed = true;
    if (dj_lane_band_origin(profile, lane).known)
        err = dj_mrc_band_widest(context, profile, lane, &widest);
    const dj_datum all[COLUMNS] = {dj_datum_text(profile->provenance.inputs[0]),
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
                                   dj_datum_count(trace->rank),
                                   dj_datum_count(profile->provenance.partial),
                                   dj_datum_real(DJ_DATUM_REAL, lane->id.sampling, 9),
                                   dj_datum_real(DJ_DATUM_REAL, widest, 6),
                                   count_if(mode.count > 0, mode.value),
                                   count_if(mode.count > 0, mode.count),
                                   dj_datum_count(profile->requests),
                                   real_if(size.count > 0, size.mean),
                                   real_if(size.count > 0, size.median),
                                   real_if(size.count > 0, size.std),
                                   count_if(size.count > 0, size.min),
                                   count_if(size.count > 0, size.max),
                                   count_if(of_sizes.count > 0, of_sizes.value),
                                   count_if(of_sizes.count > 0, of_sizes.count)};
    memcpy(cells, all, sizeof all);
    return err;
}

// For programs: all figures, one row per trace.
static int add_data(dj_context *context, dj_document *document, const dj_trace_stats *traces, size_t count)
{
    bool sampled = false;
    int err = DJ_OK;
    for (size_t i = 0; i < count; i++)
        sampled |= traces[i].profile->lanes[0].id.sampling < 1;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_node *node = dj_sheet_node(table);
    node->data = node->hidden = true;
    for (size_t i = 0; i < COLUMNS; i++)
        if (sampled || i < SAMPLED || i >= SAMPLED_END)
            dj_sheet_add_column(table, (dj_sheet_column){.name = columns[i]});
    for (size_t i = 0; !err && i < count; i++) {
        dj_datum cells[COLUMNS];
        err = fill_cells(context, &traces[i], cells);
        if (!sampled)
            memmove(cells + SAMPLED, cells + SAMPLED_END, (COLUMNS - SAMPLED_END) * sizeof *cells);
        dj_sheet_add_cells(table, cells, sampled ? COLUMNS : COLUMNS - (SAMPLED_END - SAMPLED));
    }
    return err;
}

int dj_document_stats(dj_context *context, const dj_trace_stats *traces, size_t count,
                      const dj_stats_view *view, dj_document **out)
{
    dj_document *document = NULL;
    bool partitioned = false;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    for (size_t i = 0; !err && i < count; i++) {
        const dj_key_profile *keys = dj_lane_keys(&traces[i].profile->lanes[0]);
        add_trace(document, &traces[i]);
        if (view->addresses && keys->list_key)
            dj_add_addresses(document, keys);
        err = dj_add_partitions(context, document, traces[i].profile, traces[i].profile->provenance.inputs[0],
                                !view->addresses);
        partitioned |= dj_lane_partitions(&traces[i].profile->lanes[0]) != NULL;
    }
    if (count > 1)
        dj_add_stats_ranking(document, traces, count, view->rule);
    if (!err && !view->addresses && !partitioned)
        err = add_data(context, document, traces, count);
    return dj_document_finish(context, err, document, out);
}
