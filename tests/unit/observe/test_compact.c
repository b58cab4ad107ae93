// SPDX-License-Identifier: MIT
// Compaction gives the same values on every processor.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "observe/compact.h"

enum { MOST = 300 };

// Element by element.
static void check_left(const uint64_t *value, const uint32_t *last, uint32_t count, const uint64_t *bits,
                       const uint64_t *left, const uint32_t *differ)
{
    for (uint32_t i = 0, at = 0; i < count; i++) {
        assert_int_equal(bits[i / 64] >> i % 64 & 1, value[i] != 0);
        if (value[i] == 0)
            continue;
        assert_true(left[at] == value[i]);
        assert_int_equal(differ[at++], last[i] != i);
    }
}

// One in `one_in` values is 0; the others encode their position.
static void check_row(const dj_compact *compact, dj_random *random, uint32_t count, uint64_t one_in)
{
    uint64_t value[MOST] = {0}, bits[MOST / 64 + 1], left[MOST + DJ_COMPACT_PAD];
    uint32_t last[MOST] = {0}, differ[MOST + DJ_COMPACT_PAD], n = 0;
    for (uint32_t i = 0; i < count; i++) {
        value[i] = dj_random_below(random, one_in) == 0 ? 0 : UINT64_C(1) << 63 | i;
        last[i] = i + (uint32_t)dj_random_below(random, 2);
        n += value[i] != 0;
    }
    assert_int_equal(compact->find(value, count, bits), n);
    assert_int_equal(compact->gather(bits, value, count, left), n);
    assert_int_equal(compact->differ(bits, last, value, count, differ), n);
    check_left(value, last, count, bits, left, differ);
    memset(left, 0, sizeof left);
    assert_int_equal(compact->drop_zeros(value, count, left), n);
    check_left(value, last, count, bits, left, differ);
}

static void check_path(const dj_compact *compact)
{
    dj_random random;
    dj_random_seed(&random, 3);
    for (uint32_t count = 0; count <= MOST; count++)
        for (uint64_t one_in = 1; one_in <= 9; one_in += 4)
            check_row(compact, &random, count, one_in);
}

static void test_paths(void **state)
{
    (void)state;
    check_path(&dj_compact_portable);
    check_path(dj_compact_choose());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
