// SPDX-License-Identifier: MIT
// Classes of distances, the same on every processor.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/machine.h"
#include "base/random.h"
#include "observe/spatial/classes.h"

static unsigned bin_of(uint64_t distance)
{
    unsigned bin = 0;
    for (; distance > 0; distance /= 2)
        bin++;
    return bin;
}

// Against bins by halving, and caches one by one.
static void check_path(const dj_spatial_path *path)
{
    enum { COUNT = 1000 };
    static uint64_t distance[COUNT];
    static uint16_t class_of[COUNT];
    static const uint64_t cuts[] = {1, 8, 1000, 1000, UINT64_C(1) << 40, UINT64_MAX};
    dj_random random;
    dj_random_seed(&random, 9);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t edge = UINT64_C(1) << dj_random_below(&random, 50);
        distance[i] = i % 9 == 0 ? DJ_COLD : i % 9 < 4 ? edge - i % 2 : dj_random_below(&random, edge);
    }
    for (size_t n = 0; n <= sizeof cuts / sizeof cuts[0]; n++) {
        path->classify(distance, COUNT, cuts, n, class_of);
        for (size_t i = 0; i < COUNT; i++) {
            size_t want = distance[i] == DJ_COLD ? DJ_SPATIAL_COLD : bin_of(distance[i]);
            for (size_t k = 0; k < n; k++)
                want += distance[i] >= cuts[k];
            assert_int_equal(class_of[i], want);
        }
    }
    static const uint32_t intercepted[] = {1, 0, 0};
    static const uint16_t here[] = {3, 0, 5}, there[] = {2, 0, 5};
    static const uint32_t want[] = {(3 * 60 + 2) * 2 + 1, 0, (5 * 60 + 5) * 2};
    uint32_t cell[3];
    path->locate(here, there, intercepted, 3, 60, cell);
    assert_memory_equal(cell, want, sizeof want);
}

static void test_paths(void **state)
{
    (void)state;
    check_path(&dj_spatial_portable);
    if (strcmp(dj_machine_simd(), "avx512") == 0)
        check_path(&dj_spatial_avx512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
