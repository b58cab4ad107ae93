// SPDX-License-Identifier: MIT
// Saves observer `places` to a summary file. A part was analyzed by another process, whose place numbers
// are valid here only if they were assigned identically: the file stores a hash of what each number
// represents, and parts are merged only if one list is a prefix of the other.
#include "observe/places/places.h"

#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

void dj_place_identities_free(dj_place_identities *identities)
{
    for (unsigned part = 0; part < DJ_PLACE_PARTS; part++)
        free(identities->part[part].list);
    *identities = (dj_place_identities){0};
}

static void save_tally(dj_packer *to, const dj_place_count *r)
{
    const dj_tally *t = &r->tally;
    const uint64_t numbers[] = {t->cold, t->writes, t->sum,     t->square_low, t->square_high,
                                t->min,  t->max,    r->example, t->bin_first,  t->bin_count};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        dj_pack_number(to, numbers[i]);
    for (uint32_t i = 0; i < t->bin_count; i++)
        dj_pack_number(to, t->bins[i]);
}

static void save_shorts(dj_packer *to, const dj_place_short *s)
{
    static const dj_place_short none;
    bool any = memcmp(s, &none, sizeof none) != 0;
    dj_pack_number(to, any);
    for (unsigned kind = 0; any && kind < 2; kind++)
        for (unsigned d = 0; d <= DJ_PLACE_SHORT; d++)
            dj_pack_number(to, s->accesses[kind][d]);
}

static void save_group(dj_packer *to, const dj_place_group *g)
{
    dj_pack_number(to, g->met.count);
    for (uint64_t i = 0; i <= g->met.mask; i++) {
        const dj_triple_entry *e = &g->met.entries[i];
        if (e->value == DJ_TRIPLE_FREE)
            continue;
        dj_pack_number(to, e->a);
        dj_pack_number(to, (uint64_t)e->c << 32 | e->b);
        dj_pack_number(to, e->value);
    }
}

static void save_sketches(dj_packer *to, const dj_place_sketches *s)
{
    uint64_t count = 0;
    for (size_t i = 0; i < s->capacity; i++)
        count += s->list[i].sketch != NULL;
    dj_pack_number(to, count);
    for (size_t i = 0; i < s->capacity; i++) {
        if (!s->list[i].sketch)
            continue;
        dj_pack_number(to, i);
        dj_pack_number(to, s->list[i].last);
        for (unsigned k = 0; k < DJ_SKETCH_REGISTERS; k++)
            dj_pack_number(to, s->list[i].sketch->rank[k]);
    }
}

static void save_table(dj_packer *to, const dj_place_table *table)
{
    dj_pack_number(to, table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        const dj_place *place = dj_place_get(table, i);
        dj_pack_number(to, place->site);
        dj_pack_number(to, place->cct_node);
        dj_pack_number(to, place->object);
        dj_pack_number(to, place->thread);
    }
}

int dj_places_identify(const dj_places *p, dj_context *context, dj_place_identities *out)
{
    return p->identify
               ? p->identify(p->user, context, out)
               : dj_fail(context, DJ_ERR_UNSUPPORTED, "unidentified places cannot be saved in a summary");
}

int dj_places_save(const void *state, dj_context *context, dj_packer *to)
{
    const dj_places *p = state;
    dj_place_identities fresh = {0};
    const dj_place_identities *known = &p->identities;
    if (!p->own) {
        int err = dj_places_identify(p, context, &fresh);
        if (err)
            return err;
        known = &fresh;
    }
    dj_pack_number(to, p->cut_count);
    for (size_t i = 0; i < p->cut_count; i++)
        dj_pack_number(to, p->cuts[i]);
    dj_pack_number(to, p->pair_from);
    for (unsigned part = 0; part < DJ_PLACE_PARTS; part++) {
        dj_pack_number(to, known->part[part].count);
        for (size_t i = 0; i < known->part[part].count; i++)
            dj_pack_number(to, known->part[part].list[i]);
    }
    dj_place_identities_free(&fresh);
    save_table(to, p->table);
    size_t rows = p->row_capacity < p->table->count ? p->row_capacity : p->table->count;
    dj_pack_number(to, rows);
    for (size_t i = 0; i < rows; i++) {
        save_tally(to, &p->rows[i]);
        save_shorts(to, &p->shorts[i]);
    }
    dj_pack_number(to, p->pair_count);
    for (size_t i = 0; i < p->pair_count; i++) {
        dj_pack_number(to, p->pairs[i].from);
        dj_pack_number(to, p->pairs[i].to);
        save_tally(to, &p->pairs[i]);
    }
    save_group(to, &p->objects);
    save_group(to, &p->threads);
    save_sketches(to, &p->sites);
    save_sketches(to, &p->cct);
    return DJ_OK;
}
