// SPDX-License-Identifier: MIT
// Which advice fits. Steps and what is used of each block are measured; why it is
// so is concluded, and told with "may".
#include "model/spatial_advice.h"

#include "base/divisor.h"

#include <string.h>

const char *dj_spatial_advice_name(enum dj_spatial_advice advice)
{
    static const char *const names[] = {
        "none", "interchange", "split", "reorder fields", "regroup", "pad", "shrink", "sort",
    };
    return advice < DJ_SPATIAL_ADVICE_COUNT ? names[advice] : names[DJ_SPATIAL_NONE];
}

static unsigned count_indexes(const char *element)
{
    unsigned count = 0;
    for (; element && *element; element++)
        count += *element == '*';
    return count;
}

static bool goes_across(const dj_spatial_evidence *e, uint64_t block)
{
    uint64_t step = dj_magnitude(e->stride);
    if (e->outer == DJ_NOWHERE || !dj_spatial_is_regular(e) || step < block)
        return false;
    const char *element = e->work->a->places[e->row->place].element;
    return e->along || (!e->field && count_indexes(element) >= 2);
}

// Structures: two parts that come in by themselves are not in one block.
static enum dj_spatial_advice advise_structure(const dj_spatial_evidence *e, uint64_t block)
{
    bool apart = e->parts[1] && 5 * e->part_fetched[1] >= e->part_fetched[0] && e->part_fetched[1] > 0;
    if (apart && e->element > block)
        return DJ_SPATIAL_REORDER_FIELDS;
    if (apart && e->element > 0)
        return DJ_SPATIAL_PAD;
    // Of a walk half of each block should be idle; of single visits half of the structure.
    double whole = dj_spatial_is_regular(e) ? (double)block : (double)e->element;
    bool idle = 2 * e->used <= whole && !dj_spatial_is_nodes(e);
    return e->field && idle ? DJ_SPATIAL_SPLIT : DJ_SPATIAL_NONE;
}

// What stands in a list can be sorted. A table that is looked up at places that
// are computed cannot; it can be made smaller, and one that is not much larger
// than the cache in any case.
static enum dj_spatial_advice advise_scattered(const dj_spatial_evidence *e)
{
    const dj_object_row *object = &e->work->a->objects[e->row->object];
    bool small = object->bytes / 4 <= dj_profile_spatial(e->work->profile)->usage_cache;
    const dj_place_row *place = &e->work->a->places[e->row->place];
    bool array = place->element && strchr(place->element, '[') && object->bytes > 0;
    bool table = place->tally.writes == 0 && !e->listed;
    bool shrink = array && !dj_spatial_is_nodes(e) && (small || table);
    return shrink ? DJ_SPATIAL_SHRINK : DJ_SPATIAL_SORT;
}

// One variable, or what was met once, has no order that could be a better one.
static bool is_single(const dj_spatial_evidence *e)
{
    const dj_object_row *object = &e->work->a->objects[e->row->object];
    bool small = object->bytes > 0 && object->bytes <= dj_profile_spatial(e->work->profile)->usage_block;
    return e->usage.steps == 0 || (small && object->blocks <= 1);
}

static enum dj_spatial_advice choose(const dj_spatial_evidence *e)
{
    uint64_t block = dj_profile_spatial(e->work->profile)->usage_block;
    if (e->usage.fetched == 0 || dj_spatial_is_used_up(e) || !dj_spatial_is_data(e->work, e->row->object) ||
        is_single(e))
        return DJ_SPATIAL_NONE;
    if (goes_across(e, block))
        return DJ_SPATIAL_INTERCHANGE;
    enum dj_spatial_advice of_structure = advise_structure(e, block);
    if (of_structure != DJ_SPATIAL_NONE)
        return of_structure;
    if (e->partner != DJ_NOWHERE)
        return DJ_SPATIAL_REGROUP;
    uint64_t step = dj_magnitude(e->stride);
    if (!dj_spatial_is_regular(e))
        return advise_scattered(e);
    if (2 * e->used > (double)block)
        return DJ_SPATIAL_NONE;
    return (double)step > e->used ? DJ_SPATIAL_SPLIT : advise_scattered(e); // or short runs here and there
}

int dj_ranking_advise(dj_context *context, const dj_ranking_work *w)
{
    size_t most = w->options->advise ? w->options->advise : 10;
    int err = DJ_OK;
    if (dj_profile_spatial(w->profile)->usage_block == 0)
        return DJ_OK;
    for (size_t i = 0; i < w->out->count && i < most && !err; i++) {
        dj_rank_row *row = &w->out->rows[i];
        dj_spatial_evidence evidence;
        if (row->poor <= 0)
            break;
        err = dj_spatial_evidence_find(context, w, row, &evidence);
        if (err)
            break;
        row->advice = choose(&evidence);
        err = dj_spatial_advice_say(context, &evidence, row);
    }
    return err;
}
