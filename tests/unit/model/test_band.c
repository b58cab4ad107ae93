// SPDX-License-Identifier: MIT
// The band of an estimated curve: by hand, and the exact curve is inside it at every size, for the distances
// of engine scale on many streams, also after the profile was saved, in bins too, and loaded.
#include "unit/lane.h"

#include <stdio.h>

#include "engine/scale/scale.h"
#include "support/sanitized.h"
#include "support/streams.h"

static const double errors[] = {0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.4};
enum { ERRORS = sizeof errors / sizeof *errors };

static dj_profile *estimate(dj_context *context, double error)
{
    dj_profile *profile = make_profile(context, 1);
    profile->provenance.exact = false;
    profile->provenance.distance_error = error;
    profile->lanes[0].id.sampling = 1;
    return profile;
}

static void fill(dj_context *context, dj_profile *profile, const uint64_t *distances, size_t count)
{
    dj_lane_profile *lane = &profile->lanes[0];
    uint64_t cold = 0;
    assert_int_equal(dj_histogram_add_all(lane->distance, context, distances, count, &cold), DJ_OK);
    lane->cold = lane->distinct = cold;
    profile->accesses = profile->requests = lane->accesses = count;
}

// 4 distances, error 10%: the band at size 20 reaches to the estimate at 18.
static void by_hand(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = estimate(context, 0.1);
    const uint64_t distances[] = {9, 17, 18, 19}, sizes[] = {0, 9, 10, 18, 19, 20, 21, 22};
    const dj_band expected[] = {{1, 1},      {1, 1},   {0.75, 1}, {0.5, 0.75},
                                {0.25, 0.5}, {0, 0.5}, {0, 0.25}, {0, 0}};
    dj_band bands[8];
    double widest = 0;
    fill(context, profile, distances, 4);
    assert_int_equal(dj_mrc_band(context, profile, profile->lanes, sizes, 8, bands), DJ_OK);
    for (size_t i = 0; i < 8; i++)
        if (bands[i].low != expected[i].low || bands[i].high != expected[i].high)
            fail_msg("size %d: %g to %g", (int)sizes[i], bands[i].low, bands[i].high);
    assert_true(dj_band_widest(bands, 8) == 0.5);
    assert_int_equal(dj_mrc_band_widest(context, profile, profile->lanes, &widest), DJ_OK);
    assert_true(widest == 0.5);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void only_where_it_is_known(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = estimate(context, 0.1);
    const uint64_t one = 1;
    dj_band band;
    dj_band_origin origin = dj_lane_band_origin(profile, profile->lanes);
    assert_true(origin.known && origin.certified && origin.rate == 1);
    profile->lanes[0].id.sampling = 0.5; // the error of the sample is unknown
    assert_false(dj_lane_band_origin(profile, profile->lanes).known);
    profile->lanes[0].id.sampling = 1;
    profile->provenance.distance_error = 0; // engine hprda
    assert_false(dj_lane_band_origin(profile, profile->lanes).known);
    profile->provenance.exact = true;
    assert_false(dj_lane_band_origin(profile, profile->lanes).known);
    assert_int_equal(dj_mrc_band(context, profile, profile->lanes, &one, 1, &band), DJ_ERR_USAGE);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// At every size from 0 to beyond the longest distance.
static void assert_inside(dj_context *context, const dj_profile *exact, const dj_profile *profile,
                          const char *what)
{
    size_t count = (size_t)dj_histogram_moments(exact->lanes[0].distance).max + 3;
    uint64_t *sizes = malloc(count * sizeof *sizes);
    dj_mrc_point *points = malloc(count * sizeof *points);
    dj_band *bands = malloc(count * sizeof *bands);
    double widest = 0;
    assert_true(sizes && points && bands);
    for (size_t i = 0; i < count; i++)
        sizes[i] = i;
    assert_int_equal(dj_mrc_lru(context, exact->lanes, sizes, count, points), DJ_OK);
    assert_int_equal(dj_mrc_band(context, profile, profile->lanes, sizes, count, bands), DJ_OK);
    for (size_t i = 0; i < count; i++)
        if (!(bands[i].low <= points[i].ratio && points[i].ratio <= bands[i].high))
            fail_msg("%s, error %g, size %zu: %.9g is not between %.9g and %.9g", what,
                     profile->provenance.distance_error, i, points[i].ratio, bands[i].low, bands[i].high);
    assert_int_equal(dj_mrc_band_widest(context, profile, profile->lanes, &widest), DJ_OK);
    assert_true(widest == dj_band_widest(bands, count));
    free(bands);
    free(points);
    free(sizes);
}

static dj_profile *saved_and_loaded(dj_context *context, const dj_profile *profile, bool columns,
                                    enum dj_binning binning)
{
    FILE *file = tmpfile();
    dj_profile *again = NULL;
    assert_non_null(file);
    assert_int_equal(columns ? dj_profile_save_columns(context, profile, file)
                             : dj_profile_save(context, profile, binning, 7, file),
                     DJ_OK);
    rewind(file);
    assert_int_equal(dj_profile_load(context, file, "p", &again), DJ_OK);
    fclose(file);
    assert_true(again->provenance.distance_error == profile->provenance.distance_error);
    assert_false(again->provenance.exact);
    return again;
}

static void check_stream(dj_context *context, const stream *s)
{
    uint64_t *distances = malloc((s->count + 1) * sizeof *distances);
    dj_profile *exact = make_profile(context, 1);
    assert_non_null(distances);
    assert_int_equal(dj_distances(context, dj_engine_find("tree"), s->key, s->count, distances), DJ_OK);
    fill(context, exact, distances, s->count);
    for (size_t e = 0; e < ERRORS; e++) {
        const dj_scale_options options = {.error = errors[e]};
        const dj_engine_ops *engine = dj_engine_find("scale");
        dj_profile *profile = estimate(context, errors[e]);
        const dj_engine_params params = {.options = &options};
        dj_work work = {.count = s->count, .key = s->key, .distance = distances};
        void *state = NULL;
        assert_int_equal(engine->create(context, &params, &state), DJ_OK);
        assert_int_equal(engine->push(state, context, &work), DJ_OK);
        engine->destroy(state);
        fill(context, profile, distances, s->count);
        assert_inside(context, exact, profile, s->order);
        for (unsigned way = 0; way < 4; way++) {
            static const enum dj_binning binnings[] = {DJ_BINS_EXACT, DJ_BINS_EXACT, DJ_BINS_LOG2,
                                                       DJ_BINS_LINEAR};
            dj_profile *again = saved_and_loaded(context, profile, way == 0, binnings[way]);
            assert_inside(context, exact, again, s->order);
            dj_profile_destroy(again);
        }
        dj_profile_destroy(profile);
    }
    dj_profile_destroy(exact);
    free(distances);
}

static void the_exact_curve_is_inside(void **state)
{
    (void)state;
    dj_context *context = make_context();
    for (uint64_t seed = 0; seed < 60; seed += SANITIZED_STEP) {
        stream s;
        assert_int_equal(stream_make_random(&s, seed), 0);
        check_stream(context, &s);
        stream_free(&s);
    }
    for (size_t o = 0; o < sizeof stream_orders / sizeof *stream_orders; o++) {
        stream s;
        assert_int_equal(stream_make(&s, o, &stream_orders[o], &stream_key_kinds[2], 40000, 9000), 0);
        check_stream(context, &s);
        stream_free(&s);
    }
    dj_context_destroy(context);
}

// An exact profile has no error, and an error is below 0.5.
static void errors_in_files(void **state)
{
    (void)state;
    static const struct {
        const char *exact, *error;
        int err;
    } table[] = {{"true", "0", DJ_OK},
                 {"false", "0.4", DJ_OK},
                 {"true", "0.1", DJ_ERR_INPUT},
                 {"false", "-0.1", DJ_ERR_INPUT},
                 {"false", "0.5", DJ_ERR_INPUT},
                 {"false", "1e300", DJ_ERR_INPUT},
                 {"false", "\"much\"", DJ_ERR_INPUT}};
    dj_context *context = make_context();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[512];
        dj_profile *profile = NULL;
        int length = snprintf(text, sizeof text,
                              "{\"schema\":\"deja-profile\",\"version\":1,\"engine\":\"e\",\"partial\":false,"
                              "\"provenance\":{\"exact\":%s,\"distance_error\":%s},\"block_bytes\":1,"
                              "\"distinct\":1,\"cold\":1,\"distance\":null,\"accesses\":1,\"histogram\":[]}",
                              table[i].exact, table[i].error);
        FILE *file = fmemopen(text, (size_t)length, "r");
        assert_int_equal(dj_profile_load(context, file, "p.json", &profile), table[i].err);
        assert_true(table[i].err == DJ_OK || strncmp(dj_context_message(context), "p.json:1: ", 10) == 0);
        dj_profile_destroy(profile);
        fclose(file);
    }
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(only_where_it_is_known),
        cmocka_unit_test(the_exact_curve_is_inside),
        cmocka_unit_test(errors_in_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
