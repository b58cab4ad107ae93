// SPDX-License-Identifier: MIT
#include "model/reuse.h"

void dj_bonds_free(dj_bonds *bonds)
{
    dj_path_free(&bonds->from);
    dj_path_free(&bonds->to);
}

static size_t count_common(const dj_path *a, const dj_path *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && a->steps[i].context == b->steps[i].context &&
           a->steps[i].loop == b->steps[i].loop)
        i++;
    return i;
}

// File and line at which a way goes on after `at` steps: of the loop, of the
// call, or of the access itself.
static void line_after(const dj_attribution *a, const dj_path *path, size_t at, uint32_t site, uint32_t *file,
                       uint32_t *line)
{
    *file = DJ_NOWHERE;
    *line = 0;
    if (at < path->count && path->steps[at].loop != DJ_NOWHERE) {
        *file = a->loops[path->steps[at].loop].file;
        *line = a->loops[path->steps[at].loop].first_line;
        return;
    }
    if (at < path->count)
        site = a->contexts[path->steps[at].context].call_site;
    if (dj_row_is(site, a->site_count)) {
        *file = a->sites[site].file;
        *line = a->sites[site].line;
    }
}

static bool comes_round(const dj_attribution *a, const dj_bonds *bonds, uint32_t from_site, uint32_t to_site)
{
    uint32_t from_file, to_file, from_line, to_line;
    line_after(a, &bonds->from, bonds->common, from_site, &from_file, &from_line);
    line_after(a, &bonds->to, bonds->common, to_site, &to_file, &to_line);
    return from_file == to_file && from_line > to_line && to_line > 0;
}

static enum dj_relation relate(const dj_bonds *bonds)
{
    size_t at = bonds->common;
    bool from = at < bonds->from.count, to = at < bonds->to.count;
    if (at == 0 && from && to)
        return DJ_RELATION_THREADS;
    if (!from && !to)
        return DJ_RELATION_NEST;
    if (!from || !to)
        return DJ_RELATION_APART;
    bool from_loop = bonds->from.steps[at].loop != DJ_NOWHERE,
         to_loop = bonds->to.steps[at].loop != DJ_NOWHERE;
    if (from_loop && to_loop)
        return DJ_RELATION_SIBLINGS;
    return from_loop || to_loop ? DJ_RELATION_APART : DJ_RELATION_CALLS;
}

static uint32_t parting(const dj_path *path, size_t at, enum dj_relation relation)
{
    if (at >= path->count)
        return DJ_NOWHERE;
    return relation == DJ_RELATION_SIBLINGS ? path->steps[at].loop : path->steps[at].context;
}

int dj_bonds_find(dj_bonds *bonds, dj_context *context, const dj_attribution *a, const dj_place_row *from,
                  const dj_place_row *to, dj_bond *out)
{
    int err = dj_path_find(&bonds->from, context, a, from->context, from->site);
    if (!err)
        err = dj_path_find(&bonds->to, context, a, to->context, to->site);
    if (err)
        return err;
    size_t at = bonds->common = count_common(&bonds->from, &bonds->to);
    *out = (dj_bond){.relation = relate(bonds), .loop = DJ_NOWHERE, .frame = DJ_NOWHERE};
    for (size_t i = 0; i < at; i++) {
        const dj_step *step = &bonds->from.steps[i];
        if (step->loop != DJ_NOWHERE)
            out->loop = step->loop;
        else
            out->frame = step->context;
        out->loop_in_frame = step->loop != DJ_NOWHERE;
    }
    out->from_at = parting(&bonds->from, at, out->relation);
    out->to_at = parting(&bonds->to, at, out->relation);
    bool apart = out->relation != DJ_RELATION_NEST && out->relation != DJ_RELATION_THREADS;
    out->next_iteration = apart && out->loop != DJ_NOWHERE && comes_round(a, bonds, from->site, to->site);
    return DJ_OK;
}
