// SPDX-License-Identifier: MIT
// Generated sharers: each alone has exactly its distinct elements and reuse distances that follow its law,
// the shared elements are as many as asked for, and the trace with threads contains each sharer unchanged.
#include <deja/engine.h>
#include <deja/generate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"
#include "trace/generate/distance_law.h"

enum { ACCESSES = 200000, ELEMENTS_MOST = 3000, SHARERS_MOST = 4 };

typedef struct setup {
    const char *distinct, *distribution;
    double sharing;
    uint32_t count;
    uint64_t elements[SHARERS_MOST];
    const char *law[SHARERS_MOST];
} setup;

static dj_generate_options options_of(const setup *s, uint64_t sharer)
{
    return (dj_generate_options){.distinct = s->distinct,
                                 .distribution = s->distribution,
                                 .sharing = s->sharing,
                                 .sharer = sharer,
                                 .accesses = ACCESSES,
                                 .seed = 20};
}

static uint64_t *generate(const dj_generate_options *options, size_t *count)
{
    uint64_t *address = NULL;
    if (dj_generate_addresses(context, "sharers", options, &address, count) != DJ_OK)
        fail_msg("%s", dj_context_message(context));
    return address;
}

// The probability of distance d below n, before normalization.
static double weight(const char *law, uint64_t d)
{
    if (strcmp(law, "random") == 0)
        return 1;
    if (strcmp(law, "exponential") == 0)
        return pow(0.97, (double)d);
    double x = (double)d - 100;
    return erf((x + 0.5) / 33 / sqrt(2)) - erf((x - 0.5) / 33 / sqrt(2));
}

// Pearson's statistic of the distances, over bins with at least 10 expected ones; it must lie within five
// standard deviations of its mean.
static void check_distances(const uint64_t *distance, size_t count, const char *law, uint64_t n)
{
    double seen[ELEMENTS_MOST] = {0}, total = 0, statistic = 0, reuses = 0;
    double expected = 0, observed = 0;
    unsigned bins = 0;
    for (size_t i = 0; i < count; i++)
        if (distance[i] != DJ_COLD) {
            assert_true(distance[i] < n);
            seen[distance[i]]++;
            reuses++;
        }
    assert_true(reuses == (double)(count - n));
    for (uint64_t d = 0; d < n; d++)
        total += weight(law, d);
    for (uint64_t d = 0; d < n; d++) {
        expected += weight(law, d) / total * reuses;
        observed += seen[d];
        if (expected < 10 && d + 1 < n)
            continue;
        statistic += (observed - expected) * (observed - expected) / fmax(expected, 1);
        expected = observed = 0;
        bins++;
    }
    if (fabs(statistic - (bins - 1)) > 5 * sqrt(2.0 * bins))
        fail_msg("%s over %llu elements: %.1f in %u bins", law, (unsigned long long)n, statistic, bins);
}

// The tables themselves, which draws cannot show so exactly.
static void laws_have_exact_weights(void **state)
{
    (void)state;
    static const char *const names[] = {"exponential", "normal"};
    static const uint64_t elements[] = {1, 2, 100, 200, 399, 3000};
    for (size_t k = 0; k < 2; k++)
        for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
            dj_distance_law law;
            double total = 0, sum = 0;
            assert_int_equal(dj_distance_law_create(context, names[k], elements[e], &law), DJ_OK);
            for (uint64_t d = 0; d < elements[e]; d++)
                total += weight(names[k], d);
            for (uint64_t d = 0; d < elements[e]; d++) {
                double have = d < law.count ? (double)law.sums[d] / (double)law.sums[law.count - 1] : 1;
                sum += weight(names[k], d);
                if (fabs(have - sum / total) > 1e-8)
                    fail_msg("%s: P(at most %llu) is %.12f, not %.12f", names[k], (unsigned long long)d, have,
                             sum / total);
            }
            dj_distance_law_destroy(&law);
        }
}

// Which sharers access each element, as bits.
static void note(const uint64_t *address, size_t count, unsigned bit, uint8_t *by)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(address[i] < (uint64_t)SHARERS_MOST * ELEMENTS_MOST);
        by[address[i]] |= (uint8_t)(1u << bit);
    }
}

static void check_elements(const setup *s, const uint8_t *by)
{
    uint64_t distinct[SHARERS_MOST] = {0}, all = 0, several = 0;
    for (size_t e = 0; e < (size_t)SHARERS_MOST * ELEMENTS_MOST; e++) {
        for (unsigned i = 0; i < s->count; i++)
            distinct[i] += by[e] >> i & 1;
        all += by[e] == (1u << s->count) - 1;
        several += (by[e] & (by[e] - 1)) != 0;
    }
    for (unsigned i = 0; i < s->count; i++)
        assert_int_equal(distinct[i], s->elements[i]);
    if (s->count > 1) {
        assert_int_equal(all, (uint64_t)lround(s->sharing * (double)s->elements[0]));
        assert_int_equal(several, all);
    }
}

static void check_setup(const setup *s)
{
    static uint8_t by[SHARERS_MOST * ELEMENTS_MOST];
    uint64_t *distance = malloc(ACCESSES * sizeof *distance);
    assert_non_null(distance);
    memset(by, 0, sizeof by);
    for (uint32_t i = 0; i < s->count; i++) {
        size_t count;
        dj_generate_options options = options_of(s, i + 1);
        uint64_t *address = generate(&options, &count);
        assert_int_equal(count, ACCESSES);
        note(address, count, i, by);
        assert_int_equal(dj_distances(context, dj_engine_find("fast"), address, count, distance), DJ_OK);
        check_distances(distance, count, s->law[i], s->elements[i]);
        free(address);
    }
    check_elements(s, by);
    free(distance);
}

static const setup setups[] = {
    {"200,100", "random", 0, 2, {200, 100}, {"random", "random"}},
    {"200,200", "exponential", 0.1, 2, {200, 200}, {"exponential", "exponential"}},
    {"200,100", "random,normal", 0.2, 2, {200, 100}, {"random", "normal"}},
    {"200,200,100,100",
     "random,random,exponential,normal",
     0.2,
     4,
     {200, 200, 100, 100},
     {"random", "random", "exponential", "normal"}},
    {"3000,1,10", "normal,exponential,normal", 0, 3, {3000, 1, 10}, {"normal", "exponential", "normal"}},
    {"2500", "exponential", 1, 1, {2500}, {"exponential"}},
};

static void each_sharer_follows_its_law(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof setups / sizeof *setups; i++)
        check_setup(&setups[i]);
}

// Two independent draws of the same law differ; a reuse distance says nothing about the next one.
static void sharers_differ_from_each_other(void **state)
{
    (void)state;
    const setup s = {"200,200", "random", 1, 2, {200, 200}, {0}};
    size_t count, equal = 0;
    dj_generate_options first = options_of(&s, 1), second = options_of(&s, 2);
    uint64_t *a = generate(&first, &count), *b = generate(&second, &count);
    for (size_t i = 0; i < count; i++)
        equal += a[i] == b[i];
    // 1000 expected, standard deviation 32.
    assert_in_range(equal, 800, 1200);
    free(a);
    free(b);
}

static void threads_are_the_sharers(void **state)
{
    (void)state;
    const setup *s = &setups[3];
    uint64_t *alone[SHARERS_MOST];
    size_t count, at = 0;
    uint64_t thread = 0;
    dj_source *source = NULL;
    dj_batch *batch;
    dj_generate_options all = options_of(s, 0);
    for (uint32_t i = 0; i < s->count; i++) {
        dj_generate_options one = options_of(s, i + 1);
        alone[i] = generate(&one, &count);
    }
    assert_int_equal(dj_source_generate(context, "sharers", &all, &source), DJ_OK);
    assert_true(dj_source_get_info(source)->provides & DJ_COLUMN_THREAD);
    while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
        uint32_t event = 0;
        for (uint32_t i = 0; i < batch->count; i++, at++) {
            for (; event < batch->event_count && batch->events[event].index == i; event++) {
                assert_int_equal(batch->events[event].type, DJ_EVENT_THREAD);
                thread = batch->events[event].a;
            }
            assert_int_equal(thread, at % s->count + 1);
            assert_int_equal(batch->column.address[i], alone[thread - 1][at / s->count]);
        }
        dj_batch_release(batch);
    }
    assert_int_equal(at, (size_t)ACCESSES * s->count);
    dj_source_close(source);
    for (uint32_t i = 0; i < s->count; i++)
        free(alone[i]);
}

static void the_seed_decides(void **state)
{
    (void)state;
    size_t count;
    dj_generate_options options = options_of(&setups[2], 0);
    uint64_t *a = generate(&options, &count), *b = generate(&options, &count);
    options.seed++;
    uint64_t *c = generate(&options, &count);
    assert_memory_equal(a, b, count * sizeof *a);
    assert_int_not_equal(memcmp(a, c, count * sizeof *a), 0);
    free(a);
    free(b);
    free(c);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *distinct, *distribution;
        double sharing;
        uint64_t sharer;
        const char *reason;
    } cases[] = {
        {"", "random", 0, 0, "cannot read the numbers of distinct elements at ''"},
        {"200,", "random", 0, 0, "at ''"},
        {"200,x", "random", 0, 0, "at 'x'"},
        {"200,0", "random", 0, 0, "at '0'"},
        {"200;100", "random", 0, 0, "at '200;100'"},
        {"200,-5", "random", 0, 0, "at '-5'"},
        {"200,100", "poisson", 0, 0, "unknown distribution 'poisson'"},
        {"200,100", "", 0, 0, "0 distributions for 2 sharers"},
        {"200,100,50", "random,random", 0, 0, "2 distributions for 3 sharers"},
        {"200,100", "random", 0.6, 0, "120 elements are shared, but sharer 2 has only 100"},
        {"200,100", "random", -0.1, 0, "sharing rate"},
        {"200,100", "random", 1.1, 0, "sharing rate"},
        {"200,100", "random", NAN, 0, "sharing rate"},
        {"200,100", "random", 0, 3, "there is no sharer 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dj_generate_options options = {.distinct = cases[i].distinct,
                                       .distribution = cases[i].distribution,
                                       .sharing = cases[i].sharing,
                                       .sharer = cases[i].sharer,
                                       .accesses = 10};
        dj_source *source = NULL;
        assert_int_equal(dj_source_generate(context, "sharers", &options, &source), DJ_ERR_USAGE);
        if (!strstr(dj_context_message(context), cases[i].reason))
            fail_msg("'%s' does not contain '%s'", dj_context_message(context), cases[i].reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_have_exact_weights),
        cmocka_unit_test(each_sharer_follows_its_law),
        cmocka_unit_test(sharers_differ_from_each_other),
        cmocka_unit_test(threads_are_the_sharers),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
