// SPDX-License-Identifier: MIT
#include <deja/profile.h>

#include <stdlib.h>

int dj_spatial_create(dj_context *context, size_t pair_count, size_t cache_count, dj_spatial **out)
{
    dj_spatial *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the spatial locality", sizeof *s);
    s->pairs = calloc(pair_count + 1, sizeof *s->pairs);
    s->caches = calloc(cache_count + 1, sizeof *s->caches);
    bool full = s->pairs && s->caches;
    for (; full && s->pair_count < pair_count; s->pair_count++) {
        dj_spatial_pair *pair = &s->pairs[s->pair_count];
        pair->caches = calloc(cache_count + 1, sizeof *pair->caches);
        pair->cache_sum = calloc(cache_count + 1, sizeof *pair->cache_sum);
        full = pair->caches && pair->cache_sum;
    }
    s->cache_count = s->caches ? cache_count : 0;
    if (!full) {
        dj_spatial_destroy(s);
        return dj_fail_memory(context, "the spatial locality", pair_count * sizeof *s->pairs);
    }
    *out = s;
    return DJ_OK;
}

static void free_spatial(void *value)
{
    dj_spatial *spatial = value;
    for (size_t i = 0; i < spatial->pair_count; i++) {
        free(spatial->pairs[i].caches);
        free(spatial->pairs[i].cache_sum);
    }
    for (size_t i = 0; i < spatial->cache_count; i++)
        free(spatial->caches[i].name);
    free(spatial->pairs);
    free(spatial->caches);
}

void dj_spatial_destroy(dj_spatial *spatial)
{
    if (!spatial)
        return;
    free_spatial(spatial);
    free(spatial);
}

const dj_section_ops dj_section_spatial = {
    .name = "spatial",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .table = {.bytes = sizeof(dj_spatial)},
    .free = free_spatial,
};

dj_spatial_count dj_spatial_row(const dj_spatial_pair *pair, unsigned bin)
{
    dj_spatial_count row = {0, 0};
    for (unsigned j = 0; j <= bin; j++) {
        row.reuses += pair->map[bin][j];
        row.effective += j + DJ_SPATIAL_STEP <= bin ? pair->map[bin][j] : 0;
    }
    return row;
}

dj_spatial_count dj_spatial_whole(const dj_spatial_pair *pair)
{
    dj_spatial_count whole = {0, 0};
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
        dj_spatial_count row = dj_spatial_row(pair, i);
        whole.reuses += row.reuses;
        whole.effective += row.effective;
    }
    return whole;
}

double dj_spatial_all_blocks(const dj_spatial *spatial)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < spatial->pair_count; i++) {
        dj_spatial_count whole = dj_spatial_whole(&spatial->pairs[i]);
        double weight = 1.0 / (double)spatial->pairs[i].block_bytes;
        sum += weight * dj_spatial_score(whole.reuses, whole.effective);
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}
