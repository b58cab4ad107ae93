// SPDX-License-Identifier: MIT
#include "report/entity_levels.h"

uint64_t dj_shown_misses(const dj_breakdown *b, const dj_tally *tally, const uint64_t *misses, size_t cut)
{
    return b->total.levels ? dj_tally_simulated(tally, cut) : misses[cut];
}

static const dj_level_counts *counts_of(const dj_entity_levels *e, const dj_tally *tally, size_t level)
{
    static const dj_level_counts nothing;
    return tally->levels && level < e->hierarchy->level_count ? &tally->levels->levels[level] : &nothing;
}

// Conflicts are worth a column if they are at least this part of the misses by which a table is sorted.
static const double worth_a_column = 0.02;

void dj_entity_levels_create(const dj_attribution_page *page, const dj_breakdown *b, dj_entity_levels *out)
{
    const dj_hierarchy *h = b->total.levels ? dj_profile_hierarchy(page->profile) : NULL;
    *out = (dj_entity_levels){.hierarchy = h};
    if (!h)
        return;
    out->block_bytes = page->profile->lanes[0].id.block_bytes * page->profile->provenance.unit_bytes;
    out->sort_level = b->sort_cut;
    const dj_level_counts *all = counts_of(out, &b->total, b->sort_cut);
    out->conflicts = all->misses > 0 && (double)all->conflict >= worth_a_column * (double)all->misses;
    out->for_people = b->by != DJ_BY_CALLING_CONTEXT;
    if (page->signs && out->for_people) {
        page->signs->conflicts |= out->conflicts;
        page->signs->memory = true;
    }
}

static const char *const numbers[] = {"misses",     "cold",          "conflict",
                                      "writebacks", "fetched_bytes", "written_bytes"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

void dj_add_entity_levels_columns(dj_sheet *table, const dj_entity_levels *e, dj_levels_ranks ranks)
{
    if (!e->hierarchy)
        return;
    if (e->for_people && e->conflicts)
        dj_sheet_add_column(table,
                            (dj_sheet_column){.title = "conflict", .width = 8, .rank = ranks.conflict});
    if (e->for_people)
        dj_sheet_add_column(table, (dj_sheet_column){.title = "memory", .width = 8, .rank = ranks.memory});
    for (size_t i = 0; i < e->hierarchy->level_count; i++)
        for (size_t n = 0; n < NUMBERS; n++)
            dj_sheet_add_column(table, (dj_sheet_column){.name = dj_document_format(
                                                             table->document, "simulated_%s_%s", numbers[n],
                                                             e->hierarchy->levels[i].name)});
}

static void put_level(dj_sheet *table, dj_sheet_row *row, const dj_entity_levels *e, const dj_level_counts *c)
{
    const uint64_t values[NUMBERS] = {c->misses,
                                      c->cold,
                                      c->conflict,
                                      c->writebacks,
                                      c->misses * e->block_bytes,
                                      c->writebacks * e->block_bytes};
    for (size_t n = 0; n < NUMBERS; n++)
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_NUMBER, values[n]));
}

void dj_put_entity_levels(dj_sheet *table, dj_sheet_row *row, const dj_entity_levels *e,
                          const dj_tally *tally)
{
    if (!e->hierarchy)
        return;
    const size_t levels = e->hierarchy->level_count;
    const dj_level_counts *sorted = counts_of(e, tally, e->sort_level),
                          *last = counts_of(e, tally, levels - 1);
    if (e->for_people && e->conflicts)
        dj_row_put(table, row,
                   dj_datum_part(DJ_DATUM_SHARE, (double)sorted->conflict, (double)sorted->misses));
    if (e->for_people)
        dj_row_put(table, row,
                   dj_datum_whole(DJ_DATUM_BYTES, (last->misses + last->writebacks) * e->block_bytes));
    for (size_t i = 0; i < levels; i++)
        put_level(table, row, e, counts_of(e, tally, i));
}
