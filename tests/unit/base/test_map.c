// SPDX-License-Identifier: MIT
#include "base/map.h"
#include "support/streams.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

// Inserts n keys, each with its number + 1, and finds all of them and no others.
static void fill_and_find(uint64_t (*key)(uint64_t, uint64_t), uint64_t n)
{
    dj_map map;
    dj_footprint footprint = {0};
    assert_int_equal(dj_map_create(&map, context, &footprint, 0), DJ_OK);
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(dj_map_get(&map, key(i, 9)), 0);
        uint64_t *value = dj_map_at(&map, context, key(i, 9));
        assert_non_null(value);
        assert_int_equal(*value, 0);
        *value = i + 1;
    }
    assert_int_equal(map.count, n);
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(dj_map_get(&map, key(i, 9)), i + 1);
        assert_int_equal(*dj_map_at(&map, context, key(i, 9)), i + 1);
    }
    assert_int_equal(dj_map_get(&map, key(n, 9)), 0);
    assert_int_equal(map.count, n);
    assert_true(footprint.bytes >= n * 16 && footprint.peak_bytes >= footprint.bytes);
    dj_map_destroy(&map);
    assert_int_equal(footprint.bytes, 0);
}

static void test_every_kind_of_key(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof stream_key_kinds / sizeof stream_key_kinds[0]; k++)
        for (uint64_t n = 0; n < 1500; n = 2 * n + 1)
            fill_and_find(stream_key_kinds[k].key, n);
    fill_and_find(key_any, 100000);
}

// Removing and adding at random; the values tell what must be found.
static void test_removal(void **state)
{
    (void)state;
    enum { KEYS = 200 };
    for (size_t k = 0; k < sizeof stream_key_kinds / sizeof stream_key_kinds[0]; k++) {
        dj_map map;
        dj_footprint footprint = {0};
        uint64_t expected[KEYS] = {0}, rng = k, count = 0;
        assert_int_equal(dj_map_create(&map, context, &footprint, 0), DJ_OK);
        for (uint64_t step = 1; step <= 20000; step++) {
            uint64_t n = random_below(&rng, KEYS), key = stream_key_kinds[k].key(n, 9);
            if (random_below(&rng, step / 2000 % 2 ? 3 : 2)) {
                assert_int_equal(dj_map_remove(&map, key), expected[n]);
                count -= expected[n] != 0;
                expected[n] = 0;
            } else {
                count += expected[n] == 0;
                *dj_map_at(&map, context, key) = expected[n] = step;
            }
            n = random_below(&rng, KEYS);
            assert_int_equal(dj_map_get(&map, stream_key_kinds[k].key(n, 9)), expected[n]);
            assert_int_equal(map.count, count);
        }
        dj_map_destroy(&map);
    }
}

static void test_expected_keys_need_no_growth(void **state)
{
    (void)state;
    dj_map map;
    dj_footprint footprint = {0};
    assert_int_equal(dj_map_create(&map, context, &footprint, 1000), DJ_OK);
    uint64_t bytes = footprint.bytes;
    for (uint64_t i = 0; i < 1000; i++)
        *dj_map_at(&map, context, i) = 1;
    assert_int_equal(footprint.peak_bytes, bytes);
    dj_map_destroy(&map);
}

static void test_too_large_is_refused(void **state)
{
    (void)state;
    dj_map map;
    dj_footprint footprint = {0};
    assert_int_equal(dj_map_create(&map, context, &footprint, UINT64_MAX), DJ_ERR_MEMORY);
    assert_int_equal(footprint.bytes, 0);
    dj_map_destroy(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_key),
        cmocka_unit_test(test_removal),
        cmocka_unit_test(test_expected_keys_need_no_growth),
        cmocka_unit_test(test_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
