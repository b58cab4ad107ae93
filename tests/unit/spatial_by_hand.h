// SPDX-License-Identifier: MIT
// A hand-made profile with spatial locality: 1,010 accesses in blocks of 32 bytes,
// doubled to 64:
//
//     distance   reuses   effective   elsewhere
//     0             600                600 at 0
//     600           300    60 at 0     240 at 300      100 intercepted
//     3000          100    50 at 1      50 at 1500      50 intercepted
//     cold           10                  5 at 2, 5 cold
//
// Scores: 2 · 60 / 300 = 0.4, 2 · 50 / 100 = 1, in total 2 · 110 / 1000 = 0.22.
// Cache L1 of 32 KiB holds 1,024 blocks of 32 and 512 of 64 bytes: only the
// reuses at 3000 miss in it, and half of them hit with the larger block.
#ifndef DEJA_TESTS_SPATIAL_BY_HAND_H
#define DEJA_TESTS_SPATIAL_BY_HAND_H

#include "unit/lane.h"

static inline dj_profile *make_spatial(dj_context *with, size_t pair_count)
{
    dj_profile *made = make_profile(with, 32);
    made->provenance.unit_bytes = 1;
    made->accesses = made->lanes[0].accesses = 1010;
    dj_spatial *spatial = NULL;
    assert_int_equal(dj_spatial_create(with, pair_count, 1, &spatial), DJ_OK);
    assert_int_equal(dj_profile_give_section(with, made, &dj_section_spatial, spatial), DJ_OK);
    dj_profile_spatial(made)->caches[0] = (dj_spatial_cache_size){strdup("L1"), 32768};
    for (size_t i = 0; i < pair_count; i++)
        dj_profile_spatial(made)->pairs[i].block_bytes = UINT64_C(32) << i;
    dj_spatial_pair *pair = &dj_profile_spatial(made)->pairs[0];
    pair->map[0][0] = 600;
    pair->map[10][0] = 60;
    pair->map[10][9] = 240;
    pair->map[12][1] = 50;
    pair->map[12][11] = 50;
    pair->cold[2] = 5;
    pair->cold_both = 5;
    pair->intercepted[10] = 100;
    pair->intercepted[12] = 50;
    pair->distance_sum[10] = 300 * 600;
    pair->distance_sum[12] = 100 * 3000;
    pair->caches[0] = (dj_spatial_cache){{100, 50}, {100, 50}};
    pair->cache_sum[0] = 100 * 3000;
    return made;
}

#endif
