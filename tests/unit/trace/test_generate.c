// SPDX-License-Identifier: MIT
// Generators compared with closed forms, hand-written sequences and the distributions that they must follow.
#include "base/random.h"

#include <deja/engine.h>
#include <deja/generate.h>

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/context.h"

static uint64_t *generate(const char *kind, const dj_generate_options *options, size_t *count)
{
    uint64_t *address = NULL;
    if (dj_generate_addresses(context, kind, options, &address, count) != DJ_OK)
        fail_msg("%s: %s", kind, dj_context_message(context));
    return address;
}

static uint64_t *distances_of(const uint64_t *address, size_t count)
{
    uint64_t *distance = malloc((count + 1) * sizeof *distance);
    assert_non_null(distance);
    assert_int_equal(dj_distances(context, dj_engine_find("stack"), address, count, distance), DJ_OK);
    return distance;
}

static void expect_sequence(const char *kind, const dj_generate_options *options, const uint64_t *expected,
                            size_t expected_count)
{
    size_t count;
    uint64_t *address = generate(kind, options, &count);
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++)
        if (address[i] != expected[i])
            fail_msg("%s: access %zu is %llu, not %llu", kind, i, (unsigned long long)address[i],
                     (unsigned long long)expected[i]);
    free(address);
}

// The published outputs of xoshiro256** from state 1 2 3 4, and of splitmix64 from 0.
static void random_numbers_match_the_published_ones(void **state)
{
    (void)state;
    dj_random random = {{1, 2, 3, 4}};
    const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240};
    for (size_t i = 0; i < 4; i++)
        assert_true(dj_random_next(&random) == expected[i]);
    dj_random_seed(&random, 0);
    assert_true(random.s[0] == 0xe220a8397b1dcdafu);
    assert_true(random.s[1] == 0x6e789e6aa1b965f4u);
}

static void deterministic_kinds_have_known_sequences(void **state)
{
    (void)state;
    const uint64_t loop[] = {0, 1, 2, 0, 1, 2, 0};
    expect_sequence("loop", &(dj_generate_options){.keys = 3, .accesses = 7}, loop, 7);
    expect_sequence("loop", &(dj_generate_options){.keys = 3, .sweeps = 2}, loop, 6);
    const uint64_t shifted[] = {80, 88, 96};
    expect_sequence("loop",
                    &(dj_generate_options){.keys = 3, .sweeps = 1, .first_key = 10, .element_bytes = 8},
                    shifted, 3);
    const uint64_t zigzag[] = {0, 1, 2, 3, 2, 1, 0, 1, 2, 3};
    expect_sequence("zigzag", &(dj_generate_options){.keys = 4, .sweeps = 3}, zigzag, 10);
    expect_sequence("zigzag", &(dj_generate_options){.keys = 1, .accesses = 2}, (uint64_t[]){0, 0}, 2);
    const uint64_t stencil[] = {2, 0, 1, 3, 0, 1, 2, 4, 1, 2, 0, 5, 5, 3, 4, 0, 3, 4, 5, 1, 4, 5, 3, 2};
    expect_sequence("stencil", &(dj_generate_options){.keys = 3, .sweeps = 2, .swap = true}, stencil, 24);
    const uint64_t still[] = {2, 0, 1, 3, 0, 1, 2, 4, 1, 2, 0, 5, 2, 0, 1, 3};
    expect_sequence("stencil", &(dj_generate_options){.keys = 3, .accesses = 16}, still, 16);
    // a = 0 1 2 3, b = 4 5 6 7, c = 8 9 10 11, row-major.
    const uint64_t matmul[] = {0, 4, 8, 1, 6, 8, 0, 5, 9, 1, 7, 9, 2, 4, 10, 3, 6, 10, 2, 5, 11, 3, 7, 11};
    expect_sequence("matmul", &(dj_generate_options){.keys = 2, .sweeps = 1}, matmul, 24);
}

static void loops_and_permutations_have_constant_distances(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        dj_generate_options options;
    } all[] = {{"loop", {.keys = 50, .sweeps = 4}},
               {"loop", {.keys = 50, .sweeps = 4, .scatter = true}},
               {"permutation", {.keys = 50, .sweeps = 4, .seed = 7}}};
    for (size_t c = 0; c < sizeof all / sizeof all[0]; c++) {
        size_t count;
        uint64_t *address = generate(all[c].kind, &all[c].options, &count);
        assert_int_equal(count, 200);
        uint64_t *distance = distances_of(address, count);
        for (size_t i = 0; i < count; i++)
            assert_true(distance[i] == (i < 50 ? DJ_COLD : 49));
        free(distance);
        free(address);
    }
}

static void the_default_stencil_has_the_documented_size(void **state)
{
    (void)state;
    size_t count;
    uint64_t *address = generate("stencil", NULL, &count);
    assert_int_equal(count, 20000000);
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = address[i] > most ? address[i] : most;
    assert_int_equal(most, 999999);
    free(address);
}

static void distances_follow_the_requested_histogram(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dj_generate_options options = {.seed = seed, .distances = "0:100,3:50,cold:40,17:200,39:77,3:1"};
        size_t count, seen[40] = {0}, cold = 0;
        uint64_t *address = generate("histogram", &options, &count);
        assert_int_equal(count, 100 + 50 + 40 + 200 + 77 + 1);
        uint64_t *distance = distances_of(address, count);
        for (size_t i = 0; i < count; i++)
            if (distance[i] == DJ_COLD)
                cold++;
            else
                seen[distance[i]]++;
        assert_int_equal(cold, 40);
        assert_int_equal(seen[0], 100);
        assert_int_equal(seen[3], 51);
        assert_int_equal(seen[17], 200);
        assert_int_equal(seen[39], 77);
        free(distance);
        free(address);
    }
}

// Pearson's statistic against the exact weights; it has mean `bins` - 1 and standard deviation sqrt(2 (bins -
// 1)), and never reaches six of those.
static void expect_law(const uint64_t *address, size_t count, const double *weight, size_t keys)
{
    double total = 0, statistic = 0;
    double *seen = calloc(keys, sizeof *seen);
    assert_non_null(seen);
    for (size_t i = 0; i < count; i++) {
        assert_true(address[i] < keys);
        seen[address[i]]++;
    }
    for (size_t k = 0; k < keys; k++)
        total += weight[k];
    for (size_t k = 0; k < keys; k++) {
        double expected = (double)count * weight[k] / total;
        statistic += (seen[k] - expected) * (seen[k] - expected) / expected;
    }
    double freedom = (double)keys - 1;
    if (fabs(statistic - freedom) > 6 * sqrt(2 * freedom))
        fail_msg("chi-square is %g with %g degrees of freedom", statistic, freedom);
    free(seen);
}

static void zipf_follows_its_law_for_every_exponent(void **state)
{
    (void)state;
    const double exponents[] = {0, 0.2, 0.5, 0.99, 1, 1.0000001, 1.3, 2};
    enum { KEYS = 200, COUNT = 1000000 };
    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
        dj_generate_options options = {
            .keys = KEYS, .exponent = exponents[e], .accesses = COUNT, .seed = e + 1};
        double weight[KEYS];
        for (size_t k = 0; k < KEYS; k++)
            weight[k] = pow((double)k + 1, -exponents[e]);
        size_t count;
        uint64_t *address = generate("zipf", &options, &count);
        expect_law(address, count, weight, KEYS);
        free(address);
    }
}

// Over many keys, grouped by powers of two so that every group is well filled.
static void zipf_follows_its_law_over_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 1 << 20, COUNT = 2000000, GROUPS = 20 };
    dj_generate_options options = {.keys = KEYS - 1, .exponent = 0.99, .accesses = COUNT, .seed = 3};
    double weight[GROUPS] = {0};
    for (uint64_t k = 1; k < KEYS; k++)
        weight[63 - __builtin_clzll(k)] += pow((double)k, -0.99);
    size_t count;
    uint64_t *address = generate("zipf", &options, &count);
    for (size_t i = 0; i < count; i++)
        address[i] = 63 - (uint64_t)__builtin_clzll(address[i] + 1);
    expect_law(address, count, weight, GROUPS);
    free(address);
}

static void uniform_and_hotcold_follow_their_laws(void **state)
{
    (void)state;
    size_t count;
    double weight[100];
    for (size_t k = 0; k < 100; k++)
        weight[k] = 1;
    uint64_t *address =
        generate("uniform", &(dj_generate_options){.keys = 100, .accesses = 500000, .seed = 9}, &count);
    expect_law(address, count, weight, 100);
    free(address);
    for (size_t k = 0; k < 100; k++)
        weight[k] = k < 10 ? 0.75 / 10 : 0.25 / 90;
    dj_generate_options options = {.keys = 100, .hot = 10, .hot_share = 0.75, .accesses = 500000, .seed = 4};
    address = generate("hotcold", &options, &count);
    expect_law(address, count, weight, 100);
    free(address);
}

static void walk_steps_are_uniform_and_bounded(void **state)
{
    (void)state;
    dj_generate_options options = {.keys = 97, .step = 5, .accesses = 100000, .seed = 2};
    size_t count, seen[97] = {0};
    uint64_t *address = generate("walk", &options, &count);
    for (size_t i = 1; i < count; i++) {
        assert_true(address[i] < 97);
        seen[(address[i] + 97 - address[i - 1]) % 97]++;
    }
    for (size_t step = 0; step < 97; step++) {
        bool possible = (step >= 1 && step <= 5) || step >= 92;
        assert_true(possible ? seen[step] > 9000 && seen[step] < 11000 : seen[step] == 0);
    }
    free(address);
}

static void the_seed_determines_the_trace(void **state)
{
    (void)state;
    size_t count;
    dj_generate_options options = {.keys = 1000, .exponent = 1, .accesses = 1000, .seed = 1};
    uint64_t *one = generate("zipf", &options, &count);
    uint64_t *again = generate("zipf", &options, &count);
    options.seed = 2;
    uint64_t *other = generate("zipf", &options, &count);
    assert_memory_equal(one, again, count * sizeof *one);
    assert_true(memcmp(one, other, count * sizeof *one) != 0);
    free(one);
    free(again);
    free(other);
}

// A source returns what the array contains, with the right columns.
static void sources_return_what_arrays_contain(void **state)
{
    (void)state;
    for (size_t k = 0; k < dj_generator_count(); k++)
        for (uint64_t element_bytes = 0; element_bytes <= 8; element_bytes += 8) {
            const dj_generator_info *info = dj_generator_get(k);
            dj_generate_options options = info->defaults;
            options.element_bytes = element_bytes;
            if (options.accesses > 50000)
                options.accesses = 50000;
            dj_source *source = NULL;
            dj_batch *batch = NULL;
            size_t count, at = 0;
            uint64_t *address = generate(info->name, &options, &count);
            assert_int_equal(dj_source_generate(context, info->name, &options, &source), DJ_OK);
            assert_int_equal(dj_source_get_info(source)->default_block, element_bytes ? 64 : 1);
            while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
                assert_true(at + batch->count <= count);
                assert_memory_equal(batch->column.address, address + at, batch->count * sizeof *address);
                assert_int_equal(batch->column.kind != NULL, info->has_kinds);
                assert_int_equal(batch->column.size != NULL, element_bytes > 0);
                at += batch->count;
                dj_batch_release(batch);
            }
            assert_int_equal(at, count);
            dj_progress progress;
            dj_source_progress(source, &progress);
            assert_int_equal(progress.bytes_read, progress.bytes_total);
            dj_source_close(source);
            free(address);
        }
}

static void phases_run_in_order(void **state)
{
    (void)state;
    expect_sequence("phases",
                    &(dj_generate_options){.phases =
                                               "loop keys=3 sweeps=2; zigzag first-key=20 keys=2  accesses=3;"
                                               "stencil keys=2 accesses=4"},
                    (const uint64_t[]){0, 1, 2, 0, 1, 2, 20, 21, 20, 1, 0, 1, 2}, 13);
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    dj_generate_options options = {.phases = "loop keys=2 sweeps=1; stencil keys=2 accesses=4"};
    assert_int_equal(dj_source_generate(context, "phases", &options, &source), DJ_OK);
    assert_int_equal(dj_source_next(source, context, &batch), DJ_OK);
    const uint32_t sites[] = {0, 0, 16, 17, 18, 19};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(batch->column.site[i], sites[i]);
        assert_int_equal(batch->column.kind[i], i == 5 ? DJ_KIND_WRITE : DJ_KIND_READ);
    }
    dj_batch_release(batch);
    dj_source_close(source);
}

static void expect_refused(const char *kind, dj_generate_options options, const char *word)
{
    uint64_t *address = NULL;
    size_t count;
    assert_int_equal(dj_generate_addresses(context, kind, &options, &address, &count), DJ_ERR_USAGE);
    if (!strstr(dj_context_message(context), word))
        fail_msg("'%s' does not speak of '%s'", dj_context_message(context), word);
}

static void invalid_options_are_refused(void **state)
{
    (void)state;
    expect_refused("nonsense", (dj_generate_options){0}, "nonsense");
    expect_refused("uniform", (dj_generate_options){.accesses = 5}, "key");
    expect_refused("uniform", (dj_generate_options){.keys = 5}, "no accesses");
    expect_refused("loop", (dj_generate_options){.keys = 5}, "no accesses");
    expect_refused("zipf", (dj_generate_options){.keys = 5, .accesses = 1, .exponent = -1}, "exponent");
    expect_refused("zipf", (dj_generate_options){.keys = 5, .accesses = 1, .exponent = (double)NAN},
                   "exponent");
    expect_refused("walk", (dj_generate_options){.keys = 5, .accesses = 1, .step = 6}, "step");
    expect_refused("hotcold", (dj_generate_options){.keys = 5, .accesses = 1, .hot = 5}, "hot");
    expect_refused("hotcold", (dj_generate_options){.keys = 5, .accesses = 1, .hot = 2, .hot_share = 2},
                   "share");
    expect_refused("histogram", (dj_generate_options){.distances = "3:1,cold:3"}, "needs more");
    expect_refused("histogram", (dj_generate_options){.distances = "3:1,"}, "histogram");
    expect_refused("histogram", (dj_generate_options){.distances = "x:1"}, "x:1");
    expect_refused("histogram", (dj_generate_options){.distances = "cold:99999999999999999999"}, "2^40");
    expect_refused("histogram", (dj_generate_options){.distances = "cold:3", .accesses = 4},
                   "has only 3 accesses");
    expect_refused("phases", (dj_generate_options){.phases = ""}, "no accesses");
    expect_refused("phases", (dj_generate_options){.phases = "loop keys=0"}, "phase 1");
    expect_refused("phases", (dj_generate_options){.phases = "loop keys=1; nothing"}, "nothing");
    expect_refused("phases", (dj_generate_options){.phases = "loop exponent=1"}, "exponent");
    expect_refused("phases", (dj_generate_options){.phases = "phases"}, "phases");
    expect_refused("phases", (dj_generate_options){.phases = "loop element-bytes=8"}, "entire trace");
    expect_refused("loop", (dj_generate_options){.keys = 5, .sweeps = 1, .element_bytes = 8, .scatter = true},
                   "scatter");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_match_the_published_ones),
        cmocka_unit_test(deterministic_kinds_have_known_sequences),
        cmocka_unit_test(loops_and_permutations_have_constant_distances),
        cmocka_unit_test(the_default_stencil_has_the_documented_size),
        cmocka_unit_test(distances_follow_the_requested_histogram),
        cmocka_unit_test(zipf_follows_its_law_for_every_exponent),
        cmocka_unit_test(zipf_follows_its_law_over_many_keys),
        cmocka_unit_test(uniform_and_hotcold_follow_their_laws),
        cmocka_unit_test(walk_steps_are_uniform_and_bounded),
        cmocka_unit_test(the_seed_determines_the_trace),
        cmocka_unit_test(sources_return_what_arrays_contain),
        cmocka_unit_test(phases_run_in_order),
        cmocka_unit_test(invalid_options_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
