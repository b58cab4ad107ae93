// SPDX-License-Identifier: MIT
// Miss-ratio curves: of one profile with all that models say of it, and of several beside each other.
#include "report/mrc.h"

#include <inttypes.h>
#include <string.h>

#include "base/figure.h"
#include "profile/json.h"
#include "report/parts.h"

// Tables of all models have these columns for programs, and their own for people.
typedef struct titles {
    const char *size, *bytes, *sets, *ways, *misses, *ratio, *miss_bytes, *byte_ratio, *more;
    unsigned size_width, sets_width, misses_width, ratio_width;
} titles;

static dj_sheet *add_table(dj_document *document, const char *title, bool policies, const titles *t)
{
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, title);
    dj_sheet_node(table)->data = true;
    if (policies)
        dj_sheet_add_column(table, (dj_sheet_column){.title = "", .width = 7});
    dj_sheet_add_column(table, (dj_sheet_column){.name = "model"});
    dj_sheet_add_column(table, (dj_sheet_column){.name = "unit"});
    dj_sheet_add_column(table, (dj_sheet_column){.title = t->size, .name = "size", .width = t->size_width});
    if (t->bytes)
        dj_sheet_add_column(table, (dj_sheet_column){.title = t->bytes, .width = 11});
    dj_sheet_add_column(table, (dj_sheet_column){.title = t->sets, .name = "sets", .width = t->sets_width});
    dj_sheet_add_column(table, (dj_sheet_column){.title = t->ways, .name = "ways", .width = t->sets_width});
    dj_sheet_add_column(table,
                        (dj_sheet_column){.title = t->misses, .name = "misses", .width = t->misses_width});
    dj_sheet_add_column(table,
                        (dj_sheet_column){.title = t->ratio, .name = "ratio", .width = t->ratio_width});
    dj_sheet_add_column(table, (dj_sheet_column){.title = t->miss_bytes, .name = "miss_bytes", .width = 13});
    dj_sheet_add_column(table, (dj_sheet_column){.title = t->byte_ratio, .name = "byte_ratio", .width = 16});
    if (t->more)
        dj_sheet_add_column(table, (dj_sheet_column){.title = t->more, .width = policies ? 9 : 14});
    return table;
}

// From the model to the misses.
static dj_sheet_row *add_row(dj_sheet *table, const char *policy, const char *model, const char *unit,
                             dj_datum size)
{
    dj_sheet_row *row = dj_sheet_add_row(table);
    if (policy)
        dj_row_put(table, row, dj_datum_text(policy));
    dj_row_put(table, row, dj_datum_word(model));
    dj_row_put(table, row, dj_datum_word(unit));
    dj_row_put(table, row, size);
    return row;
}

static void put_shape(dj_sheet *table, dj_sheet_row *row, uint64_t sets, uint64_t ways)
{
    dj_row_put(table, row, dj_datum_count(sets));
    dj_row_put(table, row, ways ? dj_datum_whole(DJ_DATUM_NUMBER, ways) : dj_datum_none(""));
}

static void put_misses(dj_sheet *table, dj_sheet_row *row, dj_datum misses, double ratio)
{
    dj_row_put(table, row, misses);
    dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, ratio, 1));
}

static void put_empty(dj_sheet *table, dj_sheet_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dj_row_put(table, row, dj_datum_none(""));
}

static void add_points(dj_document *document, const dj_mrc_report *report)
{
    const dj_profile *profile = report->profile;
    uint64_t block = profile->lanes[0].id.block_bytes;
    bool bytes = profile->provenance.unit_bytes > 0;
    const titles t = {.size = dj_document_format(document, "size in %ss", profile->provenance.unit),
                      .bytes = bytes ? "bytes" : NULL,
                      .misses = "misses",
                      .ratio = "miss ratio",
                      .more = report->sets ? dj_document_format(document, "%" PRIu64 " way%s", report->ways,
                                                                report->ways == 1 ? "" : "s")
                                           : NULL,
                      .size_width = 16,
                      .misses_width = 17,
                      .ratio_width = 13};
    dj_sheet *table = add_table(document, "", false, &t);
    dj_sheet_node(table)->hidden = report->point_count == 0;
    dj_sheet_node(table)->data = !dj_lane_partitions(&profile->lanes[0]); // those of each part are
    for (size_t i = 0; i < report->point_count; i++) {
        const dj_mrc_point *point = &report->points[i];
        dj_sheet_row *row =
            add_row(table, NULL, "lru", profile->provenance.unit, dj_datum_count(point->size));
        if (bytes)
            dj_row_put(table, row,
                       point->size <= UINT64_MAX / block ? dj_datum_whole(DJ_DATUM_BYTES, point->size * block)
                                                         : dj_datum_none(""));
        put_shape(table, row, 1, point->size);
        put_misses(table, row, dj_datum_count(point->misses), point->ratio);
        put_empty(table, row, 2);
        if (report->sets)
            dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, report->sets[i].estimate.ratio, 1));
    }
}

// People have them beside the points.
static void add_sets(dj_document *document, const dj_mrc_report *report)
{
    const titles none = {.size = NULL};
    dj_sheet *table = add_table(document, "", false, &none);
    dj_sheet_node(table)->hidden = true;
    for (size_t i = 0; i < report->point_count; i++) {
        const dj_mrc_cache *cache = &report->sets[i];
        dj_sheet_row *row = add_row(table, NULL, "smith", report->profile->provenance.unit,
                                    dj_datum_count(cache->size_blocks));
        put_shape(table, row, cache->sets, cache->ways);
        put_misses(table, row, dj_datum_real(DJ_DATUM_REAL, cache->estimate.misses, 0),
                   cache->estimate.ratio);
    }
}

static int add_simulated(dj_context *context, dj_document *document, const dj_mrc_report *report)
{
    const dj_lane_profile *lane = &report->profile->lanes[0];
    const titles t = {.size = "size",
                      .sets = "sets",
                      .ways = "ways",
                      .misses = "misses",
                      .ratio = "ratio",
                      .more = "formula",
                      .size_width = 14,
                      .sets_width = 10,
                      .misses_width = 12,
                      .ratio_width = 9};
    dj_sheet *table = add_table(document, "simulated", true, &t);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_lane_simulated_count(lane); i++) {
        const dj_simulated *cache = &dj_lane_simulated(lane)[i];
        const char *policy = dj_policy_names[cache->policy];
        dj_estimate estimate;
        dj_sheet_row *row = add_row(table, policy, dj_document_format(document, "simulated-%s", policy),
                                    report->profile->provenance.unit, dj_datum_count(cache->size_blocks));
        put_shape(table, row, cache->sets, cache->ways);
        put_misses(table, row, dj_datum_count(cache->misses), (double)cache->misses / (double)lane->accesses);
        put_empty(table, row, 2);
        if (cache->policy != DJ_POLICY_LRU)
            continue;
        err = dj_mrc_smith(context, lane, cache->sets, cache->ways, &estimate);
        if (!err)
            dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, estimate.ratio, 1));
    }
    return err;
}

static void add_byte_points(dj_document *document, const dj_mrc_report *report)
{
    const titles t = {.size = "size in bytes",
                      .misses = "misses",
                      .ratio = "miss ratio",
                      .miss_bytes = "bytes missed",
                      .byte_ratio = "byte miss ratio",
                      .size_width = 12,
                      .misses_width = 17,
                      .ratio_width = 13};
    dj_sheet *table = add_table(document, "", false, &t);
    for (size_t i = 0; i < report->byte_count; i++) {
        const dj_byte_point *point = &report->byte_points[i];
        dj_sheet_row *row =
            add_row(table, NULL, "lru", "byte", dj_datum_whole(DJ_DATUM_BYTES, point->size_bytes));
        put_shape(table, row, 1, 0);
        put_misses(table, row, dj_datum_count(point->misses), point->ratio);
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_BYTES, point->miss_bytes));
        dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, point->byte_ratio, 1));
    }
}

static void add_caches(dj_document *document, const dj_mrc_report *report)
{
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "cache");
    dj_sheet_add_column(table, (dj_sheet_column){.title = "", .width = 6});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "size", .width = 9});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "blocks", .width = 13});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "ways", .width = 6});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "fully associative", .width = 17});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "set-associative", .width = 18});
    for (size_t i = 0; i < report->cache_count; i++) {
        const dj_mrc_cache *cache = &report->caches[i];
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_text(cache->name));
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_BYTES, cache->bytes));
        dj_row_put(table, row, dj_datum_count(cache->size_blocks));
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_NUMBER, cache->ways));
        dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, cache->full.ratio, 1));
        dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, cache->estimate.ratio, 1));
    }
}

static void say_verdict(dj_document *document, const dj_mrc_report *report)
{
    char ratio[DJ_FIGURE];
    for (size_t i = 0; i < report->cache_count; i++)
        document->summary = dj_document_format(
            document, "%s%s%s in %s", document->summary ? document->summary : "Miss ratios: ", i ? ", " : "",
            dj_figure_percent(ratio, report->caches[i].full.ratio, 1), report->caches[i].name);
    if (document->summary)
        document->summary = dj_document_format(document, "%s (fully associative LRU).", document->summary);
}

int dj_document_mrc(dj_context *context, const dj_mrc_report *report, const dj_profile_view *view,
                    dj_document **out)
{
    dj_document *document = NULL;
    bool partitioned = dj_lane_partitions(&report->profile->lanes[0]) != NULL;
    bool several = partitioned || report->profile->lane_count > 1;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    say_verdict(document, report);
    dj_add_title(document, report->profile);
    err = dj_add_curve(context, document, report->profile, view);
    if (!err && several)
        err = dj_add_curves(context, document, &report->profile, 1, view);
    for (size_t i = 0; several && !partitioned && i < document->count; i++)
        document->nodes[i]->data = false; // csv has the points of the first lane
    if (!err && report->byte_count > 0)
        err = dj_add_byte_curves(context, document, report->profile);
    add_points(document, report);
    if (report->sets)
        add_sets(document, report);
    if (!err && dj_lane_simulated_count(&report->profile->lanes[0]) > 0)
        err = add_simulated(context, document, report);
    if (report->byte_count > 0)
        add_byte_points(document, report);
    if (report->cache_count > 0)
        add_caches(document, report);
    if (report->cache_count > 0 && report->profile->lanes[0].binned)
        dj_document_say(document, DJ_TEXT_LINE, 2, "(set-associative: estimated from bins)");
    if (!err)
        err = dj_add_effective(context, document, report->profile);
    return dj_document_finish(context, err, document, out);
}
