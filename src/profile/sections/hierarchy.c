// SPDX-License-Identifier: MIT
// Section `hierarchy`: simulated caches, one behind the other.
#include <deja/profile.h>

#include <stdlib.h>

#include "profile/attribution_check.h"
#include "profile/fields.h"

uint64_t dj_level_capacity(const dj_level_counts *counts)
{
    return counts->misses - counts->cold - counts->conflict;
}

void dj_level_counts_add(dj_level_counts *counts, const dj_level_counts *other)
{
    counts->misses += other->misses;
    counts->cold += other->cold;
    counts->conflict += other->conflict;
    counts->writebacks += other->writebacks;
}

int dj_level_tally_create(dj_context *context, size_t level_count, dj_level_tally **out)
{
    dj_level_tally *tally = calloc(1, sizeof *tally);
    dj_level_counts *levels = calloc(level_count + 1, sizeof *levels);
    if (!tally || !levels) {
        free(tally);
        free(levels);
        return dj_fail_memory(context, "the caches of a place", level_count * sizeof *levels);
    }
    *tally = (dj_level_tally){.levels = levels, .level_count = level_count};
    *out = tally;
    return DJ_OK;
}

void dj_level_tally_destroy(dj_level_tally *tally)
{
    if (tally)
        free(tally->levels);
    free(tally);
}

static const dj_field level_fields[] = {
    DJ_AT(TEXT, "name", dj_level, name, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "size_blocks", dj_level, size_blocks, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "ways", dj_level, ways, .flags = DJ_FIELD_REQUIRED,
          .about = "of each set; size_blocks: fully associative"),
    DJ_AT(U64, "misses", dj_level, counts.misses, .flags = DJ_FIELD_REQUIRED,
          .about = "of accesses, or of the fetches of the level before; each fetches a block"),
    DJ_AT(U64, "cold", dj_level, counts.cold, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "capacity", dj_level, capacity, .flags = DJ_FIELD_REQUIRED,
          .about = "misses that are neither cold nor conflicts"),
    DJ_AT(U64, "conflict", dj_level, counts.conflict, .flags = DJ_FIELD_REQUIRED,
          .about = "misses that hit in a fully associative cache"),
    DJ_AT(U64, "writebacks", dj_level, counts.writebacks, .flags = DJ_FIELD_REQUIRED,
          .about = "modified blocks that were evicted"),
    DJ_END,
};
static const dj_table level_row = {level_fields, sizeof(dj_level), DJ_ROW_LINE};

static const dj_field fields[] = {
    DJ_AT(LIST, "caches", dj_hierarchy, levels, .rows = &level_row,
          .count_at = offsetof(dj_hierarchy, level_count), .flags = DJ_FIELD_REQUIRED, .most = DJ_LEVELS_MOST,
          .about = "simulated with their sets, the first level first"),
    DJ_END,
};

dj_hierarchy *dj_profile_hierarchy(const dj_profile *profile)
{
    return dj_profile_section(profile, &dj_section_hierarchy);
}

bool dj_hierarchy_fits(const dj_hierarchy *h, const dj_attribution *a)
{
    bool fits = a->cut_count == 0 || a->cut_count == h->level_count;
    for (size_t k = 0; fits && k < a->cut_count; k++)
        fits = a->cuts[k].blocks == h->levels[k].size_blocks;
    return fits;
}

static bool adds_up(const dj_level *level)
{
    const dj_level_counts *c = &level->counts;
    return level->ways > 0 && level->ways <= level->size_blocks && level->size_blocks % level->ways == 0 &&
           c->cold <= c->misses && c->conflict <= c->misses - c->cold &&
           level->capacity == dj_level_capacity(c);
}

static int check(dj_context *context, void *value)
{
    const dj_hierarchy *h = value;
    for (size_t i = 0; i < h->level_count; i++)
        if (!adds_up(&h->levels[i]))
            return dj_fail(context, DJ_ERR_INPUT, "caches[%zu]: the numbers do not add up", i);
    return h->level_count > 0 ? DJ_OK : dj_fail(context, DJ_ERR_INPUT, "caches: there are none");
}

// A level has no more misses and write-backs than what comes before it.
static bool fits(const dj_tally *tally)
{
    uint64_t accesses = tally->accesses, writes = tally->writes;
    const dj_level_tally *t = tally->levels;
    for (size_t i = 0; i < t->level_count; i++) {
        const dj_level_counts *c = &t->levels[i];
        if (c->misses > accesses || c->writebacks > writes || c->cold > c->misses ||
            c->conflict > c->misses - c->cold)
            return false;
        accesses = c->misses;
        writes = c->writebacks;
    }
    return true;
}

// The sums cannot overflow: all places together have less than 2^64 accesses.
static int check_sums(dj_context *context, const dj_hierarchy *h, const dj_attribution *a)
{
    dj_level_counts sums[DJ_LEVELS_MOST] = {0};
    for (size_t i = 0; i < a->place_count; i++)
        for (size_t k = 0; a->places[i].tally.levels && k < h->level_count; k++)
            dj_level_counts_add(&sums[k], &a->places[i].tally.levels->levels[k]);
    for (size_t k = 0; k < h->level_count; k++) {
        const dj_level_counts *c = &h->levels[k].counts, *s = &sums[k];
        if (c->misses != s->misses || c->cold != s->cold || c->conflict != s->conflict ||
            c->writebacks != s->writebacks)
            return dj_fail(context, DJ_ERR_INPUT, "caches[%zu]: the places do not add up to it", k);
    }
    return DJ_OK;
}

int dj_level_tallies_check(dj_context *context, const dj_profile *profile, const dj_attribution *a)
{
    const dj_hierarchy *h = dj_profile_hierarchy(profile);
    bool any = false;
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_tally *tally = &a->places[i].tally;
        if (tally->levels && (!h || tally->levels->level_count != h->level_count || !fits(tally)))
            return dj_fail(context, DJ_ERR_INPUT, "places[%zu]: the counts of its caches do not add up", i);
        any = any || tally->levels;
    }
    if (any && !dj_hierarchy_fits(h, a))
        return dj_fail(context, DJ_ERR_INPUT, "caches: the places were measured for others");
    return any ? check_sums(context, h, a) : DJ_OK;
}

// What observer `hierarchy-places` has not taken over.
static void free_places(void *value)
{
    dj_hierarchy *h = value;
    for (size_t i = 0; i < h->place_count; i++)
        dj_level_tally_destroy(h->places[i]);
    free(h->places);
}

const dj_section_ops dj_section_hierarchy = {
    .name = "hierarchy",
    .summary = "simulated caches, one behind the other",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .spread = true,
    .table = {fields, sizeof(dj_hierarchy), DJ_ROW_OBJECT},
    .free = free_places,
    .check = check,
};
