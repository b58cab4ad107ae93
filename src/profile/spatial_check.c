// SPDX-License-Identifier: MIT
#include "profile/spatial_check.h"
#include "base/gcd.h"

#include <stdlib.h>

static bool adds_up(uint64_t *sum, uint64_t count)
{
    return !__builtin_add_overflow(*sum, count, sum);
}

// Caches are counted among `reuses`, the total.
static const char *caches_wrong(const dj_spatial_cache *caches, size_t count, uint64_t reuses)
{
    for (size_t k = count; k-- > 0;) {
        const dj_spatial_count *own = &caches[k].own, *all = &caches[k].all;
        uint64_t from_here = k + 1 < count ? caches[k + 1].all.reuses : 0;
        if (own->effective > own->reuses || all->effective > all->reuses || own->effective > all->effective)
            return "a cache has more effective reuses than reuses";
        if (!adds_up(&from_here, own->reuses) || from_here != all->reuses || all->reuses > reuses)
            return "the reuses of the caches do not add up";
    }
    return NULL;
}

static const char *counts_wrong(const dj_spatial_counts *counts, size_t cache_count, uint64_t accesses)
{
    uint64_t reuses = 0;
    if (counts->bin_first > DJ_SPATIAL_BINS || counts->bin_count > DJ_SPATIAL_BINS - counts->bin_first)
        return "bins of spatial locality past the last one";
    for (uint32_t i = 0; i < counts->bin_count; i++) {
        if (counts->bins[i].effective > counts->bins[i].reuses)
            return "a bin has more effective reuses than reuses";
        if (!adds_up(&reuses, counts->bins[i].reuses) || reuses > accesses)
            return "there are more reuses than accesses";
    }
    return caches_wrong(counts->caches, cache_count, reuses);
}

static const char *usage_wrong(const dj_usage *usage, uint64_t accesses)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < DJ_STRIDES; i++) {
        if (i > 0 && usage->stride_count[i] > usage->stride_count[i - 1])
            return "strides are not ordered by their counts";
        if (!adds_up(&steps, usage->stride_count[i]) || steps > usage->steps)
            return "there are more strides than steps";
        if (usage->stride_count[i] > 0 &&
            dj_gcd(usage->grain, dj_magnitude(usage->stride[i])) != usage->grain)
            return "the grain does not divide the strides";
    }
    if (usage->steps > accesses || usage->fetched > accesses)
        return "there are more steps or blocks than accesses";
    return NULL;
}

const char *dj_spatial_tally_wrong(const dj_spatial_tally *tally, uint64_t accesses)
{
    const char *wrong = usage_wrong(&tally->usage, accesses);
    for (size_t i = 0; !wrong && i < tally->pair_count; i++)
        wrong = counts_wrong(&tally->pairs[i], tally->cache_count, accesses);
    return wrong;
}

// The accesses of a pair by their bin at 2b.
typedef struct columns {
    uint64_t bins[DJ_SPATIAL_BINS];
    uint64_t accesses;
} columns;

static const char *pair_wrong(const dj_spatial_pair *pair, size_t cache_count, columns *to)
{
    uint64_t reuses = 0;
    *to = (columns){.accesses = pair->cold_both};
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
        to->bins[i] += pair->cold[i];
        if (!adds_up(&to->accesses, pair->cold[i]))
            return "it has more than 2^64 - 1 accesses";
        for (unsigned j = 0; j < DJ_SPATIAL_BINS; j++) {
            if (j > i && pair->map[i][j])
                return "a distance grows with the block size";
            to->bins[j] += pair->map[i][j];
            if (!adds_up(&to->accesses, pair->map[i][j]))
                return "it has more than 2^64 - 1 accesses";
        }
        uint64_t row = dj_spatial_row(pair, i).reuses;
        reuses += row;
        if (pair->intercepted[i] > row)
            return "a row has more intercepted reuses than reuses";
    }
    return caches_wrong(pair->caches, cache_count, reuses);
}

static const char *parts_wrong(const dj_spatial *spatial, const dj_spatial_pair *pair)
{
    for (size_t i = 0; i < pair->part_count; i++) {
        const dj_spatial_part *p = &pair->parts[i];
        if (p->group >= spatial->group_count || p->seen > DJ_SPATIAL_SEEN_NEITHER ||
            p->here >= DJ_SPATIAL_BINS || p->there >= DJ_SPATIAL_BINS ||
            p->count > spatial->group_accesses[p->group])
            return "a part of the bursts is impossible";
    }
    for (size_t i = 0; i < pair->part_cache_count; i++)
        if (pair->part_caches[i].group >= spatial->group_count ||
            pair->part_caches[i].cache >= spatial->cache_count)
            return "a part of the bursts is in no cache";
    return NULL;
}

bool dj_spatial_parts_fit(const dj_spatial *spatial, const dj_spatial_parts *parts,
                          dj_spatial_part_sums *sums)
{
    for (size_t i = 0; i < parts->count; i++) {
        const dj_spatial_part_key key = dj_spatial_unpack_key(parts->list[i].key);
        const size_t end = key.by_cache ? spatial->cache_count + 1 : DJ_SPATIAL_BINS;
        if ((i > 0 && parts->list[i].key <= parts->list[i - 1].key) || key.pair >= spatial->pair_count ||
            key.group >= spatial->group_count || key.here >= end || key.there >= end)
            return false;
        uint64_t *sum = &sums->accesses[key.by_cache][key.pair][key.group];
        *sum += parts->list[i].count; // cannot overflow, since it was not more than the accesses before
        if (*sum > spatial->group_accesses[key.group])
            return false;
    }
    return true;
}

static bool groups_wrong(const dj_spatial *spatial)
{
    bool wrong = spatial->group_count > DJ_SPATIAL_GROUPS_MOST;
    for (size_t i = 0; !wrong && i < spatial->group_count; i++)
        wrong = spatial->group_accesses[i] > DJ_SPATIAL_ACCESSES_MOST;
    return wrong || !(spatial->group_weight >= 0 && spatial->group_weight <= (double)UINT64_MAX);
}

static const char *unlike_rows(const dj_spatial_pair *pair, const columns *before)
{
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        if (before->bins[i] != dj_spatial_row(pair, i).reuses)
            return "its rows do not match the columns of the previous pair";
    return NULL;
}

static bool has_block(const dj_spatial *spatial, uint64_t block)
{
    for (size_t i = 0; i < spatial->pair_count; i++)
        if (block == spatial->pairs[i].block_bytes || block == 2 * spatial->pairs[i].block_bytes)
            return true;
    return false;
}

int dj_spatial_check(dj_context *context, const dj_spatial *spatial)
{
    columns before = {{0}, 0}, now;
    if (spatial->pair_count == 0)
        return dj_fail(context, DJ_ERR_INPUT, "there are no pairs of block sizes");
    if (groups_wrong(spatial))
        return dj_fail(context, DJ_ERR_INPUT, "these groups of bursts are impossible");
    if (spatial->usage_block != 0 && !has_block(spatial, spatial->usage_block))
        return dj_fail(context, DJ_ERR_INPUT, "usage_block is not one of the block sizes");
    for (size_t i = 1; i < spatial->cache_count; i++)
        if (spatial->caches[i].bytes <= spatial->caches[i - 1].bytes)
            return dj_fail(context, DJ_ERR_INPUT, "caches[%zu] is not greater than the previous one", i);
    for (size_t i = 0; i < spatial->pair_count; i++, before = now) {
        const dj_spatial_pair *pair = &spatial->pairs[i];
        const char *wrong = pair_wrong(pair, spatial->cache_count, &now);
        if (!wrong && (pair->block_bytes == 0 || pair->block_bytes > UINT64_MAX / 2))
            wrong = "its block cannot be doubled";
        if (!wrong && i > 0 && pair->block_bytes != 2 * pair[-1].block_bytes)
            wrong = "its block is not twice the previous one";
        if (!wrong && now.accesses > DJ_SPATIAL_ACCESSES_MOST)
            wrong = "it has an impossible number of accesses";
        if (!wrong)
            wrong = parts_wrong(spatial, pair);
        // Distances of an estimate are estimated for each block size.
        const bool exact = !dj_spatial_is_estimate(spatial);
        if (!wrong && i > 0 && exact && now.accesses != before.accesses)
            wrong = "its number of accesses differs from that of the previous pair";
        if (!wrong && i > 0 && exact)
            wrong = unlike_rows(pair, &before);
        if (wrong)
            return dj_fail(context, DJ_ERR_INPUT, "pairs[%zu]: %s", i, wrong);
    }
    return DJ_OK;
}
