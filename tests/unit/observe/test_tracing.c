// SPDX-License-Identifier: MIT
// Estimates from bursts: a small case by hand, and bands that contain the miss ratios of whole traces, which
// are found by searching a list.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "observe/tracing/traced.h"
#include "support/context.h"

static void sizes_increase(void **state)
{
    (void)state;
    for (unsigned i = 0; i + 1 < DJ_TRACED_SIZES; i++) {
        assert_true(dj_traced_size(i) < dj_traced_size(i + 1));
        assert_int_equal(dj_traced_index(dj_traced_size(i)), i);
        assert_int_equal(dj_traced_index(dj_traced_size(i + 1) - 1), i);
    }
}

// Two bursts: in one 0 0 and two unknown accesses, in the other 1 and two unknown ones. Seven accesses are
// followed at distance 0, and 2 are there. At distance 1 are followed: 7, less those 2, less one unknown
// access of each burst, which is only known to be at distance 0 or more. Of these 3, one is at distance 1. So
// 5/7 · 2/3 = 10/21 of the accesses are beyond.
static void by_hand(void **state)
{
    (void)state;
    dj_traced_bursts bursts = {0};
    dj_traced_burst one = {.accesses = 4, .unknown = 2}, other = {.accesses = 3, .unknown = 2};
    dj_histogram *seen = NULL, *estimated = NULL;
    uint64_t cold = 0;
    one.reuses[0] = 2;
    other.reuses[1] = 1;
    assert_int_equal(dj_traced_add(&bursts, context, &one), DJ_OK);
    assert_int_equal(dj_traced_add(&bursts, context, &other), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &seen), DJ_OK);
    assert_int_equal(dj_histogram_add(seen, context, 0, 2), DJ_OK);
    assert_int_equal(dj_histogram_add(seen, context, 1, 1), DJ_OK);
    assert_int_equal(dj_traced_distances(&bursts, context, seen, 21, &estimated, &cold), DJ_OK);
    assert_int_equal(dj_histogram_sum(estimated, 0, 1), 6);
    assert_int_equal(dj_histogram_sum(estimated, 1, 2), 5);
    assert_int_equal(cold, 10);
    dj_histogram_destroy(estimated);
    dj_histogram_destroy(seen);
    dj_traced_free(&bursts);
}

// Without unknown accesses the estimate is what was seen.
static void all_known(void **state)
{
    (void)state;
    dj_traced_bursts bursts = {0};
    dj_traced_burst one = {.accesses = 10};
    dj_histogram *seen = NULL, *estimated = NULL;
    uint64_t cold = 1;
    one.reuses[3] = 4;
    one.reuses[5] = 6;
    assert_int_equal(dj_traced_add(&bursts, context, &one), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &seen), DJ_OK);
    assert_int_equal(dj_histogram_add(seen, context, 3, 4), DJ_OK);
    assert_int_equal(dj_histogram_add(seen, context, 5, 6), DJ_OK);
    assert_int_equal(dj_traced_distances(&bursts, context, seen, 1000, &estimated, &cold), DJ_OK);
    assert_int_equal(dj_histogram_sum(estimated, 3, 4), 400);
    assert_int_equal(dj_histogram_sum(estimated, 5, 6), 600);
    assert_int_equal(cold, 0);
    dj_histogram_destroy(estimated);
    dj_histogram_destroy(seen);
    dj_traced_free(&bursts);
}

enum { KEYS = 300, ACCESSES = 60000, PHASE = 5000, BURST = 600, BURSTS = 12, TRIALS = 100, UNKNOWN = -1 };

// Phases of a loop, of random keys and of a few keys alternate.
static void make_trace(dj_random *random, uint16_t *trace)
{
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const uint64_t r = dj_random_next(random);
        const uint32_t phase = i / PHASE % 3;
        trace[i] = (uint16_t)(phase == 0 ? i % 120 : phase == 1 ? r % KEYS : r % 7);
    }
}

// An LRU stack in a list.
typedef struct stack {
    uint16_t keys[KEYS];
    int count;
} stack;

static int access_key(stack *s, uint16_t key)
{
    int at = 0;
    while (at < s->count && s->keys[at] != key)
        at++;
    const int distance = at < s->count ? at : UNKNOWN;
    s->count += at == s->count;
    memmove(s->keys + 1, s->keys, (size_t)at * sizeof s->keys[0]);
    s->keys[0] = key;
    return distance;
}

static void take_burst(const uint16_t *trace, dj_traced_bursts *bursts)
{
    stack s = {.count = 0};
    dj_traced_burst burst = {.accesses = BURST};
    for (uint32_t i = 0; i < BURST; i++) {
        const int distance = access_key(&s, trace[i]);
        if (distance == UNKNOWN)
            burst.unknown++;
        else
            burst.reuses[dj_traced_index((uint64_t)distance)]++;
    }
    assert_int_equal(dj_traced_add(bursts, context, &burst), DJ_OK);
}

static bool contains(const dj_tracing *t, uint64_t size, double ratio)
{
    size_t i = 0;
    while (i + 1 < t->band_count && t->bands[i + 1].size <= size)
        i++;
    return t->bands[i].low <= ratio && ratio <= t->bands[i].high;
}

static bool trial(uint64_t seed)
{
    static uint16_t trace[ACCESSES];
    uint64_t hits[KEYS + 1] = {0};
    dj_random random;
    stack s = {.count = 0};
    dj_traced_bursts bursts = {0};
    dj_tracing found = {0};
    dj_histogram *none = NULL;
    bool inside = true;
    dj_random_seed(&random, seed);
    make_trace(&random, trace);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const int distance = access_key(&s, trace[i]);
        if (distance != UNKNOWN)
            hits[distance + 1]++;
    }
    for (uint32_t i = 0; i < BURSTS; i++) {
        const uint32_t each = ACCESSES / BURSTS;
        take_burst(trace + i * each + dj_random_next(&random) % (each - BURST), &bursts);
    }
    assert_int_equal(dj_histogram_create(context, &none), DJ_OK);
    const dj_traced_first first = {0, 0, none};
    assert_int_equal(dj_traced_bands(&bursts, context, &first, (double)ACCESSES / BURST / BURSTS, &found),
                     DJ_OK);
    uint64_t sum = 0;
    for (uint64_t size = 0; size <= KEYS; sum += size < KEYS ? hits[size + 1] : 0, size++)
        inside = inside && contains(&found, size, 1 - (double)sum / ACCESSES);
    dj_histogram_destroy(none);
    free(found.bands);
    dj_traced_free(&bursts);
    return inside;
}

static void bands_contain_the_truth(void **state)
{
    (void)state;
    int inside = 0;
    for (uint64_t seed = 0; seed < TRIALS; seed++)
        inside += trial(seed);
    assert_true(inside >= TRIALS * 95 / 100);
}

// Of eight bursts one is sixteen times as long as the others, and decides nearly alone. How many accesses of
// a burst miss is uniformly distributed up to half of them.
static void one_long_burst_is_not_many(void **state)
{
    (void)state;
    enum { SHORT = 1000, LONG = 16000, MISS = 64 };
    dj_random random;
    dj_histogram *none = NULL;
    int inside = 0;
    dj_random_seed(&random, 1);
    assert_int_equal(dj_histogram_create(context, &none), DJ_OK);
    const dj_traced_first first = {0, 0, none};
    for (int t = 0; t < TRIALS; t++) {
        dj_traced_bursts bursts = {0};
        dj_tracing found = {0};
        for (int i = 0; i < 8; i++) {
            dj_traced_burst burst = {.accesses = i == 4 ? LONG : SHORT};
            const uint64_t misses = dj_random_next(&random) % (burst.accesses / 2);
            burst.reuses[dj_traced_index(MISS)] = misses;
            burst.reuses[0] = burst.accesses - misses;
            assert_int_equal(dj_traced_add(&bursts, context, &burst), DJ_OK);
        }
        assert_int_equal(dj_traced_bands(&bursts, context, &first, 100, &found), DJ_OK);
        inside += contains(&found, MISS / 2, 0.25);
        free(found.bands);
        dj_traced_free(&bursts);
    }
    assert_true(inside >= TRIALS * 95 / 100);
    dj_histogram_destroy(none);
}

// Two equal bursts of 10 accesses, half of them at distance 0, so that there is no error of differences; each
// stands for 5. In the tenth of the run in which no burst could begin, all or nothing may have missed.
static void what_was_not_sampled_widens_bands(void **state)
{
    (void)state;
    dj_traced_bursts bursts = {0};
    dj_traced_burst one = {.accesses = 10};
    dj_tracing found = {.unsampled = 0.1};
    dj_histogram *none = NULL;
    one.reuses[0] = 5;
    one.reuses[7] = 5;
    for (int i = 0; i < 2; i++)
        assert_int_equal(dj_traced_add(&bursts, context, &one), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &none), DJ_OK);
    const dj_traced_first first = {0, 0, none};
    assert_int_equal(dj_traced_bands(&bursts, context, &first, 5, &found), DJ_OK);
    assert_int_equal(found.bands[4].size, 4);
    assert_true(fabs(found.bands[4].low - 0.45) < 1e-12);
    assert_true(fabs(found.bands[4].high - 0.55) < 1e-12);
    dj_histogram_destroy(none);
    free(found.bands);
    dj_traced_free(&bursts);
}

// Distances that are not known are distributed as those that are: of 100 unknown accesses of a place, as many
// stay cold as of all.
static void places_share_the_unknown(void **state)
{
    (void)state;
    dj_histogram *seen = NULL, *estimated = NULL;
    uint64_t edges[] = {0, 4, 8}, bins[] = {10, 20};
    dj_place_row place = {.tally = {.accesses = 130, .cold = 100, .writes = 40, .bin_count = 2, .max = 5}};
    dj_attribution a = {.edges = edges, .edge_count = 3, .places = &place, .place_count = 1};
    place.tally.bins = malloc(sizeof bins);
    memcpy(place.tally.bins, bins, sizeof bins);
    assert_int_equal(dj_histogram_create(context, &seen), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &estimated), DJ_OK);
    assert_int_equal(dj_histogram_add(seen, context, 1, 10), DJ_OK);
    assert_int_equal(dj_histogram_add(seen, context, 5, 20), DJ_OK);
    // Twice what was seen, and of the 100 unknown accesses, which stand for 200: 60 at 6, 20 at 9, 120 cold.
    assert_int_equal(dj_histogram_add(estimated, context, 1, 20), DJ_OK);
    assert_int_equal(dj_histogram_add(estimated, context, 5, 40), DJ_OK);
    assert_int_equal(dj_histogram_add(estimated, context, 6, 60), DJ_OK);
    assert_int_equal(dj_histogram_add(estimated, context, 9, 20), DJ_OK);
    const dj_traced_estimate estimate = {2, 0, 100, seen, estimated, 120};
    assert_int_equal(dj_traced_places(&estimate, context, &a), DJ_OK);
    assert_int_equal(place.tally.cold, 120);
    assert_int_equal(place.tally.bin_first, 0);
    assert_int_equal(place.tally.bins[0], 20);
    assert_int_equal(place.tally.bins[1], 100);
    assert_int_equal(place.tally.bins[2], 20);
    assert_int_equal(place.tally.accesses, 260);
    assert_int_equal(place.tally.writes, 80);
    assert_int_equal(place.tally.max, 9);
    dj_tally_free(&place.tally);
    dj_histogram_destroy(seen);
    dj_histogram_destroy(estimated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_increase),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(all_known),
        cmocka_unit_test(bands_contain_the_truth),
        cmocka_unit_test(one_long_burst_is_not_many),
        cmocka_unit_test(what_was_not_sampled_widens_bands),
        cmocka_unit_test(places_share_the_unknown),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
