// SPDX-License-Identifier: MIT
// Rules about data layout: structures and arrays of which only a part is used.
#include <inttypes.h>

#include "base/gcd.h"
#include "model/spatial/advice.h"

// Two parts of a structure that are fetched separately are not in one block.
static bool has_separate_parts(const dj_spatial_evidence *e)
{
    return e->parts[1] && 5 * e->part_fetched[1] >= e->part_fetched[0] && e->part_fetched[1] > 0;
}

static bool reorder_fields_applies(const dj_spatial_evidence *e)
{
    return has_separate_parts(e) && e->element > e->block;
}

static void say_reorder_fields(const dj_spatial_evidence *e, FILE *out)
{
    dj_spatial_say_data(e, e->row->object, e->parts[0], out);
    fputs(" and ", out);
    dj_spatial_say_data(e, e->row->object, e->parts[1], out);
    fputs(" are both used here but are in different blocks. Moving such fields next to each other in the "
          "structure may help.",
          out);
}

const dj_spatial_rule dj_rule_reorder_fields = {
    .name = "reorder fields", .applies = reorder_fields_applies, .say = say_reorder_fields};

static bool pad_applies(const dj_spatial_evidence *e)
{
    return has_separate_parts(e) && e->element > 0 && e->element <= e->block;
}

static void say_pad(const dj_spatial_evidence *e, FILE *out)
{
    uint64_t padded = 1;
    while (padded < e->element && padded <= UINT64_MAX / 2)
        padded *= 2;
    fputs("Elements of ", out);
    dj_spatial_say_count(e->element, out);
    fprintf(out, " %s probably cross block boundaries. ", dj_spatial_units(e));
    if (padded == e->element)
        fprintf(out, "Aligning them to %" PRIu64 " %s may help.", padded < e->block ? padded : e->block,
                dj_spatial_units(e));
    else
        fprintf(out, "Padding and aligning each to %" PRIu64 " %s may help.", padded, dj_spatial_units(e));
}

const dj_spatial_rule dj_rule_pad = {.name = "pad", .applies = pad_applies, .say = say_pad};

// The fields in between are not used: half of each block in a walk, half of the structure in single visits.
static bool has_idle_fields(const dj_spatial_evidence *e)
{
    double whole = e->regular ? (double)e->block : (double)e->element;
    return e->field && 2 * e->used <= whole && !e->nodes;
}

// A walk in steps longer than what is used, with no other data that could fill the gaps.
static bool has_idle_elements(const dj_spatial_evidence *e)
{
    return e->regular && 2 * e->used <= (double)e->block && (double)dj_magnitude(e->stride) > e->used &&
           e->partner == DJ_NOWHERE;
}

static bool split_applies(const dj_spatial_evidence *e)
{
    return has_idle_fields(e) || has_idle_elements(e);
}

static void say_split(const dj_spatial_evidence *e, FILE *out)
{
    if (e->field)
        fprintf(
            out,
            "Splitting the structure may help: store the fields that are used together here in a separate "
            "array, without the unused fields between them.");
    else
        fputs("Storing the elements that are used here contiguously, in a separate array, may help.", out);
}

const dj_spatial_rule dj_rule_split = {.name = "split", .applies = split_applies, .say = say_split};

static bool regroup_applies(const dj_spatial_evidence *e)
{
    return e->partner != DJ_NOWHERE;
}

static void say_regroup(const dj_spatial_evidence *e, FILE *out)
{
    const dj_place_row *partner = &e->attribution->places[e->partner];
    dj_spatial_say_data(e, partner->object, partner->element, out);
    fputs(" is used in the same loop, probably at the same index. Regrouping the two into an array of "
          "structures may help, so that elements with the same index are adjacent.",
          out);
}

const dj_spatial_rule dj_rule_regroup = {.name = "regroup", .applies = regroup_applies, .say = say_regroup};
