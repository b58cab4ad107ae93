// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "model/spatial/advice.h"

static const dj_usage *usage_of(const dj_attribution *a, size_t place)
{
    const dj_spatial_tally *spatial = a->places[place].tally.spatial;
    return spatial ? &spatial->usage : NULL;
}

// Small heap blocks, allocated individually: lists, trees.
static bool is_nodes(const dj_spatial_evidence *e)
{
    const dj_object_row *object = &e->attribution->objects[e->row->object];
    return object->kind == DJ_OBJECT_HEAP && object->blocks >= 16 &&
           object->bytes / object->blocks <= 4 * e->block;
}

static void find_stride(dj_spatial_evidence *e)
{
    const dj_usage *u = &e->usage;
    uint64_t steps = u->steps, count = 0;
    for (size_t i = 0; i < DJ_STRIDES && u->stride_count[i]; i++) {
        steps -= u->stride[i] == 0 ? u->stride_count[i] : 0;
        if (u->stride[i] == 0 || count > 0)
            continue;
        e->stride = u->stride[i];
        count = u->stride_count[i];
    }
    e->share = steps ? (double)count / (double)steps : 0;
    e->regular = e->stride != 0 && e->share > 0.6;
}

// If an inner loop runs across memory and an enclosing loop along it, each run of the inner loop starts
// slightly further than the one before.
static void find_along(dj_spatial_evidence *e)
{
    const dj_usage *u = &e->usage;
    uint64_t stride = dj_magnitude(e->stride);
    for (size_t i = 0; i < DJ_STRIDES && u->stride_count[i]; i++) {
        uint64_t step = dj_magnitude(u->stride[i]), rest = stride ? step % stride : 0;
        rest = rest > stride / 2 ? stride - rest : rest;
        e->along = e->along || (rest > 0 && rest <= stride / 4);
    }
    const dj_object_row *object = &e->attribution->objects[e->row->object];
    e->element = e->nodes ? object->bytes / object->blocks : u->grain;
}

static int find_loops(dj_context *context, dj_spatial_evidence *e)
{
    const dj_place_row *place = &e->attribution->places[e->row->place];
    dj_path path = {0};
    int err = dj_path_find(&path, context, e->attribution, place->cct_node, place->site);
    e->inner = e->outer = DJ_NOWHERE;
    for (size_t i = 0; i < path.count && !err; i++)
        if (path.steps[i].loop != DJ_NOWHERE) {
            e->outer = e->inner;
            e->inner = path.steps[i].loop;
        }
    dj_path_free(&path);
    return err;
}

// A field of structures in an array, or of a structure allocated individually.
static bool is_field(const char *element)
{
    return strstr(element, "].") || (element[0] == '.' && !strchr(element, '['));
}

typedef struct part {
    const char *element;
    uint64_t fetched;
} part;

static int compare_parts(const void *left, const void *right)
{
    const part *a = left, *b = right;
    int names = strcmp(a->element, b->element);
    return names ? names : (a->fetched < b->fetched) - (a->fetched > b->fetched);
}

// Sums up equal elements and keeps the two most frequent ones.
static void keep_parts(part *list, size_t count, dj_spatial_evidence *e)
{
    if (count > 0)
        qsort(list, count, sizeof *list, compare_parts);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t fetched = 0;
        for (end = i; end < count && strcmp(list[end].element, list[i].element) == 0; end++)
            fetched += list[end].fetched;
        if (!e->parts[0] || fetched > e->part_fetched[0]) {
            e->parts[1] = e->parts[0];
            e->part_fetched[1] = e->part_fetched[0];
            e->parts[0] = list[i].element;
            e->part_fetched[0] = fetched;
        } else if (!e->parts[1] || fetched > e->part_fetched[1]) {
            e->parts[1] = list[i].element;
            e->part_fetched[1] = fetched;
        }
    }
}

// The same index in both makes steps of the same length, in elements of each.
static bool in_step(const dj_usage *a, const dj_usage *b)
{
    return a->steps > 0 && a->steps == b->steps && a->grain > 0 && b->grain > 0 &&
           a->step_sum / a->grain == b->step_sum / b->grain;
}

// Two arrays: separate ones, or members of one structure.
static bool is_other_array(const dj_place_row *a, const dj_place_row *b)
{
    const char *x = a->element ? a->element : "", *y = b->element ? b->element : "";
    bool members = x[0] == '.' && y[0] == '.' && strchr(x, '[') && strchr(y, '[');
    return a->object != b->object || (members && strcmp(x, y) != 0);
}

bool dj_spatial_is_data(const dj_ranking_work *w, uint32_t object)
{
    enum dj_object_kind kind = w->a->objects[object].kind;
    return kind != DJ_OBJECT_UNKNOWN && kind != DJ_OBJECT_FRAME && kind != DJ_OBJECT_MODULE;
}

static bool is_list(const dj_spatial_evidence *e, const dj_usage *list, const dj_usage *own)
{
    return own && list->steps == own->steps && 2 * list->stride_count[0] > list->steps &&
           list->stride[0] != 0 && dj_magnitude(list->stride[0]) < e->block;
}

// Examines the other places in the loop.
static int look_around(dj_context *context, dj_spatial_evidence *e)
{
    const dj_attribution *a = e->attribution;
    const dj_place_row *own = &a->places[e->row->place];
    const dj_usage *own_usage = usage_of(a, e->row->place);
    bool alone = e->row->usage.fetched == 0; // others fetch its blocks
    size_t count = 0;
    part *list = calloc(a->place_count + 1, sizeof *list);
    if (!list)
        return dj_fail_memory(context, "advice", a->place_count * sizeof *list);
    for (uint32_t i = 0; i < a->place_count; i++) {
        const dj_place_row *other = &a->places[i];
        const dj_usage *usage = usage_of(a, i);
        if (!usage)
            continue;
        bool together = dj_ranking_is_together(e->work, own, other);
        bool same = together ? other->object == own->object : dj_ranking_is_same_row(e->work, own, other);
        e->unsaved += same ? dj_ranking_unsaved(e->work, other->tally.spatial) : 0;
        if (!together)
            continue;
        if (other->object == own->object) {
            list[count++] = (part){other->element ? other->element : "", usage->fetched};
            e->usage.fetched += alone ? usage->fetched : 0;
            e->usage.used += alone ? usage->used : 0;
        }
        e->listed = e->listed || (other->object != own->object && is_list(e, usage, own_usage));
        if (e->partner == DJ_NOWHERE && own_usage && is_other_array(own, other) &&
            dj_spatial_is_data(e->work, other->object) && in_step(own_usage, usage))
            e->partner = i;
    }
    keep_parts(list, count, e);
    free(list);
    return DJ_OK;
}

int dj_spatial_evidence_find(dj_context *context, const dj_ranking_work *work, const dj_rank_row *row,
                             dj_spatial_evidence *e)
{
    const dj_usage *steps = usage_of(work->a, row->place);
    const dj_spatial *spatial = dj_profile_spatial(work->profile);
    *e = (dj_spatial_evidence){.profile = work->profile,
                               .attribution = work->a,
                               .row = row,
                               .block = spatial->usage_block,
                               .cache = spatial->usage_cache,
                               .usage = steps ? *steps : (dj_usage){0},
                               .partner = DJ_NOWHERE,
                               .work = work};
    e->nodes = is_nodes(e);
    e->usage.fetched = row->usage.fetched;
    e->usage.used = row->usage.used;
    int err = find_loops(context, e);
    if (!err)
        err = look_around(context, e);
    if (err)
        return err;
    const char *element = work->a->places[row->place].element;
    e->field = element && is_field(element);
    e->used = e->usage.fetched ? (double)e->usage.used / (double)e->usage.fetched : 0;
    find_stride(e);
    find_along(e);
    return DJ_OK;
}
