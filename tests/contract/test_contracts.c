// SPDX-License-Identifier: MIT
// The contracts of the pipeline, on traces with all columns and events: every engine, an engine that
// answers late, several block sizes at once, and summaries divided and joined anywhere show observers
// exactly what brute force finds.
#include "contract/recorder.h"
#include "contract/scenarios.h"
#include "contract/truth.h"
#include "support/sanitized.h"

enum { SEEDS = 40 / SANITIZED_SHARE };

static const dj_observer_choice recording = {.ops = &recorder_ops};

// As much of it as the engine can do.
static const dj_observer_choice *recording_by(const dj_engine_ops *engine)
{
    static dj_observer_ops ops;
    static const dj_observer_choice choice = {.ops = &ops};
    ops = recorder_ops;
    if (!(engine->can & DJ_CAN_WEIGHTS))
        ops.needs &= ~(uint32_t)(DJ_NEED_TIMES | DJ_NEED_WEIGHTS);
    return &choice;
}

static void make_truth(const scenario *s, sample_truth *truth)
{
    sample_split(&trace, s->blocks[0], s->split, truth);
    for (uint32_t lane = 0; lane < s->block_count; lane++)
        sample_answer(truth, lane, s->blocks[lane], lane > 0 ? s->blocks[lane - 1] : 0,
                      s->tag == DJ_TAG_PLACE);
}

static void compare(const scenario *s, const sample_truth *truth, const dj_observer_choice *observer,
                    const char *label, uint64_t seed)
{
    bool all = observer->ops->needs & DJ_NEED_TIMES;
    const recorder *r = &recorder_result;
    assert_int_equal(r->count, truth->count);
    assert_int_equal(r->watched, truth->count);
    assert_int_equal(r->events_out_of_order, 0);
    for (uint32_t i = 0; i < truth->count; i++) {
        const sample_piece *want = &truth->pieces[i], *got = &r->pieces[i];
        if (r->times_seen[i] != 1)
            fail_msg("%s, seed %llu: access %u was shown %u times", label, (unsigned long long)seed, i,
                     r->times_seen[i]);
        if (memcmp(&want->access, &got->access, offsetof(sample_access, kind) + 1) != 0)
            fail_msg("%s, seed %llu: access %u was changed", label, (unsigned long long)seed, i);
        for (size_t lane = 0; lane < s->block_count; lane++) {
            bool cold = want->lanes[lane].distance == DJ_COLD;
            bool same = want->lanes[lane].distance == got->lanes[lane].distance &&
                        want->lanes[lane].prev_tag == got->lanes[lane].prev_tag &&
                        (!all || want->lanes[lane].byte_distance == got->lanes[lane].byte_distance) &&
                        (!all || cold || want->lanes[lane].prev_time == got->lanes[lane].prev_time);
            if (!same)
                fail_msg("%s, seed %llu, lane %zu, access %u: distance %lld, not %lld; bytes %lld, not %lld",
                         label, (unsigned long long)seed, lane, i, (long long)got->lanes[lane].distance,
                         (long long)want->lanes[lane].distance, (long long)got->lanes[lane].byte_distance,
                         (long long)want->lanes[lane].byte_distance);
        }
    }
    free(r->pieces);
    free(r->times_seen);
}

// An observer that fails at its third batch.
static int fail_late(void *state, dj_context *where, const dj_view *view)
{
    (void)view;
    return ++*(int *)state == 3 ? dj_fail(where, DJ_ERR_MEMORY, "third batch") : DJ_OK;
}

static int create_counter(dj_context *where, const dj_setup *setup, void **state)
{
    (void)where;
    (void)setup;
    *state = calloc(1, sizeof(int));
    return *state ? DJ_OK : DJ_ERR_MEMORY;
}

static void test_failing_observer(void **state)
{
    (void)state;
    const dj_observer_ops failing = {
        .name = "failing", .create = create_counter, .destroy = free, .see = fail_late};
    const dj_observer_choice choice = {.ops = &failing};
    for (unsigned threads = 0; threads < 4; threads++) {
        observer_threads = threads;
        for (uint64_t seed = 1; seed < 20; seed++) {
            sample_make(&trace, seed);
            if (trace.count < 200)
                continue;
            dj_pipeline *p = make_pipeline(&scenarios[seed % SCENARIOS], late_engine(), &choice, false);
            dj_source *source;
            check(sample_open(context, &trace, 0, trace.count, &source));
            assert_int_equal(dj_pipeline_run(p, context, source), DJ_ERR_MEMORY);
            assert_string_equal(dj_context_message(context), "third batch");
            dj_pipeline_destroy(p);
            dj_source_close(source);
        }
    }
    observer_threads = 0;
}

// All events of the trace arrive, at least once and in order.
static uint32_t events_in_trace(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i <= trace.count; i++)
        n += trace.event_before[i];
    return trace.count ? n : 0;
}

static void test_every_engine(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed);
        const scenario *s = &scenarios[seed % SCENARIOS];
        sample_truth truth;
        make_truth(s, &truth);
        for (size_t i = 0; i < 2 * engine_count(); i++) {
            const dj_engine_ops *engine = engine_get(i / 2);
            const dj_observer_choice *observer = recording_by(engine);
            if (dj_need_of_engine(observer->ops->needs) & ~engine->can)
                continue;
            observer_threads = (unsigned)i % 4;
            dj_pipeline *p = make_pipeline(s, engine, observer, false);
            run_piece(p, 0, trace.count);
            dj_profile_destroy(finish(p));
            assert_int_equal(recorder_result.events, events_in_trace());
            compare(s, &truth, observer, engine->name, seed);
        }
        free(truth.pieces);
    }
}

static void test_joined_anywhere(void **state)
{
    (void)state;
    observer_threads = 0;
    dj_random random;
    dj_random_seed(&random, 7);
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        sample_make(&trace, seed + 1000);
        const scenario *s = &scenarios[seed % SCENARIOS];
        sample_truth truth;
        make_truth(s, &truth);
        for (size_t i = 0; i < engine_count(); i++) {
            const dj_engine_ops *engine = engine_get(i);
            const dj_observer_choice *observer = recording_by(engine);
            if ((dj_need_of_engine(observer->ops->needs) | DJ_CAN_SUMMARY) & ~engine->can)
                continue;
            dj_profile_destroy(finish(cut_and_join(s, engine, observer, &random)));
            compare(s, &truth, observer, engine->name, seed + 1000);
        }
        free(truth.pieces);
    }
}

// The lanes that have tags, as bits; all batches must agree.
static int note_tags(void *state, dj_context *where, const dj_view *view)
{
    int lanes = 0;
    for (uint32_t i = 0; i < view->lane_count; i++)
        lanes |= view->lanes[i].prev_tag ? 1 << i : 0;
    int *seen = state;
    if (*seen && *seen != lanes + 1)
        return dj_fail(where, DJ_ERR_USAGE, "tags are not always present");
    *seen = lanes + 1;
    return DJ_OK;
}

static int noted_tags;

static int tell_tags(void *state, dj_context *where, dj_profile *profile)
{
    (void)where;
    (void)profile;
    noted_tags = *(const int *)state - 1;
    return DJ_OK;
}

static int join_nothing(void *state, dj_context *where, const void *other, uint64_t position)
{
    (void)state, (void)where, (void)other, (void)position;
    return DJ_OK;
}

static void test_tags_only_where_needed(void **state)
{
    (void)state;
    static const struct {
        uint32_t needs;
        int lanes;
    } cases[] = {{0, 0}, {DJ_NEED_TAGS, 1}, {DJ_NEED_FINER, 6}, {DJ_NEED_TAGS | DJ_NEED_FINER, 7}};
    const scenario s = {{8, 16, 32}, 3, true, DJ_TAG_SITE};
    sample_make(&trace, 3);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const dj_observer_ops noting = {.name = "noting",
                                        .needs = cases[i / 2].needs,
                                        .create = create_counter,
                                        .destroy = free,
                                        .see = note_tags,
                                        .merge = join_nothing,
                                        .finish = tell_tags};
        const dj_observer_choice choice = {.ops = &noting};
        dj_pipeline *p = make_pipeline(&s, dj_engine_find("stack"), &choice, i % 2 == 1);
        run_piece(p, 0, trace.count);
        dj_profile_destroy(finish(p));
        assert_int_equal(noted_tags, cases[i / 2].lanes);
    }
}

static void test_joined_pipeline_is_sealed(void **state)
{
    (void)state;
    sample_make(&trace, 5);
    const dj_engine_ops *stack = dj_engine_find("stack");
    dj_pipeline *a = make_pipeline(&scenarios[0], stack, &recording, true),
                *b = make_pipeline(&scenarios[0], stack, &recording, true);
    dj_pipeline *other = make_pipeline(&scenarios[1], stack, &recording, true);
    dj_source *source;
    check(sample_open(context, &trace, 0, trace.count, &source));
    assert_int_equal(dj_pipeline_join(a, context, other), DJ_ERR_USAGE);
    check(dj_pipeline_join(a, context, b));
    assert_int_equal(dj_pipeline_run(a, context, source), DJ_ERR_USAGE);
    dj_source_close(source);
    dj_pipeline_destroy(a);
    dj_pipeline_destroy(b);
    dj_pipeline_destroy(other);
}

static void test_refused_at_set_up(void **state)
{
    (void)state;
    dj_engine_ops weak = *dj_engine_find("stack");
    weak.name = "weak";
    weak.can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS;
    const dj_observer_choice needs_times = {.ops = dj_observer_find("time")};
    const dj_observer_choice needs_order = {.ops = dj_observer_find("fingerprint")};
    const uint64_t block = 1, odd[2] = {4, 6}, zero = 0;
    dj_pipeline *p = NULL;
    dj_pipeline_config config = {
        .engine = &weak, .blocks = &block, .block_count = 1, .observers = &needs_times, .observer_count = 1};
    assert_int_equal(dj_pipeline_create(context, &config, &p), DJ_ERR_UNSUPPORTED);
    assert_non_null(strstr(dj_context_message(context), "times"));
    assert_non_null(strstr(dj_context_message(context), "weak"));
    const dj_observer_ops finer = {.name = "finer", .needs = DJ_NEED_FINER};
    const dj_observer_choice needs_finer = {.ops = &finer};
    config.observers = &needs_finer;
    assert_int_equal(dj_pipeline_create(context, &config, &p), DJ_ERR_UNSUPPORTED);
    assert_non_null(strstr(dj_context_message(context), "finer needs tags"));
    config.observer_count = 0;
    config.summarize = true;
    assert_int_equal(dj_pipeline_create(context, &config, &p), DJ_ERR_UNSUPPORTED);
    config.engine = dj_engine_find("stack");
    config.observers = &needs_order;
    config.observer_count = 1;
    assert_int_equal(dj_pipeline_create(context, &config, &p), DJ_ERR_UNSUPPORTED);
    config.summarize = false;
    config.blocks = odd;
    config.block_count = 2;
    assert_int_equal(dj_pipeline_create(context, &config, &p), DJ_ERR_USAGE);
    config.blocks = &zero;
    config.block_count = 1;
    assert_int_equal(dj_pipeline_create(context, &config, &p), DJ_ERR_USAGE);
}

static void test_request_too_large(void **state)
{
    (void)state;
    trace = (sample){.count = 3};
    trace.accesses[0] = (sample_access){.address = 100, .size = 1};
    trace.accesses[1] = (sample_access){.address = 8, .size = (UINT64_C(1) << 32) + 1};
    trace.accesses[2] = (sample_access){.address = 3, .size = 1};
    const scenario s = {{1}, 1, true, DJ_TAG_SITE};
    dj_pipeline *p = make_pipeline(&s, dj_engine_find("stack"), &recording, false);
    dj_source *source;
    check(sample_open(context, &trace, 0, trace.count, &source));
    assert_int_equal(dj_pipeline_run(p, context, source), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "2^32 blocks"));
    dj_profile *profile;
    check(dj_pipeline_finish(p, context, &profile));
    assert_int_equal(profile->accesses, 1);
    assert_true(profile->provenance.partial);
    free(recorder_result.pieces);
    free(recorder_result.times_seen);
    dj_profile_destroy(profile);
    dj_pipeline_destroy(p);
    dj_source_close(source);
}

static void test_device_and_block_must_fit(void **state)
{
    (void)state;
    trace = (sample){.count = 2};
    trace.accesses[0] = (sample_access){.address = 1, .device = 3};
    trace.accesses[1] = (sample_access){.address = UINT64_C(1) << 62, .device = 0};
    const scenario s = {{1}, 1, false, DJ_TAG_SITE};
    dj_pipeline *p = make_pipeline(&s, dj_engine_find("stack"), &recording, false);
    dj_source *source;
    check(sample_open(context, &trace, 0, trace.count, &source));
    assert_int_equal(dj_pipeline_run(p, context, source), DJ_ERR_INPUT);
    dj_pipeline_destroy(p);
    dj_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_engine),
        cmocka_unit_test(test_joined_anywhere),
        cmocka_unit_test(test_failing_observer),
        cmocka_unit_test(test_tags_only_where_needed),
        cmocka_unit_test(test_joined_pipeline_is_sealed),
        cmocka_unit_test(test_refused_at_set_up),
        cmocka_unit_test(test_request_too_large),
        cmocka_unit_test(test_device_and_block_must_fit),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, make_context, drop_context) : 77;
}
