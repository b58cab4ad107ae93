// SPDX-License-Identifier: MIT
#include <deja/spatial.h>

#include <stdlib.h>

dj_spatial_count dj_spatial_row(const dj_spatial_pair *pair, unsigned bin)
{
    dj_spatial_count row = {0, 0};
    for (unsigned j = 0; j <= bin; j++) {
        row.reuses += pair->map[bin][j];
        row.effective += j + DJ_SPATIAL_STEP <= bin ? pair->map[bin][j] : 0;
    }
    return row;
}

dj_spatial_count dj_spatial_counts_from(const dj_spatial_counts *counts, unsigned bin)
{
    dj_spatial_count sum = {0, 0};
    for (uint32_t i = bin > counts->bin_first ? bin - counts->bin_first : 0; i < counts->bin_count; i++) {
        sum.reuses += counts->bins[i].reuses;
        sum.effective += counts->bins[i].effective;
    }
    return sum;
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
