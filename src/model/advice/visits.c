// SPDX-License-Identifier: MIT
// Places by loop, and how much of each block the accesses of a loop to one object use.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model/advice/facts.h"

int dj_advice_facts_id(dj_dictionary *ids, dj_context *context, uint64_t a, uint64_t b, uint32_t *id)
{
    bool fresh;
    const uint64_t key[] = {a, b};
    return dj_dictionary_value(ids, context, XXH3_64bits(key, sizeof key), id, &fresh);
}

// Accesses without a loop count for their function.
static uint64_t nest_of(const dj_attribution *a, uint32_t site)
{
    const dj_site_row *row = &a->sites[site];
    return row->loop != DJ_NOWHERE ? row->loop : UINT64_C(1) << 32 | row->function;
}

bool dj_advice_is_field(const char *element)
{
    return element && (strstr(element, "].") || (element[0] == '.' && !strchr(element, '[')));
}

// Arrays within a structure have any number of fields.
static int add_field(dj_advice_facts *f, dj_context *context, uint32_t visit, const char *element)
{
    const char *field = dj_advice_is_field(element) ? strrchr(element, '.') : NULL;
    if (!field || strchr(field, '[')) {
        f->visits[visit].open = true;
        return DJ_OK;
    }
    bool fresh;
    uint32_t id;
    const uint64_t key[] = {visit, XXH3_64bits(field, strlen(field))};
    int err = dj_dictionary_value(&f->field_ids, context, XXH3_64bits(key, sizeof key), &id, &fresh);
    f->visits[visit].fields += !err && fresh;
    return err;
}

int dj_advice_facts_visit(dj_advice_facts *f, dj_context *context)
{
    const dj_attribution *a = f->a;
    int err = DJ_OK;
    for (size_t i = 0; i < a->place_count && !err; i++) {
        const dj_place_row *place = &a->places[i];
        err = dj_advice_facts_id(&f->visit_ids, context, nest_of(a, place->site), place->object,
                                 &f->visit_of[i]);
        if (err)
            break;
        dj_visit *visit = &f->visits[f->visit_of[i]];
        visit->accesses += place->tally.accesses;
        visit->fetched += (uint64_t)dj_tally_misses(&place->tally, a, a->pair_from);
        err = add_field(f, context, f->visit_of[i], place->element);
    }
    return err;
}

// Sorts the places by their innermost loop.
int dj_advice_facts_index(dj_advice_facts *f, dj_context *context)
{
    const dj_attribution *a = f->a;
    f->places = calloc(a->place_count + 1, sizeof *f->places);
    f->first = calloc(a->loop_count + 2, sizeof *f->first);
    if (!f->places || !f->first)
        return dj_fail_memory(context, "advice", a->place_count * sizeof *f->places);
    for (size_t i = 0; i < a->place_count; i++) {
        const uint32_t loop = a->sites[a->places[i].site].loop;
        if (dj_row_is(loop, a->loop_count))
            f->first[loop + 1]++;
    }
    for (size_t i = 0; i < a->loop_count; i++)
        f->first[i + 1] += f->first[i];
    // Each start moves to the end of its loop, which is the start of the next one.
    for (size_t i = a->place_count; i > 0; i--) {
        const uint32_t loop = a->sites[a->places[i - 1].site].loop;
        if (dj_row_is(loop, a->loop_count))
            f->places[--f->first[loop + 1]] = (uint32_t)(i - 1);
    }
    for (size_t i = 0; i < a->loop_count; i++)
        f->first[i] = f->first[i + 1];
    f->first[a->loop_count] = 0;
    for (size_t i = 0; i < a->place_count; i++)
        f->first[a->loop_count] += dj_row_is(a->sites[a->places[i].site].loop, a->loop_count);
    return DJ_OK;
}
