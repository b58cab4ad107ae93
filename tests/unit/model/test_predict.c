// SPDX-License-Identifier: MIT
// Predictions from profiles whose distances follow known formulas, and from small programs by brute force.
#include <math.h>

#include "unit/lane.h"

enum { INPUTS = 4, SIZES = 24 };

// A class of reuses: `count` · data reuses at distance constant + factor · data^power.
typedef struct reuse_class {
    double count, constant, factor, power;
} reuse_class;

static uint64_t distance_of(const reuse_class *c, double data)
{
    return (uint64_t)llround(c->constant + c->factor * pow(data, c->power));
}

static dj_profile *make(dj_context *context, const reuse_class *classes, size_t count, double data)
{
    dj_profile *profile = make_profile(context, 8);
    dj_lane_profile *lane = &profile->lanes[0];
    for (size_t i = 0; i < count; i++)
        add_distance(context, lane, distance_of(&classes[i], data),
                     (uint64_t)llround(classes[i].count * data));
    lane->distinct = lane->cold = (uint64_t)data;
    lane->accesses = lane->cold + dj_histogram_moments(lane->distance).count;
    profile->accesses = lane->accesses;
    return profile;
}

typedef struct setting {
    dj_context *context;
    dj_profile *profiles[INPUTS];
    const char *names[INPUTS];
    uint64_t sizes[SIZES];
    dj_predict_request request;
} setting;

static void begin(setting *s)
{
    static const char *const names[INPUTS] = {"a", "b", "c", "d"};
    memset(s, 0, sizeof *s);
    s->context = make_context();
    memcpy(s->names, names, sizeof names);
    for (size_t i = 0; i < SIZES; i++)
        s->sizes[i] = UINT64_C(1) << i;
    s->request = (dj_predict_request){.profiles = (const dj_profile *const *)s->profiles,
                                      .names = s->names,
                                      .count = INPUTS,
                                      .sizes = s->sizes,
                                      .size_count = SIZES};
}

static void end(setting *s)
{
    for (size_t i = 0; i < INPUTS; i++)
        dj_profile_destroy(s->profiles[i]);
    dj_context_destroy(s->context);
}

static dj_growth_prediction *predict(setting *s, double to)
{
    dj_growth_prediction *out = NULL;
    s->request.to = to;
    if (dj_predict(s->context, &s->request, &out))
        fail_msg("%s", dj_context_message(s->context));
    return out;
}

// How far a prediction is from a profile: half the sum of the differences by bins.
static double off(const dj_growth_prediction *p, const dj_profile *truth)
{
    const dj_lane_profile *lane = &truth->lanes[0];
    double sum = fabs(p->cold / p->accesses - (double)lane->cold / (double)lane->accesses);
    for (unsigned bin = 0; bin < DJ_PREDICT_BINS - 1; bin++) {
        const uint64_t lo = bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
        const double count = (double)dj_histogram_sum(lane->distance, lo, bin == 0 ? 1 : 2 * lo);
        sum += fabs(p->bins[bin] - count / (double)lane->accesses);
    }
    return sum / 2;
}

// Data are sixth powers, so that all roots are whole.
static const reuse_class exact[] = {{4, 5, 0, 0}, {1, 0, 3, 1.0 / 3}, {2, 0, 3, 0.5}, {3, -1, 1, 1}};
static const double data[INPUTS] = {729, 4096, 15625, 46656};
static const double predicted = 262144;

static void formulas_are_recovered(void **state)
{
    (void)state;
    setting s;
    begin(&s);
    for (size_t i = 0; i < INPUTS; i++)
        s.profiles[i] = make(s.context, exact, 4, data[i]);
    dj_growth_prediction *p = predict(&s, predicted);
    dj_profile *truth = make(s.context, exact, 4, predicted);
    assert_true(off(p, truth) < 1e-6);
    assert_true(fabs(p->accesses - 11 * predicted) < 1 && fabs(p->cold - predicted) < 1);
    assert_int_equal(p->group_count, 4);
    static const enum dj_growth growth[] = {DJ_GROWTH_CONSTANT, DJ_GROWTH_CUBE_ROOT, DJ_GROWTH_SQUARE_ROOT,
                                            DJ_GROWTH_LINEAR};
    static const double distance[] = {5, 192, 1536, 262143};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(p->groups[i].growth, growth[i]);
        assert_true(fabs(p->groups[i].share - exact[i].count / 10) < 1e-6);
        assert_true(fabs(p->groups[i].to_first - distance[i]) < 1e-3 * distance[i]);
        assert_true(fabs(p->groups[i].to_last - distance[i]) < 1e-3 * distance[i]);
        assert_int_equal(p->groups[i].evadable, i > 0);
    }
    assert_true(fabs(p->evadable - 0.6) < 1e-6);
    for (size_t i = 0; i < SIZES; i++) {
        dj_mrc_point point;
        assert_int_equal(dj_mrc_lru(s.context, &truth->lanes[0], &s.sizes[i], 1, &point), DJ_OK);
        assert_true(fabs(p->points[i].ratio - point.ratio) < 1e-6);
    }
    if (p->error >= 0.02 || p->held_out >= 1e-6 || p->weak)
        fail_msg("error %g, held out %g", p->error, p->held_out);
    assert_true(fabs(p->beyond - predicted / data[INPUTS - 1]) < 1e-6);
    dj_profile_destroy(truth);
    dj_growth_prediction_destroy(p);
    end(&s);
}

// The number of reuses per datum depends on the size, as in a product of matrices.
static void shares_may_change(void **state)
{
    (void)state;
    setting s;
    begin(&s);
    dj_profile *all[INPUTS + 1];
    for (size_t i = 0; i <= INPUTS; i++) {
        const double n = i < INPUTS ? 20 + 10 * (double)i : 150, size = 3 * n * n;
        all[i] = make(s.context, NULL, 0, size);
        dj_lane_profile *lane = &all[i]->lanes[0];
        add_distance(s.context, lane, (uint64_t)(2 * n), (uint64_t)(n * n * (n - 1)));
        add_distance(s.context, lane, (uint64_t)(n * n + n), (uint64_t)(n * n * (n - 1)));
        add_distance(s.context, lane, (uint64_t)(3 * n * n - 1), (uint64_t)(3 * n * n));
        lane->accesses = lane->cold + dj_histogram_moments(lane->distance).count;
        if (i < INPUTS)
            s.profiles[i] = all[i];
    }
    dj_growth_prediction *p = predict(&s, 3.0 * 150 * 150);
    assert_true(off(p, all[INPUTS]) < 0.02);
    assert_true(off(p, all[INPUTS]) <= p->error);
    assert_true(fabs(p->accesses / (double)all[INPUTS]->lanes[0].accesses - 1) < 0.01);
    dj_profile_destroy(all[INPUTS]);
    dj_growth_prediction_destroy(p);
    end(&s);
}

// An LU decomposition as Valgrind counts it: about n³ accesses, and data of the C library, which are as many
// at every input. Powers of all data are then far off.
typedef struct counted {
    double input, accesses, data;
} counted;

static dj_profile *make_counted(dj_context *context, const counted *c)
{
    enum { SHORT = 3 };
    const uint64_t reuses = (uint64_t)(c->accesses - c->data);
    dj_profile *profile = make(context, NULL, 0, c->data);
    dj_lane_profile *lane = &profile->lanes[0];
    add_distance(context, lane, SHORT, reuses / 2);
    add_distance(context, lane, (uint64_t)c->data / 2, reuses - reuses / 2); // a function of the data
    lane->accesses = (uint64_t)c->accesses;
    return profile;
}

static void data_that_do_not_grow_do_no_harm(void **state)
{
    (void)state;
    static const counted table[] = {{40, 110994, 1763},
                                    {56, 228783, 2147},
                                    {80, 578246, 2963},
                                    {112, 1495931, 4500},
                                    {330, 36413750, 28589}};
    double inputs[INPUTS];
    setting s;
    begin(&s);
    for (size_t i = 0; i < INPUTS; i++) {
        s.profiles[i] = make_counted(s.context, &table[i]);
        inputs[i] = table[i].input;
    }
    s.request.inputs = inputs;
    dj_growth_prediction *p = predict(&s, table[INPUTS].input);
    const double wrong = fabs(p->accesses / table[INPUTS].accesses - 1);
    if (wrong > 0.01 || wrong > p->count_error || p->count_error > 0.2)
        fail_msg("accesses are off by %g, and this is said to be at most %g", wrong, p->count_error);
    dj_growth_prediction_destroy(p);
    end(&s);
}

// Distances that are functions of the input, of which the data are none that is simple.
static void the_data_are_compared_even_if_distances_follow_the_input(void **state)
{
    (void)state;
    static const counted table[] = {
        {100, 100000, 1000}, {200, 200000, 2600}, {400, 400000, 3100}, {800, 800000, 9000}};
    double inputs[INPUTS];
    setting s;
    begin(&s);
    for (size_t i = 0; i < INPUTS; i++) {
        const counted c = table[i];
        dj_profile *profile = s.profiles[i] = make(s.context, NULL, 0, c.data);
        add_distance(s.context, &profile->lanes[0], (uint64_t)c.input, (uint64_t)(c.accesses - c.data));
        profile->lanes[0].accesses = (uint64_t)c.accesses;
        inputs[i] = c.input;
    }
    s.request.inputs = inputs;
    dj_growth_prediction *p = predict(&s, 8000);
    assert_int_equal(p->group_count, 1);
    assert_true(fabs(p->groups[0].to_last - 8000) < 80);
    assert_true(p->largest_data == 9000 && p->data > 9000);
    if (fabs(p->beyond - p->data / p->largest_data) > 1e-9)
        fail_msg("%g times the data, and %g / %g", p->beyond, p->data, p->largest_data);
    dj_growth_prediction_destroy(p);
    end(&s);
}

static uint64_t next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *random >> 33;
}

static void check_sums(const dj_growth_prediction *p)
{
    double sum = p->cold / p->accesses, shares = 0, evadable = 0;
    for (unsigned bin = 0; bin < DJ_PREDICT_BINS; bin++)
        sum += p->bins[bin];
    assert_true(fabs(sum - 1) < 1e-9);
    for (size_t i = 0; i < p->group_count; i++) {
        shares += p->groups[i].share;
        evadable += p->groups[i].evadable ? p->groups[i].share : 0;
        assert_true(p->groups[i].first <= p->groups[i].last && p->groups[i].to_first <= p->groups[i].to_last);
    }
    assert_true(fabs(shares - 1) < 1e-9 && fabs(evadable - p->evadable) < 1e-9);
    for (size_t i = 0; i < p->point_count; i++) {
        const dj_predict_point *point = &p->points[i];
        assert_true(point->low <= point->ratio && point->ratio <= point->high);
        assert_true(point->low >= 0 && point->high <= 1);
        assert_true(i == 0 || point->ratio <= p->points[i - 1].ratio + 1e-12);
        // A curve is what the histogram leaves: each size is the end of a bin.
        double rest = 1;
        for (size_t bin = 0; bin <= i; bin++)
            rest -= p->bins[bin];
        assert_true(fabs(point->ratio - rest) < 1e-9);
    }
}

static void random_programs(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int trial = 0; trial < 20; trial++) {
        setting s;
        reuse_class classes[5] = {
            {1 + (double)(next(&random) % 8), 1 + (double)(next(&random) % 9), 0, 0},
            {1 + (double)(next(&random) % 8), 20, 1 + (double)(next(&random) % 4), 1.0 / 3},
            {1 + (double)(next(&random) % 8), 0, 5 + (double)(next(&random) % 4), 0.5},
            {1 + (double)(next(&random) % 8), 0, 0.3, 1},
            {1 + (double)(next(&random) % 8), -1, 1, 1}};
        const double at[INPUTS] = {4000, 9000, 20000, 40000};
        begin(&s);
        for (size_t i = 0; i < INPUTS; i++)
            s.profiles[i] = make(s.context, classes, 5, at[i]);
        // A size that was measured, and others.
        dj_growth_prediction *same = predict(&s, at[2]);
        // Of 1000 groups, one at each of the four borders may contain two classes.
        if (off(same, s.profiles[2]) > 0.005)
            fail_msg("trial %d: a measured size is off by %g", trial, off(same, s.profiles[2]));
        dj_growth_prediction *far = predict(&s, 350000);
        dj_profile *truth = make(s.context, classes, 5, 350000);
        assert_true(off(far, truth) <= far->error);
        check_sums(same);
        check_sums(far);
        // The order on the command line does not matter.
        dj_profile *swapped = s.profiles[0];
        s.profiles[0] = s.profiles[3];
        s.profiles[3] = swapped;
        dj_growth_prediction *other = predict(&s, 350000);
        assert_memory_equal(far->bins, other->bins, sizeof far->bins);
        assert_true(far->error <= other->error && far->error >= other->error);
        dj_growth_prediction_destroy(other);
        dj_growth_prediction_destroy(same);
        dj_growth_prediction_destroy(far);
        dj_profile_destroy(truth);
        end(&s);
    }
}

// Sweeps over a square by rows, then by columns, then each cell with its neighbour above, by a naive stack.
static dj_profile *sweep(dj_context *context, uint64_t n)
{
    const size_t count = 4 * n * n;
    uint64_t *keys = malloc(count * sizeof *keys), *distances = malloc(count * sizeof *distances);
    size_t at = 0;
    assert_true(keys && distances);
    for (uint64_t i = 0; i < n * n; i++)
        keys[at++] = i;
    for (uint64_t i = 0; i < n * n; i++)
        keys[at++] = i % n * n + i / n;
    for (uint64_t i = 0; i < n * n; i++) {
        keys[at++] = i;
        keys[at++] = i >= n ? i - n : i;
    }
    dj_profile *profile = make_profile(context, 8);
    dj_lane_profile *lane = &profile->lanes[0];
    lane->cold = lane->distinct = stack_distances(keys, count, distances);
    for (size_t i = 0; i < count; i++)
        if (distances[i] != DJ_COLD)
            add_distance(context, lane, distances[i], 1);
    lane->accesses = count;
    free(keys);
    free(distances);
    return profile;
}

static void brute_force(void **state)
{
    (void)state;
    setting s;
    const double inputs[INPUTS] = {10, 14, 20, 28};
    begin(&s);
    for (size_t i = 0; i < INPUTS; i++)
        s.profiles[i] = sweep(s.context, (uint64_t)inputs[i]);
    s.request.inputs = inputs;
    dj_growth_prediction *p = predict(&s, 80);
    dj_profile *truth = sweep(s.context, 80);
    assert_true(fabs(p->data - 6400) < 1 && fabs(p->accesses - 4 * 6400) < 2);
    assert_true(off(p, truth) < 0.03);
    assert_true(off(p, truth) <= p->error);
    dj_profile_destroy(truth);
    dj_growth_prediction_destroy(p);
    end(&s);
}

static void refused(setting *s, const char *why)
{
    dj_growth_prediction *p = NULL;
    assert_int_equal(dj_predict(s->context, &s->request, &p), DJ_ERR_USAGE);
    assert_null(p);
    if (!strstr(dj_context_message(s->context), why))
        fail_msg("'%s' does not say '%s'", dj_context_message(s->context), why);
}

static void unfit_profiles_are_refused(void **state)
{
    (void)state;
    setting s;
    begin(&s);
    s.request.to = predicted;
    for (size_t i = 0; i < INPUTS; i++)
        s.profiles[i] = make(s.context, exact, 4, data[i]);
    s.request.count = 3;
    refused(&s, "needs 4 to");
    s.request.count = INPUTS;
    s.request.to = NAN;
    refused(&s, "not a positive number");
    s.request.to = predicted;
    s.profiles[1]->lanes[0].id.block_bytes = 64;
    refused(&s, "a and b have different block sizes");
    s.profiles[1]->lanes[0].id.block_bytes = 8;
    s.profiles[2]->lanes[0].id.filter = strdup("reads");
    refused(&s, "different filters");
    s.profiles[2]->lanes[0].id.filter[0] = '\0';
    s.profiles[3]->provenance.partial = true;
    refused(&s, "d: the profile is partial");
    s.profiles[3]->provenance.partial = false;
    s.profiles[1]->lanes[0].distinct = s.profiles[0]->lanes[0].distinct;
    refused(&s, "have the same size");
    for (size_t i = 0; i < INPUTS; i++)
        s.profiles[i]->lanes[0].distinct = 1000 + i;
    refused(&s, "differ by a factor");
    const double inputs[INPUTS] = {1, 2, -3, 4};
    s.request.inputs = inputs;
    refused(&s, "c: the size of its input");
    for (size_t i = 0; i < INPUTS; i++)
        s.profiles[i]->lanes[0].distinct = (uint64_t)data[i];
    s.request.inputs = NULL;
    s.request.to = 1e200;
    refused(&s, "2^63 accesses");
    const double confused[INPUTS] = {1000, 9000, 4000, 2000};
    s.request.inputs = confused;
    s.request.to = 20000;
    refused(&s, "less data than");
    end(&s);
}

// The distances, or the number of accesses, are no function of the size.
static void what_is_no_function_is_refused(void **state)
{
    (void)state;
    static const reuse_class other[] = {{4, 5, 0, 0}, {6, -1, 1, 1}}, more[] = {{40, 5, 0, 0}, {30, 9, 0, 0}};
    setting s;
    begin(&s);
    s.request.to = 400000;
    const double at[INPUTS] = {1000, 2000, 4000, 8000};
    for (size_t i = 0; i < INPUTS; i++)
        s.profiles[i] = i % 2 ? make(s.context, exact, 4, at[i]) : make(s.context, other, 2, at[i]);
    refused(&s, "is not predicted by the others");
    for (size_t i = 0; i < INPUTS; i += 2) {
        dj_profile_destroy(s.profiles[i]);
        s.profiles[i] = make(s.context, more, 2, at[i]);
    }
    refused(&s, "no");
    end(&s);
}

// Numbers of any size pass the check of a loaded profile.
static void huge_numbers(void **state)
{
    (void)state;
    setting s;
    begin(&s);
    for (size_t i = 0; i < INPUTS; i++) {
        s.profiles[i] = make(s.context, exact, 4, data[i]);
        dj_lane_profile *lane = &s.profiles[i]->lanes[0];
        add_distance(s.context, lane, UINT64_MAX - 1 - i, (UINT64_C(1) << 60) << i % 2);
        lane->accesses = UINT64_MAX;
        lane->distinct = (UINT64_C(1) << 59) << i;
    }
    s.request.to = 1e300;
    dj_growth_prediction *p = NULL;
    if (!dj_predict(s.context, &s.request, &p))
        check_sums(p);
    dj_growth_prediction_destroy(p);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_recovered),
        cmocka_unit_test(shares_may_change),
        cmocka_unit_test(data_that_do_not_grow_do_no_harm),
        cmocka_unit_test(the_data_are_compared_even_if_distances_follow_the_input),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(brute_force),
        cmocka_unit_test(unfit_profiles_are_refused),
        cmocka_unit_test(what_is_no_function_is_refused),
        cmocka_unit_test(huge_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
