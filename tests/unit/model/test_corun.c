// SPDX-License-Identifier: MIT
// The parts of the models of shared caches against brute force: distinct data in windows, overlaps, laws.
#include <time.h>

#include "model/corun/interval.h"
#include "model/corun/overlap.h"
#include "unit/model/corun_trace.h"

enum { OBJECTS = 5, PERIOD = 23, REPEATS = 40 };

static uint64_t distinct_in(const uint64_t *keys, size_t count, size_t from, size_t length)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < length; i++)
        seen |= UINT64_C(1) << keys[(from + i) % count];
    return (uint64_t)__builtin_popcountll(seen);
}

static void random_trace(dj_random *random, corun_trace *t, size_t count, uint64_t data)
{
    *t = (corun_trace){.keys = malloc(count * sizeof *t->keys), .count = count};
    for (size_t i = 0; i < count; i++)
        t->keys[i] = dj_random_below(random, 1 + dj_random_below(random, data));
}

// M(Δ) is exact on finite traces.
static void test_distinct(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 3);
    for (unsigned round = 0; round < 40; round++) {
        corun_trace t;
        random_trace(&random, &t, 1 + dj_random_below(&random, 120), 1 + dj_random_below(&random, 60));
        corun_profile(&t);
        for (size_t length = 0; length <= t.count; length++) {
            double sum = 0, got = -1;
            for (size_t from = 0; from + length <= t.count; from++)
                sum += (double)distinct_in(t.keys, t.count, from, length);
            assert_int_equal(dj_corun_distinct(context, t.joint, &(double){(double)length}, 1, &got), DJ_OK);
            assert_true(fabs(got - sum / (double)(t.count - length + 1)) < 1e-9);
        }
        corun_free(&t);
    }
}

// Formulas (2) to (6) of the paper for a trace that repeats forever, with δ >= τ in (3) and sums to N in (6).
static double literal(const uint64_t *keys, size_t length)
{
    double probability[OBJECTS] = {0}, expectation = 0;
    for (uint64_t object = 0; object < OBJECTS; object++) {
        double histogram[PERIOD + 1] = {0}, accesses = 0;
        for (size_t i = 0; i < PERIOD; i++) {
            size_t gap = 1;
            while (keys[(i + gap) % PERIOD] != keys[i])
                gap++;
            histogram[gap] += keys[i] == object;
            accesses += keys[i] == object;
        }
        for (size_t tau = 1; accesses > 0 && tau <= length; tau++)
            for (size_t delta = tau; delta <= PERIOD; delta++)
                probability[object] += accesses / PERIOD * histogram[delta] / accesses;
    }
    for (unsigned subset = 0; subset < 1u << OBJECTS; subset++) {
        double chance = 1;
        for (unsigned object = 0; object < OBJECTS; object++)
            chance *= subset >> object & 1 ? probability[object] : 1 - probability[object];
        expectation += __builtin_popcount(subset) * chance;
    }
    return expectation;
}

static void test_formulas_of_the_paper(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 4);
    for (unsigned round = 0; round < 20; round++) {
        corun_trace t, all = {.count = (size_t)PERIOD * REPEATS};
        random_trace(&random, &t, PERIOD, OBJECTS);
        all.keys = malloc(all.count * sizeof *all.keys);
        for (size_t i = 0; i < all.count; i++)
            all.keys[i] = t.keys[i % PERIOD];
        corun_profile(&all);
        for (size_t length = 1; length <= PERIOD; length++) {
            double circular = 0, got = 0;
            for (size_t from = 0; from < PERIOD; from++)
                circular += (double)distinct_in(t.keys, PERIOD, from, length) / PERIOD;
            assert_true(fabs(literal(t.keys, length) - circular) < 1e-9);
            assert_int_equal(dj_corun_distinct(context, all.joint, &(double){(double)length}, 1, &got),
                             DJ_OK);
            assert_true(fabs(got - circular) <
                        (double)OBJECTS / REPEATS); // windows across the ends are missing
        }
        free(t.keys);
        corun_free(&all);
    }
}

// Members with `size` data each, of which some are shared, as counted by the models.
static void make_company(dj_company *c, dj_window_data *distinct, const double *sizes, size_t count)
{
    static const dj_company_class classes[] = {{3, 6}, {6, 4}, {7, 5}};
    *c = (dj_company){.count = count, .class_count = 3};
    memcpy(c->classes, classes, sizeof classes);
    for (size_t i = 0; i < count; i++) {
        distinct[i] = (dj_window_data){.data = sizes[i], .accesses = 1e9};
        c->distinct[i] = &distinct[i];
        c->ratio[i] = 1;
        c->alone[i] = sizes[i];
        for (size_t m = 0; m < 3; m++)
            c->alone[i] -= classes[m].members >> i & 1 ? classes[m].blocks : 0;
    }
}

// The bit of each datum in a table of all data of three members, as in make_company.
static size_t list_data(const dj_company *c, size_t member, unsigned *out)
{
    size_t n = 0;
    unsigned datum = 0;
    for (size_t m = 0; m < c->class_count; m++)
        for (double k = 0; k < c->classes[m].blocks; k++, datum++)
            if (c->classes[m].members >> member & 1)
                out[n++] = datum;
    for (size_t i = 0; i < c->count; i++)
        for (double k = 0; k < c->alone[i]; k++, datum++)
            if (i == member)
                out[n++] = datum;
    return n;
}

// Random subsets: member 0 does not choose the datum at the ends, and the others do not either.
static void test_overlap(void **state)
{
    (void)state;
    enum { ROUNDS = 200000 };
    static const double sizes[] = {20, 18, 24}, numbers[] = {8, 11, 5};
    dj_company company;
    dj_window_data distinct[3];
    dj_overlap overlap;
    dj_random random;
    double sum = 0, squares = 0;
    dj_random_seed(&random, 6);
    make_company(&company, distinct, sizes, 3);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t seen = 0;
        unsigned ends = 0;
        for (size_t member = 0; member < 3; member++) {
            unsigned data[64];
            size_t n = list_data(&company, member, data);
            if (member == 0)
                ends = data[dj_random_below(&random, n)];
            for (double left = numbers[member]; left > 0;) {
                const size_t at = (size_t)dj_random_below(&random, n);
                if (data[at] != ends) {
                    seen |= UINT64_C(1) << data[at];
                    left--;
                }
                data[at] = data[--n];
            }
        }
        const double together = (double)__builtin_popcountll(seen);
        sum += together;
        squares += together * together;
    }
    const double mean = sum / ROUNDS, variance = squares / ROUNDS - mean * mean;
    dj_overlap_set(&overlap, &company, numbers, (double[]){0, 0, 0});
    const dj_overlap_law law = dj_overlap_of(&overlap, numbers[0], 0);
    assert_true(fabs(law.mean - mean) < 0.05);
    assert_true(fabs(law.variance - variance) < 0.12);
    dj_overlap_set(&overlap, &company, numbers, (double[]){0, 2, 0});
    assert_true(dj_overlap_of(&overlap, numbers[0], 0).variance > law.variance + 0.5);
}

// Without shared data the numbers add up.
static void test_no_overlap(void **state)
{
    (void)state;
    static const double sizes[] = {20, 18, 24}, numbers[] = {8, 18, 5}, variances[] = {0, 1.5, 2};
    dj_company company;
    dj_window_data distinct[3];
    dj_overlap overlap;
    make_company(&company, distinct, sizes, 3);
    company.class_count = 0;
    memcpy(company.alone, sizes, sizeof sizes);
    dj_overlap_set(&overlap, &company, numbers, variances);
    const dj_overlap_law law = dj_overlap_of(&overlap, 8, 0.25);
    assert_true(fabs(law.mean - 31) < 1e-9);
    assert_true(fabs(law.variance - 3.75) < 1e-9);
}

// Short random intervals, simulated.
static void test_random_intervals(void **state)
{
    (void)state;
    enum { ROUNDS = 100000, LENGTH = 3 };
    dj_company company = {.count = 3, .ratio = {1, 2, 0.5}, .order = DJ_CORUN_RANDOM};
    dj_interval_cases cases;
    dj_random random;
    double seen[DJ_INTERVAL_CASES] = {0}, all = 0;
    dj_random_seed(&random, 7);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned own = 0, others = 0;
        while (own < LENGTH)
            *(dj_random_real(&random) * 3.5 < 1 ? &own : &others) += 1;
        seen[others < DJ_INTERVAL_CASES ? others : DJ_INTERVAL_CASES - 1] += 1.0 / ROUNDS;
    }
    dj_interval_list_cases(&company, LENGTH, &cases);
    assert_true(cases.count > 20);
    for (size_t i = 0; i < cases.count; i++) {
        assert_true(fabs(cases.cases[i].accesses - (double)i) < 1e-9);
        assert_true(fabs(cases.cases[i].chance - seen[i]) < 0.006);
        all += cases.cases[i].chance;
    }
    assert_true(fabs(all - 1) < 1e-9);
    dj_interval_list_cases(&company, 1000, &cases);
    assert_int_equal(cases.count, 0);
}

// Alone, or beside sharers that access nothing new, the prediction is the measured histogram.
static void test_one_sharer(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 8);
    corun_trace t;
    random_trace(&random, &t, 5000, 300);
    corun_profile(&t);
    corun_measure(&t, (double[]){1}, 1, NULL);
    const dj_corun corun = {.sharers = &(dj_corun_sharer){t.joint, 3}, .count = 1};
    dj_prediction out;
    assert_int_equal(dj_corun_model_get(0)->predict(context, &corun, &out), DJ_OK);
    assert_true(out.cold == (double)t.cold);
    uint64_t value = 0;
    for (size_t i = 0; i < out.bin_count; i++, value++) {
        const uint64_t count = dj_histogram_next(t.shared, &value);
        assert_true(out.bins[i].lo == value && out.bins[i].hi == value);
        assert_true(fabs(out.bins[i].count - (double)count) < 1e-6);
    }
    assert_int_equal(dj_histogram_next(t.shared, &value), 0);
    assert_true(fabs(dj_prediction_accuracy(&out, t.shared, 0) - 1) < 1e-9);
    dj_prediction_free(&out);
    corun_free(&t);
}

static void test_accuracy_by_hand(void **state)
{
    (void)state;
    dj_expected_bin bins[] = {{0, 0, 1}, {2, 2, 2}, {100, 100, 1}};
    const dj_prediction prediction = {.reuses = 4, .bins = bins, .bin_count = 3};
    dj_histogram *measured = NULL;
    assert_int_equal(dj_histogram_create(context, &measured), DJ_OK);
    assert_true(isnan(dj_prediction_accuracy(&prediction, measured, 0)));
    assert_int_equal(dj_histogram_add(measured, context, 0, 1), DJ_OK);
    assert_int_equal(dj_histogram_add(measured, context, 1, 1), DJ_OK);
    assert_int_equal(dj_histogram_add(measured, context, 2, 1), DJ_OK);
    assert_int_equal(dj_histogram_add(measured, context, 101, 1), DJ_OK);
    // |1/4 - 1/4| + |0 - 1/4| + |2/4 - 1/4| + |1/4 - 0| + |0 - 1/4| = 1
    assert_true(fabs(dj_prediction_accuracy(&prediction, measured, 0) - 0.5) < 1e-12);
    assert_true(fabs(dj_prediction_accuracy(&prediction, measured, 0.02) - 0.75) < 1e-12);
    dj_histogram_destroy(measured);
}

static void refuse(const dj_corun *corun, const char *why)
{
    for (size_t i = 0; i < dj_corun_model_count(); i++) {
        dj_prediction out[2];
        assert_int_equal(dj_corun_model_get(i)->predict(context, corun, out), DJ_ERR_USAGE);
        assert_non_null(strstr(dj_context_message(context), why));
    }
}

static void test_refused(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 9);
    corun_trace t;
    random_trace(&random, &t, 100, 30);
    corun_profile(&t);
    const dj_joint_sharer empty = {0};
    dj_corun_sharer sharers[2] = {{t.joint, 1}, {t.joint, 0}};
    dj_corun corun = {.sharers = sharers, .count = 2};
    refuse(&corun, "speed of sharer 2 is 0");
    sharers[1].speed = NAN;
    refuse(&corun, "must be positive");
    sharers[1] = (dj_corun_sharer){&empty, 1};
    refuse(&corun, "sharer 2 has no accesses");
    sharers[1] = sharers[0];
    corun.classes = &(dj_sharing_class){4, 1};
    corun.class_count = 1;
    refuse(&corun, "names sharers 4 of only 2");
    assert_string_equal(dj_corun_model_get(0)->name, "joint");
    assert_null(dj_corun_model_find("other"));
    corun_free(&t);
}

static void test_sixteen_sharers(void **state)
{
    (void)state;
    corun_trace traces[16];
    dj_corun_sharer sharers[16];
    dj_sharing_class classes[17];
    for (size_t i = 0; i < 16; i++) {
        corun_generate(&traces[i], i, "ren"[i % 3], 100000, 300, 40, i);
        corun_profile(&traces[i]);
        sharers[i] = (dj_corun_sharer){traces[i].joint, 1 + 0.1 * (double)i};
        classes[i] = (dj_sharing_class){UINT64_C(1) << i | UINT64_C(1) << (i + 1) % 16, 10};
    }
    classes[16] = (dj_sharing_class){0xffff, 20};
    for (int random = 0; random < 2; random++) {
        const dj_corun corun = {.sharers = sharers,
                                .count = 16,
                                .classes = classes,
                                .class_count = 17,
                                .order = random ? DJ_CORUN_RANDOM : DJ_CORUN_STEADY};
        const clock_t start = clock();
        dj_prediction out[16];
        assert_int_equal(dj_corun_model_get(0)->predict(context, &corun, out), DJ_OK);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        print_message("16 sharers: %.2f s of processor time\n", seconds);
        for (size_t i = 0; i < 16; i++) {
            assert_true(fabs(out[i].cold + out[i].reuses - 100000) < 0.1);
            dj_prediction_free(&out[i]);
        }
    }
    for (size_t i = 0; i < 16; i++)
        corun_free(&traces[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distinct),         cmocka_unit_test(test_formulas_of_the_paper),
        cmocka_unit_test(test_overlap),          cmocka_unit_test(test_no_overlap),
        cmocka_unit_test(test_random_intervals), cmocka_unit_test(test_one_sharer),
        cmocka_unit_test(test_accuracy_by_hand), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sixteen_sharers),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
