// SPDX-License-Identifier: MIT
// Scores of traces whose spatial locality is known by reasoning.
#include "unit/spatial_trace.h"

#include <math.h>

enum { BLOCK = 64 };

static const spatial_setup line = {{BLOCK, 2 * BLOCK}, 2, .split = false};

static double score(dj_spatial_count count)
{
    return dj_spatial_score(count.reuses, count.effective);
}

static uint64_t intercepted(const dj_spatial_pair *pair)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        sum += pair->intercepted[i];
    return sum;
}

// Sweeps over `blocks` blocks, one access to each, from block `first` on: every reuse at b has the distance
// blocks − 1. The second half of each 2b block directly follows the first.
static void check_sweeps(uint64_t first, uint64_t blocks, uint64_t rounds, bool down)
{
    spatial_trace t = {0};
    for (uint64_t round = 0; round < rounds; round++)
        for (uint64_t i = 0; i < blocks; i++)
            spatial_trace_add(&t, (first + (down ? blocks - 1 - i : i)) * BLOCK);
    dj_profile *profile = spatial_measure(&t, &line);
    const dj_spatial_pair *pair = &dj_profile_spatial(profile)->pairs[0];
    uint64_t whole_pairs = (first + blocks) / 2 - (first + 1) / 2;
    dj_spatial_count whole = dj_spatial_whole(pair);
    assert_int_equal(whole.reuses, (rounds - 1) * blocks);
    assert_int_equal(whole.effective, (rounds - 1) * whole_pairs);
    assert_int_equal(intercepted(pair), (rounds - 1) * 2 * whole_pairs);
    assert_int_equal(pair->distance_sum[dj_log2_bin(blocks - 1)], whole.reuses * (blocks - 1));
    if (first % 2 == 0 && blocks % 2 == 0)
        assert_true(score(whole) == 1.0);
    dj_profile_destroy(profile);
    spatial_trace_free(&t);
}

static void test_contiguous(void **state)
{
    (void)state;
    for (int down = 0; down < 2; down++) {
        check_sweeps(0, 1024, 5, down);
        check_sweeps(1, 1024, 3, down); // two ends without their other half
        check_sweeps(0, 1001, 4, down); // one
        check_sweeps(6, 30000, 3, down);
    }
}

// Elements of 8 bytes: all but the first of a block are at distance 0, which nothing can improve.
static void test_contiguous_elements(void **state)
{
    (void)state;
    enum { BLOCKS = 512, ROUNDS = 3, STEP = 8 };
    spatial_trace t = {0};
    for (uint64_t i = 0; i < (uint64_t)ROUNDS * BLOCKS * BLOCK / STEP; i++)
        spatial_trace_add(&t, i * STEP % (BLOCKS * BLOCK));
    const spatial_setup setup = {{4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}, 11, .split = false};
    dj_profile *profile = spatial_measure(&t, &setup);
    for (size_t p = 0; p < dj_profile_spatial(profile)->pair_count; p++) {
        const dj_spatial_pair *pair = &dj_profile_spatial(profile)->pairs[p];
        uint64_t per_block = pair->block_bytes > STEP ? pair->block_bytes / STEP : 1;
        uint64_t blocks = BLOCKS * BLOCK / STEP / per_block;
        dj_spatial_count far = dj_spatial_row(pair, dj_log2_bin(blocks - 1));
        assert_int_equal(far.reuses, (ROUNDS - 1) * blocks);
        // Blocks of 4 bytes have a half that is never used.
        assert_true(score(far) == (pair->block_bytes < STEP ? 0.0 : 1.0));
        assert_int_equal(dj_spatial_row(pair, 0).reuses, ROUNDS * blocks * (per_block - 1));
        assert_true(score(dj_spatial_row(pair, 0)) == 0.0);
    }
    dj_profile_destroy(profile);
    spatial_trace_free(&t);
}

static void test_never_the_other_half(void **state)
{
    (void)state;
    enum { BLOCKS = 4096, ROUNDS = 4 };
    for (uint64_t half = 0; half < 2; half++) {
        spatial_trace t = {0};
        for (uint64_t i = 0; i < (uint64_t)ROUNDS * BLOCKS; i++)
            spatial_trace_add(&t, (i % BLOCKS * 2 + half) * BLOCK);
        dj_profile *profile = spatial_measure(&t, &line);
        const dj_spatial_pair *pair = &dj_profile_spatial(profile)->pairs[0];
        assert_int_equal(pair->map[12][12], (ROUNDS - 1) * BLOCKS); // 4095 to 4095
        assert_true(score(dj_spatial_whole(pair)) == 0.0);
        assert_int_equal(intercepted(pair), 0);
        assert_int_equal(pair->cold_both, BLOCKS);
        dj_profile_destroy(profile);
        spatial_trace_free(&t);
    }
}

// Every reuse is intercepted, and yet none is effective: 2n − 1 becomes n − 1.
static void test_first_halves_then_second_halves(void **state)
{
    (void)state;
    enum { PAIRS = 2048, ROUNDS = 4 };
    spatial_trace t = {0};
    for (uint64_t i = 0; i < (uint64_t)2 * ROUNDS * PAIRS; i++)
        spatial_trace_add(&t, (i % PAIRS * 2 + i / PAIRS % 2) * BLOCK);
    dj_profile *profile = spatial_measure(&t, &line);
    const dj_spatial_pair *pair = &dj_profile_spatial(profile)->pairs[0];
    assert_int_equal(pair->map[12][11], 2 * (ROUNDS - 1) * PAIRS);
    assert_int_equal(intercepted(pair), 2 * (ROUNDS - 1) * PAIRS);
    assert_true(score(dj_spatial_whole(pair)) == 0.0);
    assert_int_equal(pair->cold[11], PAIRS);
    assert_int_equal(pair->cold_both, PAIRS);
    dj_profile_destroy(profile);
    spatial_trace_free(&t);
}

static void shuffle(uint64_t *list, uint64_t count, dj_random *random)
{
    for (uint64_t i = 0; i < count; i++)
        list[i] = i;
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = dj_random_below(random, i), held = list[j];
        list[j] = list[i - 1];
        list[i - 1] = held;
    }
}

// One permutation of n blocks, repeated: at b all distances are n − 1, in some bin i. At 2b the
// other half came a share u of the round before, u even over (0, 1); of the n / 2 blocks of 2b, a
// share 1 − (1 − u)² was met since. Effective when that is below 2^(i − 3) blocks:
// u < 1 − √(1 − 2^(i − 2) / n), and the score is twice that. 2 − √3 when n is a power of 2.
static void check_permutation(uint64_t blocks, double expected, dj_random *random)
{
    enum { ROUNDS = 3, SHUFFLES = 4 };
    dj_spatial_count sum = {0, 0};
    uint64_t *order = calloc(blocks, sizeof *order);
    for (int n = 0; n < SHUFFLES; n++) {
        spatial_trace t = {0};
        shuffle(order, blocks, random);
        for (uint64_t i = 0; i < ROUNDS * blocks; i++)
            spatial_trace_add(&t, order[i % blocks] * BLOCK);
        dj_profile *profile = spatial_measure(&t, &line);
        dj_spatial_count whole = dj_spatial_whole(&dj_profile_spatial(profile)->pairs[0]);
        assert_int_equal(whole.reuses, (ROUNDS - 1) * blocks);
        sum.reuses += whole.reuses;
        sum.effective += whole.effective;
        dj_profile_destroy(profile);
        spatial_trace_free(&t);
    }
    free(order);
    // 4 · n gaps, of which at most one in three counts: five standard deviations.
    double slack = 5 * 2 * sqrt(1.0 / 3 * 2 / 3 / (SHUFFLES * (double)blocks));
    double theory = 2 * (1 - sqrt(1 - ldexp(1, (int)dj_log2_bin(blocks - 1) - 2) / (double)blocks));
    assert_true(fabs(theory - expected) < 0.001);
    if (fabs(score(sum) - theory) > slack)
        fail_msg("%llu blocks: score %.4f, not %.4f ± %.4f", (unsigned long long)blocks, score(sum), theory,
                 slack);
}

static void test_permutation(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 268);
    check_permutation(1 << 14, 0.268, &random);
    check_permutation(1 << 16, 0.268, &random);
    check_permutation(3 << 13, 0.367, &random);
    check_permutation((1 << 14) + 2, 0.586, &random);
}

// The weights of formula 2 are 1/b.
static void test_all_block_sizes(void **state)
{
    (void)state;
    enum { BLOCKS = 2048, ROUNDS = 3 };
    spatial_trace t = {0};
    for (uint64_t i = 0; i < (uint64_t)ROUNDS * BLOCKS; i++)
        spatial_trace_add(&t, i % BLOCKS * 16);
    const spatial_setup setup = {{4, 8, 16, 32}, 4, .split = false};
    dj_profile *profile = spatial_measure(&t, &setup);
    // Steps of 16: nothing at 4 and 8, all at 16.
    double expected = 1.0 / 16 / (1.0 / 4 + 1.0 / 8 + 1.0 / 16);
    assert_true(fabs(dj_spatial_all_blocks(dj_profile_spatial(profile)) - expected) < 1e-12);
    dj_profile_destroy(profile);
    spatial_trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contiguous),           cmocka_unit_test(test_contiguous_elements),
        cmocka_unit_test(test_never_the_other_half), cmocka_unit_test(test_first_halves_then_second_halves),
        cmocka_unit_test(test_permutation),          cmocka_unit_test(test_all_block_sizes),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
