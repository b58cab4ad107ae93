// SPDX-License-Identifier: MIT
// An engine that counts distances itself has the same totals of a sample as one that answers each access.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "contract/sample.h"
#include "filter/sample_options.h"
#include "support/context.h"
#include "support/counting_engine.h"

static const uint64_t blocks[] = {1, 4};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static const dj_sample_options sampling = {"25%", 5, NULL};
// As the options of the filter.
typedef struct warming {
    uint64_t accesses;
} warming;

static sample trace;

static dj_profile *measure(const dj_engine_ops *engine, uint64_t warm_up)
{
    const warming warm = {warm_up};
    const dj_filter_choice filters[] = {{dj_filter_find("warm-up"), &warm},
                                        {dj_filter_find("sample"), &sampling}};
    const dj_lane_group group = {
        .blocks = blocks, .block_count = BLOCKS, .filters = filters, .filter_count = 2};
    const dj_observer_choice histogram = {dj_observer_find("histogram"), NULL};
    const dj_pipeline_config config = {
        .groups = &group, .group_count = 1, .engine = engine, .observers = &histogram, .observer_count = 1};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(sample_open(context, &trace, 0, trace.count, &source), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_source_close(source);
    dj_pipeline_destroy(pipeline);
    return profile;
}

static void check_same(const dj_lane_profile *x, const dj_lane_profile *y)
{
    assert_int_equal(x->accesses, y->accesses);
    assert_int_equal(x->cold, y->cold);
    assert_int_equal(x->distinct, y->distinct);
    for (uint64_t v = 0, w = 0, n = 1; n != 0; v++, w++) {
        n = dj_histogram_next(x->distance, &v);
        assert_int_equal(dj_histogram_next(y->distance, &w), n);
        assert_int_equal(n ? v : 0, n ? w : 0);
    }
}

static void test_totals(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        sample_make(&trace, seed);
        dj_profile *each = measure(dj_engine_find("tree"), seed % 3 * 40),
                   *totals = measure(counting_engine(seed % 2, 0), seed % 3 * 40);
        for (int i = 0; i < BLOCKS; i++)
            check_same(&totals->lanes[i], &each->lanes[i]);
        dj_profile_destroy(each);
        dj_profile_destroy(totals);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_totals)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
