// SPDX-License-Identifier: MIT
// Observer `spatial` against brute force: for each block size an LRU stack that
// is searched from its top, and for intercepts the time of the last access to
// the other half. Random and adversarial traces, with devices and with accesses
// that cross blocks.
#include "unit/spatial_trace.h"

enum { MOST = 60000 };

// The trace split into pieces that are each in one block of the smallest size.
typedef struct pieces {
    size_t count;
    uint64_t address[MOST];
    uint32_t device[MOST];
} pieces;

// Everything about them at one block size.
typedef struct naive {
    uint64_t block[MOST]; // of each piece, with its device
    uint64_t distance[MOST];
    size_t before[MOST];      // the previous access to the block; only of reuses
    size_t stack[MOST], live; // last accesses, the most recent on top
} naive;

static pieces cut;
static naive stacks[2];

static void cut_trace(const spatial_trace *t, const spatial_setup *setup)
{
    cut.count = 0;
    for (size_t i = 0; i < t->count; i++) {
        uint64_t at = t->address[i], end = at + (t->size && t->size[i] ? t->size[i] : 1);
        do {
            assert_true(cut.count < MOST);
            cut.address[cut.count] = at;
            cut.device[cut.count++] = t->device ? t->device[i] : 0;
            at = (at / setup->blocks[0] + 1) * setup->blocks[0];
        } while (setup->split && at < end);
    }
}

static void search_stack(naive *s, uint64_t block)
{
    s->live = 0;
    for (size_t i = 0; i < cut.count; i++) {
        s->block[i] = cut.address[i] / block << 8 | cut.device[i];
        size_t at = s->live;
        while (at > 0 && s->block[s->stack[at - 1]] != s->block[i])
            at--;
        s->distance[i] = at > 0 ? s->live - at : DJ_COLD;
        if (at > 0) {
            s->before[i] = s->stack[at - 1];
            memmove(&s->stack[at - 1], &s->stack[at], (s->live - at) * sizeof s->stack[0]);
            s->live--;
        }
        s->stack[s->live++] = i;
    }
}

static unsigned bin_of(uint64_t distance)
{
    unsigned bin = 0;
    for (; distance > 0; distance /= 2)
        bin++;
    return bin;
}

static uint64_t cache_blocks(uint64_t bytes, uint64_t block)
{
    return bytes / block > 0 ? bytes / block : 1;
}

static void count_caches(dj_spatial_pair *pair, const spatial_setup *setup, uint64_t small, uint64_t large)
{
    uint64_t b = pair->block_bytes;
    for (size_t k = 0; k < setup->cache_count; k++) {
        if (small < cache_blocks(setup->caches[k].bytes, b))
            continue;
        bool hit = large < cache_blocks(setup->caches[k].bytes, 2 * b);
        pair->caches[k].all.reuses++;
        pair->caches[k].all.effective += hit;
        if (k + 1 < setup->cache_count && small >= cache_blocks(setup->caches[k + 1].bytes, b))
            continue;
        pair->caches[k].own.reuses++;
        pair->caches[k].own.effective += hit;
        pair->cache_sum[k] += small;
    }
}

// Whether the other half of the larger block was used since the piece's own half was.
static bool other_half_between(size_t i)
{
    bool between = false;
    for (size_t j = stacks[0].before[i] + 1; j < i && !between; j++)
        between = stacks[1].block[j] == stacks[1].block[i];
    return between;
}

static void count_pair(dj_spatial_pair *pair, const spatial_setup *setup, uint64_t block)
{
    pair->block_bytes = block;
    search_stack(&stacks[0], block);
    search_stack(&stacks[1], 2 * block);
    for (size_t i = 0; i < cut.count; i++) {
        uint64_t small = stacks[0].distance[i], large = stacks[1].distance[i];
        if (small == DJ_COLD && large == DJ_COLD) {
            pair->cold_both++;
        } else if (small == DJ_COLD) {
            pair->cold[bin_of(large)]++;
        } else {
            assert_true(large <= small);
            pair->map[bin_of(small)][bin_of(large)]++;
            pair->distance_sum[bin_of(small)] += small;
            pair->intercepted[bin_of(small)] += other_half_between(i);
            count_caches(pair, setup, small, large);
        }
    }
}

static void compare_pair(const dj_spatial_pair *want, const dj_spatial_pair *got, size_t cache_count,
                         const char *what)
{
    assert_int_equal(want->block_bytes, got->block_bytes);
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
        for (unsigned j = 0; j < DJ_SPATIAL_BINS; j++)
            if (want->map[i][j] != got->map[i][j])
                fail_msg("%s, block %llu: map[%u][%u] is %llu, not %llu", what,
                         (unsigned long long)want->block_bytes, i, j, (unsigned long long)got->map[i][j],
                         (unsigned long long)want->map[i][j]);
        assert_int_equal(want->cold[i], got->cold[i]);
        assert_int_equal(want->intercepted[i], got->intercepted[i]);
        assert_int_equal(want->distance_sum[i], got->distance_sum[i]);
    }
    assert_int_equal(want->cold_both, got->cold_both);
    assert_memory_equal(want->caches, got->caches, cache_count * sizeof *want->caches);
    assert_memory_equal(want->cache_sum, got->cache_sum, cache_count * sizeof *want->cache_sum);
}

// Every access is in one row; rows and columns are the histograms of the two block sizes.
static void check_sums(const dj_profile *profile, size_t p)
{
    const dj_spatial_pair *pair = &dj_profile_spatial(profile)->pairs[p];
    const dj_lane_profile *small = &profile->lanes[p], *large = small + 1;
    uint64_t rows[DJ_SPATIAL_BINS] = {0}, columns[DJ_SPATIAL_BINS] = {0}, cold = pair->cold_both, all = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(small->distance, &v)) != 0; v++)
        rows[bin_of(v)] += n;
    for (uint64_t v = 0, n; (n = dj_histogram_next(large->distance, &v)) != 0; v++)
        columns[bin_of(v)] += n;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
        uint64_t row = 0, column = pair->cold[i];
        for (unsigned j = 0; j < DJ_SPATIAL_BINS; j++) {
            row += pair->map[i][j];
            column += pair->map[j][i];
        }
        assert_int_equal(row, rows[i]);
        // Without an intercept a distance can at most halve, which is one bin.
        assert_true(row - pair->map[i][i] - (i > 0 ? pair->map[i][i - 1] : 0) <= pair->intercepted[i]);
        assert_int_equal(row, dj_spatial_row(pair, i).reuses);
        assert_int_equal(column, columns[i]);
        cold += pair->cold[i];
        all += row;
    }
    assert_int_equal(cold, small->cold);
    assert_int_equal(pair->cold_both, large->cold);
    assert_int_equal(all + cold, profile->accesses);
}

static void compare(spatial_trace *t, const spatial_setup *setup, const char *what)
{
    dj_spatial *want;
    cut_trace(t, setup);
    check(dj_spatial_create(context, setup->block_count - 1, setup->cache_count, &want));
    for (size_t p = 0; p + 1 < setup->block_count; p++)
        count_pair(&want->pairs[p], setup, setup->blocks[p]);
    dj_profile *got = spatial_measure(t, setup);
    assert_int_equal(got->accesses, cut.count);
    assert_int_equal(dj_profile_spatial(got)->pair_count, setup->block_count - 1);
    for (size_t p = 0; p + 1 < setup->block_count; p++) {
        compare_pair(&want->pairs[p], &dj_profile_spatial(got)->pairs[p], setup->cache_count, what);
        check_sums(got, p);
    }
    dj_spatial_destroy(want);
    dj_profile_destroy(got);
}

static void make_random(spatial_trace *t, dj_random *random, size_t count, uint64_t most_size,
                        uint32_t devices)
{
    *t = (spatial_trace){.count = count};
    t->address = calloc(count, sizeof *t->address);
    t->size = most_size ? calloc(count, sizeof *t->size) : NULL;
    t->device = devices ? calloc(count, sizeof *t->device) : NULL;
    uint64_t range = 64 + dj_random_below(random, 40000), at = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t dice = dj_random_below(random, 8);
        at = dice < 2 ? dj_random_below(random, range) : dice < 3 ? at : dice < 7 ? at + 8 : at ^ 64;
        t->address[i] = at;
        if (t->size)
            t->size[i] = dj_random_below(random, most_size + 1);
        if (t->device)
            t->device[i] = (uint32_t)dj_random_below(random, devices);
    }
}

static const dj_spatial_cache_size caches[] = {{(char *)"3", 3},      {(char *)"L1", 1000},
                                               {(char *)"L2", 4096},  {(char *)"L3", 17000},
                                               {(char *)"L4", 17100}, {(char *)"all", UINT64_MAX}};

static const spatial_setup setups[] = {
    {{32, 64, 128}, 3, .split = true, .caches = caches, .cache_count = 4},
    {{64, 128}, 2, .split = false, .caches = caches, .cache_count = 1},
    {{1, 2, 4, 8, 16}, 5, .split = true},
    {{5, 10, 20, 40}, 4, .split = true, .caches = caches, .cache_count = 4},
    {{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192},
     11,
     .split = false,
     .caches = caches,
     .cache_count = 6},
};
enum { SETUPS = sizeof setups / sizeof setups[0] };

static void test_random(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 5);
    for (uint64_t seed = 0; seed < 8 * SETUPS; seed++) {
        spatial_trace t;
        spatial_setup setup = setups[seed % SETUPS];
        setup.engine = dj_engine_get(seed % dj_engine_count());
        if (!(setup.engine->can & DJ_CAN_EXACT) || setup.engine->find_device)
            setup.engine = dj_engine_get(0);
        make_random(&t, &random, 3000, seed % 3 ? 20 : 0, seed % 2 ? 3 : 0);
        compare(&t, &setup, setup.engine->name);
        spatial_trace_free(&t);
    }
}

// Accesses alternate between halves or neighbours, in long sweeps: distances that shrink from long to
// short, and some that stay.
static void test_adversarial(void **state)
{
    (void)state;
    enum { BLOCKS = 700, ROUNDS = 4 };
    for (size_t w = 0; w < SETUPS; w++) {
        spatial_trace t = {0};
        uint64_t b = setups[w].blocks[0];
        for (uint64_t round = 0; round < ROUNDS; round++) {
            for (uint64_t i = 0; i < BLOCKS; i++) // there and back
                spatial_trace_add(&t, (round % 2 ? BLOCKS - 1 - i : i) * b);
            for (uint64_t i = 0; i < BLOCKS; i++) // first halves, then second ones
                spatial_trace_add(&t, (i < BLOCKS / 2 ? 2 * i : 2 * (i - BLOCKS / 2) + 1) * b);
            for (uint64_t i = 0; i < BLOCKS; i++) // a hot half between all others
                spatial_trace_add(&t, (i % 3 ? i : round % 2) * b);
            for (uint64_t i = 0; i < BLOCKS; i++) // strides that jump over 2b blocks
                spatial_trace_add(&t, i * 37 % BLOCKS * b);
        }
        compare(&t, &setups[w], "adversarial");
        spatial_trace_free(&t);
    }
}

// Blocks 0 2 1 0 2: distances ∞ ∞ ∞ 2 2; of two each 0 1 0 0 1: ∞ ∞ 1 0 1. The other half of
// block 0 was used in between, that of block 2 never.
static void test_by_hand(void **state)
{
    (void)state;
    static const uint64_t blocks[] = {0, 2, 1, 0, 2};
    spatial_trace t = {0};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        spatial_trace_add(&t, blocks[i] * 64 + i);
    const spatial_setup setup = {{64, 128}, 2, .caches = caches, .cache_count = 1};
    dj_profile *profile = spatial_measure(&t, &setup);
    const dj_spatial_pair *pair = &dj_profile_spatial(profile)->pairs[0];
    assert_int_equal(pair->map[2][0], 1);
    assert_int_equal(pair->map[2][1], 1);
    assert_int_equal(dj_spatial_whole(pair).reuses, 2);
    assert_int_equal(pair->cold[1], 1);
    assert_int_equal(pair->cold_both, 2);
    assert_int_equal(pair->intercepted[2], 1);
    assert_int_equal(pair->distance_sum[2], 4);
    // A cache of one block: 2 is a miss, 1 still is, 0 is a hit.
    assert_int_equal(pair->caches[0].all.reuses, 2);
    assert_int_equal(pair->caches[0].all.effective, 1);
    assert_string_equal(dj_profile_spatial(profile)->caches[0].name, "3");
    dj_profile_destroy(profile);
    spatial_trace_free(&t);
}

static void refuse(const spatial_setup *setup, const char *why)
{
    const dj_spatial_options options = {setup->caches, setup->cache_count};
    const dj_observer_choice choice = {dj_observer_find("spatial"), &options};
    const dj_pipeline_config config = {.blocks = setup->blocks,
                                       .block_count = setup->block_count,
                                       .observers = &choice,
                                       .observer_count = 1};
    dj_pipeline *pipeline = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), why));
}

static void test_refused(void **state)
{
    (void)state;
    static const dj_spatial_cache_size falling[] = {{(char *)"L1", 64}, {(char *)"L2", 64}};
    refuse(&(spatial_setup){{64}, 1, .split = false}, "two block sizes");
    refuse(&(spatial_setup){{64, 256}, 2, .split = false}, "256 after 64");
    refuse(&(spatial_setup){{5, 10, 15}, 3, .split = false}, "15 after 10");
    refuse(&(spatial_setup){{64, 128}, 2, .caches = falling, .cache_count = 2}, "L2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_adversarial),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
