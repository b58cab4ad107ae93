// SPDX-License-Identifier: MIT
// What every attribution must hold, so that its readers need not ask: indexes
// lie in their tables, chains of parents end, tallies add up.
#include <inttypes.h>
#include <stdlib.h>

#include "profile/json_tables.h"
#include "profile/spatial_check.h"

static int check_index(dj_context *context, const dj_attribution *a, const dj_cells *table, size_t row,
                       const dj_cell *cell, uint32_t index)
{
    size_t count = dj_table_count(a, cell->of);
    if (index < count || (index == DJ_NOWHERE && cell->type == DJ_CELL_OPTIONAL))
        return DJ_OK;
    if (index == DJ_NOWHERE)
        return dj_fail(context, DJ_ERR_INPUT, "%s[%zu] has no %s", table->name, row, cell->name);
    return dj_fail(context, DJ_ERR_INPUT, "%s[%zu]: there is no %s %" PRIu32 " among %zu %s", table->name,
                   row, cell->name, index, count, dj_tables[cell->of].name);
}

static int check_tally(dj_context *context, const dj_attribution *a, const dj_cells *table, size_t row,
                       const dj_tally *tally)
{
    uint64_t reuses = 0;
    if (tally->bin_first > a->edge_count || tally->bin_count > a->edge_count - tally->bin_first)
        return dj_fail(context, DJ_ERR_INPUT, "%s[%zu] has bins past the last of the %zu edges", table->name,
                       row, a->edge_count);
    for (uint32_t i = 0; i < tally->bin_count; i++)
        if (__builtin_add_overflow(reuses, tally->bins[i], &reuses))
            return dj_fail(context, DJ_ERR_INPUT, "%s[%zu]: the bins add up to more than 2^64 - 1",
                           table->name, row);
    if (tally->accesses < reuses || tally->accesses - reuses != tally->cold)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s[%zu] holds %" PRIu64 " reuses, which with %" PRIu64
                       " cold accesses does not make %" PRIu64,
                       table->name, row, reuses, tally->cold, tally->accesses);
    if (tally->min > tally->max || tally->writes > tally->accesses)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s[%zu]: the least distance is above the longest, or there "
                       "are more writes than accesses",
                       table->name, row);
    const char *wrong = tally->spatial ? dj_spatial_tally_wrong(tally->spatial, tally->accesses) : NULL;
    return wrong ? dj_fail(context, DJ_ERR_INPUT, "%s[%zu]: %s", table->name, row, wrong) : DJ_OK;
}

static int check_row(dj_context *context, const dj_attribution *a, enum dj_table_id id, size_t row)
{
    const dj_cells *table = &dj_tables[id];
    const char *at = dj_table_row(a, id, row);
    int err = DJ_OK;
    for (const dj_cell *cell = table->cells; err == DJ_OK && cell->name; cell++) {
        const void *value = at + cell->offset;
        if (cell->type == DJ_CELL_INDEX || cell->type == DJ_CELL_OPTIONAL)
            err = check_index(context, a, table, row, cell, *(const uint32_t *)value);
        else if (cell->type == DJ_CELL_TALLY)
            err = check_tally(context, a, table, row, value);
    }
    return err;
}

// The cell by which a row of a table refers to one around it in the same table.
static const dj_cell *parent_cell(enum dj_table_id id)
{
    for (const dj_cell *cell = dj_tables[id].cells; cell->name; cell++)
        if (cell->type == DJ_CELL_OPTIONAL && cell->of == id)
            return cell;
    return NULL;
}

static uint32_t parent_of(const dj_attribution *a, enum dj_table_id id, const dj_cell *cell, uint32_t row)
{
    return *(const uint32_t *)(const void *)(dj_table_row(a, id, row) + cell->offset);
}

// Fails on a chain that never ends. Every row is walked over twice at most.
static int check_chains(dj_context *context, const dj_attribution *a, enum dj_table_id id)
{
    const dj_cell *cell = parent_cell(id);
    size_t count = dj_table_count(a, id);
    if (!cell || count == 0)
        return DJ_OK;
    uint32_t *walk = calloc(count, sizeof *walk); // number of the walk that came by, counted from 1
    if (!walk)
        return dj_fail_memory(context, "checking an attribution", count * sizeof *walk);
    int err = DJ_OK;
    for (uint32_t first = 0; err == DJ_OK && first < count; first++) {
        uint32_t at = first;
        for (; at != DJ_NOWHERE && walk[at] == 0; at = parent_of(a, id, cell, at))
            walk[at] = first + 1;
        if (at != DJ_NOWHERE && walk[at] == first + 1)
            err = dj_fail(context, DJ_ERR_INPUT, "%s[%" PRIu32 "] is its own %s in the end",
                          dj_tables[id].name, at, cell->name);
    }
    free(walk);
    return err;
}

static int check_order(dj_context *context, const dj_attribution *a)
{
    if (a->edge_count > 0 && a->edges[0] != 0)
        return dj_fail(context, DJ_ERR_INPUT, "edges[0] is not 0");
    for (size_t i = 1; i < a->edge_count; i++)
        if (a->edges[i] <= a->edges[i - 1])
            return dj_fail(context, DJ_ERR_INPUT, "edges[%zu] is not above the one before", i);
    for (size_t i = 1; i < a->cut_count; i++)
        if (a->cuts[i].blocks < a->cuts[i - 1].blocks)
            return dj_fail(context, DJ_ERR_INPUT, "cuts[%zu] is below the one before", i);
    for (uint32_t i = 0; i < a->context_count; i++)
        if (a->contexts[i].parent != DJ_NOWHERE && a->contexts[i].parent >= i)
            return dj_fail(context, DJ_ERR_INPUT, "contexts[%" PRIu32 "] stands before its parent", i);
    return DJ_OK;
}

// Tallies are added, so they must have the same pairs and caches.
static int check_alike(dj_context *context, const dj_attribution *a)
{
    const dj_spatial_tally *first = NULL;
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_spatial_tally *tally = a->places[i].tally.spatial;
        first = first ? first : tally;
        if (tally && (tally->pair_count != first->pair_count || tally->cache_count != first->cache_count))
            return dj_fail(context, DJ_ERR_INPUT, "places[%zu] has other pairs or caches than those before",
                           i);
    }
    for (size_t i = 0; i < a->pair_count; i++)
        if (a->pairs[i].tally.spatial)
            return dj_fail(context, DJ_ERR_INPUT, "pairs[%zu] has a spatial part, which only places have", i);
    return DJ_OK;
}

static int check_total(dj_context *context, const dj_attribution *a)
{
    uint64_t total = 0;
    for (size_t i = 0; i < a->place_count; i++)
        if (__builtin_add_overflow(total, a->places[i].tally.accesses, &total))
            return dj_fail(context, DJ_ERR_INPUT, "the places hold more than 2^64 - 1 accesses");
    return DJ_OK;
}

int dj_attribution_check(dj_context *context, const dj_attribution *a)
{
    int err = check_order(context, a);
    for (enum dj_table_id id = 0; err == DJ_OK && id < DJ_TABLE_COUNT; id++) {
        for (size_t row = 0; err == DJ_OK && row < dj_table_count(a, id); row++)
            err = check_row(context, a, id, row);
        if (err == DJ_OK)
            err = check_chains(context, a, id);
    }
    if (err == DJ_OK)
        err = check_alike(context, a);
    return err != DJ_OK ? err : check_total(context, a);
}
