// SPDX-License-Identifier: MIT
// A very frequent block is in the sample or not, and so a place has many times its accesses, or none. As for
// the whole trace (observe/known_total.h), misses are what the sample says, and the shortest reuses are
// adjusted until the accesses of a site are right. A site with more misses than accesses keeps them: others
// like it have none. What it has too much is taken from the other sites of its function.
#include "measure/site_totals.h"

#include <stdlib.h>

enum { PAGE = 4096 }; // code without a known function

typedef struct site_place {
    uint64_t place; // index
    uint32_t site;
    dj_site_count count;
    const dj_site_id *id;
} site_place;

static int by_code(const void *a, const void *b)
{
    const site_place *x = a, *y = b;
    if (x->id->module != y->id->module)
        return x->id->module < y->id->module ? -1 : 1;
    if (x->id->offset != y->id->offset)
        return x->id->offset < y->id->offset ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool in_one_function(const site_place *x, const site_place *y)
{
    return x->id->module == y->id->module && x->count.function == y->count.function &&
           (x->count.function != 0 || x->id->offset / PAGE == y->id->offset / PAGE);
}

// Reuses at the distance 0: what is not in the sample is probably frequent.
static int add_shortest(dj_tally *t, dj_context *context, uint64_t count)
{
    int err = count ? dj_tally_widen(t, context, 0, 1) : DJ_OK;
    if (err || count == 0)
        return err;
    t->bins[0] += count;
    t->accesses += count;
    t->min = 0;
    return DJ_OK;
}

// Removes up to `count` reuses that are shorter than those of pairs, but not the last access. Returns how
// many it removed.
static uint64_t remove_shortest(dj_tally *t, const dj_attribution *a, uint64_t count)
{
    uint64_t removed = 0, sum = 0;
    const uint64_t most = t->accesses ? t->accesses - 1 : 0, wanted = count < most ? count : most;
    for (uint32_t i = 0; i < t->bin_count && removed < wanted; i++) {
        const uint64_t left = wanted - removed;
        const uint32_t bin = t->bin_first + i;
        if (a->edges[bin] >= a->pair_from)
            break;
        const uint64_t less = t->bins[i] < left ? t->bins[i] : left;
        t->bins[i] -= less;
        removed += less;
        sum += less * a->edges[bin];
    }
    t->accesses -= removed;
    t->writes = t->writes < t->accesses ? t->writes : t->accesses;
    t->sum -= sum < t->sum ? sum : t->sum;
    return removed;
}

// The places of a site.
typedef struct part {
    const site_place *list;
    size_t count;
    uint64_t estimate; // of their accesses
} part;

static part take_part(const dj_attribution *a, const site_place *list, size_t count)
{
    part p = {.list = list};
    while (p.count < count && list[p.count].site == list[0].site)
        p.estimate += a->places[list[p.count++].place].tally.accesses;
    return p;
}

// In proportion to what the sample says; the first place gets the rest.
static int add_missing(dj_context *context, const part *p, uint64_t missing, dj_attribution *a)
{
    uint64_t left = missing;
    int err = DJ_OK;
    for (size_t i = 1; !err && i < p->count; i++) {
        dj_tally *t = &a->places[p->list[i].place].tally;
        const double share = p->estimate ? (double)t->accesses / (double)p->estimate : 0;
        uint64_t more = (uint64_t)(share * (double)missing);
        more = more < left ? more : left;
        left -= more;
        err = add_shortest(t, context, more);
    }
    return err ? err : add_shortest(&a->places[p->list[0].place].tally, context, left);
}

static uint64_t remove_surplus(const part *p, uint64_t surplus, dj_attribution *a)
{
    uint64_t removed = 0;
    for (size_t i = 0; i < p->count && removed < surplus; i++)
        removed += remove_shortest(&a->places[p->list[i].place].tally, a, surplus - removed);
    return removed;
}

// The places of a function. Every site keeps an access, so that its row is there.
static int match(dj_context *context, const site_place *list, size_t count, dj_attribution *a)
{
    uint64_t debt = 0;
    int err = DJ_OK;
    part p;
    for (size_t i = 0; !err && i < count; i += p.count) {
        p = take_part(a, list + i, count - i);
        const uint64_t accesses = list[i].count.accesses;
        if (p.estimate >= accesses) {
            const uint64_t surplus = p.estimate - accesses;
            debt += surplus - remove_surplus(&p, surplus, a);
            continue;
        }
        const uint64_t missing = accesses - p.estimate, paid = missing - 1 < debt ? missing - 1 : debt;
        debt -= paid;
        err = add_missing(context, &p, missing - paid, a);
    }
    // What the last sites have too much is taken from those before them.
    for (size_t i = count; !err && debt > 0 && i-- > 0;)
        debt -= remove_shortest(&a->places[list[i].place].tally, a, debt);
    return err;
}

static int match_all(dj_context *context, const site_place *list, size_t count, dj_attribution *a)
{
    int err = DJ_OK;
    for (size_t begin = 0, end; !err && begin < count; begin = end) {
        for (end = begin + 1; end < count && in_one_function(&list[begin], &list[end]);)
            end++;
        err = match(context, list + begin, end - begin, a);
    }
    return err;
}

int dj_match_sites(dj_context *context, const dj_locator *locator, dj_attribution *a)
{
    const dj_located *located = dj_locator_get(locator);
    dj_site_count count;
    if (!dj_locator_count(locator, 0, &count))
        return DJ_OK;
    site_place *list = malloc((a->place_count + 1) * sizeof *list);
    if (!list)
        return dj_fail_memory(context, "the places", a->place_count * sizeof *list);
    for (size_t i = 0; i < a->place_count; i++) {
        const uint32_t site = a->places[i].site;
        dj_locator_count(locator, site, &count);
        list[i] = (site_place){i, site, count, &located->sites[site]};
    }
    qsort(list, a->place_count, sizeof *list, by_code);
    int err = match_all(context, list, a->place_count, a);
    free(list);
    return err;
}
