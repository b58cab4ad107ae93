// SPDX-License-Identifier: MIT
// Blocks that compete for the same sets of a cache: misses that a fully associative cache would not have.
// They are in no reuse distance; simulated levels have them.
#include <stdlib.h>
#include <string.h>

#include <deja/hierarchy.h>

#include "base/human.h"
#include "base/text_stream.h"
#include "model/advice/list.h"

enum { NAMED_MOST = 4 };

// Conflicts are worth padding if they are at least a quarter of the misses of a level.
static bool dominate(const dj_level_counts *counts, uint64_t accesses)
{
    return 4 * counts->conflict >= counts->misses && counts->misses > 0 &&
           (double)counts->conflict >= DJ_ADVICE_ACCESSES * (double)accesses;
}

static const dj_level *level_of(const dj_hierarchy *hierarchy, const char *name, size_t *index)
{
    for (size_t i = 0; i < hierarchy->level_count; i++)
        if (strcmp(hierarchy->levels[i].name, name) == 0) {
            *index = i;
            return &hierarchy->levels[i];
        }
    return NULL;
}

static uint64_t conflicts_at(const dj_place_row *place, size_t level)
{
    const dj_level_tally *tally = place->tally.levels;
    return tally && level < tally->level_count ? tally->levels[level].conflict : 0;
}

// The objects with most conflicts, each with at least a twentieth of them, and the worst place.
typedef struct culprits {
    uint32_t objects[NAMED_MOST];
    size_t count;
    uint32_t place;
} culprits;

static int find_culprits(dj_context *context, const dj_attribution *a, size_t level, uint64_t all,
                         culprits *out)
{
    uint64_t *of = calloc(a->object_count + 1, sizeof *of), worst = 0;
    if (!of)
        return dj_fail_memory(context, "advice", a->object_count * sizeof *of);
    *out = (culprits){.count = 0};
    for (uint32_t i = 0; i < a->place_count; i++) {
        const uint64_t here = conflicts_at(&a->places[i], level);
        of[a->places[i].object] += here;
        out->place = here > worst ? i : out->place;
        worst = here > worst ? here : worst;
    }
    while (out->count < NAMED_MOST) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < a->object_count; i++)
            most = of[i] > of[most] ? i : most;
        if (a->object_count == 0 || of[most] == 0 || 20 * of[most] < all)
            break;
        out->objects[out->count++] = most;
        of[most] = 0;
    }
    free(of);
    return DJ_OK;
}

static char *name_objects(const dj_attribution *a, const culprits *c)
{
    dj_text_stream out;
    if (!dj_text_stream_open(&out))
        return NULL;
    for (size_t i = 0; i < c->count; i++)
        fprintf(out.file, "%s%s", i > 0 ? ", " : "", a->objects[c->objects[i]].name);
    return dj_text_stream_close(&out, NULL);
}

static char *explain(const dj_level *level, const culprits *c, const char *data)
{
    dj_text_stream out;
    char share[DJ_HUMAN_BYTES];
    if (!dj_text_stream_open(&out))
        return NULL;
    fprintf(
        out.file,
        "%s of the misses of %s are conflicts: blocks of %s compete for few of its %llu sets of %llu ways, "
        "while others are idle. ",
        dj_human_share(share, (double)level->counts.conflict, (double)level->counts.misses), level->name,
        data, (unsigned long long)(level->size_blocks / level->ways), (unsigned long long)level->ways);
    fputs(c->count > 1 ? "Padding may help: let the arrays begin at different sets, a block further each."
                       : "Padding may help: make the distance between its rows odd, in blocks.",
          out.file);
    return dj_text_stream_close(&out, NULL);
}

static char *state(const dj_level *level)
{
    dj_text_stream out;
    char conflict[DJ_HUMAN_BYTES], capacity[DJ_HUMAN_BYTES], cold[DJ_HUMAN_BYTES];
    if (!dj_text_stream_open(&out))
        return NULL;
    fprintf(out.file, "%s, simulated: %s conflict, %s capacity and %s cold misses", level->name,
            dj_human_count(conflict, level->counts.conflict),
            dj_human_count(capacity, dj_level_capacity(&level->counts)),
            dj_human_count(cold, level->counts.cold));
    return dj_text_stream_close(&out, NULL);
}

// Fills in misses and saves of the levels in which conflicts dominate. The worst one, or NULL.
static const dj_level *measure(const dj_profile *profile, dj_advice_item *item, size_t *index)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    const dj_hierarchy *hierarchy = dj_profile_hierarchy(profile);
    const dj_level *worst = NULL;
    for (size_t i = 0; i < a->cut_count; i++) {
        size_t at;
        const dj_level *level = level_of(hierarchy, a->cuts[i].name, &at);
        if (!level || !dominate(&level->counts, profile->accesses))
            continue;
        const double share = (double)level->counts.conflict / (double)level->counts.misses;
        item->misses[i] = item->saves[i] = level->counts.conflict;
        item->weight += share;
        if (share < item->share)
            continue;
        item->share = item->saved = share;
        item->cut = i;
        worst = level;
        *index = at;
    }
    return worst;
}

int dj_advise_padding(dj_context *context, const dj_profile *profile, const dj_names *names,
                      dj_advice_item *item, bool *given)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    culprits found = {.count = 0};
    size_t index = 0;
    *given = false;
    if (!dj_profile_hierarchy(profile))
        return DJ_OK;
    int err = dj_advice_item_create(context, a, "pad", item);
    const dj_level *level = err ? NULL : measure(profile, item, &index);
    if (!level)
        return err;
    err = find_culprits(context, a, index, level->counts.conflict, &found);
    if (err || found.count == 0)
        return err;
    item->object = found.objects[0];
    item->data = name_objects(a, &found);
    item->where = dj_names_use(names, a->places[found.place].site);
    item->text = item->data ? explain(level, &found, item->data) : NULL;
    item->evidence = state(level);
    *given = true;
    return item->data && item->where && item->text && item->evidence ? DJ_OK
                                                                     : dj_fail_memory(context, "advice", 0);
}
