// SPDX-License-Identifier: MIT
// Distinct blocks: exact for data and threads, if the attribution has them; estimated for code by merging
// the sketches of its sites and of the contexts it calls.
#include <stdlib.h>

#include "model/breakdown/breakdown.h"

// One sketch for each entity, exclusive ones first, then inclusive ones.
typedef struct sketches {
    dj_sketch *merged;
    bool *any;
} sketches;

static void merge(const dj_grouping *groups, sketches *s, uint64_t key, bool inclusive, const dj_sketch *from)
{
    const uint32_t id = dj_grouping_get(groups, key);
    if (id == 0)
        return;
    size_t at = id - 1 + (inclusive ? groups->count : 0);
    dj_sketch_merge(&s->merged[at], from);
    s->any[at] = true;
}

// Merges the blocks touched at `site` or in context `row`; one of the two is given.
static int merge_all(dj_grouping *groups, dj_context *context, sketches *s, uint32_t row, uint32_t site,
                     const dj_sketch *from)
{
    bool own = groups->by == DJ_BY_CALLING_CONTEXT || row == DJ_NOWHERE;
    uint64_t key = dj_key_of(groups->a, groups->by, site, row, DJ_NOWHERE);
    if (own)
        merge(groups, s, key, false, from);
    if (own && dj_key_is_rest(key))
        merge(groups, s, key, true, from);
    int err = dj_keys_around_context(groups, context, row);
    if (!err)
        err = dj_keys_around_site(groups, context, site);
    for (size_t i = 0; i < groups->around_count && !err; i++)
        merge(groups, s, groups->around[i], true, from);
    return err;
}

static int merge_sketches(dj_grouping *groups, dj_context *context, sketches *s)
{
    const dj_attribution *a = groups->a;
    int err = DJ_OK;
    for (uint32_t i = 0; groups->by != DJ_BY_CALLING_CONTEXT && i < a->site_count && !err; i++)
        if (a->sites[i].sketch)
            err = merge_all(groups, context, s, DJ_NOWHERE, i, a->sites[i].sketch);
    for (uint32_t i = 0; groups->by != DJ_BY_LINE && i < a->cct_count && !err; i++)
        if (a->cct[i].sketch)
            err = merge_all(groups, context, s, i, DJ_NOWHERE, a->cct[i].sketch);
    return err;
}

// Every cold miss touches a different block, and no access more than one.
static dj_distinct estimate(const dj_sketch *sketch, const dj_tally *tally)
{
    uint64_t blocks = (uint64_t)(dj_sketch_count(sketch) + 0.5);
    blocks = blocks < tally->cold ? tally->cold : blocks;
    blocks = blocks > tally->accesses ? tally->accesses : blocks;
    return (dj_distinct){.known = true, .blocks = blocks};
}

static int count_code(dj_grouping *groups, dj_context *context)
{
    size_t count = 2 * groups->count;
    sketches s = {calloc(count + 1, sizeof *s.merged), calloc(count + 1, sizeof *s.any)};
    int err = s.merged && s.any ? merge_sketches(groups, context, &s)
                                : dj_fail_memory(context, "a breakdown", count * sizeof *s.merged);
    for (size_t i = 0; i < groups->count && !err; i++) {
        dj_entity *entity = &groups->entities[i];
        size_t inclusive = groups->count + i;
        if (s.any[i])
            entity->distinct = estimate(&s.merged[i], &entity->exclusive);
        if (s.any[inclusive])
            entity->inclusive_distinct = estimate(&s.merged[inclusive], &entity->inclusive);
    }
    free(s.merged);
    free(s.any);
    return err;
}

int dj_breakdown_count_distinct(dj_grouping *groups, dj_context *context)
{
    const dj_attribution *a = groups->a;
    if (groups->by != DJ_BY_OBJECT && groups->by != DJ_BY_THREAD)
        return count_code(groups, context);
    for (size_t i = 0; i < groups->count; i++) {
        dj_entity *entity = &groups->entities[i];
        if (entity->row == DJ_NOWHERE)
            continue;
        uint64_t blocks =
            groups->by == DJ_BY_OBJECT ? a->objects[entity->row].distinct : a->threads[entity->row].distinct;
        const bool known = blocks > 0 || entity->exclusive.accesses == 0;
        entity->distinct = (dj_distinct){.known = known, .exact = known, .blocks = blocks};
    }
    return DJ_OK;
}
