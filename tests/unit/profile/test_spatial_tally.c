// SPDX-License-Identifier: MIT
// Counts of spatial locality: hand-made rows and scores, and added tallies.
#include "unit/lane.h"

static dj_context *context;

static int begin(void **state)
{
    (void)state;
    context = make_context();
    return 0;
}

static int end(void **state)
{
    (void)state;
    dj_context_destroy(context);
    return 0;
}

static bool near(double x, double y)
{
    return x - y < 1e-12 && y - x < 1e-12;
}

// Row 4: 10 reuses, of which 4 stay, 3 fall by two and 3 by three or more.
static void rows_and_scores(void **state)
{
    (void)state;
    dj_spatial *s = NULL;
    assert_int_equal(dj_spatial_create(context, 2, 0, &s), DJ_OK);
    dj_spatial_pair *pair = &s->pairs[0];
    pair->block_bytes = 32;
    pair->map[4][4] = 4;
    pair->map[4][2] = 3;
    pair->map[4][1] = 2;
    pair->map[4][0] = 1;
    pair->map[0][0] = 10; // the lowest bins cannot shrink
    pair->map[64][61] = 5;
    pair->cold_both = 1000;
    pair->cold[3] = 1000;
    dj_spatial_count row = dj_spatial_row(pair, 4), whole = dj_spatial_whole(pair);
    assert_true(row.reuses == 10 && row.effective == 3);
    row = dj_spatial_row(pair, 64);
    assert_true(row.reuses == 5 && row.effective == 5);
    row = dj_spatial_row(pair, 7);
    assert_true(row.reuses == 0 && row.effective == 0);
    assert_true(whole.reuses == 25 && whole.effective == 8);
    assert_true(near(dj_spatial_score(whole.reuses, whole.effective), 16.0 / 25));
    assert_true(dj_spatial_score(0, 0) == 0);
    // 64 scores 1, and its weight is half of that of 32.
    s->pairs[1].block_bytes = 64;
    s->pairs[1].map[9][2] = 1;
    s->pairs[1].map[9][9] = 1;
    assert_true(near(dj_spatial_all_blocks(s), (2 * 16.0 / 25 + 1) / 3));
    dj_spatial_destroy(s);
    dj_spatial_destroy(NULL);
}

static void no_reuse_at_all(void **state)
{
    (void)state;
    dj_spatial *s = NULL;
    assert_int_equal(dj_spatial_create(context, 1, 3, &s), DJ_OK);
    s->pairs[0].block_bytes = 1;
    assert_true(dj_spatial_all_blocks(s) == 0);
    assert_true(dj_spatial_whole(&s->pairs[0]).reuses == 0);
    dj_spatial_destroy(s);
}

enum { PAIRS = 2, CACHES = 2, PARTS = 7 };

// What a tally should hold, in full arrays.
typedef struct plain {
    dj_spatial_count bins[PAIRS][DJ_SPATIAL_BINS];
    dj_spatial_cache caches[PAIRS][CACHES];
    uint64_t steps, fetched, used;
} plain;

static void add_one(plain *to, dj_spatial_tally *tally, uint64_t *random)
{
    for (size_t p = 0; p < PAIRS; p++) {
        uint32_t bin = (uint32_t)(next_random(random) % DJ_SPATIAL_BINS);
        uint64_t reuses = next_random(random) % 100, effective = reuses / 3;
        assert_int_equal(dj_spatial_counts_widen(&tally->pairs[p], context, bin, bin + 1), DJ_OK);
        dj_spatial_count *count = &tally->pairs[p].bins[bin - tally->pairs[p].bin_first];
        count->reuses += reuses;
        count->effective += effective;
        to->bins[p][bin].reuses += reuses;
        to->bins[p][bin].effective += effective;
        dj_spatial_cache *cache = &tally->pairs[p].caches[bin % CACHES];
        cache->own.reuses += reuses;
        cache->all.effective += effective;
        to->caches[p][bin % CACHES].own.reuses += reuses;
        to->caches[p][bin % CACHES].all.effective += effective;
    }
    tally->usage.steps++;
    tally->usage.fetched += 2;
    tally->usage.used += 3;
    to->steps++;
    to->fetched += 2;
    to->used += 3;
}

static void assert_holds(const dj_spatial_tally *tally, const plain *want)
{
    for (size_t p = 0; p < PAIRS; p++) {
        const dj_spatial_counts *counts = &tally->pairs[p];
        for (uint32_t bin = 0; bin < DJ_SPATIAL_BINS; bin++) {
            bool there = bin >= counts->bin_first && bin - counts->bin_first < counts->bin_count;
            dj_spatial_count got = there ? counts->bins[bin - counts->bin_first] : (dj_spatial_count){0, 0};
            assert_memory_equal(&got, &want->bins[p][bin], sizeof got);
        }
        assert_memory_equal(counts->caches, want->caches[p], sizeof want->caches[p]);
    }
    assert_int_equal(tally->usage.steps, want->steps);
    assert_int_equal(tally->usage.fetched, want->fetched);
    assert_int_equal(tally->usage.used, want->used);
}

// The same counts in any order of adding. One tally has no bins at all.
static void added_in_any_order(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int round = 0; round < 50; round++) {
        plain want = {0};
        dj_tally parts[PARTS] = {{.accesses = 0}}, sum = {.accesses = 0};
        for (size_t i = 0; i < PARTS; i++) {
            assert_int_equal(dj_spatial_tally_create(context, PAIRS, CACHES, &parts[i].spatial), DJ_OK);
            for (size_t n = i; n > 0; n--)
                add_one(&want, parts[i].spatial, &random);
        }
        size_t order[PARTS];
        for (size_t i = 0; i < PARTS; i++) {
            size_t at = next_random(&random) % (i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        assert_int_equal(dj_tally_add(&parts[order[1]], context, &parts[order[0]]), DJ_OK);
        for (size_t i = 1; i < PARTS; i++)
            assert_int_equal(dj_tally_add(&sum, context, &parts[order[i]]), DJ_OK);
        assert_holds(sum.spatial, &want);
        dj_tally nothing = {.accesses = 0};
        assert_int_equal(dj_tally_add(&sum, context, &nothing), DJ_OK);
        assert_holds(sum.spatial, &want);
        for (size_t i = 0; i < PARTS; i++)
            dj_tally_free(&parts[i]);
        dj_tally_free(&sum);
        assert_null(sum.spatial);
    }
}

static void widened_at_both_ends(void **state)
{
    (void)state;
    dj_spatial_counts counts = {0};
    assert_int_equal(dj_spatial_counts_widen(&counts, context, 10, 12), DJ_OK);
    counts.bins[0].reuses = 10;
    counts.bins[1].reuses = 11;
    assert_int_equal(dj_spatial_counts_widen(&counts, context, 10, 11), DJ_OK); // already there
    assert_true(counts.bin_first == 10 && counts.bin_count == 2);
    assert_int_equal(dj_spatial_counts_widen(&counts, context, 3, 4), DJ_OK);
    assert_int_equal(dj_spatial_counts_widen(&counts, context, 64, 65), DJ_OK);
    assert_true(counts.bin_first == 3 && counts.bin_count == 62);
    assert_true(counts.bins[10 - 3].reuses == 10 && counts.bins[11 - 3].reuses == 11);
    assert_true(counts.bins[0].reuses == 0 && counts.bins[61].reuses == 0 && counts.bins[9].reuses == 0);
    free(counts.bins);
}

static void assert_strides(const dj_usage *usage, const int64_t *strides, const uint64_t *counts,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(usage->stride[i] == strides[i]);
        assert_int_equal(usage->stride_count[i], counts[i]);
    }
    if (count < DJ_STRIDES)
        assert_int_equal(usage->stride_count[count], 0);
}

static void strides_by_hand(void **state)
{
    (void)state;
    dj_usage u = {0};
    dj_usage_add_stride(&u, 8, 3);
    dj_usage_add_stride(&u, -64, 5);
    assert_strides(&u, (int64_t[]){-64, 8}, (uint64_t[]){5, 3}, 2);
    dj_usage_add_stride(&u, 8, 4); // the most frequent now
    assert_strides(&u, (int64_t[]){8, -64}, (uint64_t[]){7, 5}, 2);
    dj_usage_add_stride(&u, 0, 5); // as many as another: the smaller stride first
    assert_strides(&u, (int64_t[]){8, -64, 0}, (uint64_t[]){7, 5, 5}, 3);
    dj_usage_add_stride(&u, 16, 2);
    dj_usage_add_stride(&u, 24, 2); // no more frequent than what is there: not kept
    assert_strides(&u, (int64_t[]){8, -64, 0, 16}, (uint64_t[]){7, 5, 5, 2}, 4);
    dj_usage_add_stride(&u, 24, 6); // replaces the rarest
    assert_strides(&u, (int64_t[]){8, 24, -64, 0}, (uint64_t[]){7, 6, 5, 5}, 4);
}

// Counts are lower bounds, ordered, and of different strides.
static void strides_stay_below(void **state)
{
    (void)state;
    enum { KINDS = 12 };
    uint64_t random = 9;
    for (int round = 0; round < 200; round++) {
        uint64_t counted[KINDS] = {0};
        dj_usage u = {0};
        for (int i = 0; i < 60; i++) {
            uint64_t kind = next_random(&random) % KINDS, count = next_random(&random) % 20;
            dj_usage_add_stride(&u, (int64_t)kind - 5, count);
            counted[kind] += count;
        }
        for (size_t k = 0; k < DJ_STRIDES; k++) {
            assert_in_range(u.stride[k] + 5, 0, KINDS - 1);
            assert_in_range(u.stride_count[k], 1, counted[u.stride[k] + 5]);
            for (size_t j = 0; j < k; j++)
                assert_true(u.stride[j] != u.stride[k] && u.stride_count[j] >= u.stride_count[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_scores),    cmocka_unit_test(no_reuse_at_all),
        cmocka_unit_test(added_in_any_order), cmocka_unit_test(widened_at_both_ends),
        cmocka_unit_test(strides_by_hand),    cmocka_unit_test(strides_stay_below),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
