// SPDX-License-Identifier: MIT
// Which thread's writes removed blocks from whose private cache.
#include "profile/fields.h"
#include "view/parts.h"
#include "view/sharers.h"

typedef struct cell {
    uint32_t from, to; // sharers
    uint64_t true_sharing, false_sharing;
} cell;

typedef struct matrix {
    cell *list;
    size_t count;
} matrix;

static const dj_field cell_fields[] = {
    DJ_AT(U32, "from", cell, from),
    DJ_AT(U32, "to", cell, to),
    DJ_AT(U64, "true_sharing", cell, true_sharing),
    DJ_AT(U64, "false_sharing", cell, false_sharing),
    DJ_END,
};
static const dj_table cell_table = {cell_fields, sizeof(cell), DJ_ROW_OBJECT};
static const dj_field matrix_fields[] = {
    {DJ_FIELD_ROWS("rows", matrix, list, count, cell_table)},
    DJ_END,
};

// The sharer that is the thread of a place; their number if there is none.
static size_t sharer_of(const dj_attribution *a, const dj_sharing *sharing, uint32_t place)
{
    const uint32_t context = a->places[place].cct_node;
    const uint32_t thread = context < a->cct_count ? a->cct[context].thread : DJ_NOWHERE;
    size_t i = 0;
    while (i < sharing->count && !(thread < a->thread_count && sharing->sharers[i].is_thread &&
                                   sharing->sharers[i].thread == a->threads[thread].id))
        i++;
    return i;
}

// Nothing, unless all sharers are threads.
int dj_view_add_sharing_matrix(dj_view_sections *sections, const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    const dj_sharing *sharing = dj_profile_sharing(profile);
    dj_view_sharers chosen;
    int err = dj_view_sharers_choose(sections->context, sharing, &chosen);
    if (err)
        return err;
    const size_t count = chosen.count;
    matrix shown = {.count = 0};
    dj_arena arena = {0};
    cell *all = dj_arena_alloc(&arena, count * count + 1, sizeof *all);
    shown.list = dj_arena_alloc(&arena, count * count + 1, sizeof *shown.list);
    bool known = a->invalidation_count > 0;
    err =
        all && shown.list ? DJ_OK : dj_fail_memory(sections->context, "a page", count * count * sizeof *all);
    for (size_t i = 0; !err && known && i < a->invalidation_count; i++) {
        const dj_invalidation_row *row = &a->invalidations[i];
        const size_t from = sharer_of(a, sharing, row->from), to = sharer_of(a, sharing, row->to);
        known = from < sharing->count && to < sharing->count;
        if (!known)
            break;
        cell *at = &all[chosen.index_of[from] * count + chosen.index_of[to]];
        at->true_sharing += row->true_sharing;
        at->false_sharing += row->false_sharing;
    }
    for (size_t i = 0; !err && i < count * count; i++) {
        all[i].from = (uint32_t)(i / count);
        all[i].to = (uint32_t)(i % count);
        if (all[i].true_sharing || all[i].false_sharing)
            shown.list[shown.count++] = all[i];
    }
    if (!err && known)
        err = dj_view_add(sections, "sharing_matrix", DJ_VIEW_VERSION, 0, matrix_fields, &shown);
    dj_view_sharers_free(&chosen);
    dj_arena_free(&arena);
    return err;
}
