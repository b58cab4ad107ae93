// SPDX-License-Identifier: MIT
#include "observe/spatial/seen.h"
#include "observe/spatial/bursts_places.h"

#include <stdlib.h>
#include <string.h>

static void free_seen(dj_seen *s)
{
    free(s->pairs);
    free(s->caches);
    *s = (dj_seen){0};
}

static int create_seen(dj_context *context, const dj_seen_groups *g, dj_seen *s)
{
    s->pairs = calloc(g->pair_count + 1, sizeof *s->pairs);
    s->caches = calloc(g->pair_count * g->cache_count + 1, sizeof *s->caches);
    return s->pairs && s->caches ? DJ_OK
                                 : dj_fail_memory(context, "the bursts", g->pair_count * sizeof *s->pairs);
}

static void clear_seen(const dj_seen_groups *g, dj_seen *s)
{
    s->accesses = 0;
    memset(s->pairs, 0, g->pair_count * sizeof *s->pairs);
    memset(s->caches, 0, g->pair_count * g->cache_count * sizeof *s->caches);
}

static void add_numbers(void *to, const void *from, size_t bytes)
{
    uint64_t *sums = to;
    const uint64_t *more = from;
    for (size_t i = 0; i < bytes / sizeof *sums; i++)
        sums[i] += more[i];
}

static void add_seen(const dj_seen_groups *g, dj_seen *to, const dj_seen *from)
{
    to->accesses += from->accesses;
    add_numbers(to->pairs, from->pairs, g->pair_count * sizeof *to->pairs);
    add_numbers(to->caches, from->caches, g->pair_count * g->cache_count * sizeof *to->caches);
}

void dj_seen_free(dj_seen_groups *g)
{
    free_seen(&g->now);
    free_seen(&g->before);
    for (size_t i = 0; i < g->group_count; i++)
        free_seen(&g->groups[i]);
    dj_seen_places_free(&g->places);
    free(g->blocks);
}

int dj_seen_create(dj_context *context, size_t pair_count, size_t cache_count, const uint64_t *cuts,
                   dj_seen_groups *out)
{
    *out = (dj_seen_groups){
        .pair_count = pair_count, .cache_count = cache_count, .cuts = cuts, .group_count = 1};
    out->blocks = calloc(pair_count + 1, sizeof *out->blocks);
    int err = out->blocks ? DJ_OK : dj_fail_memory(context, "the bursts", 0);
    if (!err)
        err = create_seen(context, out, &out->now);
    if (!err)
        err = create_seen(context, out, &out->before);
    return err ? err : dj_seen_places_create(&out->places, context);
}

static void count_bins(dj_seen_pair *p, const dj_seen_access *a)
{
    const unsigned here = dj_log2_bin(a->here), there = dj_log2_bin(a->there);
    if (a->known)
        p->known[here][there + DJ_SPATIAL_STEP <= here]++;
    else if (a->known_there)
        p->open[here][there]++;
    else
        p->none[here]++;
}

static void count_bounds(dj_spatial_bounds *b, const dj_seen_access *a, uint64_t size_there)
{
    const bool effective = a->there < size_there;
    if (a->known) {
        b->reuses++;
        b->effective += effective;
    } else if (!effective) {
        b->if_not++;
    } else if (a->known_there) {
        b->if_effective++;
    } else {
        b->either++;
    }
}

static void count_caches(const dj_seen_groups *g, dj_seen_cache *caches, const dj_seen_access *a, size_t pair)
{
    const uint64_t *size = g->cuts + pair * g->cache_count, *size_there = size + g->cache_count;
    for (size_t k = 0; k < g->cache_count; k++) {
        if (a->known && a->here < size[k])
            break;
        count_bounds(&caches[k].all, a, size_there[k]);
        if (k + 1 == g->cache_count || a->here < size[k + 1])
            count_bounds(&caches[k].own, a, size_there[k]);
    }
}

static void advance(dj_seen_groups *g)
{
    g->position++;
    if ((g->position & (g->position - 1)) != 0)
        return;
    const dj_seen old = g->before;
    g->before = g->now;
    g->now = old;
    clear_seen(g, &g->now);
    dj_seen_places_advance(&g->places);
}

static dj_seen_access access_of(const dj_seen_groups *g, const dj_lane_view *lanes, size_t pair,
                                uint32_t index)
{
    const uint64_t here = lanes[pair].distance[index], there = lanes[pair + 1].distance[index];
    return (dj_seen_access){here == DJ_COLD ? g->blocks[pair] : here,
                            there == DJ_COLD ? g->blocks[pair + 1] : there, here != DJ_COLD,
                            there != DJ_COLD};
}

static int count_place(dj_seen_groups *g, dj_context *context, uint32_t place, size_t pair,
                       const dj_seen_access *a)
{
    return dj_seen_places_count(&g->places, context, place, (unsigned)pair, a,
                                g->cuts + pair * g->cache_count, g->cache_count);
}

int dj_seen_count(dj_seen_groups *g, dj_context *context, const dj_lane_view *lanes, const uint32_t *place,
                  uint32_t index)
{
    int err = DJ_OK;
    advance(g);
    g->now.accesses++;
    for (size_t pair = 0; !err && pair < g->pair_count; pair++) {
        const dj_seen_access a = access_of(g, lanes, pair, index);
        count_bins(&g->now.pairs[pair], &a);
        count_caches(g, &g->now.caches[pair * g->cache_count], &a, pair);
        err = place ? count_place(g, context, place[index], pair, &a) : DJ_OK;
    }
    for (size_t lane = 0; lane <= g->pair_count; lane++)
        g->blocks[lane] += lanes[lane].distance[index] == DJ_COLD;
    return err;
}

// What is cold there is no reuse, since the trace begins with it.
int dj_seen_count_first(dj_seen_groups *g, dj_context *context, const dj_lane_view *lanes,
                        const uint32_t *place, uint32_t index)
{
    int err = DJ_OK;
    for (size_t pair = 0; !err && pair < g->pair_count; pair++) {
        const dj_seen_access a = access_of(g, lanes, pair, index);
        err = a.known ? count_place(g, context, place[index], pair, &a) : DJ_OK;
    }
    return err;
}

int dj_seen_end_first(dj_seen_groups *g, dj_context *context)
{
    return dj_seen_places_end_burst(&g->places, context, 0);
}

int dj_seen_end_burst(dj_seen_groups *g, dj_context *context)
{
    size_t least = 1;
    int err = DJ_OK;
    if (g->position > 0) {
        for (size_t i = 1; i < g->group_count; i++)
            least = g->groups[i].accesses < g->groups[least].accesses ? i : least;
        if (g->group_count < DJ_SPATIAL_GROUPS_MOST) {
            least = g->group_count;
            err = create_seen(context, g, &g->groups[least]);
            g->group_count++;
        }
        if (!err) {
            add_seen(g, &g->groups[least], &g->before);
            add_seen(g, &g->groups[least], &g->now);
            err = dj_seen_places_end_burst(&g->places, context, (unsigned)least);
        }
    }
    clear_seen(g, &g->before);
    clear_seen(g, &g->now);
    memset(g->blocks, 0, (g->pair_count + 1) * sizeof *g->blocks);
    g->position = 0;
    return err;
}

typedef struct part_list {
    dj_spatial_part *items;
    size_t count;
} part_list;

// Counts the parts; stores them if the list has items.
static void put(part_list *to, uint32_t group, enum dj_spatial_seen seen, unsigned here, unsigned there,
                uint64_t count)
{
    if (count > 0 && to->items)
        to->items[to->count] = (dj_spatial_part){group, seen, here, there, count};
    to->count += count > 0;
}

static void put_pair(part_list *to, uint32_t group, const dj_seen_pair *p)
{
    for (unsigned here = 0; here < DJ_SPATIAL_BINS; here++) {
        put(to, group, DJ_SPATIAL_SEEN_POOR, here, 0, p->known[here][0]);
        put(to, group, DJ_SPATIAL_SEEN_EFFECTIVE, here, 0, p->known[here][1]);
        for (unsigned there = 0; there < DJ_SPATIAL_BINS; there++)
            put(to, group, DJ_SPATIAL_SEEN_DOUBLE, here, there, p->open[here][there]);
        put(to, group, DJ_SPATIAL_SEEN_NEITHER, here, 0, p->none[here]);
    }
}

static void put_first(part_list *to, const dj_spatial_pair *first)
{
    for (unsigned here = 0; first && here < DJ_SPATIAL_BINS; here++) {
        const dj_spatial_count row = dj_spatial_row(first, here);
        put(to, 0, DJ_SPATIAL_SEEN_POOR, here, 0, row.reuses - row.effective);
        put(to, 0, DJ_SPATIAL_SEEN_EFFECTIVE, here, 0, row.effective);
    }
}

static void put_all(const dj_seen_groups *g, const dj_spatial_pair *first, size_t pair, part_list *to)
{
    put_first(to, first);
    for (uint32_t i = 1; i < g->group_count; i++)
        put_pair(to, i, &g->groups[i].pairs[pair]);
}

static dj_spatial_bounds known_bounds(dj_spatial_count count)
{
    return (dj_spatial_bounds){.reuses = count.reuses, .effective = count.effective};
}

static int fill_pair(const dj_seen_groups *g, dj_context *context, const dj_spatial_pair *first, size_t pair,
                     dj_spatial_pair *to)
{
    part_list list = {0};
    put_all(g, first, pair, &list);
    to->parts = calloc(list.count + 1, sizeof *to->parts);
    to->part_caches = calloc(g->group_count * g->cache_count + 1, sizeof *to->part_caches);
    if (!to->parts || !to->part_caches)
        return dj_fail_memory(context, "the bursts", list.count * sizeof *to->parts);
    to->part_count = list.count;
    list = (part_list){to->parts, 0};
    put_all(g, first, pair, &list);
    for (uint32_t i = first ? 0 : 1; i < g->group_count; i++)
        for (uint32_t k = 0; k < g->cache_count; k++) {
            dj_seen_cache c = {{0}, {0}};
            if (i > 0)
                c = g->groups[i].caches[pair * g->cache_count + k];
            else
                c = (dj_seen_cache){known_bounds(first->caches[k].own), known_bounds(first->caches[k].all)};
            to->part_caches[to->part_cache_count++] = (dj_spatial_part_cache){i, k, c.own, c.all};
        }
    return DJ_OK;
}

int dj_seen_fill(const dj_seen_groups *g, dj_context *context, const dj_spatial *first, double accesses,
                 dj_spatial *to)
{
    uint64_t sum = 0;
    to->group_accesses = calloc(g->group_count + 1, sizeof *to->group_accesses);
    if (!to->group_accesses)
        return dj_fail_memory(context, "the bursts", 0);
    to->group_count = g->group_count;
    to->group_accesses[0] = first ? dj_spatial_accesses(&first->pairs[0]) : 0;
    for (size_t i = 1; i < g->group_count; i++) {
        to->group_accesses[i] = g->groups[i].accesses;
        sum += g->groups[i].accesses;
    }
    to->group_weight = sum > 0 ? accesses / (double)sum : 0;
    int err = DJ_OK;
    for (size_t pair = 0; !err && pair < g->pair_count; pair++)
        err = fill_pair(g, context, first ? &first->pairs[pair] : NULL, pair, &to->pairs[pair]);
    return err;
}
