// SPDX-License-Identifier: MIT
#include "report/follow.h"

#include "base/human.h"
#include "report/parts.h"

enum { SIZE, BYTES, CACHE, WINDOW, WINDOW_LOW, WINDOW_HIGH, ALL, ALL_LOW, ALL_HIGH, COLUMNS };

static dj_datum percent(double ratio)
{
    return dj_datum_part(DJ_DATUM_PERCENT, ratio, 1);
}

static const char *name_seconds(dj_document *document, double seconds)
{
    return dj_document_format(document, "%.*f s", seconds < 10, seconds);
}

static dj_sheet *add_table(dj_document *document, const dj_follow_report *r, bool cached)
{
    const bool bands = r->all.bands;
    const char *last = dj_document_format(document, "last %s", name_seconds(document, r->window.seconds));
    const char *const titles[COLUMNS] = {
        [SIZE] = dj_document_format(document, "size in %ss", r->profile->provenance.unit),
        [BYTES] = r->profile->provenance.unit_bytes > 0 ? "bytes" : NULL,
        [CACHE] = cached ? "cache" : NULL,
        [WINDOW] = last,
        [WINDOW_LOW] = bands ? "at least" : NULL,
        [WINDOW_HIGH] = bands ? "at most" : NULL,
        [ALL] = "all so far",
        [ALL_LOW] = bands ? "at least" : NULL,
        [ALL_HIGH] = bands ? "at most" : NULL};
    static const unsigned widths[COLUMNS] = {16, 11, 8, 13, 10, 10, 13, 10, 10};
    static const unsigned ranks[COLUMNS] = {[BYTES] = 2, [CACHE] = 1};
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "");
    dj_sheet_node(table)->gap = false;
    for (size_t i = 0; i < COLUMNS; i++)
        dj_sheet_add_column(table, (dj_sheet_column)DJ_COLUMN(titles[i], NULL, widths[i], ranks[i]));
    return table;
}

static void add_points(dj_document *document, const dj_follow_report *r)
{
    const dj_datum none = dj_datum_none("");
    const uint64_t block = r->profile->lanes[0].id.block_bytes;
    const bool empty = r->window.accesses == 0;
    bool cached = false;
    for (size_t i = 0; i < r->count; i++)
        cached = cached || r->names[i];
    dj_sheet *table = add_table(document, r, cached);
    for (size_t i = 0; i < r->count; i++) {
        const dj_datum cells[COLUMNS] = {
            [SIZE] = dj_datum_count(r->sizes[i]),
            [BYTES] = r->sizes[i] <= UINT64_MAX / block ? dj_datum_whole(DJ_DATUM_BYTES, r->sizes[i] * block)
                                                        : none,
            [CACHE] = r->names[i] ? dj_datum_word(r->names[i]) : none,
            [WINDOW] = empty ? none : percent(r->window.points[i].ratio),
            [WINDOW_LOW] = r->window.bands && !empty ? percent(r->window.bands[i].low) : none,
            [WINDOW_HIGH] = r->window.bands && !empty ? percent(r->window.bands[i].high) : none,
            [ALL] = percent(r->all.points[i].ratio),
            [ALL_LOW] = r->all.bands ? percent(r->all.bands[i].low) : none,
            [ALL_HIGH] = r->all.bands ? percent(r->all.bands[i].high) : none};
        DJ_CELLS(table, cells);
    }
}

int dj_document_follow(dj_context *context, const dj_follow_report *r, dj_document **out)
{
    const dj_provenance *from = &r->profile->provenance;
    char all[DJ_HUMAN_BYTES], window[DJ_HUMAN_BYTES], distinct[DJ_HUMAN_BYTES];
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    if (r->number == 1)
        dj_add_title(document, r->profile);
    dj_document_say(document, DJ_TEXT_LINE, 0, "%s: %s access%s to %s %s%s, %s in the last %s%s",
                    name_seconds(document, r->all.seconds), dj_human_count(all, r->all.accesses),
                    r->all.accesses == 1 ? "" : "es", dj_human_count(distinct, r->profile->lanes[0].distinct),
                    from->unit, r->profile->lanes[0].distinct == 1 ? "" : "s",
                    dj_human_count(window, r->window.accesses), name_seconds(document, r->window.seconds),
                    from->exact ? "" : " (ESTIMATE)")
        ->gap = r->number == 1;
    if (from->partial && r->number > 1)
        dj_document_say(document, DJ_TEXT_ALARM, 0, "PARTIAL %s", from->partial_reason);
    add_points(document, r);
    return dj_document_finish(context, DJ_OK, document, out);
}
