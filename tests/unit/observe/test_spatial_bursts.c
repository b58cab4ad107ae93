// SPDX-License-Identifier: MIT
// Spatial locality from bursts: ranges that contain the exact scores and shares, which observer `spatial`
// finds in the whole trace, or which follow from how the trace was made.
#include "unit/spatial_streams.h"

#include <math.h>
#include <stdio.h>

enum { TRIALS = 100, ENOUGH = 95 };

static dj_profile *estimate(spatial_trace *t, const char *engine, double rate, uint64_t seed)
{
    static const dj_cache_size sizes[] = {{"L1", 4096}, {"L2", 65536}};
    const dj_spatial_request spatial = {.ranked_block = BLOCK};
    const dj_burst_request bursts = {rate, seed};
    const dj_request request = {.blocks = blocks.blocks,
                                .block_count = blocks.block_count,
                                .splitting = DJ_SPLIT_FIRST,
                                .engine = engine,
                                .caches = sizes,
                                .cache_count = 2,
                                .spatial = &spatial,
                                .bursts = &bursts};
    dj_profile *profile = NULL;
    dj_source *source = spatial_source(t);
    check(dj_measure_source(context, source, &request, &profile));
    dj_source_close(source);
    return profile;
}

static double score(dj_spatial_count count)
{
    return dj_spatial_score(count.reuses, count.effective);
}

static bool contains(dj_spatial_range range, double value)
{
    const double rounding = 1e-9;
    return range.low <= value + rounding && value <= range.high + rounding;
}

// Accesses of a range of bins.
static dj_spatial_count sum_bins(const dj_spatial_pair *pair, unsigned from, unsigned end)
{
    dj_spatial_count sum = {0, 0};
    for (unsigned i = from; i < end; i++) {
        sum.reuses += dj_spatial_row(pair, i).reuses;
        sum.effective += dj_spatial_row(pair, i).effective;
    }
    return sum;
}

// Whether the ranges of bins contain what is exact. A score without reuses is not a score.
static bool contains_bins(const dj_spatial *found, const dj_spatial *exact, size_t pair, unsigned from,
                          unsigned end)
{
    const dj_spatial_count count = sum_bins(&exact->pairs[pair], from, end);
    const double whole = (double)dj_spatial_whole(&exact->pairs[pair]).reuses;
    return (count.reuses == 0 || contains(dj_spatial_score_range(found, pair, from, end), score(count))) &&
           contains(dj_spatial_share_range(found, pair, from, end), (double)count.reuses / whole);
}

static bool contains_cache(const dj_spatial *found, const dj_spatial *exact, size_t pair, size_t cache,
                           bool own)
{
    const dj_spatial_cache *c = &exact->pairs[pair].caches[cache];
    const dj_spatial_count count = own ? c->own : c->all;
    const double whole = (double)dj_spatial_whole(&exact->pairs[pair]).reuses;
    return (count.reuses == 0 ||
            contains(dj_spatial_cache_score_range(found, pair, cache, own), score(count))) &&
           contains(dj_spatial_cache_share_range(found, pair, cache, own), (double)count.reuses / whole);
}

// Everything that a report prints with a range.
static bool contains_all(const dj_spatial *found, const dj_spatial *exact)
{
    bool inside = contains(dj_spatial_all_blocks_range(found), dj_spatial_all_blocks(exact));
    for (size_t pair = 0; pair < exact->pair_count; pair++) {
        inside = inside && contains_bins(found, exact, pair, 0, DJ_SPATIAL_BINS) &&
                 contains_bins(found, exact, pair, 3, DJ_SPATIAL_BINS) &&
                 contains_bins(found, exact, pair, 3, 9);
        for (size_t cache = 0; cache < exact->cache_count; cache++)
            inside = inside && contains_cache(found, exact, pair, cache, true) &&
                     contains_cache(found, exact, pair, cache, false);
    }
    return inside;
}

static void ranges_contain_the_exact_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        spatial_trace t = {0};
        int inside = 0;
        make_trace(streams[i], &t);
        dj_profile *exact = spatial_measure(&t, &blocks);
        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            dj_profile *found = estimate(&t, NULL, 0.1, seed);
            inside += contains_all(dj_profile_spatial(found), dj_profile_spatial(exact));
            dj_profile_destroy(found);
        }
        dj_profile_destroy(exact);
        spatial_trace_free(&t);
        if (inside < ENOUGH)
            fail_msg("stream %zu: only %d of %d", i, inside, TRIALS);
    }
}

// Half of the blocks of a sweep are the second of their pair: the score is 1, and at the next size, where
// every second access has distance 0, it is 0.5. No reuse is effective if only every fourth block is used.
static void regular_streams_have_narrow_ranges(void **state)
{
    (void)state;
    const struct {
        stream *of;
        double scores[2];
    } known[] = {{sweep, {1, 0.5}}, {strided, {0, 0}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        spatial_trace t = {0};
        make_trace(known[i].of, &t);
        dj_profile *found = estimate(&t, NULL, 0.1, 3);
        const dj_spatial *spatial = dj_profile_spatial(found);
        assert_true(dj_spatial_is_estimate(spatial));
        assert_false(found->provenance.exact);
        for (size_t pair = 0; pair < 2; pair++) {
            const dj_spatial_range range = dj_spatial_score_range(spatial, pair, 0, DJ_SPATIAL_BINS);
            assert_true(fabs(score(dj_spatial_whole(&spatial->pairs[pair])) - known[i].scores[pair]) < 0.005);
            assert_true(contains(range, known[i].scores[pair]));
            assert_true(range.high - range.low < 0.02);
        }
        dj_profile_destroy(found);
        spatial_trace_free(&t);
    }
}

// All reuses are longer than the bursts: anything is possible, and so is what would be true of the trace.
static void what_bursts_cannot_see_is_unknown(void **state)
{
    (void)state;
    spatial_trace t = {0};
    make_trace(wide, &t);
    dj_profile *found = estimate(&t, NULL, 0.1, 0);
    const dj_spatial_range range = dj_spatial_score_range(dj_profile_spatial(found), 0, 0, DJ_SPATIAL_BINS);
    assert_true(range.low == 0);
    assert_true(range.high == 2);
    dj_profile_destroy(found);
    spatial_trace_free(&t);
}

static char *save(const dj_profile *profile)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    check(dj_profile_save(context, profile, DJ_BINS_EXACT, 0, file));
    fclose(file);
    return text;
}

// Everything but the name of the engine.
static void assert_same_section(const dj_profile *a, const dj_profile *b)
{
    const dj_spatial *x = dj_profile_spatial(a), *y = dj_profile_spatial(b);
    assert_int_equal(x->group_count, y->group_count);
    assert_true(x->group_weight == y->group_weight);
    for (size_t p = 0; p < x->pair_count; p++) {
        assert_memory_equal(x->pairs[p].map, y->pairs[p].map, sizeof x->pairs[p].map);
        assert_memory_equal(x->pairs[p].intercepted, y->pairs[p].intercepted, sizeof x->pairs[p].intercepted);
        assert_int_equal(x->pairs[p].part_count, y->pairs[p].part_count);
        assert_memory_equal(x->pairs[p].parts, y->pairs[p].parts,
                            x->pairs[p].part_count * sizeof *x->pairs[p].parts);
    }
}

static void the_seed_decides(void **state)
{
    (void)state;
    spatial_trace t = {0};
    make_trace(phases, &t);
    dj_profile *one = estimate(&t, "fast", 0.1, 5), *again = estimate(&t, "parallel", 0.1, 5),
               *other = estimate(&t, "fast", 0.1, 6);
    assert_same_section(one, again);
    char *text = save(one), *other_text = save(other);
    assert_string_not_equal(text, other_text);
    free(text);
    free(other_text);
    dj_profile_destroy(one);
    dj_profile_destroy(again);
    dj_profile_destroy(other);
    spatial_trace_free(&t);
}

// Both formats keep all of it, and the mark.
static void saved_estimates_stay_estimates(void **state)
{
    (void)state;
    spatial_trace t = {0};
    make_trace(phases, &t);
    dj_profile *found = estimate(&t, NULL, 0.1, 5);
    char *text = save(found);
    for (int columns = 0; columns < 2; columns++) {
        dj_profile *loaded = NULL;
        FILE *file = tmpfile();
        assert_non_null(file);
        check(columns ? dj_profile_save_columns(context, found, file)
                      : dj_profile_save(context, found, DJ_BINS_EXACT, 0, file));
        rewind(file);
        check(dj_profile_load(context, file, "estimate", &loaded));
        fclose(file);
        assert_false(loaded->provenance.exact);
        assert_same_section(found, loaded);
        char *again = save(loaded);
        assert_string_equal(text, again);
        free(again);
        dj_profile_destroy(loaded);
    }
    free(text);
    dj_profile_destroy(found);
    spatial_trace_free(&t);
}

// A trace that ends in the first burst is analyzed completely.
static void short_traces_are_exact(void **state)
{
    (void)state;
    spatial_trace t = {0};
    dj_random random;
    dj_random_seed(&random, 1);
    for (uint64_t i = 0; i < 3000; i++)
        spatial_trace_add(&t, scattered(i, &random) * BLOCK);
    dj_profile *found = estimate(&t, NULL, 0.1, 0), *exact = spatial_measure(&t, &blocks);
    assert_true(found->provenance.exact);
    assert_false(dj_spatial_is_estimate(dj_profile_spatial(found)));
    assert_same_section(found, exact);
    dj_profile_destroy(found);
    dj_profile_destroy(exact);
    spatial_trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_contain_the_exact_values),
        cmocka_unit_test(regular_streams_have_narrow_ranges),
        cmocka_unit_test(what_bursts_cannot_see_is_unknown),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(saved_estimates_stay_estimates),
        cmocka_unit_test(short_traces_are_exact),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
