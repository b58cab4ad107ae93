// SPDX-License-Identifier: MIT
#include "model/path.h"

#include "base/grow.h"

#include <stdlib.h>

unsigned dj_path_loops(const dj_attribution *a, uint32_t site, uint32_t loops[DJ_NEST_MOST])
{
    unsigned count = 0;
    if (!dj_row_is(site, a->site_count))
        return 0;
    for (uint32_t loop = a->sites[site].loop; dj_row_is(loop, a->loop_count) && count < DJ_NEST_MOST;
         loop = a->loops[loop].parent)
        loops[count++] = loop;
    for (unsigned i = 0; i < count / 2; i++) {
        uint32_t other = loops[i];
        loops[i] = loops[count - 1 - i];
        loops[count - 1 - i] = other;
    }
    return count;
}

unsigned dj_path_functions(const dj_attribution *a, uint32_t site, uint32_t functions[DJ_NEST_MOST])
{
    unsigned count = 0;
    if (!dj_row_is(site, a->site_count))
        return 0;
    if (dj_row_is(a->sites[site].function, a->function_count))
        functions[count++] = a->sites[site].function;
    for (uint32_t at = a->sites[site].inlined; dj_row_is(at, a->inlined_count) && count < DJ_NEST_MOST;
         at = a->inlined[at].inlined)
        if (dj_row_is(a->inlined[at].function, a->function_count))
            functions[count++] = a->inlined[at].function;
    return count;
}

static int add(dj_path *path, dj_context *context, uint32_t row, uint32_t loop)
{
    int err = dj_grow(context, "a calling context", &path->steps, &path->capacity, path->count + 1,
                      sizeof *path->steps);
    if (err)
        return err;
    path->steps[path->count++] = (dj_step){row, loop};
    return DJ_OK;
}

// The loops around a site of frame `row`, innermost first.
static int add_loops(dj_path *path, dj_context *context, const dj_attribution *a, uint32_t row, uint32_t site)
{
    uint32_t loops[DJ_NEST_MOST];
    int err = DJ_OK;
    for (unsigned left = dj_path_loops(a, site, loops); left > 0 && !err; left--)
        err = add(path, context, row, loops[left - 1]);
    return err;
}

int dj_path_find(dj_path *path, dj_context *context, const dj_attribution *a, uint32_t row, uint32_t site)
{
    path->count = 0;
    int err = dj_row_is(row, a->cct_count) ? DJ_OK : add_loops(path, context, a, DJ_NOWHERE, site);
    // Built from the inside out and reversed at the end. Parents precede their children, so this
    // terminates.
    while (dj_row_is(row, a->cct_count) && !err) {
        const dj_cct_node *frame = &a->cct[row];
        err = add_loops(path, context, a, row, site);
        if (!err)
            err = add(path, context, row, DJ_NOWHERE);
        site = frame->call_site;
        row = frame->parent < row ? frame->parent : DJ_NOWHERE;
    }
    for (size_t i = 0; i < path->count / 2; i++) {
        dj_step other = path->steps[i];
        path->steps[i] = path->steps[path->count - 1 - i];
        path->steps[path->count - 1 - i] = other;
    }
    return err;
}

void dj_path_free(dj_path *path)
{
    free(path->steps);
    *path = (dj_path){0};
}
