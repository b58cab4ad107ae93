// SPDX-License-Identifier: MIT
// Open addressing compared with a plain list: random keys, good hashes and hashes that always collide, tables
// from nearly empty to one free entry.
#include "base/probe.h"
#include "base/triple.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { KEYS_MOST = 300 };

static uint64_t spread(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

static uint64_t all_alike(uint64_t key)
{
    (void)key;
    return UINT64_MAX; // the last entry: every search wraps
}

static uint64_t in_a_row(uint64_t key)
{
    return key / 3;
}

typedef struct table {
    uint64_t *keys; // 0: free
    uint64_t mask;
    uint64_t (*hash)(uint64_t);
} table;

static uint64_t *find(const table *t, uint64_t key)
{
    DJ_PROBE (at, t->hash(key), t->mask)
        if (t->keys[at] == 0 || t->keys[at] == key)
            return &t->keys[at];
}

static bool is_listed(const uint64_t *list, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == key)
            return true;
    return false;
}

// At most `keys`; the table has that capacity and one free entry, or is larger.
static void fill(uint64_t (*hash)(uint64_t), uint64_t entries, size_t keys, uint64_t range, uint64_t seed)
{
    uint64_t list[KEYS_MOST];
    size_t count = 0;
    dj_random random;
    dj_random_seed(&random, seed);
    table t = {calloc(entries, sizeof *t.keys), entries - 1, hash};
    assert_non_null(t.keys);
    for (int step = 0; step < 2000; step++) {
        uint64_t key = 1 + dj_random_below(&random, range);
        bool known = is_listed(list, count, key);
        uint64_t *at = find(&t, key);
        assert_int_equal(*at, known ? key : 0);
        if (!known && count < keys) {
            *at = key;
            list[count++] = key;
        }
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(*find(&t, list[i]), list[i]);
    free(t.keys);
}

static void test_random_keys(void **state)
{
    (void)state;
    uint64_t (*const hashes[])(uint64_t) = {spread, all_alike, in_a_row};
    for (size_t h = 0; h < 3; h++)
        for (uint64_t entries = 2; entries <= 256; entries *= 2) {
            fill(hashes[h], entries, entries - 1, 2 * entries, entries + h);
            fill(hashes[h], entries, entries / 2, UINT64_MAX / 2, entries + h);
        }
}

static void test_entries_for_a_number_of_keys(void **state)
{
    (void)state;
    assert_int_equal(dj_probe_entries(0, 16), 16);
    assert_int_equal(dj_probe_entries(12, 16), 16);
    assert_int_equal(dj_probe_entries(13, 16), 32);
    for (uint64_t keys = 1; keys < 5000; keys++) {
        uint64_t entries = dj_probe_entries(keys, 2);
        assert_true((entries & (entries - 1)) == 0 && 4 * keys <= 3 * entries && entries <= 4 * keys);
    }
    assert_int_equal(dj_probe_entries(UINT64_MAX, 2), UINT64_C(1) << 63);
}

// Triples of few different values, so that all parts of the key matter.
static void test_triples(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    static uint32_t known[SIDE][SIDE][SIDE]; // value + 1; 0: none
    dj_triples triples;
    dj_random random;
    dj_random_seed(&random, 7);
    uint32_t count = 0;
    assert_int_equal(dj_triples_create(&triples, context), DJ_OK);
    for (int step = 0; step < 5000; step++) {
        uint32_t a = (uint32_t)dj_random_below(&random, SIDE), b = (uint32_t)dj_random_below(&random, SIDE),
                 c = (uint32_t)dj_random_below(&random, SIDE);
        uint32_t *value = dj_triples_at(&triples, context, a, b, c);
        assert_non_null(value);
        assert_int_equal(*value, known[a][b][c] ? known[a][b][c] - 1 : DJ_TRIPLE_FREE);
        if (!known[a][b][c])
            *value = known[a][b][c] = ++count;
        known[a][b][c] = *value + 1;
    }
    assert_int_equal(triples.count, count);
    dj_triples_destroy(&triples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_keys),
        cmocka_unit_test(test_entries_for_a_number_of_keys),
        cmocka_unit_test(test_triples),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
