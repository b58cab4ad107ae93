// SPDX-License-Identifier: MIT
#include "view/matches.h"

#include <stdlib.h>
#include <string.h>

#include "base/dictionary.h"
#include "model/breakdown/grouping.h"

struct dj_view_matches {
    const dj_view_breakdowns *sides[DJ_SIDES];
    const dj_diff_rows *rows[DJ_BY_COUNT];
    dj_map entities[DJ_SIDES][DJ_BY_COUNT]; // by key: the number of the entity + 1
    dj_footprint footprint;
    dj_dictionary numbers; // of references
};

static int index_entities(dj_context *context, dj_view_matches *m, unsigned run, enum dj_by by)
{
    const dj_view_breakdowns *side = m->sides[run];
    const dj_breakdown *b = side->by[by];
    dj_map *map = &m->entities[run][by];
    int err = dj_map_create(map, context, &m->footprint, b->count);
    for (size_t i = 0; !err && i < b->count; i++) {
        uint64_t *at = dj_map_at(map, context, dj_view_entity_key(side->a, by, &b->entities[i]));
        if (at)
            *at = i + 1;
        else
            err = DJ_ERR_MEMORY;
    }
    return err;
}

int dj_view_matches_create(dj_context *context, const dj_diff *diff,
                           const dj_view_breakdowns *const sides[DJ_SIDES], dj_view_matches **out)
{
    static const enum dj_by by[] = {DJ_BY_LINE, DJ_BY_LOOP, DJ_BY_OBJECT, DJ_BY_CALLING_CONTEXT};
    dj_view_matches *m = *out = calloc(1, sizeof *m);
    if (!m)
        return dj_fail_memory(context, "a page", sizeof *m);
    for (size_t i = 0; i < diff->row_lists; i++)
        m->rows[diff->rows[i].by] = &diff->rows[i];
    int err = dj_dictionary_create(&m->numbers, context);
    for (unsigned run = 0; run < DJ_SIDES; run++) {
        m->sides[run] = sides[run];
        for (size_t i = 0; !err && sides[run] && i < sizeof by / sizeof *by; i++)
            err = index_entities(context, m, run, by[i]);
    }
    return err;
}

void dj_view_matches_destroy(dj_view_matches *m)
{
    if (!m)
        return;
    for (unsigned run = 0; run < DJ_SIDES; run++)
        for (unsigned by = 0; by < DJ_BY_COUNT; by++)
            dj_map_destroy(&m->entities[run][by]);
    dj_dictionary_destroy(&m->numbers);
    free(m);
}

uint32_t dj_view_match_entity(const dj_view_matches *m, unsigned run, enum dj_by by, size_t entity)
{
    const dj_diff_rows *rows = m ? m->rows[by] : NULL;
    return rows && entity < rows->part_counts[run] ? rows->row_of[run][entity] : DJ_NOWHERE;
}

static uint32_t match_key(const dj_view_matches *m, unsigned run, enum dj_by by, uint64_t key)
{
    const uint64_t entity = dj_map_get(&m->entities[run][by], key);
    return entity ? dj_view_match_entity(m, run, by, entity - 1) : DJ_NOWHERE;
}

uint32_t dj_view_match_place(const dj_view_matches *m, unsigned run, enum dj_by by, uint32_t place)
{
    if (!m || !m->sides[run])
        return DJ_NOWHERE;
    const dj_attribution *a = m->sides[run]->a;
    const dj_place_row *p = &a->places[place];
    return match_key(m, run, by, dj_key_of(a, by, p->site, p->cct_node, p->object));
}

uint32_t dj_view_match_row(const dj_view_matches *m, unsigned run, enum dj_by by, uint32_t row)
{
    const uint64_t rest = DJ_KEY_REST | DJ_NOWHERE;
    return m && m->sides[run] ? match_key(m, run, by, row == DJ_NOWHERE ? rest : row) : DJ_NOWHERE;
}

int dj_view_match(dj_view_matches *m, dj_context *context, const dj_view_references *of, uint32_t *out)
{
    *out = DJ_NOWHERE;
    if (!m)
        return DJ_OK;
    uint64_t hash = dj_map_hash((uint64_t)of->kind << 32 | of->count);
    bool fresh;
    for (unsigned i = 0; i < of->count; i++)
        hash = dj_map_hash(hash ^ of->numbers[i]) + i;
    for (const char *c = of->part; c && *c; c++)
        hash = dj_map_hash(hash ^ (unsigned char)*c);
    return dj_dictionary_value(&m->numbers, context, hash, out, &fresh);
}

const char *dj_view_part_of(const dj_attribution *a, uint32_t object, const char *name)
{
    const char *own = object < a->object_count ? a->objects[object].name : NULL;
    const size_t length = own ? strlen(own) : 0;
    return own && strncmp(own, name, length) == 0 ? name + length : "";
}
