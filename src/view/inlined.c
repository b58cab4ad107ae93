// SPDX-License-Identifier: MIT
// Inlined functions in their calling contexts, as in folded stacks: what a context does in code that was
// inlined into its function is in nodes below it.
#include <stdlib.h>

#include "base/dictionary.h"
#include "base/grow.h"
#include "profile/fields.h"
#include "view/cut.h"
#include "view/parts.h"

enum { NODES_MOST = 1500, DEPTH_MOST = 256 };

typedef struct node {
    uint32_t context; // row of the contexts
    uint32_t parent;  // node, or DJ_NOWHERE: the context
    uint32_t function;
    dj_tally own, all; // `all`: with the nodes below
} node;

// A parent comes before its children.
typedef struct nodes {
    const dj_view_breakdowns *of;
    uint32_t *row_of; // of each node of the calling-context tree, its row of the contexts
    node *list;
    size_t count, capacity;
    dj_dictionary ids;
} nodes;

typedef struct row {
    const char *name;
    uint32_t file, line, context, parent;
    dj_tally tally, *inclusive;
    dj_view_stall *inclusive_stall;
    dj_view_measures measures;
} row;

typedef struct table {
    row *list;
    size_t count;
} table;

static const dj_field row_fields[] = {
    DJ_AT(TEXT, "name", row, name),
    DJ_AT(INDEX, "file", row, file),
    DJ_AT(U32, "line", row, line),
    DJ_AT(INDEX, "context", row, context),
    DJ_AT(INDEX, "parent", row, parent),
    DJ_VIEW_TALLY("tally", row, tally),
    {DJ_FIELD(POINTER, "inclusive", row, inclusive), .rows = &dj_view_tally_table},
    {DJ_FIELD(POINTER, "inclusive_stall", row, inclusive_stall), .rows = &dj_view_stall_table},
    DJ_VIEW_MEASURES(row, measures),
    DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(row), DJ_ROW_OBJECT};
static const dj_field table_fields[] = {{DJ_FIELD_ROWS("rows", table, list, count, row_table)}, DJ_END};

static int find_contexts(dj_context *context, nodes *n)
{
    const dj_breakdown *b = n->of->by[DJ_BY_CALLING_CONTEXT];
    const size_t count = n->of->a->cct_count;
    n->row_of = malloc((count + 1) * sizeof *n->row_of);
    if (!n->row_of)
        return dj_fail_memory(context, "a page", count * sizeof *n->row_of);
    for (size_t i = 0; i < count; i++)
        n->row_of[i] = DJ_NOWHERE;
    for (size_t i = 0; i < b->count; i++)
        if (b->entities[i].row < count)
            n->row_of[b->entities[i].row] = n->of->row_of[DJ_BY_CALLING_CONTEXT][i];
    return DJ_OK;
}

// The node of a function inlined into `parent`; calls on several lines are one.
static int find_node(dj_context *context, nodes *n, uint32_t caller, uint32_t parent, uint32_t function,
                     uint32_t *out)
{
    bool fresh = false;
    const uint64_t above = dj_map_hash((uint64_t)caller << 32 | parent);
    int err = dj_dictionary_value(&n->ids, context, dj_map_hash(above ^ function), out, &fresh);
    if (err || !fresh)
        return err;
    err = dj_grow(context, "a page", &n->list, &n->capacity, n->count + 1, sizeof *n->list);
    if (!err)
        n->list[n->count++] = (node){.context = caller, .parent = parent, .function = function};
    return err;
}

static int add_place(dj_context *context, nodes *n, const dj_place_row *place)
{
    const dj_attribution *a = n->of->a;
    const dj_site_row *site = &a->sites[place->site];
    const uint32_t caller = place->cct_node < a->cct_count ? n->row_of[place->cct_node] : DJ_NOWHERE;
    uint32_t path[DEPTH_MOST], at = DJ_NOWHERE;
    size_t depth = 0;
    if (site->inlined == DJ_NOWHERE || site->function == DJ_NOWHERE || caller == DJ_NOWHERE)
        return DJ_OK;
    // The outermost is the called function, which is the context.
    for (uint32_t f = site->inlined; a->inlined[f].inlined != DJ_NOWHERE && depth < DEPTH_MOST;
         f = a->inlined[f].inlined)
        path[depth++] = a->inlined[f].function;
    int err = DJ_OK;
    while (!err && depth-- > 0)
        err = find_node(context, n, caller, at, path[depth], &at);
    if (!err)
        err = find_node(context, n, caller, at, site->function, &at);
    return err ? err : dj_tally_add(&n->list[at].own, context, &place->tally);
}

static int add_up(dj_context *context, nodes *n)
{
    int err = DJ_OK;
    for (size_t i = n->count; !err && i-- > 0;) {
        node *of = &n->list[i];
        err = dj_tally_add(&of->all, context, &of->own);
        if (!err && of->parent != DJ_NOWHERE)
            err = dj_tally_add(&n->list[of->parent].all, context, &of->all);
    }
    return err;
}

// The largest ones, and what contains them.
static void keep(const nodes *n, dj_view_cut *cut)
{
    const dj_attribution *a = n->of->a;
    for (size_t by = 0; by <= a->cut_count + 1; by++) {
        for (size_t i = 0; i < n->count; i++) {
            const dj_tally *tally = &n->list[i].all;
            const int64_t poor = by > a->cut_count ? dj_view_poor(&n->of->measured, tally) : 0;
            cut->weights[i] = by == 0 ? tally->accesses
                              : by <= a->cut_count
                                  ? (uint64_t)dj_tally_misses(tally, a, a->cuts[by - 1].blocks)
                                  : (uint64_t)(poor > 0 ? poor : 0);
        }
        dj_view_cut_keep(cut);
    }
    for (size_t i = 0; i < n->count; i++)
        cut->weights[i] = dj_view_stall_estimate(&n->of->measured, &n->list[i].all);
    dj_view_cut_keep(cut);
    for (size_t i = n->count; i-- > 0;)
        if (cut->kept[i] && n->list[i].parent != DJ_NOWHERE)
            cut->kept[n->list[i].parent] = true;
}

// What is not kept belongs to the node above it, or stays with the context.
static int fill(dj_context *context, nodes *n, const dj_view_cut *cut, dj_arena *arena, table *to)
{
    const dj_attribution *a = n->of->a;
    int err = DJ_OK;
    for (size_t i = n->count; !err && i-- > 0;)
        if (!cut->kept[i] && n->list[i].parent != DJ_NOWHERE)
            err = dj_tally_add(&n->list[n->list[i].parent].own, context, &n->list[i].own);
    uint32_t *row_of = dj_arena_alloc(arena, n->count + 1, sizeof *row_of);
    to->list = dj_arena_alloc(arena, dj_view_cut_size(cut) + 1, sizeof *to->list);
    for (size_t i = 0; !err && row_of && to->list && i < n->count; i++) {
        node *from = &n->list[i];
        if (!cut->kept[i])
            continue;
        const dj_function_row *function = &a->functions[from->function];
        row_of[i] = (uint32_t)to->count;
        to->list[to->count++] =
            (row){.name = function->name,
                  .file = function->file,
                  .line = function->line,
                  .context = from->context,
                  .parent = from->parent == DJ_NOWHERE ? DJ_NOWHERE : row_of[from->parent],
                  .tally = from->own,
                  .inclusive = &from->all,
                  .inclusive_stall = dj_view_stall_of(&n->of->measured, &from->all, arena),
                  .measures = dj_view_measure(&n->of->measured, &from->own, arena)};
    }
    return !err && arena->failed ? dj_fail_memory(context, "a page", 0) : err;
}

static int create(dj_context *context, const dj_view_breakdowns *of, nodes *n)
{
    *n = (nodes){.of = of};
    int err = dj_dictionary_create(&n->ids, context);
    if (!err)
        err = find_contexts(context, n);
    for (size_t i = 0; !err && i < of->a->place_count; i++)
        err = add_place(context, n, &of->a->places[i]);
    return err ? err : add_up(context, n);
}

static void destroy(nodes *n)
{
    for (size_t i = 0; i < n->count; i++) {
        dj_tally_free(&n->list[i].own);
        dj_tally_free(&n->list[i].all);
    }
    free(n->list);
    free(n->row_of);
    dj_dictionary_destroy(&n->ids);
}

int dj_view_add_inlined(dj_view_sections *sections, const dj_view_breakdowns *of)
{
    dj_context *context = sections->context;
    dj_view_cut cut = {.count = 0};
    dj_arena arena = {0};
    table t = {.count = 0};
    nodes n;
    if (of->a->inlined_count == 0)
        return DJ_OK;
    int err = create(context, of, &n);
    if (!err)
        err = dj_view_cut_create(context, n.count, NODES_MOST, &cut);
    if (!err) {
        keep(&n, &cut);
        err = fill(context, &n, &cut, &arena, &t);
    }
    if (!err && t.count > 0)
        err = dj_view_add(sections, "inlined", DJ_VIEW_VERSION, 0, table_fields, &t);
    dj_view_cut_free(&cut);
    destroy(&n);
    dj_arena_free(&arena);
    return err;
}
