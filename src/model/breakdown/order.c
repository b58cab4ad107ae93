// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "model/breakdown/breakdown.h"

// Whether a cut is the largest at which at least a tenth of the misses are reuses, or the smallest one.
static bool is_informative(double misses, double cold, bool smallest)
{
    return misses > 0 && (smallest || misses - cold >= 0.1 * misses);
}

size_t dj_attribution_sort_cut(const dj_attribution *a)
{
    for (size_t cut = a->cut_count; cut > 0; cut--) {
        double misses = 0, cold = 0;
        for (size_t i = 0; i < a->place_count; i++) {
            misses += dj_tally_misses(&a->places[i].tally, a, a->cuts[cut - 1].blocks);
            cold += (double)a->places[i].tally.cold;
        }
        if (is_informative(misses, cold, cut == 1))
            return cut - 1;
    }
    return a->cut_count;
}

size_t dj_breakdown_sort_cut(const dj_breakdown *b, const dj_attribution *a)
{
    for (size_t cut = a->cut_count; cut > 0; cut--)
        if (is_informative((double)b->total_misses[cut - 1], (double)b->total.cold, cut == 1))
            return cut - 1;
    return a->cut_count;
}

typedef struct order {
    size_t cut, cut_count;
    bool inclusive, simulated, timed;
} order;

uint64_t dj_tally_simulated(const dj_tally *tally, size_t cut)
{
    return tally->levels && cut < tally->levels->level_count ? tally->levels->levels[cut].misses : 0;
}

static uint64_t weight(const dj_entity *entity, const order *by)
{
    if (by->cut < by->cut_count && by->simulated)
        return dj_tally_simulated(by->inclusive ? &entity->inclusive : &entity->exclusive, by->cut);
    if (by->cut < by->cut_count)
        return (by->inclusive ? entity->inclusive_misses : entity->misses)[by->cut];
    return by->inclusive ? entity->inclusive.accesses : entity->exclusive.accesses;
}

static double stall(const dj_entity *entity, const order *by)
{
    return (by->inclusive ? &entity->inclusive_stall : &entity->stall)->estimate;
}

// Worst first; ties by accesses, then by name and row, so that a profile always gives the same report.
static int compare(const void *left, const void *right, void *user)
{
    const dj_entity *a = left, *b = right;
    const order *by = user;
    if (by->timed && stall(a, by) != stall(b, by))
        return stall(a, by) > stall(b, by) ? -1 : 1;
    uint64_t x = weight(a, by), y = weight(b, by);
    if (x == y) {
        x = by->inclusive ? a->inclusive.accesses : a->exclusive.accesses;
        y = by->inclusive ? b->inclusive.accesses : b->exclusive.accesses;
    }
    if (x != y)
        return x > y ? -1 : 1;
    int names = strcmp(a->name, b->name);
    return names ? names : (a->row > b->row) - (a->row < b->row);
}

// Indexes of entities by row.
static uint32_t *index_rows(const dj_breakdown *b, size_t rows)
{
    uint32_t *at = malloc((rows + 1) * sizeof *at);
    for (size_t i = 0; at && i < rows; i++)
        at[i] = DJ_NOWHERE;
    for (size_t i = 0; at && i < b->count; i++)
        if (b->entities[i].row < rows)
            at[b->entities[i].row] = (uint32_t)i;
    return at;
}

// Parents are rows until here.
static int set_parents(dj_breakdown *b, dj_context *context, size_t rows)
{
    uint32_t *at = index_rows(b, rows);
    if (!at)
        return dj_fail_memory(context, "a breakdown", rows * sizeof *at);
    for (size_t i = 0; i < b->count; i++) {
        uint32_t parent = b->entities[i].parent;
        b->entities[i].parent = parent < rows ? at[parent] : DJ_NOWHERE;
    }
    free(at);
    return DJ_OK;
}

// Lists of children in entity order; index `count` is the parent of those without one.
typedef struct tree {
    uint32_t *child, *next;
    uint32_t *moved; // new index of each entity
} tree;

static void link_children(const dj_breakdown *b, tree *t)
{
    for (size_t i = 0; i <= b->count; i++)
        t->child[i] = t->next[i] = DJ_NOWHERE;
    for (size_t i = b->count; i > 0; i--) {
        uint32_t parent = b->entities[i - 1].parent;
        size_t slot = parent == DJ_NOWHERE ? b->count : parent;
        t->next[i - 1] = t->child[slot];
        t->child[slot] = (uint32_t)(i - 1);
    }
}

// Moves the entities to `out`, each before its children, consuming the lists.
static void walk(const dj_breakdown *b, tree *t, dj_entity *out)
{
    uint32_t root = (uint32_t)b->count, at = root, count = 0, depth = 0;
    while (at != root || t->child[root] != DJ_NOWHERE) {
        uint32_t down = t->child[at], parent = at == root ? DJ_NOWHERE : b->entities[at].parent;
        if (down == DJ_NOWHERE) {
            at = parent == DJ_NOWHERE ? root : parent;
            depth--;
            continue;
        }
        t->child[at] = t->next[down];
        out[count] = b->entities[down];
        out[count].depth = depth++;
        out[count].parent = at == root ? DJ_NOWHERE : t->moved[at];
        t->moved[down] = count++;
        at = down;
    }
}

static int order_tree(dj_breakdown *b, dj_context *context)
{
    size_t nodes = b->count + 1;
    tree t = {calloc(nodes, sizeof *t.child), calloc(nodes, sizeof *t.next), calloc(nodes, sizeof *t.moved)};
    dj_entity *out = calloc(nodes, sizeof *out);
    int err = DJ_OK;
    if (t.child && t.next && t.moved && out) {
        link_children(b, &t);
        walk(b, &t, out);
        dj_entity *old = b->entities;
        b->entities = out;
        out = old;
    } else {
        err = dj_fail_memory(context, "a breakdown", nodes * sizeof *out);
    }
    free(out);
    free(t.child);
    free(t.next);
    free(t.moved);
    return err;
}

int dj_breakdown_order(dj_breakdown *b, dj_context *context, const dj_attribution *a)
{
    order by = {b->sort_cut, a->cut_count, b->by == DJ_BY_CALLING_CONTEXT, b->simulated, b->timed};
    if (b->count == 0)
        return DJ_OK;
    qsort_r(b->entities, b->count, sizeof *b->entities, compare, &by);
    if (b->by != DJ_BY_LOOP && b->by != DJ_BY_CALLING_CONTEXT)
        return DJ_OK;
    int err = set_parents(b, context, b->by == DJ_BY_LOOP ? a->loop_count : a->cct_count);
    return err || b->by == DJ_BY_LOOP ? err : order_tree(b, context);
}

int dj_breakdown_rank_simulated(dj_breakdown *b, dj_context *context, const dj_attribution *a)
{
    if (!b->total.levels || b->total.levels->level_count != a->cut_count)
        return DJ_OK;
    for (size_t i = 0; i < b->count; i++) {
        dj_entity *entity = &b->entities[i]; // its parent becomes a row again
        entity->parent = entity->parent < b->count ? b->entities[entity->parent].row : DJ_NOWHERE;
    }
    b->simulated = true;
    for (size_t cut = b->sort_cut = a->cut_count; cut > 0 && b->sort_cut == a->cut_count; cut--)
        if (is_informative((double)dj_tally_simulated(&b->total, cut - 1), (double)b->total.cold, cut == 1))
            b->sort_cut = cut - 1;
    return dj_breakdown_order(b, context, a);
}
