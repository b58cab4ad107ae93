// SPDX-License-Identifier: MIT
// If an engine counts distances itself, the profile is the same as with a distance for each access; and
// engines do so whenever all observers accept it.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"
#include "support/counting_engine.h"

enum { BATCHES = 12, ACCESSES = BATCHES * 100, KEYS = 60, LANES = 3 };

static const uint64_t blocks[LANES] = {1, 2, 6};

// Short batches in pooled memory, which is reused; many repeats.
typedef struct trace {
    uint64_t address[ACCESSES];
    size_t given;
    int end; // returned after the last batch
} trace;

static void fill(trace *t)
{
    dj_random random;
    dj_random_seed(&random, 7);
    *t = (trace){0};
    for (size_t i = 0; i < ACCESSES; i++)
        t->address[i] =
            i > 0 && dj_random_next(&random) % 2 ? t->address[i - 1] : dj_random_next(&random) % KEYS;
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    trace *t = state;
    if (t->given == ACCESSES)
        return t->end ? dj_fail(ctx, (enum dj_err)t->end, "bad end") : DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_set_columns(*out, 0);
    (*out)->count = ACCESSES / BATCHES;
    memcpy(dj_batch_writable(*out).address, t->address + t->given, (*out)->count * sizeof t->address[0]);
    t->given += (*out)->count;
    return DJ_OK;
}

static dj_source *open_trace(trace *t)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "trace", .kind = DJ_CLASS_KEYS, .default_block = 1};
    dj_source *source = NULL;
    assert_int_equal(dj_source_create(context, &ops, t, &info, &source), DJ_OK);
    return source;
}

// The results for the first `count` accesses, by searching back from each.
typedef struct truth {
    uint64_t times[KEYS], cold;
} truth;

static truth count_back(const trace *t, size_t count, uint64_t block)
{
    truth all = {0};
    for (size_t i = 0; i < count; i++) {
        bool seen[KEYS] = {0};
        uint64_t between = 0, key = t->address[i] / block;
        size_t j = i;
        while (j > 0 && t->address[j - 1] / block != key) {
            uint64_t other = t->address[--j] / block;
            between += !seen[other];
            seen[other] = true;
        }
        if (j > 0)
            all.times[between]++;
        else
            all.cold++;
    }
    return all;
}

static void check_profile(const dj_profile *profile, const trace *t, size_t count)
{
    assert_int_equal(profile->accesses, count);
    for (size_t i = 0; i < profile->lane_count; i++) {
        const dj_lane_profile *lane = &profile->lanes[i];
        truth expected = count_back(t, count, lane->id.block_bytes), found = {.cold = lane->cold};
        for (uint64_t v = 0, n; (n = dj_histogram_next(lane->distance, &v)) != 0; v++) {
            assert_true(v < KEYS);
            found.times[v] = n;
        }
        assert_memory_equal(&found, &expected, sizeof found);
        assert_int_equal(lane->distinct, expected.cold);
    }
}

// Checks slowly that keys and addresses do not change.
static int watch(void *state, dj_context *ctx, const dj_view *view)
{
    uint64_t *sum = state;
    for (int again = 0; again < 20; again++)
        for (uint32_t i = 0; i < view->batch->count; i++)
            if (view->lanes[view->lane_count - 1].key[i] !=
                view->batch->column.address[i] / view->lanes[view->lane_count - 1].id->block_bytes)
                return dj_fail(ctx, DJ_ERR_USAGE, "a key changed");
    for (uint32_t i = 0; i < view->batch->count; i++)
        *sum = *sum * 31 + view->batch->column.address[i];
    return DJ_OK;
}

static uint64_t watched; // sum of the last observer that watches

static int watching_create(dj_context *ctx, const dj_setup *setup, void **state)
{
    (void)setup;
    *state = calloc(1, sizeof(uint64_t));
    return *state ? DJ_OK : dj_fail_memory(ctx, "an observer", 0);
}

static int watching_finish(void *state, dj_context *ctx, dj_profile *profile)
{
    (void)ctx;
    (void)profile;
    watched = *(uint64_t *)state;
    return DJ_OK;
}

static const dj_observer_ops watching = {.name = "watching",
                                         .create = watching_create,
                                         .destroy = free,
                                         .watch = watch,
                                         .finish = watching_finish};

static const dj_observer_ops tagged = {.name = "tagged",
                                       .needs = DJ_NEED_TAGS,
                                       .create = watching_create,
                                       .destroy = free,
                                       .finish = watching_finish};

static dj_observer_choice named(const char *name)
{
    const dj_observer_ops *ops = dj_observer_find(name);
    if (!ops)
        ops = strcmp(name, "watching") == 0 ? &watching : &tagged;
    return (dj_observer_choice){ops, NULL};
}

static void totals_are_those_of_all_distances(void **state)
{
    (void)state;
    const dj_observer_choice observers[] = {named("histogram"), named("watching"), named("traffic")};
    trace t;
    fill(&t);
    uint64_t sum = 0;
    for (size_t i = 0; i < ACCESSES; i++)
        sum = sum * 31 + t.address[i];
    for (unsigned variant = 0; variant < 2 * 4 * 3; variant++) {
        dj_pipeline *pipeline = NULL;
        dj_profile *profile = NULL;
        dj_pipeline_config config = {.engine = counting_engine(variant % 2, 0),
                                     .blocks = blocks,
                                     .block_count = LANES,
                                     .observers = observers,
                                     .observer_count = 1 + variant / 8,
                                     .observer_threads = variant / 2 % 4};
        t.given = 0;
        watched = 0;
        dj_source *source = open_trace(&t);
        assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
        assert_int_equal(counting_use, DJ_CAN_TOTALS);
        assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
        assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
        check_profile(profile, &t, ACCESSES);
        assert_int_equal(watched, config.observer_count > 1 ? sum : 0);
        dj_profile_destroy(profile);
        dj_pipeline_destroy(pipeline);
        dj_source_close(source);
    }
}

typedef struct combination {
    const char *names[3];
    uint32_t without; // bits of dj_capability that the engine lacks
    bool summarize;
    uint32_t use; // what the engine is created with
    int err;      // of creating the pipeline
} combination;

static void each_distance_is_returned_if_needed(void **state)
{
    (void)state;
    static const combination all[] = {
        {{"histogram"}, 0, false, DJ_CAN_TOTALS, 0},
        {{"histogram", "traffic", "keys"}, 0, false, DJ_CAN_TOTALS, 0},
        {{"traffic", "watching"}, 0, false, DJ_CAN_TOTALS, 0},
        {{"histogram"}, DJ_CAN_PER_ACCESS, false, DJ_CAN_TOTALS, 0},
        {{"histogram"}, DJ_CAN_TOTALS, false, 0, 0},
        {{"histogram"}, 0, true, 0, 0},
        {{"histogram", "fingerprint"}, 0, false, 0, 0},
        {{"digest", "histogram"}, 0, false, 0, 0},
        {{"histogram", "key-lists"}, 0, false, 0, 0},
        {{"histogram", "time"}, 0, false, DJ_CAN_TIMES, 0},
        {{"bytes", "histogram"}, 0, false, DJ_CAN_WEIGHTS, 0},
        {{"histogram", "tagged"}, 0, false, DJ_CAN_TAGS, 0},
        {{"histogram", "digest"}, DJ_CAN_PER_ACCESS, false, 0, DJ_ERR_UNSUPPORTED},
        {{"histogram"}, DJ_CAN_PER_ACCESS, true, 0, DJ_ERR_UNSUPPORTED},
        {{"histogram"}, DJ_CAN_PER_ACCESS | DJ_CAN_TOTALS, false, 0, DJ_ERR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dj_observer_choice observers[3];
        dj_pipeline *pipeline = NULL;
        size_t count = 0;
        while (count < 3 && all[i].names[count]) {
            observers[count] = named(all[i].names[count]);
            count++;
        }
        dj_pipeline_config config = {.engine = counting_engine(true, all[i].without),
                                     .blocks = blocks,
                                     .block_count = 1,
                                     .observers = observers,
                                     .observer_count = count,
                                     .summarize = all[i].summarize};
        counting_use = UINT32_MAX;
        assert_int_equal(dj_pipeline_create(context, &config, &pipeline), all[i].err);
        assert_int_equal(counting_use, all[i].err ? UINT32_MAX : all[i].use);
        dj_pipeline_destroy(pipeline);
    }
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void totals_can_be_had_on_the_way(void **state)
{
    (void)state;
    const dj_observer_choice observers[] = {named("histogram"), named("watching")};
    for (unsigned threads = 0; threads < 3; threads++) {
        trace t;
        fill(&t);
        dj_pipeline *pipeline = NULL;
        dj_pipeline_config config = {.engine = counting_engine(threads % 2, 0),
                                     .blocks = blocks,
                                     .block_count = LANES,
                                     .observers = observers,
                                     .observer_count = 2,
                                     .observer_threads = threads,
                                     .pause = always};
        dj_source *source = open_trace(&t);
        assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
        for (size_t i = 1; i <= BATCHES; i++) {
            assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
            assert_true(dj_pipeline_is_paused(pipeline));
            for (int again = 0; again < 2; again++) {
                dj_profile *profile = NULL;
                assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
                check_profile(profile, &t, i * ACCESSES / BATCHES);
                dj_profile_destroy(profile);
            }
        }
        dj_pipeline_destroy(pipeline);
        dj_source_close(source);
    }
}

static void totals_end_where_the_input_does(void **state)
{
    (void)state;
    const dj_observer_choice observer = named("histogram");
    trace t;
    fill(&t);
    t.end = DJ_ERR_INPUT;
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    dj_pipeline_config config = {.engine = counting_engine(false, 0),
                                 .blocks = blocks,
                                 .block_count = 1,
                                 .observers = &observer,
                                 .observer_count = 1};
    dj_source *source = open_trace(&t);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_ERR_INPUT);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    assert_true(profile->provenance.partial);
    check_profile(profile, &t, ACCESSES);
    dj_profile_destroy(profile);
    counting_fails = 1;
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_ERR_MEMORY);
    assert_string_equal(dj_context_message(context), "the totals are lost");
    counting_fails = 0;
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_all_distances),
        cmocka_unit_test(each_distance_is_returned_if_needed),
        cmocka_unit_test(totals_can_be_had_on_the_way),
        cmocka_unit_test(totals_end_where_the_input_does),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
