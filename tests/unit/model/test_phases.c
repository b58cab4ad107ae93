// SPDX-License-Identifier: MIT
// Phases of synthetic traces that are known from how they were made: stationary ones have one phase, whatever
// the seed and the windows; planted changes are found in their windows; phases that recur are the same.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"
#include "support/sanitized.h"

enum { MOST = 400000 };

static uint64_t *keys;
static size_t count;

enum kind { UNIFORM, LOOP, ZIPF, SCAN };

// Appends `length` accesses to `blocks` blocks, numbered from `first`.
static void append(dj_random *random, enum kind kind, uint64_t first, uint64_t blocks, size_t length)
{
    assert_true(count + length <= MOST);
    for (size_t i = 0; i < length; i++) {
        uint64_t key = 0;
        if (kind == UNIFORM)
            key = dj_random_below(random, blocks);
        else if (kind == LOOP)
            key = i % blocks;
        else if (kind == SCAN)
            key = i;
        else // P(key < k) = log (k + 1) / log (blocks + 1): nearly Zipf's law with exponent 1
            key =
                (uint64_t)(exp(log((double)blocks + 1) * (double)(dj_random_next(random) >> 11) * 0x1p-53)) -
                1;
        keys[count++] = first + key;
    }
}

static dj_profile *measured(uint64_t length)
{
    static const uint64_t one = 1;
    const dj_windows_options options = {.length = length};
    const dj_observer_choice observers[] = {{dj_observer_find("windows"), &options},
                                            {dj_observer_find("histogram"), NULL}};
    const dj_pipeline_config config = {
        .blocks = &one, .block_count = 1, .observers = observers, .observer_count = 2};
    const dj_source_options format = {.format = "u64le"};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_source_open_memory(context, keys, count * sizeof *keys, "keys", &format, &source),
                     DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_source_close(source);
    dj_pipeline_destroy(pipeline);
    return profile;
}

static char *describe(const dj_phase_list *list)
{
    static char text[4096];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < list->stretch_count && at < sizeof text - 32; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%zu:%zu", i ? " " : "",
                               list->stretches[i].first, list->stretches[i].phase);
    return text;
}

// Stretches as "first window:phase".
static void check_phases(uint64_t length, const char *want, const char *what, uint64_t seed)
{
    dj_profile *profile = measured(length);
    dj_phase_list list;
    assert_int_equal(dj_phases_find(context, dj_lane_windows(&profile->lanes[0]), &list), DJ_OK);
    if (strcmp(describe(&list), want) != 0)
        fail_msg("%s, seed %d, windows of %d: %s, expected %s", what, (int)seed, (int)length, describe(&list),
                 want);
    dj_phase_list_free(&list);
    dj_profile_destroy(profile);
}

enum { SEEDS = 25 / SANITIZED_SHARE };
static const uint64_t lengths[] = {50, 300, 1000, 4096, 20000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void stationary(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kind kind;
        uint64_t blocks;
    } streams[] = {{"uniform", UNIFORM, 1000}, {"uniform", UNIFORM, 30}, {"uniform", UNIFORM, 200000},
                   {"loop", LOOP, 1000},       {"loop", LOOP, 7},        {"loop", LOOP, 30011},
                   {"zipf", ZIPF, 1000},       {"zipf", ZIPF, 1000000},  {"scan", SCAN, 0}};
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
            dj_random random;
            dj_random_seed(&random, seed);
            count = 0;
            append(&random, streams[s].kind, 5, streams[s].blocks,
                   100000 + (size_t)dj_random_below(&random, 2000));
            check_phases(lengths[seed % LENGTHS], "0:0", streams[s].name, seed);
        }
}

static void planted(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int kind = 0; kind < 3; kind++) {
            dj_random random;
            const enum kind k = (enum kind)kind;
            dj_random_seed(&random, seed);
            count = 0;
            append(&random, k, 0, 1000, 50000);
            append(&random, k, 0, 100, 40000); // a part of the same data
            append(&random, k, 0, 1000, 50000);
            check_phases(5000, "0:0 10:1 18:0", "1000, 100, 1000", seed);
            check_phases(10000, "0:0 5:1 9:0", "1000, 100, 1000", seed);
            count = 0;
            append(&random, k, 0, 1000, 30000);
            append(&random, k, 1000, 1000, 30000); // other data of the same size
            append(&random, k, 5000, 1000, 30000);
            append(&random, k, 0, 1000, 30000);
            check_phases(5000, "0:0 6:0 12:0 18:0", "other data", seed);
            count = 0;
            append(&random, k, 0, 1000, 2500);
            for (int i = 0; i < 4; i++)
                append(&random, k, 0, i % 2 ? 100 : 1000, 30000); // changes in the middle of a window
            check_phases(5000, "0:0 6:1 12:0 18:1", "unaligned", seed);
        }
}

static void alternating(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t every = 1; every <= 4; every++) {
            char want[256] = "";
            dj_random random;
            dj_random_seed(&random, seed);
            count = 0;
            for (size_t i = 0; i < 10; i++) {
                append(&random, seed % 2 ? UNIFORM : LOOP, i % 2 ? 2000 : 0, i % 2 ? 60 : 700, every * 4000);
                sprintf(want + strlen(want), "%s%zu:%zu", i ? " " : "", i * every, i % 2);
            }
            check_phases(4000, want, "alternating", seed);
        }
}

// Four phases: a hot set, a scan, a large set, and the hot set again.
static void several(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        dj_random random;
        dj_random_seed(&random, seed);
        count = 0;
        append(&random, UNIFORM, 0, 500, 30000);
        append(&random, SCAN, 100000, 0, 20000);
        append(&random, UNIFORM, 50000, 20000, 80000);
        append(&random, UNIFORM, 0, 500, 30000);
        check_phases(10000, "0:0 3:1 5:2 13:0", "several", seed);
    }
}

// Misses of a stretch in an LRU cache of `size` blocks that is empty where the stretch begins, from the
// access `from` on, by a stack.
static uint64_t simulate(size_t begin, size_t from, size_t end, uint64_t size)
{
    static uint64_t stack[MOST];
    uint64_t used = 0, misses = 0;
    for (size_t i = begin; i < end; i++) {
        uint64_t at = 0;
        while (at < used && stack[at] != keys[i])
            at++;
        misses += i >= from && (at == used || at >= size);
        used += at == used;
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = keys[i];
    }
    return misses;
}

static void best_sizes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        dj_random random;
        dj_random_seed(&random, seed);
        count = 0;
        append(&random, UNIFORM, 0, 1000, 10000);
        append(&random, UNIFORM, 3000, 100, 10000);
        append(&random, SCAN, 5000, 0, 10000);
        dj_profile *profile = measured(2500);
        dj_phase_list list;
        assert_int_equal(dj_phases_find(context, dj_lane_windows(&profile->lanes[0]), &list), DJ_OK);
        assert_string_equal(describe(&list), "0:0 4:1 8:2");
        for (size_t p = 0; p < 3; p++) {
            const dj_locality_phase *phase = &list.phases[p];
            const size_t begin = 10000 * p, from = begin + 2500, end = begin + 10000;
            uint64_t best = 0;
            const double least = (double)simulate(begin, from, end, MOST) / 7500;
            assert_int_equal(phase->settled, 3);
            assert_float_equal(phase->least, least, 1e-9);
            for (unsigned k = 0; k < 13; k++) {
                const double ratio = (double)simulate(begin, from, end, UINT64_C(1) << k) / 7500;
                assert_float_equal(phase->ratio[k], ratio, 1e-9);
                if (best == 0 && ratio <= least + 0.01 && least < 0.99)
                    best = UINT64_C(1) << k;
            }
            assert_int_equal(phase->best, best);
            assert_int_equal(best, p == 0 ? 1024 : p == 1 ? 128 : 0);
        }
        dj_phase_list_free(&list);
        dj_profile_destroy(profile);
    }
}

// A file may contain any numbers; stretches must still divide the windows.
static void any_numbers(void **state)
{
    (void)state;
    static uint64_t bins[500][65];
    static dj_window rows[500];
    for (uint64_t seed = 0; seed < 200; seed++) {
        dj_random random;
        dj_random_seed(&random, seed);
        const dj_windows windows = {
            .length = seed % 2, .rows = rows, .count = (size_t)dj_random_below(&random, 500)};
        for (size_t i = 0; i < windows.count; i++) {
            rows[i] =
                (dj_window){.first = i, .bins = bins[i], .bin_count = (uint32_t)dj_random_below(&random, 66)};
            for (uint32_t b = 0; b < rows[i].bin_count; b++)
                bins[i][b] = dj_random_next(&random) >> dj_random_below(&random, 64);
            rows[i].accesses = dj_random_next(&random) >> dj_random_below(&random, 64);
            rows[i].cold = dj_random_next(&random) >> dj_random_below(&random, 64);
            rows[i].distinct = dj_random_next(&random) >> dj_random_below(&random, 64);
            if (dj_random_below(&random, 5) == 0)
                rows[i].accesses = rows[i].distinct = 0;
        }
        dj_phase_list list;
        assert_int_equal(dj_phases_find(context, &windows, &list), DJ_OK);
        size_t at = 0;
        for (size_t i = 0; i < list.stretch_count; i++) {
            assert_int_equal(list.stretches[i].first, at);
            assert_in_range(list.stretches[i].count, 1, windows.count);
            assert_true(list.stretches[i].phase < list.phase_count);
            at += list.stretches[i].count;
        }
        assert_int_equal(at, windows.count);
        for (size_t i = 0; i < list.phase_count; i++)
            assert_true((list.phases[i].best & (list.phases[i].best - 1)) == 0 &&
                        !isnan(list.phases[i].least));
        dj_phase_list_free(&list);
    }
}

// The least sum of differences of all ways to match in order, found by trying them: of the phases
// from `i` and `j` on.
static double least_sum(const dj_phase_list *few, const dj_phase_list *many, size_t i, size_t j)
{
    if (i == few->phase_count)
        return 0;
    double least = INFINITY;
    for (; j + few->phase_count - i <= many->phase_count; j++) {
        const double a = few->phases[i].distinct + 1, b = many->phases[j].distinct + 1;
        least = fmin(least, fabs(log2(a / b)) + least_sum(few, many, i + 1, j + 1));
    }
    return least;
}

// Phases that differ in their distinct data alone.
static void matches(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        dj_locality_phase phases[2][8] = {0};
        dj_phase_list lists[2];
        size_t match[8];
        dj_random random;
        dj_random_seed(&random, seed);
        for (int run = 0; run < 2; run++) {
            lists[run] = (dj_phase_list){.phases = phases[run],
                                         .phase_count = 1 + (size_t)dj_random_below(&random, 8)};
            for (size_t i = 0; i < lists[run].phase_count; i++)
                phases[run][i].distinct =
                    (double)(dj_random_below(&random, 1 << 20) >> dj_random_below(&random, 20));
        }
        dj_phases_match(&lists[0], &lists[1], match);
        size_t matched = 0, next = 0;
        double sum = 0;
        for (size_t i = 0; i < lists[0].phase_count; i++) {
            if (match[i] == SIZE_MAX)
                continue;
            assert_in_range(match[i], next, lists[1].phase_count - 1);
            next = match[i] + 1;
            matched++;
            sum += fabs(log2((phases[0][i].distinct + 1) / (phases[1][match[i]].distinct + 1)));
        }
        const bool swapped = lists[0].phase_count > lists[1].phase_count;
        assert_int_equal(matched, lists[swapped].phase_count);
        assert_true(fabs(sum - least_sum(&lists[swapped], &lists[!swapped], 0, 0)) < 1e-9);
    }
}

// By hand: of three phases before, the one in the middle ended.
static void matches_by_hand(void **state)
{
    (void)state;
    dj_locality_phase before[3] = {{.distinct = 1000}, {.distinct = 8}, {.distinct = 50}};
    dj_locality_phase after[2] = {{.distinct = 900}, {.distinct = 50}};
    const dj_phase_list three = {.phases = before, .phase_count = 3},
                        two = {.phases = after, .phase_count = 2};
    size_t match[3];
    dj_phases_match(&three, &two, match);
    assert_true(match[0] == 0 && match[1] == SIZE_MAX && match[2] == 1);
    dj_phases_match(&two, &three, match);
    assert_true(match[0] == 0 && match[1] == 2);
    after[0].distinct = 8; // the first of two is like the second of three, unless its misses say otherwise
    dj_phases_match(&three, &two, match);
    assert_true(match[0] == SIZE_MAX && match[1] == 0 && match[2] == 1);
    for (int k = 0; k < 10; k++)
        before[0].ratio[k] = after[0].ratio[k] = 1;
    before[0].distinct = 16;
    dj_phases_match(&three, &two, match);
    assert_true(match[0] == 0 && match[1] == SIZE_MAX && match[2] == 1);
}

static int make_all(void **state)
{
    keys = malloc(MOST * sizeof *keys);
    return keys ? make_context(state) : -1;
}

static int drop_all(void **state)
{
    free(keys);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stationary), cmocka_unit_test(planted),         cmocka_unit_test(alternating),
        cmocka_unit_test(several),    cmocka_unit_test(best_sizes),      cmocka_unit_test(any_numbers),
        cmocka_unit_test(matches),    cmocka_unit_test(matches_by_hand),
    };
    return cmocka_run_group_tests(tests, make_all, drop_all);
}
