// SPDX-License-Identifier: MIT
// The ranking of traces, with the means, medians and numbers of blocks that "Reuse Distance Calculation"
// (2024) prints in section 4.3, and the order of its section 5.1.5.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/stats.h"
#include "support/context.h"

typedef struct printed {
    const char *name;
    uint64_t distinct, mean, median;
} printed;

enum { TRACES = 4 };
static const printed paper[TRACES] = {{"A42", 154348, 65487, 73544},
                                      {"A108", 1658530, 324007, 409722},
                                      {"A129", 2999197, 235257, 25003},
                                      {"A669", 179031, 7292, 3153}};

// Five reuses with this mean and median: three at the median, and two that make up for the rest.
static dj_profile *make_profile(const printed *from)
{
    dj_profile *profile = NULL;
    assert_int_equal(dj_profile_create(context, 1, &profile), DJ_OK);
    dj_lane_profile *lane = &profile->lanes[0];
    const uint64_t rest = 5 * from->mean - 3 * from->median;
    assert_int_equal(dj_histogram_create(context, &lane->distance), DJ_OK);
    assert_int_equal(dj_histogram_add(lane->distance, context, from->median, 3), DJ_OK);
    assert_int_equal(dj_histogram_add(lane->distance, context, rest / 2, 1), DJ_OK);
    assert_int_equal(dj_histogram_add(lane->distance, context, rest - rest / 2, 1), DJ_OK);
    lane->distinct = lane->cold = from->distinct;
    lane->accesses = from->distinct + 5;
    profile->provenance.exact = true;
    profile->provenance.inputs = calloc(1, sizeof(char *));
    profile->provenance.inputs[0] = strdup(from->name);
    profile->provenance.input_count = 1;
    return profile;
}

static void make_traces(dj_trace_stats *traces, const printed *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        traces[i] = (dj_trace_stats){.profile = make_profile(&from[i])};
}

static void free_traces(dj_trace_stats *traces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dj_profile_destroy(traces[i].profile);
}

static void check_verdict(const dj_trace_stats *traces, size_t count, enum dj_locality_rule rule,
                          const char *want)
{
    dj_document *document = NULL;
    assert_int_equal(dj_document_create(context, &document), DJ_OK);
    assert_string_equal(dj_stats_verdict(document, traces, count, rule), want);
    dj_document_destroy(document);
}

static void as_the_paper(void **state)
{
    (void)state;
    static const size_t by_mean[TRACES] = {2, 4, 3, 1};
    static const size_t by_median[TRACES] = {4, 3, 1, 2}; // 0.476, 0.247, 0.0083, 0.0176
    dj_trace_stats traces[TRACES];
    make_traces(traces, paper, TRACES);
    dj_stats_rank(traces, TRACES, DJ_LOCALITY_MEAN);
    for (size_t i = 0; i < TRACES; i++)
        assert_int_equal(traces[i].rank, by_mean[i]);
    check_verdict(
        traces, TRACES, DJ_LOCALITY_MEAN,
        "A669 has the best temporal locality: the lowest mean reuse distance, 7292.0. A42 and A129 follow "
        "in this order. A108 has the poorest, 324007.0. By the median relative to the distinct blocks "
        "(--rank median) the order is A129, A669, A108 and A42.");
    dj_stats_rank(traces, TRACES, DJ_LOCALITY_MEDIAN);
    for (size_t i = 0; i < TRACES; i++)
        assert_int_equal(traces[i].rank, by_median[i]);
    check_verdict(
        traces, TRACES, DJ_LOCALITY_MEDIAN,
        "A129 has the best temporal locality: the lowest median reuse distance relative to the distinct "
        "blocks, 0.0083. A669 and A108 follow in this order. A42 has the poorest, 0.4765. By the mean "
        "reuse distance (--rank mean) the order is A669, A42, A129 and A108.");
    free_traces(traces, TRACES);
}

static void equal_traces(void **state)
{
    (void)state;
    static const printed same[] = {{"x", 10, 5, 5}, {"y", 10, 5, 5}, {"z", 10, 7, 7}};
    dj_trace_stats traces[3];
    make_traces(traces, same, 3);
    check_verdict(traces, 2, DJ_LOCALITY_MEAN,
                  "x and y have equal temporal locality: the same mean reuse distance, 5.0.");
    check_verdict(traces, 3, DJ_LOCALITY_MEAN,
                  "x and y have the best temporal locality: the lowest mean reuse distance, 5.0. z has the "
                  "poorest, 7.0.");
    dj_histogram_destroy(traces[2].profile->lanes[0].distance);
    assert_int_equal(dj_histogram_create(context, &traces[2].profile->lanes[0].distance), DJ_OK);
    check_verdict(
        traces, 3, DJ_LOCALITY_MEAN,
        "x and y have the best temporal locality: the lowest mean reuse distance, 5.0. z reuses nothing.");
    check_verdict(traces + 2, 1, DJ_LOCALITY_MEAN,
                  "No trace reuses anything, so none has temporal locality.");
    traces[0].profile->provenance.exact = false;
    check_verdict(traces, 2, DJ_LOCALITY_MEAN,
                  "x and y have equal temporal locality: the same mean reuse distance, 5.0. These are "
                  "estimates: traces "
                  "with nearly the same value may be in the other order.");
    free_traces(traces, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_paper), cmocka_unit_test(equal_traces)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
