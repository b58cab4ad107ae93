// SPDX-License-Identifier: MIT
// Simulated caches against the simplest possible ones: arrays with the time of entry, the time of the last
// use and the number of uses.
#include "unit/lane.h"

#include <deja/observer_options.h>

typedef struct plain_block {
    uint64_t key, entered, used, uses;
} plain_block;

static uint64_t plain_misses(const uint64_t *keys, size_t count, enum dj_policy policy, uint64_t sets,
                             uint64_t ways)
{
    plain_block *blocks = calloc(sets * ways, sizeof *blocks);
    uint64_t misses = 0;
    assert_non_null(blocks);
    for (size_t now = 1; now <= count; now++) {
        plain_block *set = blocks + keys[now - 1] % sets * ways, *victim = NULL;
        bool hit = false;
        for (size_t i = 0; i < ways; i++) {
            if (set[i].uses > 0 && set[i].key == keys[now - 1]) {
                set[i].used = now;
                set[i].uses++;
                hit = true;
            }
        }
        if (hit)
            continue;
        misses++;
        for (size_t i = 0; i < ways; i++) {
            const plain_block *b = &set[i];
            bool better = !victim || (victim->uses > 0 && b->uses == 0);
            if (!better && victim->uses > 0 && b->uses > 0)
                better = policy == DJ_POLICY_FIFO ? b->entered < victim->entered
                         : policy == DJ_POLICY_LRU
                             ? b->used < victim->used
                             : b->uses < victim->uses || (b->uses == victim->uses && b->used < victim->used);
            if (better)
                victim = &set[i];
        }
        assert_non_null(victim);
        *victim = (plain_block){.key = keys[now - 1], .entered = now, .used = now, .uses = 1};
    }
    free(blocks);
    return misses;
}

// Runs the observer by hand over one view of all keys.
static dj_profile *observe(dj_context *context, const uint64_t *keys, uint32_t count,
                           const dj_simulate_options *options)
{
    const dj_observer_ops *ops = dj_observer_find("simulate");
    assert_non_null(ops);
    dj_setup setup = {.lane_count = 1, .options = options};
    void *state = NULL;
    assert_int_equal(ops->create(context, &setup, &state), DJ_OK);
    dj_batch batch = {.count = count};
    dj_lane_view lane = {.key = keys};
    dj_view view = {.batch = &batch, .lanes = &lane, .lane_count = 1, .in_order = true};
    assert_int_equal(ops->watch(state, context, &view), DJ_OK);
    dj_profile *profile = make_profile(context, 1);
    assert_int_equal(ops->finish(state, context, profile), DJ_OK);
    ops->destroy(state);
    return profile;
}

enum { COUNT = 3000 };

static void fill(uint64_t *keys, uint64_t *seed)
{
    uint64_t range = 2 + next_random(seed) % 200;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t a = next_random(seed) % range, b = next_random(seed) % range;
        keys[i] = next_random(seed) % 4 == 0 ? i % range : a < b ? a : b; // skewed, with scans
    }
}

static void equals_plain_caches(void **state)
{
    (void)state;
    static uint64_t keys[COUNT];
    const uint64_t sizes[] = {1, 2, 3, 8, 16, 24, 50, 64, 100, 1000}, ways[] = {0, 1, 2, 3, 8};
    uint64_t seed = 99;
    dj_context *context = make_context();
    for (int round = 0; round < 6; round++) {
        fill(keys, &seed);
        for (int policy = DJ_POLICY_LRU; policy <= DJ_POLICY_LFU; policy++)
            for (size_t w = 0; w < 5; w++) {
                dj_simulate_options options = {(enum dj_policy)policy, ways[w], sizes, 10, false};
                dj_profile *profile = observe(context, keys, COUNT, &options);
                assert_int_equal(dj_lane_simulated_count(&profile->lanes[0]), 10);
                for (size_t i = 0; i < 10; i++) {
                    const dj_simulated *found = &dj_lane_simulated(&profile->lanes[0])[i];
                    bool full = ways[w] == 0 || ways[w] >= sizes[i];
                    uint64_t sets = full ? 1 : sizes[i] / ways[w], used = full ? sizes[i] : ways[w];
                    assert_int_equal(found->policy, policy);
                    assert_int_equal(found->sets, sets);
                    assert_int_equal(found->ways, used);
                    assert_int_equal(found->size_blocks, sets * used);
                    assert_int_equal(found->misses,
                                     plain_misses(keys, COUNT, (enum dj_policy)policy, sets, used));
                }
                dj_profile_destroy(profile);
            }
    }
    dj_context_destroy(context);
}

// Fully associative LRU matches the curve at every size.
static void lru_equals_the_curve(void **state)
{
    (void)state;
    static uint64_t keys[COUNT];
    uint64_t seed = 4, sizes[150];
    fill(keys, &seed);
    for (uint64_t i = 0; i < 150; i++)
        sizes[i] = i + 1;
    dj_context *context = make_context();
    dj_simulate_options options = {.policy = DJ_POLICY_LRU, .sizes = sizes, .size_count = 150};
    dj_profile *simulated = observe(context, keys, COUNT, &options),
               *profile = profile_of(context, keys, COUNT);
    dj_mrc_point points[150];
    assert_int_equal(dj_mrc_lru(context, &profile->lanes[0], sizes, 150, points), DJ_OK);
    for (size_t i = 0; i < 150; i++)
        assert_int_equal(dj_lane_simulated(&simulated->lanes[0])[i].misses, points[i].misses);
    dj_profile_destroy(simulated);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Keys that all fall into one set by their low bits are spread by the hash.
static void hash_spreads(void **state)
{
    (void)state;
    uint64_t keys[6400], size = 1024;
    for (size_t i = 0; i < 6400; i++)
        keys[i] = i % 64 * 4096;
    dj_context *context = make_context();
    dj_simulate_options options = {DJ_POLICY_LRU, 8, &size, 1, false};
    dj_profile *profile = observe(context, keys, 6400, &options);
    assert_int_equal(dj_lane_simulated(&profile->lanes[0])[0].misses, 6400);
    dj_profile_destroy(profile);
    options.hash = true;
    profile = observe(context, keys, 6400, &options);
    assert_true(dj_lane_simulated(&profile->lanes[0])[0].misses < 640);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    const dj_observer_ops *ops = dj_observer_find("simulate");
    dj_context *context = make_context();
    uint64_t zero = 0, huge = UINT64_MAX;
    void *made = NULL;
    dj_simulate_options options = {DJ_POLICY_LRU, 2, &zero, 1, false};
    dj_setup setup = {.lane_count = 1, .options = &options};
    assert_int_equal(ops->create(context, &setup, &made), DJ_ERR_USAGE);
    options.sizes = &huge;
    assert_int_not_equal(ops->create(context, &setup, &made), DJ_OK);
    options.size_count = 0;
    assert_int_equal(ops->create(context, &setup, &made), DJ_ERR_USAGE);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_plain_caches),
        cmocka_unit_test(lru_equals_the_curve),
        cmocka_unit_test(hash_spreads),
        cmocka_unit_test(refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
