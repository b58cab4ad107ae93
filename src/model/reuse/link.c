// SPDX-License-Identifier: MIT
#include "model/reuse/reuse.h"

void dj_reuse_paths_free(dj_reuse_paths *paths)
{
    dj_path_free(&paths->from);
    dj_path_free(&paths->to);
}

static size_t count_common(const dj_path *a, const dj_path *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && a->steps[i].cct_node == b->steps[i].cct_node &&
           a->steps[i].loop == b->steps[i].loop)
        i++;
    return i;
}

// The site in the innermost common frame at which a path continues: the next call, or the access itself.
static uint32_t site_after(const dj_attribution *a, const dj_path *path, size_t at, uint32_t site)
{
    for (; at < path->count; at++)
        if (path->steps[at].loop == DJ_NOWHERE)
            return a->cct[path->steps[at].cct_node].call_site;
    return site;
}

typedef struct line_id {
    uint32_t file, line;
} line_id;

// The lines of a site, from the one in the function itself to the innermost inlined one.
static unsigned find_lines(const dj_attribution *a, uint32_t site, line_id lines[DJ_NEST_MOST])
{
    unsigned count = 0;
    if (!dj_row_is(site, a->site_count))
        return 0;
    lines[count++] = (line_id){a->sites[site].file, a->sites[site].line};
    for (uint32_t at = a->sites[site].inlined; dj_row_is(at, a->inlined_count) && count < DJ_NEST_MOST;
         at = a->inlined[at].inlined)
        lines[count++] = (line_id){a->inlined[at].file, a->inlined[at].line};
    for (unsigned i = 0; i < count / 2; i++) {
        line_id other = lines[i];
        lines[i] = lines[count - 1 - i];
        lines[count - 1 - i] = other;
    }
    return count;
}

// Whether `to` precedes `from` in the source of their common frame, as far as line numbers show: then the
// reuse is in the next iteration.
static bool is_next_iteration(const dj_attribution *a, const dj_reuse_paths *paths, uint32_t from_site,
                              uint32_t to_site)
{
    line_id from[DJ_NEST_MOST], to[DJ_NEST_MOST];
    unsigned from_count = find_lines(a, site_after(a, &paths->from, paths->common, from_site), from),
             to_count = find_lines(a, site_after(a, &paths->to, paths->common, to_site), to);
    for (unsigned i = 0; i < from_count && i < to_count; i++)
        if (from[i].file != to[i].file || from[i].line != to[i].line)
            return from[i].file == to[i].file && from[i].line > to[i].line && to[i].line > 0;
    return false;
}

static enum dj_relation relate(const dj_reuse_paths *paths)
{
    size_t at = paths->common;
    bool from = at < paths->from.count, to = at < paths->to.count;
    if (at == 0 && from && to)
        return DJ_RELATION_THREADS;
    if (!from && !to)
        return DJ_RELATION_NEST;
    if (!from || !to)
        return DJ_RELATION_DEEPER;
    bool from_loop = paths->from.steps[at].loop != DJ_NOWHERE,
         to_loop = paths->to.steps[at].loop != DJ_NOWHERE;
    if (from_loop && to_loop)
        return DJ_RELATION_SIBLINGS;
    return from_loop || to_loop ? DJ_RELATION_DEEPER : DJ_RELATION_CALLS;
}

static uint32_t divergence(const dj_path *path, size_t at, enum dj_relation relation)
{
    if (at >= path->count)
        return DJ_NOWHERE;
    return relation == DJ_RELATION_SIBLINGS ? path->steps[at].loop : path->steps[at].cct_node;
}

int dj_reuse_paths_find(dj_reuse_paths *paths, dj_context *context, const dj_attribution *a,
                        const dj_place_row *from, const dj_place_row *to, dj_reuse_link *out)
{
    int err = dj_path_find(&paths->from, context, a, from->cct_node, from->site);
    if (!err)
        err = dj_path_find(&paths->to, context, a, to->cct_node, to->site);
    if (err)
        return err;
    size_t at = paths->common = count_common(&paths->from, &paths->to);
    *out = (dj_reuse_link){.relation = relate(paths), .loop = DJ_NOWHERE, .frame = DJ_NOWHERE};
    for (size_t i = 0; i < at; i++) {
        const dj_step *step = &paths->from.steps[i];
        if (step->loop != DJ_NOWHERE)
            out->loop = step->loop;
        else
            out->frame = step->cct_node;
        out->loop_in_frame = step->loop != DJ_NOWHERE;
    }
    out->from_at = divergence(&paths->from, at, out->relation);
    out->to_at = divergence(&paths->to, at, out->relation);
    bool different = out->relation != DJ_RELATION_NEST && out->relation != DJ_RELATION_THREADS;
    out->next_iteration =
        different && out->loop != DJ_NOWHERE && is_next_iteration(a, paths, from->site, to->site);
    return DJ_OK;
}
