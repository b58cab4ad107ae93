// SPDX-License-Identifier: MIT
// The miss-ratio curves of several profiles or lanes in one chart.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "report/parts.h"

// A lane of one of the profiles.
typedef struct curve {
    const dj_profile *profile;
    const dj_lane_profile *lane;
    const char *plain, *name; // without and with a number that makes it unique
    double unit;              // of the x axis, for one block
} curve;

typedef struct curves {
    curve *list;
    size_t count;
    bool bytes; // the x axis is in bytes
} curves;

static bool all_have_bytes(const dj_profile *const *profiles, size_t count)
{
    bool bytes = true;
    for (size_t i = 0; i < count; i++)
        bytes &= profiles[i]->provenance.unit_bytes > 0;
    return bytes;
}

static const char *name_of(dj_document *document, const dj_profile *profile, const dj_lane_profile *lane,
                           bool several)
{
    const char *blocks = dj_name_blocks(document, profile, lane), *filter = dj_lane_filter(lane);
    if (*filter)
        blocks = dj_document_format(document, "%s, %s", blocks, filter);
    const char *inputs = several ? dj_name_inputs(document, &profile->provenance) : "";
    if (several && profile->lane_count > 1)
        return dj_document_format(document, "%s, %s", inputs, blocks);
    return several ? inputs : blocks;
}

// Profiles of one trace have the same name; later ones get a number.
static const char *make_unique(dj_document *document, const curves *c, const char *name)
{
    size_t same = 1;
    for (size_t i = 0; i < c->count; i++)
        same += strcmp(c->list[i].plain, name) == 0;
    return same > 1 ? dj_document_format(document, "%s (%zu)", name, same) : name;
}

static void add(dj_document *document, const dj_profile *profile, const dj_lane_profile *lane,
                const char *name, curves *out)
{
    // A block of several keys counts as that many keys.
    bool keys = strcmp(profile->provenance.unit, "block") != 0;
    const curve one = {profile, lane, name, make_unique(document, out, name),
                       out->bytes || keys ? (double)lane->id.block_bytes : 1};
    out->list[out->count++] = one;
}

// The threads, devices or files with the most accesses; more curves would be unreadable.
static void add_parts(dj_document *document, const dj_profile *profile, const dj_lane_profile *lane,
                      const char *of, curves *out)
{
    enum { DRAWN = 8 };
    const dj_partitions *parts = dj_lane_partitions(lane);
    const dj_partition_profile *most[DRAWN];
    size_t count = 0;
    for (size_t i = 0; i < parts->count; i++) {
        size_t at = count;
        while (at > 0 && most[at - 1]->lane.accesses < parts->rows[i].lane.accesses)
            at--;
        if (at == DRAWN)
            continue;
        count += count < DRAWN;
        memmove(&most[at + 1], &most[at], (count - 1 - at) * sizeof *most);
        most[at] = &parts->rows[i];
    }
    for (size_t i = 0; i < parts->count; i++)
        for (size_t k = 0; k < count; k++)
            if (most[k] == &parts->rows[i]) {
                const char *name = dj_name_partition(document, lane, most[k]);
                add(document, profile, &most[k]->lane,
                    *of ? dj_document_format(document, "%s, %s", of, name) : name, out);
            }
}

static void collect(dj_document *document, const dj_profile *const *profiles, size_t count, curves *out)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < profiles[i]->lane_count; k++)
            most += 1 + (dj_lane_partitions(&profiles[i]->lanes[k])
                             ? dj_lane_partitions(&profiles[i]->lanes[k])->count
                             : 0);
    out->bytes = all_have_bytes(profiles, count);
    out->list = dj_document_take(document, most, sizeof *out->list);
    for (size_t i = 0; out->list && i < count; i++)
        for (size_t k = 0; k < profiles[i]->lane_count; k++) {
            const dj_lane_profile *lane = &profiles[i]->lanes[k];
            bool named = count > 1 || profiles[i]->lane_count > 1;
            const char *name = named ? name_of(document, profiles[i], lane, count > 1) : "";
            if (count > 1 && !profiles[i]->provenance.exact)
                name = dj_document_format(document, "%s, estimate", name);
            if (dj_lane_partitions(lane))
                add_parts(document, profiles[i], lane, name, out);
            else
                add(document, profiles[i], lane, name, out);
        }
}

static void find_ends(dj_chart *chart, const curves *c)
{
    chart->first = INFINITY;
    chart->last = 2;
    for (size_t i = 0; i < c->count; i++) {
        dj_moments m = dj_lane_moments(c->list[i].lane);
        double last = m.count == 0 ? 2 : (double)(2 * (m.max + 1));
        chart->first = fmin(chart->first, c->list[i].unit);
        chart->last = fmax(chart->last, last * c->list[i].unit);
    }
    chart->first = chart->first >= 1 && isfinite(chart->first) ? chart->first : 1;
    chart->last = fmin(chart->last, 0x1p62);
    chart->first = fmin(chart->first, chart->last);
}

static const char *unit_of(dj_document *document, const curves *c)
{
    return c->bytes || c->count == 0
               ? "bytes"
               : dj_document_format(document, "%ss", c->list[0].profile->provenance.unit);
}

static int add_chart(dj_context *context, dj_document *document, const curves *c, const dj_profile_view *view)
{
    bool binned = false;
    for (size_t i = 0; i < c->count; i++)
        binned |= c->list[i].lane->binned;
    dj_chart *chart = dj_document_chart(document, "miss ratios",
                                        binned ? "fully associative LRU caches, some computed from bins"
                                               : "fully associative LRU caches");
    chart->x_unit = unit_of(document, c);
    chart->x_name = "cache size";
    chart->y_name = "miss ratio";
    find_ends(chart, c);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < c->count; i++)
        err = dj_add_lru(context, chart, c->list[i].lane, c->list[i].name, c->list[i].unit);
    double marked = c->bytes && c->count > 0 ? c->list[0].unit : 1;
    for (size_t i = 0; i < view->mark_count; i++)
        dj_chart_add_mark(chart, view->marks[i].label, (double)view->marks[i].size * marked);
    return err;
}

static bool is_banded(const curve *one)
{
    return dj_lane_band_origin(one->profile, one->lane).known;
}

// A column for each curve, and two more if it has a band.
static void add_columns(dj_document *document, dj_sheet *table, const curves *c)
{
    const unsigned width = c->count <= 4 ? 16 : 8;
    for (size_t i = 0; i < c->count; i++) {
        const char *name = c->list[i].name;
        dj_sheet_add_column(
            table, (dj_sheet_column){.title = name, .name = name, .width = width, .rank = (unsigned)i});
        for (int high = 0; is_banded(&c->list[i]) && high < 2; high++) {
            const char *end = high ? "at most" : "at least";
            dj_sheet_add_column(table,
                                (dj_sheet_column){.title = end,
                                                  .name = dj_document_format(document, "%s, %s", name, end),
                                                  .width = 9,
                                                  .rank = (unsigned)i});
        }
    }
}

static int put_ratios(dj_context *context, dj_sheet *table, dj_sheet_row *row, const curve *one,
                      uint64_t size)
{
    const uint64_t blocks = (uint64_t)((double)size / fmax(one->unit, 1));
    dj_mrc_point point = {.ratio = 1};
    dj_band band = {1, 1};
    int err = blocks > 0 ? dj_mrc_lru(context, one->lane, &blocks, 1, &point) : DJ_OK;
    dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, point.ratio, 1));
    if (err || !is_banded(one))
        return err;
    err = blocks > 0 ? dj_mrc_band(context, one->profile, one->lane, &blocks, 1, &band) : DJ_OK;
    dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, band.low, 1));
    dj_row_put(table, row, dj_datum_part(DJ_DATUM_PERCENT, band.high, 1));
    return err;
}

// Miss ratios at each doubling of the size: a row for each size.
static int add_ratios(dj_context *context, dj_document *document, const curves *c)
{
    dj_chart ends;
    int err = DJ_OK;
    find_ends(&ends, c);
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "miss ratio by size");
    dj_sheet_node(table)->data = true;
    dj_sheet_add_column(table, (dj_sheet_column){.title = unit_of(document, c), .name = "size"});
    add_columns(document, table, c);
    const uint64_t last = (uint64_t)ends.last;
    for (uint64_t size = (uint64_t)ends.first; !err && size <= last; size *= 2) {
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_whole(c->bytes ? DJ_DATUM_BYTES : DJ_DATUM_COUNT, size));
        for (size_t i = 0; !err && i < c->count; i++)
            err = put_ratios(context, table, row, &c->list[i], size);
    }
    return err;
}

int dj_add_curves(dj_context *context, dj_document *document, const dj_profile *const *profiles, size_t count,
                  const dj_profile_view *view)
{
    curves c = {.count = 0};
    collect(document, profiles, count, &c);
    int err = add_chart(context, document, &c, view);
    return err ? err : add_ratios(context, document, &c);
}

static void add_sources(dj_document *document, const dj_profile *const *profiles, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = document->count;
        dj_add_title(document, profiles[i]);
        for (size_t k = from; k < document->count; k++)
            if (document->nodes[k]->text.role == DJ_TEXT_TITLE) {
                document->nodes[k]->text.role = DJ_TEXT_PROVENANCE;
                document->nodes[k]->gap = i == 0;
            }
    }
}

int dj_document_curves(dj_context *context, const dj_profile *const *profiles, size_t count,
                       const dj_profile_view *view, dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    dj_document_say(document, DJ_TEXT_TITLE, 0, "miss ratios of %zu profiles", count);
    err = dj_add_curves(context, document, profiles, count, view);
    add_sources(document, profiles, count);
    return dj_document_finish(context, err, document, out);
}
