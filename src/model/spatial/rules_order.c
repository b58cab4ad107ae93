// SPDX-License-Identifier: MIT
// Rules about the order of accesses: across memory, or irregular.
#include <string.h>

#include "base/gcd.h"
#include "model/spatial/advice.h"

static unsigned count_indexes(const char *element)
{
    unsigned count = 0;
    for (; element && *element; element++)
        count += *element == '*';
    return count;
}

static bool goes_across(const dj_spatial_evidence *e)
{
    uint64_t step = dj_magnitude(e->stride);
    if (e->outer == DJ_NOWHERE || !e->regular || step < e->block)
        return false;
    const char *element = e->attribution->places[e->row->place].element;
    return e->along || (!e->field && count_indexes(element) >= 2);
}

// Loops in one line have the same name.
static bool is_same_line(const dj_spatial_evidence *e, uint32_t a, uint32_t b)
{
    const dj_loop_row *loops = e->attribution->loops;
    return loops[a].file == loops[b].file && loops[a].first_line == loops[b].first_line &&
           loops[a].last_line == loops[b].last_line;
}

static void say_interchange(const dj_spatial_evidence *e, FILE *out)
{
    fputs("Probably ", out);
    dj_spatial_say_loop(e, e->inner, out);
    fputs(" runs across memory and the loop around it", out);
    if (!is_same_line(e, e->inner, e->outer)) {
        fputs(", ", out);
        dj_spatial_say_loop(e, e->outer, out);
        fputs(",", out);
    }
    fputs(" along it. Interchanging the two may help, or transposing the data.", out);
}

const dj_spatial_rule dj_rule_go_along = {
    .name = "interchange", .applies = goes_across, .say = say_interchange};

// Irregular, or short scattered runs.
static bool is_scattered(const dj_spatial_evidence *e)
{
    return !e->regular || (2 * e->used <= (double)e->block && (double)dj_magnitude(e->stride) <= e->used);
}

// Accesses whose order is stored in a list can be sorted. Lookups in a table at computed indexes cannot,
// but the table can be made smaller; so can any array that is not much larger than the cache.
static bool shrink_applies(const dj_spatial_evidence *e)
{
    const dj_object_row *object = &e->attribution->objects[e->row->object];
    const dj_place_row *place = &e->attribution->places[e->row->place];
    bool small = object->bytes / 4 <= e->cache;
    bool array = place->element && strchr(place->element, '[') && object->bytes > 0;
    bool table = place->tally.writes == 0 && !e->listed;
    return is_scattered(e) && array && !e->nodes && (small || table);
}

static void say_shrink(const dj_spatial_evidence *e, FILE *out)
{
    fputs("The data occupies ", out);
    dj_spatial_say_count(e->attribution->objects[e->row->object].bytes, out);
    fprintf(out,
            " %s. Fewer or smaller elements may help: a smaller type, or a "
            "coarser table.",
            dj_spatial_units(e));
}

const dj_spatial_rule dj_rule_shrink = {
    .name = "shrink", .applies = shrink_applies, .say = say_shrink, .of_data = true};

static void say_sort(const dj_spatial_evidence *e, FILE *out)
{
    if (e->nodes) {
        fputs("Its ", out);
        dj_spatial_say_count(e->attribution->objects[e->row->object].blocks, out);
        fputs(
            " blocks were allocated individually. Allocating them from one array, in the order in which they "
            "are used, may help.",
            out);
    } else {
        fputs("Sorting or bucketing the work may help, so that neighbours in memory are used soon after each "
              "other; so may storing the data in the order of use, or making it smaller.",
              out);
    }
}

const dj_spatial_rule dj_rule_sort = {
    .name = "sort", .applies = is_scattered, .say = say_sort, .of_data = true};
