// SPDX-License-Identifier: MIT
// Miss-ratio curves of one profile, with the results of all models.
#include "report/mrc.h"

#include <inttypes.h>
#include <string.h>

#include "base/human.h"
#include "profile/json.h"
#include "report/parts.h"

// The tables of all models export the same columns. Each table has its own titles for
// people; a column without a title is not shown.
enum {
    POLICY,
    MODEL,
    UNIT,
    SIZE,
    BYTES,
    SETS,
    WAYS,
    MISSES,
    RATIO,
    LOW,
    HIGH,
    MISS_BYTES,
    BYTE_RATIO,
    BYTE_LOW,
    BYTE_HIGH,
    MORE,
    COLUMNS
};

typedef struct heads {
    const char *titles[COLUMNS];
    unsigned widths[COLUMNS];
} heads;

static dj_sheet *add_table(dj_document *document, const dj_mrc_report *report, const char *title,
                           const heads *h)
{
    const char *const names[COLUMNS] = {[MODEL] = "model",
                                        [UNIT] = "unit",
                                        [SIZE] = "size",
                                        [SETS] = "sets",
                                        [WAYS] = "ways",
                                        [MISSES] = "misses",
                                        [RATIO] = "ratio",
                                        [LOW] = report->bands ? "low" : NULL,
                                        [HIGH] = report->bands ? "high" : NULL,
                                        [MISS_BYTES] = "miss_bytes",
                                        [BYTE_RATIO] = "byte_ratio",
                                        [BYTE_LOW] = report->byte_bands ? "byte_low" : NULL,
                                        [BYTE_HIGH] = report->byte_bands ? "byte_high" : NULL};
    // Sizes and ratios always stay; the others are dropped on narrow pages.
    static const unsigned ranks[COLUMNS] = {
        [BYTES] = 4, [SETS] = 3, [WAYS] = 2, [MISSES] = 1, [MISS_BYTES] = 3, [MORE] = 2};
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, title);
    dj_sheet_node(table)->data = true;
    for (size_t i = 0; i < COLUMNS; i++)
        dj_sheet_add_column(table,
                            (dj_sheet_column)DJ_COLUMN(h->titles[i], names[i], h->widths[i], ranks[i]));
    return table;
}

static dj_datum percent(double ratio)
{
    return dj_datum_part(DJ_DATUM_PERCENT, ratio, 1);
}

static void add_note(dj_document *document, const char *text)
{
    dj_document_say(document, DJ_TEXT_LEGEND, 2, "%s", text)->gap = false;
}

static void add_points(dj_document *document, const dj_mrc_report *report)
{
    const dj_profile *profile = report->profile;
    const dj_datum none = dj_datum_none("");
    const char *ways =
        dj_document_format(document, "%" PRIu64 " way%s", report->ways, report->ways == 1 ? "" : "s");
    const char *unit = profile->provenance.unit;
    uint64_t block = profile->lanes[0].id.block_bytes;
    const heads h = {
        .titles = {[SIZE] = dj_document_format(document, "size in %ss", unit),
                   [BYTES] = profile->provenance.unit_bytes > 0 ? "bytes" : NULL,
                   [MISSES] = "misses",
                   [RATIO] = "miss ratio",
                   [LOW] = report->bands ? "at least" : NULL,
                   [HIGH] = report->bands ? "at most" : NULL,
                   [MORE] = report->sets ? ways : NULL},
        .widths = {
            [SIZE] = 16, [BYTES] = 11, [MISSES] = 17, [RATIO] = 13, [LOW] = 11, [HIGH] = 11, [MORE] = 14}};
    dj_sheet *table = add_table(document, report, "", &h);
    dj_sheet_node(table)->hidden = report->point_count == 0;
    for (size_t i = 0; i < report->point_count; i++) {
        const dj_mrc_point *point = &report->points[i];
        bool small = block > 0 && point->size <= UINT64_MAX / block;
        const dj_datum cells[COLUMNS] = {
            [MODEL] = dj_datum_word("lru"),
            [UNIT] = dj_datum_word(unit),
            [SIZE] = dj_datum_count(point->size),
            [BYTES] = small ? dj_datum_whole(DJ_DATUM_BYTES, point->size * block) : none,
            [SETS] = dj_datum_count(1),
            [WAYS] = dj_datum_count(point->size),
            [MISSES] = dj_datum_count(point->misses),
            [RATIO] = percent(point->ratio),
            [LOW] = report->bands ? percent(report->bands[i].low) : none,
            [HIGH] = report->bands ? percent(report->bands[i].high) : none,
            [MORE] = report->sets ? percent(report->sets[i].estimate.ratio) : none};
        DJ_CELLS(table, cells);
    }
    if (report->bands && report->point_count > 0)
        add_note(document, report->origin.certified
                               ? "at least, at most: the exact miss ratio is certainly between them"
                               : "at least, at most: the exact miss ratio is probably between them");
    if (report->sets && report->point_count > 0)
        add_note(document,
                 dj_document_format(document,
                                    "%s: miss ratio of a set-associative cache, estimated by Smith's formula",
                                    ways));
}

// Export only: people see these in a column of the table of points.
static void add_sets(dj_document *document, const dj_mrc_report *report)
{
    static const heads none = {.titles = {NULL}};
    dj_sheet *table = add_table(document, report, "", &none);
    dj_sheet_node(table)->hidden = true;
    for (size_t i = 0; i < report->point_count; i++) {
        const dj_mrc_cache *cache = &report->sets[i];
        const dj_datum cells[COLUMNS] = {[MODEL] = dj_datum_word("smith"),
                                         [UNIT] = dj_datum_word(report->profile->provenance.unit),
                                         [SIZE] = dj_datum_count(cache->size_blocks),
                                         [SETS] = dj_datum_count(cache->sets),
                                         [WAYS] = dj_datum_count(cache->ways),
                                         [MISSES] = dj_datum_real(DJ_DATUM_REAL, cache->estimate.misses, 0),
                                         [RATIO] = percent(cache->estimate.ratio),
                                         [LOW] = percent(cache->estimate_band.low),
                                         [HIGH] = percent(cache->estimate_band.high)};
        DJ_CELLS(table, cells);
    }
}

static int add_simulated(dj_context *context, dj_document *document, const dj_mrc_report *report)
{
    static const heads h = {
        .titles = {[POLICY] = "",
                   [SIZE] = "size",
                   [SETS] = "sets",
                   [WAYS] = "ways",
                   [MISSES] = "misses",
                   [RATIO] = "ratio",
                   [MORE] = "estimate"},
        .widths = {
            [POLICY] = 7, [SIZE] = 14, [SETS] = 10, [WAYS] = 10, [MISSES] = 12, [RATIO] = 9, [MORE] = 9}};
    const dj_lane_profile *lane = &report->profile->lanes[0];
    dj_sheet *table = add_table(document, report, "simulated", &h);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_lane_simulated_count(lane); i++) {
        const dj_simulated *cache = &dj_lane_simulated(lane)[i];
        const char *policy = dj_policy_names[cache->policy];
        bool formula = cache->policy == DJ_POLICY_LRU;
        dj_estimate estimate = {0};
        err = formula ? dj_mrc_smith(context, lane, cache->sets, cache->ways, &estimate) : DJ_OK;
        const dj_datum cells[COLUMNS] = {
            [POLICY] = dj_datum_text(policy),
            [MODEL] = dj_datum_word(dj_document_format(document, "simulated-%s", policy)),
            [UNIT] = dj_datum_word(report->profile->provenance.unit),
            [SIZE] = dj_datum_count(cache->size_blocks),
            [SETS] = dj_datum_count(cache->sets),
            [WAYS] = dj_datum_whole(DJ_DATUM_NUMBER, cache->ways),
            [MISSES] = dj_datum_count(cache->misses),
            [RATIO] = percent((double)cache->misses / (double)lane->accesses),
            [MORE] = formula ? percent(estimate.ratio) : dj_datum_none("")};
        DJ_CELLS(table, cells);
    }
    add_note(document, "estimate: miss ratio of the same cache by Smith's formula, without simulation");
    return err;
}

static void add_byte_points(dj_document *document, const dj_mrc_report *report)
{
    const char *least = report->byte_bands ? "at least" : NULL, *most = report->byte_bands ? "at most" : NULL;
    const dj_datum none = dj_datum_none("");
    const heads h = {.titles = {[SIZE] = "size in bytes",
                                [MISSES] = "misses",
                                [RATIO] = "miss ratio",
                                [LOW] = least,
                                [HIGH] = most,
                                [MISS_BYTES] = "bytes missed",
                                [BYTE_RATIO] = "byte miss ratio",
                                [BYTE_LOW] = least,
                                [BYTE_HIGH] = most},
                     .widths = {[SIZE] = 12,
                                [MISSES] = 17,
                                [RATIO] = 13,
                                [LOW] = 11,
                                [HIGH] = 11,
                                [MISS_BYTES] = 13,
                                [BYTE_RATIO] = 16,
                                [BYTE_LOW] = 11,
                                [BYTE_HIGH] = 11}};
    dj_sheet *table = add_table(document, report, "", &h);
    for (size_t i = 0; i < report->byte_count; i++) {
        const dj_byte_point *point = &report->byte_points[i];
        const dj_datum cells[COLUMNS] = {[MODEL] = dj_datum_word("lru"),
                                         [UNIT] = dj_datum_word("byte"),
                                         [SIZE] = dj_datum_whole(DJ_DATUM_BYTES, point->size_bytes),
                                         [SETS] = dj_datum_count(1),
                                         [MISSES] = dj_datum_count(point->misses),
                                         [RATIO] = percent(point->ratio),
                                         [LOW] = least ? percent(report->request_bands[i].low) : none,
                                         [HIGH] = least ? percent(report->request_bands[i].high) : none,
                                         [MISS_BYTES] = dj_datum_whole(DJ_DATUM_BYTES, point->miss_bytes),
                                         [BYTE_RATIO] = percent(point->byte_ratio),
                                         [BYTE_LOW] = least ? percent(report->byte_bands[i].low) : none,
                                         [BYTE_HIGH] = least ? percent(report->byte_bands[i].high) : none};
        DJ_CELLS(table, cells);
    }
    if (least)
        add_note(document, "at least, at most: the exact miss ratio is probably between them");
}

static void add_caches(dj_document *document, const dj_mrc_report *report)
{
    static const dj_sheet_column columns[] = {DJ_COLUMN("", NULL, 6, 0), DJ_COLUMN("size", NULL, 9, 0),
                                              DJ_COLUMN("blocks", NULL, 13, 2), DJ_COLUMN("ways", NULL, 6, 1),
                                              DJ_COLUMN("fully associative", NULL, 17, 0)};
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "cache");
    DJ_COLUMNS(table, columns);
    dj_sheet_add_column(table, (dj_sheet_column)DJ_COLUMN(report->bands ? "at most" : NULL, NULL, 9, 0));
    dj_sheet_add_column(table, (dj_sheet_column)DJ_COLUMN("set-associative", NULL, 18, 0));
    dj_sheet_add_column(table, (dj_sheet_column)DJ_COLUMN(report->bands ? "at most" : NULL, NULL, 9, 1));
    for (size_t i = 0; i < report->cache_count; i++) {
        const dj_mrc_cache *cache = &report->caches[i];
        const dj_datum cells[] = {dj_datum_text(cache->name),
                                  dj_datum_whole(DJ_DATUM_BYTES, cache->bytes),
                                  dj_datum_count(cache->size_blocks),
                                  dj_datum_whole(DJ_DATUM_NUMBER, cache->ways),
                                  percent(cache->full.ratio),
                                  report->bands ? percent(cache->band.high) : dj_datum_none(""),
                                  percent(cache->estimate.ratio),
                                  report->bands ? percent(cache->estimate_band.high) : dj_datum_none("")};
        DJ_CELLS(table, cells);
    }
    add_note(document, report->profile->lanes[0].binned
                           ? "miss ratios under LRU; set-associative: estimated from bins by Smith's formula"
                           : "miss ratios under LRU; set-associative: estimated by Smith's formula");
}

static void say_verdict(dj_document *document, const dj_mrc_report *report)
{
    char ratio[DJ_HUMAN_BYTES], low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    for (size_t i = 0; i < report->cache_count; i++) {
        const dj_mrc_cache *cache = &report->caches[i];
        document->summary =
            dj_document_format(document, "%s%s%s%s in %s",
                               document->summary                   ? document->summary
                               : report->profile->provenance.exact ? "Miss ratios: "
                                                                   : "Estimated miss ratios: ",
                               i ? ", " : "", dj_human_percent(ratio, cache->full.ratio, 1),
                               report->bands ? dj_document_format(document, " (%s to %s)",
                                                                  dj_human_percent(low, cache->band.low, 1),
                                                                  dj_human_percent(high, cache->band.high, 1))
                                             : "",
                               cache->name);
    }
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
    size_t curves = document->count;
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
    if (!err)
        err = dj_add_effective(context, document, report->profile);
    if (!err)
        err = dj_add_phases(context, document, report->profile);
    // csv exports the points of the first lane, or the curves of each part of a partitioned lane.
    for (size_t i = 0; several && i < document->count; i++)
        document->nodes[i]->data &= (i < curves) == partitioned;
    return dj_document_finish(context, err, document, out);
}
