// SPDX-License-Identifier: MIT
// Miss ratios of groups, pairs and speeds against brute force.
#include "unit/model/corun_trace.h"

enum { TRACES = 4, ACCESSES = 60000 };
static corun_trace traces[TRACES];
static dj_corun_sharer sharers[TRACES];
static const dj_sharing_class classes[] = {{3, 15}, {15, 10}};
static dj_corun corun = {.sharers = sharers, .count = TRACES, .classes = classes, .class_count = 2};

static int make_traces(void **state)
{
    make_context(state);
    for (size_t i = 0; i < TRACES; i++) {
        // The first 10 data are those of all. The next 15 are those of the first two.
        corun_generate(&traces[i], i, "renr"[i], ACCESSES, 120 + 20 * i, i < 2 ? 25 : 10, i);
        corun_profile(&traces[i]);
        sharers[i] = (dj_corun_sharer){traces[i].joint, 1};
    }
    return 0;
}

static int drop_traces(void **state)
{
    for (size_t i = 0; i < TRACES; i++)
        corun_free(&traces[i]);
    return drop_context(state);
}

static void test_groups(void **state)
{
    (void)state;
    const uint64_t blocks = 150;
    dj_corun_group *groups = NULL;
    size_t count = 0;
    assert_int_equal(
        dj_corun_groups(context, &corun, dj_corun_model_get(0), 4, blocks, NULL, &groups, &count), DJ_OK);
    assert_int_equal(count, 4 + 6 + 4 + 1);
    for (size_t g = 0; g < count; g++) {
        corun_trace members[TRACES] = {{0}};
        assert_int_equal(groups[g].count, __builtin_popcountll(groups[g].sharers));
        assert_true(g == 0 || groups[g].count >= groups[g - 1].count);
        for (size_t k = 0; k < groups[g].count; k++) {
            assert_true(groups[g].sharers >> groups[g].sharer[k] & 1);
            members[k].keys = traces[groups[g].sharer[k]].keys;
            members[k].count = ACCESSES;
        }
        corun_measure(members, (double[]){1, 1, 1, 1}, groups[g].count, NULL);
        for (size_t k = 0; k < groups[g].count; k++) {
            const double misses =
                (double)(members[k].cold + dj_histogram_sum(members[k].shared, blocks, UINT64_MAX));
            assert_true(fabs(groups[g].ratio[k] - misses / ACCESSES) < 0.01);
            dj_histogram_destroy(members[k].shared);
        }
    }
    free(groups);
    assert_int_equal(
        dj_corun_groups(context, &corun, dj_corun_model_get(0), 5, blocks, NULL, &groups, &count),
        DJ_ERR_USAGE);
}

// The cheapest division of the items in `left`, by trying all.
static double cheapest(const double *cost, size_t count, unsigned left, bool alone)
{
    if (left == 0)
        return 0;
    const size_t i = (size_t)__builtin_ctz(left);
    double best = INFINITY;
    for (size_t k = i; k < count; k++) {
        if (!(left >> k & 1) || (k == i && !alone))
            continue;
        const double rest = cheapest(cost, count, left & ~(1u << i) & ~(1u << k), k == i ? false : alone);
        best = fmin(best, cost[i * count + k] + rest);
    }
    return best;
}

static void test_pairs(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 2);
    for (unsigned round = 0; round < 300; round++) {
        const size_t count = (size_t)dj_random_below(&random, 9);
        double cost[81], total = -1, sum = 0;
        size_t partner[9];
        for (size_t i = 0; i < 81; i++)
            cost[i] = dj_random_real(&random);
        assert_int_equal(dj_corun_pair(context, cost, count, partner, &total), DJ_OK);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(partner[partner[i]], i);
            sum += partner[i] >= i ? cost[i * count + partner[i]] : 0;
        }
        assert_true(fabs(sum - total) < 1e-12);
        assert_true(fabs(cheapest(cost, count, (1u << count) - 1, count % 2 == 1) - total) < 1e-12);
    }
    assert_int_equal(dj_corun_pair(context, NULL, 21, NULL, NULL), DJ_ERR_USAGE);
}

// The relative speed of the second sharer by the miss ratios at relative speed `ratio`.
static double next_ratio(double ratio, uint64_t blocks, const dj_corun_core *cores)
{
    dj_corun_sharer two[] = {{traces[0].joint, 1}, {traces[1].joint, ratio}};
    const dj_corun pair = {.sharers = two, .count = 2, .again = true};
    dj_prediction out[2];
    double speed[2];
    assert_int_equal(dj_corun_model_get(0)->predict(context, &pair, out), DJ_OK);
    for (size_t i = 0; i < 2; i++) {
        speed[i] =
            1 / (cores[i].cycles + cores[i].penalty * dj_prediction_misses(&out[i], blocks) / ACCESSES);
        dj_prediction_free(&out[i]);
    }
    return speed[1] / speed[0];
}

// The lowest and the highest relative speed at which the map crosses the diagonal from above: all of a fine
// grid are tried, and the place in it is bisected.
static void scan(uint64_t blocks, const dj_corun_core *cores, double *lowest, double *highest)
{
    const double fine = 1.01, first = cores[0].cycles / (cores[1].cycles + cores[1].penalty) / fine,
                 last = (cores[0].cycles + cores[0].penalty) / cores[1].cycles * fine;
    double here = next_ratio(first, blocks, cores) - first;
    *lowest = *highest = 0;
    for (double ratio = first; ratio < last; ratio *= fine) {
        const double there = next_ratio(ratio * fine, blocks, cores) - ratio * fine;
        double from = ratio, to = ratio * fine;
        for (unsigned i = 0; here >= 0 && there < 0 && i < 40; i++) {
            const double middle = (from + to) / 2;
            *(next_ratio(middle, blocks, cores) >= middle ? &from : &to) = middle;
        }
        if (here >= 0 && there < 0) {
            *lowest = *lowest > 0 ? *lowest : from;
            *highest = from;
        }
        here = there;
    }
    assert_true(*lowest > 0);
}

static void test_speeds(void **state)
{
    (void)state;
    static const dj_corun_core cases[][2] = {
        {{2, 40}, {3, 60}}, {{1, 0}, {1, 100}}, {{1, 200}, {4, 200}}, {{5, 5}, {1, 30}}};
    const dj_corun pair = {.sharers = sharers, .count = 2, .again = true};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double low[2], high[2], lowest, highest;
        assert_int_equal(dj_corun_speeds(context, &pair, dj_corun_model_get(0), 120, cases[c], low, high),
                         DJ_OK);
        scan(120, cases[c], &lowest, &highest);
        assert_true(fabs(low[1] / low[0] / lowest - 1) < 1e-5);
        assert_true(fabs(high[1] / high[0] / highest - 1) < 1e-5);
        assert_true(fabs(next_ratio(low[1] / low[0], 120, cases[c]) / (low[1] / low[0]) - 1) < 2e-6);
        assert_true(fabs(next_ratio(high[1] / high[0], 120, cases[c]) / (high[1] / high[0]) - 1) < 2e-6);
    }
}

// A model whose miss ratios jump, so that no speeds fit: the sharer that is faster by the slightest misses
// always, and the others never.
static int predict_jumps(dj_context *where, const dj_corun *sharers_of, dj_prediction *out)
{
    (void)where;
    for (size_t i = 0; i < sharers_of->count; i++) {
        bool fastest = true;
        for (size_t k = 0; k < sharers_of->count; k++)
            fastest = fastest && sharers_of->sharers[i].speed >= sharers_of->sharers[k].speed;
        out[i] = (dj_prediction){.cold = fastest ? 100 : 0, .reuses = fastest ? 0 : 100};
    }
    return DJ_OK;
}

static void test_jumps(void **state)
{
    (void)state;
    static const dj_corun_core cores[] = {{2, 1}, {2.1, 1}, {2.2, 1}};
    static const dj_corun_model jumps = {.name = "jumps", .predict = predict_jumps};
    double low[3], high[3];
    for (size_t count = 2; count <= 3; count++) {
        const dj_corun some = {.sharers = sharers, .count = count};
        assert_int_equal(dj_corun_speeds(context, &some, &jumps, 120, cores, low, high), DJ_ERR_UNSUPPORTED);
        assert_non_null(strstr(dj_context_message(context), "at most 0.1 % is allowed"));
    }
}

static void test_more_speeds(void **state)
{
    (void)state;
    static const dj_corun_core cores[] = {{2, 40}, {3, 60}, {1, 20}, {2, 0}};
    dj_corun four = corun;
    double low[TRACES], high[TRACES];
    four.again = true;
    assert_int_equal(dj_corun_speeds(context, &four, dj_corun_model_get(0), 200, cores, low, high), DJ_OK);
    assert_true(fabs(low[3] - 0.5) < 1e-6); // misses cost nothing
    dj_corun_sharer members[TRACES];
    dj_prediction out[TRACES];
    for (size_t i = 0; i < TRACES; i++)
        members[i] = (dj_corun_sharer){traces[i].joint, low[i]};
    four.sharers = members;
    assert_int_equal(dj_corun_model_get(0)->predict(context, &four, out), DJ_OK);
    for (size_t i = 0; i < TRACES; i++) { // at these speeds, the miss ratios are those that they follow from
        const double cycles =
            cores[i].cycles + cores[i].penalty * dj_prediction_misses(&out[i], 200) / ACCESSES;
        assert_true(fabs(low[i] * cycles - 1) < 3e-6);
        dj_prediction_free(&out[i]);
    }
    assert_memory_equal(low, high, sizeof low);
    dj_corun_core bad[] = {{2, 40}, {0, 60}, {1, 20}, {2, 0}};
    assert_int_equal(dj_corun_speeds(context, &four, dj_corun_model_get(0), 200, bad, low, high),
                     DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "sharer 2"));
}

// Two programs that each sweep over 100 blocks, in a cache of 130. The one that is fast keeps its blocks, and
// the other one misses always: two solutions, which the simulation of both with their times reaches too.
enum { SWEEP = 100, CACHE = 130 };
static const dj_corun_core sweep_core = {2, 18};

// The relative speed of the second program, if the first one starts `ahead` accesses earlier, or later.
static double simulate_sweeps(long ahead)
{
    uint64_t stack[2 * SWEEP];
    double now[2] = {0, 0};
    size_t size = 0, made[2] = {0, 0}, counted[2] = {0, 0};
    const double end = 400000;
    now[ahead > 0] = (double)labs(ahead) * sweep_core.cycles * 20;
    while (now[0] < end || now[1] < end) {
        const size_t i = now[1] < now[0];
        const uint64_t key = 1000 * i + made[i]++ % SWEEP;
        size_t depth = 0;
        while (depth < size && stack[depth] != key)
            depth++;
        const bool miss = depth == size || depth >= CACHE;
        size += depth == size;
        memmove(stack + 1, stack, depth * sizeof *stack);
        stack[0] = key;
        now[i] += sweep_core.cycles + (miss ? sweep_core.penalty : 0);
        counted[i] += now[i] > end / 2;
    }
    return (double)counted[1] / (double)counted[0];
}

static void test_two_solutions(void **state)
{
    (void)state;
    corun_trace sweep = {.keys = malloc(40000 * sizeof *sweep.keys), .count = 40000};
    for (size_t i = 0; i < sweep.count; i++)
        sweep.keys[i] = i % SWEEP;
    corun_profile(&sweep);
    const dj_corun_sharer two[] = {{sweep.joint, 1}, {sweep.joint, 1}};
    const dj_corun pair = {.sharers = two, .count = 2, .again = true};
    const dj_corun_core cores[] = {sweep_core, sweep_core};
    dj_corun_group *groups = NULL;
    size_t count = 0;
    assert_int_equal(dj_corun_groups(context, &pair, dj_corun_model_get(0), 2, CACHE, cores, &groups, &count),
                     DJ_OK);
    assert_int_equal(count, 4); // each alone, and both solutions
    assert_true(groups[3].second && !groups[2].second);
    const double low = simulate_sweeps(1000), high = simulate_sweeps(-1000);
    assert_true(fabs(low - 0.1) < 0.01 && fabs(high - 10) < 1); // by hand: 2 and 20 cycles
    assert_true(fabs(groups[2].cycles[0] / groups[2].cycles[1] / low - 1) < 0.1);
    assert_true(fabs(groups[3].cycles[0] / groups[3].cycles[1] / high - 1) < 0.1);
    for (size_t g = 0; g < count; g++)
        for (size_t k = 0; k < groups[g].count; k++)
            assert_true(fabs(groups[g].cycles[k] - 2 - 18 * groups[g].ratio[k]) < 1e-3);
    free(groups);
    corun_free(&sweep);
}

// Threads of the same code with data of their own, and with some in common, in random order.
static void test_threads(void **state)
{
    (void)state;
    const uint64_t blocks = 250;
    for (size_t shared = 0; shared <= 60; shared += 60) {
        corun_trace copies[TRACES] = {{0}};
        dj_corun_member members[TRACES];
        for (size_t i = 0; i < TRACES; i++)
            corun_generate(&copies[i], 50 + i, 'r', ACCESSES, 120, shared, i);
        corun_profile(&copies[0]);
        const dj_corun_team team = {.profile = copies[0].joint, .shared = (double)shared / 120};
        assert_int_equal(dj_corun_threads(context, &team, dj_corun_model_get(0), TRACES, blocks, members),
                         DJ_OK);
        for (size_t n = 1; n <= TRACES; n++) {
            double misses = 0;
            corun_measure(copies, (double[]){1, 1, 1, 1}, n, NULL);
            for (size_t i = 0; i < n; i++)
                misses += (double)(copies[i].cold + dj_histogram_sum(copies[i].shared, blocks, UINT64_MAX));
            assert_true(fabs(members[n - 1].ratio - misses / (double)(n * ACCESSES)) < 0.01);
            assert_true(members[n - 1].least == members[n - 1].ratio);
        }
        for (size_t i = 0; i < TRACES; i++)
            corun_free(&copies[i]);
    }
}

// One thread accesses parts of its data in turn, each part several times; four threads have a quarter of the
// parts each. In the first case a part has few data and is reused at once, in the second all data are one
// part.
static void test_divided(void **state)
{
    (void)state;
    enum { DIVIDED = 400, ROUNDS = 30 };
    for (size_t part = 10; part <= DIVIDED; part *= 40) {
        corun_trace one = {.keys = malloc(DIVIDED * ROUNDS * 4 * sizeof *one.keys)}, four[TRACES] = {{0}};
        for (size_t i = 0; i < TRACES; i++)
            four[i].keys = malloc(DIVIDED * ROUNDS * 4 * sizeof *one.keys);
        for (size_t round = 0; round < ROUNDS; round++)
            for (size_t from = 0; from < DIVIDED; from += part)
                for (size_t k = 0; k < 4 * part; k++) {
                    const uint64_t key = from + k % part;
                    corun_trace *t = &four[key * TRACES / DIVIDED];
                    one.keys[one.count++] = key;
                    t->keys[t->count++] = key;
                }
        corun_profile(&one);
        const dj_corun_team team = {.profile = one.joint, .scaling = DJ_CORUN_STRONG};
        for (uint64_t blocks = 5; blocks < 500; blocks += 23) {
            dj_corun_member members[TRACES];
            double misses = 0;
            assert_int_equal(dj_corun_threads(context, &team, dj_corun_model_get(0), TRACES, blocks, members),
                             DJ_OK);
            corun_measure(four, (double[]){1, 1, 1, 1}, TRACES, NULL);
            for (size_t i = 0; i < TRACES; i++)
                misses += (double)(four[i].cold + dj_histogram_sum(four[i].shared, blocks, UINT64_MAX)) /
                          (double)one.count;
            assert_true(misses > members[3].least - 0.03 && misses < members[3].ratio + 0.03);
        }
        corun_free(&one);
        for (size_t i = 0; i < TRACES; i++)
            corun_free(&four[i]);
    }
    const dj_corun_team bad[] = {{.profile = traces[0].joint, .shared = 1.5},
                                 {.profile = traces[0].joint, .shared = 0.5, .scaling = DJ_CORUN_STRONG}};
    dj_corun_member members[2];
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(dj_corun_threads(context, &bad[i], dj_corun_model_get(0), 2, 10, members),
                         DJ_ERR_USAGE);
    const dj_corun_team good = {.profile = traces[0].joint};
    assert_int_equal(dj_corun_threads(context, &good, dj_corun_model_get(0), 65, 10, members), DJ_ERR_USAGE);
}

// By hand: 2 cycles per access and 10 for each miss.
static void test_throughput(void **state)
{
    (void)state;
    const dj_corun_core core = {2, 10};
    assert_true(fabs(dj_corun_throughput(&core, 3, 3, 0.2) - 3.0 / 4) < 1e-12);
    assert_true(fabs(dj_corun_throughput(&core, 2, 1, 0.2) - 1.0 / 2) < 1e-12); // misses are hidden exactly
    assert_true(fabs(dj_corun_throughput(&core, 3, 1, 0.2) - 1.0 / 2) < 1e-12); // the core is busy
    assert_true(fabs(dj_corun_throughput(&core, 3, 2, 0.8) - (2.0 / 10 + 1.0 / 10)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),     cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_speeds),     cmocka_unit_test(test_more_speeds),
        cmocka_unit_test(test_jumps),      cmocka_unit_test(test_two_solutions),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_divided),
        cmocka_unit_test(test_throughput),
    };
    return cmocka_run_group_tests(tests, make_traces, drop_traces);
}
