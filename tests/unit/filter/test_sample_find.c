// SPDX-License-Identifier: MIT
// Every version that runs on this machine finds the blocks whose hash is in the sample, and no others.
#include "filter/sample_find.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/machine.h"

enum { MOST = 300, GUARD = 2 };

static const struct {
    const char *simd; // needs at least this
    dj_sample_find_function *find;
} versions[] = {
    {"portable", dj_sample_find_portable},
#if defined(__x86_64__)
    {"avx2", dj_sample_find_avx2},
    {"avx512", dj_sample_find_avx512},
#endif
};

static int rank(const char *simd)
{
    return strcmp(simd, "avx512") == 0 ? 2 : strcmp(simd, "avx2") == 0 ? 1 : 0;
}

// The hash as it is published (splitmix64: Steele, Lea and Flood 2014), bit by bit.
static bool is_in(uint64_t block, uint64_t seed, unsigned log2)
{
    uint64_t z = block + (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    for (unsigned bit = 0; bit < log2; bit++)
        if (z >> (63 - bit) & 1)
            return false;
    return true;
}

static uint32_t compare(dj_sample_find_function *find, const dj_sample_choice *choice,
                        const uint64_t *address, uint32_t count)
{
    uint64_t bits[MOST / 64 + 1 + GUARD];
    uint32_t found = 0;
    const uint32_t words = (count + 63) / 64;
    memset(bits, 0x5a, sizeof bits);
    find(choice, address, count, bits);
    for (uint32_t i = 0; i < words * 64; i++) {
        const bool got = bits[i / 64] >> i % 64 & 1;
        assert_int_equal(got, i < count && is_in(address[i] >> choice->shift, choice->seed, choice->log2));
        found += got;
    }
    for (uint32_t i = 0; i < GUARD; i++) // nothing is written behind the last word
        assert_int_equal(bits[words + i], UINT64_C(0x5a5a5a5a5a5a5a5a));
    return found;
}

static void test_versions(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 3, 4, 63, 64, 65, 127, 128, 200, MOST};
    uint64_t address[MOST + 1];
    dj_random random;
    dj_random_seed(&random, 18);
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        if (rank(dj_machine_simd()) < rank(versions[v].simd))
            continue;
        for (unsigned log2 = 0; log2 <= DJ_SAMPLE_LOG2_MOST; log2++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                const dj_sample_choice choice = {dj_random_next(&random) >> k * 6, (unsigned)k * 6 % 64,
                                                 log2};
                for (uint32_t i = 0; i <= MOST; i++)
                    address[i] = dj_random_next(&random) >> (i % 3 ? 0 : 40);
                compare(versions[v].find, &choice, address + k % 2, counts[k]);
            }
    }
}

// Low rates, where nearly nothing is found by chance: blocks that are known to be in the sample.
static void test_rare(void **state)
{
    (void)state;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        if (rank(dj_machine_simd()) < rank(versions[v].simd))
            continue;
        uint32_t found = 0;
        uint64_t address[64] = {0};
        for (uint64_t block = 0; found < 20; block++) {
            if (!is_in(block, 7, 12))
                continue;
            for (uint64_t i = 0; i < 64; i++)
                address[i] = (block + i - found) << 6;
            assert_true(compare(versions[v].find, &(dj_sample_choice){7, 6, 12}, address, 64) > 0);
            found++;
        }
    }
}

static void test_choice(void **state)
{
    (void)state;
    dj_sample_find_function *chosen = dj_sample_find_choose();
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
        assert_int_equal(chosen == versions[v].find, strcmp(versions[v].simd, dj_machine_simd()) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_rare),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
