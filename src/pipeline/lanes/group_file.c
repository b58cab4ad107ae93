// SPDX-License-Identifier: MIT
// A group of lanes in a summary: with fixed memory, the rate may have to fall further when parts are joined.
#include <stdlib.h>

#include "base/pack.h"
#include "base/sample.h"
#include "pipeline/lanes/group_state.h"

void dj_group_save(const dj_group *g, unsigned first_log2, dj_packer *to)
{
    dj_pack_number(to, g->memory);
    if (g->memory == 0)
        return;
    dj_pack_number(to, first_log2);
    dj_pack_text(to, g->exact_description);
    dj_pack_text(to, g->thinning->ops->name);
    g->thinning->ops->save(g->thinning->state, to);
}

static int refuse_filter(dj_context *context, const char *name)
{
    return dj_fail(context, DJ_ERR_INPUT,
                   "its sample was taken by a filter '%.64s', which this deja cannot join", name);
}

int dj_saved_group_load(dj_saved_group *saved, dj_context *context, uint64_t largest_block, dj_unpacker *from)
{
    const dj_filter_setup setup = {NULL, largest_block};
    uint64_t first_log2 = 0;
    char *name = NULL;
    int err = dj_unpack_number(from, context, &saved->memory);
    if (err || saved->memory == 0)
        return err;
    err = dj_unpack_below(from, context, saved->weight_log2, "the first rate of a sample", &first_log2);
    saved->first_log2 = (unsigned)first_log2;
    if (!err)
        err = dj_unpack_text(from, context, &saved->exact_description);
    if (!err)
        err = dj_unpack_text(from, context, &name);
    if (!err) {
        const dj_filter_ops *ops = dj_filter_find(name);
        err = ops && ops->load ? ops->load(context, &setup, from, &saved->thinning_state)
                               : refuse_filter(context, name);
        saved->thinning = err ? NULL : ops;
    }
    free(name);
    return err;
}

void dj_saved_group_free(dj_saved_group *saved)
{
    if (saved->thinning && saved->thinning_state)
        saved->thinning->destroy(saved->thinning_state);
    free(saved->description);
    free(saved->exact_description);
    *saved = (dj_saved_group){0};
}
