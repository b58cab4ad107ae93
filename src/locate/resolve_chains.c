// SPDX-License-Identifier: MIT
// The code says which of the misses that no prefetcher foresees wait for each other.
#include "locate/resolve.h"

#include <stdlib.h>

// Finding chains takes time. Only sites with at least these parts of the misses without a pattern, or of the
// accesses, are worth it.
enum { MISSES_PART = 1000, ACCESSES_PART = 200 };

static uint64_t unforeseen(const dj_miss_counts *m)
{
    uint64_t sum = 0;
    for (unsigned bin = 0; m && dj_miss_count_at(bin, 0, false) < m->count; bin++)
        for (unsigned w = 0; w < 2; w++)
            sum += m->counts[dj_miss_count_at(bin, DJ_MISS_IRREGULAR, w)] +
                   m->counts[dj_miss_count_at(bin, DJ_MISS_PAGED, w)];
    return sum;
}

int dj_resolve_weigh(dj_resolver *r, dj_context *context)
{
    typedef struct weight {
        uint64_t misses, accesses;
    } weight;
    const dj_attribution *a = r->out;
    const size_t count = r->located->site_count;
    weight all = {0}, *sites = calloc(count + 1, sizeof *sites);
    r->weighty = calloc(count + 1, sizeof *r->weighty);
    if (!sites || !r->weighty) {
        free(sites);
        return dj_fail_memory(context, "the names", count * sizeof *sites);
    }
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_place_row *place = &a->places[i];
        const weight w = {unforeseen(place->tally.missed), place->tally.accesses};
        sites[place->site].misses += w.misses;
        sites[place->site].accesses += w.accesses;
        all = (weight){all.misses + w.misses, all.accesses + w.accesses};
    }
    for (size_t i = 0; i < count && all.misses > 0; i++)
        r->weighty[i] = (sites[i].misses > 0 && sites[i].misses >= all.misses / MISSES_PART) ||
                        sites[i].accesses > all.accesses / ACCESSES_PART;
    free(sites);
    return DJ_OK;
}

// Moves the misses of such classes, or half of them if a branch is guessed right half of the time.
static void move_misses(const dj_miss_counts *m, unsigned bin, uint64_t half)
{
    static const enum dj_miss_class waiting[] = {DJ_MISS_IRREGULAR, DJ_MISS_PAGED};
    for (unsigned k = 0; k < 4; k++) {
        uint64_t *from = &m->counts[dj_miss_count_at(bin, waiting[k / 2], k % 2)];
        const uint64_t moved = *from / half;
        m->counts[dj_miss_count_at(bin, DJ_MISS_DEPENDENT, k % 2)] += moved;
        *from -= moved;
    }
}

// Hits of a link wait, too.
static int add_hits(dj_context *context, dj_tally *tally, uint64_t half)
{
    uint64_t hits = tally->accesses;
    int err = tally->missed ? DJ_OK : dj_miss_counts_create(context, &tally->missed);
    if (!err)
        err = dj_miss_counts_widen(tally->missed, context, DJ_MISS_HITS + 1);
    for (size_t i = 0; !err && i < tally->missed->count; i++)
        hits -= tally->missed->counts[i];
    if (!err)
        tally->missed->counts[dj_miss_count_at(DJ_MISS_HITS, DJ_MISS_DEPENDENT, false)] += hits / half;
    return err;
}

int dj_resolve_chains(dj_resolver *r, dj_context *context)
{
    const dj_attribution *a = r->out;
    bool known = false;
    int err = DJ_OK;
    for (size_t i = 0; !known && i < a->place_count; i++)
        known = a->places[i].tally.missed != NULL;
    for (size_t i = 0; known && !err && i < a->place_count; i++) {
        dj_tally *tally = &a->places[i].tally;
        const uint32_t chain = a->sites[a->places[i].site].chain;
        const uint64_t half = chain == DJ_CHAIN_GUESSED ? 2 : 1;
        if (chain == DJ_CHAIN_NONE)
            continue;
        for (unsigned bin = 0; tally->missed && dj_miss_count_at(bin, 0, false) < tally->missed->count; bin++)
            move_misses(tally->missed, bin, half);
        if (chain != DJ_CHAIN_BESIDE)
            err = add_hits(context, tally, half);
    }
    return err;
}
