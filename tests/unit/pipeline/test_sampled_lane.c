// SPDX-License-Identifier: MIT
// Lanes with a sample, against brute force: distances and byte distances are scaled, repeats and accesses
// that fill included, each access has its weight, and the profile contains counts and errors that follow from
// them.
#include <deja/deja.h>
#include <deja/partitions.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/sample.h"
#include "contract/sample.h"
#include "filter/sample_options.h"
#include "support/context.h"

enum { BLOCKS = 2, LOG2 = 2, WEIGHT = 1 << LOG2, SEED = 5, SLICES = DJ_SAMPLE_SLICES };
static const uint64_t blocks[BLOCKS] = {1, 4};

static const dj_sample_options sampling = {"25%", SEED, NULL};
// As the options of the filter.
typedef struct warming {
    uint64_t accesses;
} warming;

typedef struct truth {
    bool sampled, fills;
    uint64_t distance[BLOCKS], bytes[BLOCKS]; // among the sampled blocks
    unsigned slice;
} truth;

static sample trace;
static truth truths[SAMPLE_MOST];
static uint64_t seen, seen_sampled;
static bool demanding; // needs all accesses

static bool same(uint32_t a, uint32_t b, uint64_t block)
{
    const sample_access *x = &trace.accesses[a], *y = &trace.accesses[b];
    return x->device == y->device && x->address / block == y->address / block;
}

static bool is_sampled(const sample_access *a)
{
    uint64_t hash = dj_sample_hash(a->address / blocks[BLOCKS - 1], SEED);
    return dj_sample_hash(hash ^ a->device, SEED) <= UINT64_MAX / WEIGHT;
}

static void search(uint32_t i, int lane)
{
    uint64_t distinct = 0, bytes = 0;
    uint32_t j = i;
    while (j-- > 0 && !same(i, j, blocks[lane])) {
        bool later = !truths[j].sampled;
        for (uint32_t k = j + 1; k < i && !later; k++)
            later = same(j, k, blocks[lane]);
        distinct += !later;
        bytes += later ? 0 : trace.accesses[j].size;
    }
    truths[i].distance[lane] = j == UINT32_MAX ? DJ_COLD : distinct;
    truths[i].bytes[lane] = bytes;
}

static void make_truth(uint64_t seed, uint64_t warm_up)
{
    sample_make(&trace, seed);
    for (uint32_t i = 0; i < trace.count; i++) {
        truths[i] = (truth){.sampled = is_sampled(&trace.accesses[i]), .fills = i < warm_up};
        for (int lane = 0; lane < BLOCKS && truths[i].sampled; lane++)
            search(i, lane);
    }
}

static void check_access(const dj_view *view, uint32_t lane, uint32_t i)
{
    const dj_lane_view *v = &view->lanes[lane];
    const uint64_t at = dj_batch_time(view->batch, i), size = trace.accesses[at].size;
    truth *t = &truths[at];
    assert_int_equal(v->weight_log2, LOG2);
    const uint64_t distance = t->distance[lane],
                   scaled = distance == DJ_COLD ? DJ_COLD : WEIGHT * (distance + 1) - 1;
    if (!t->sampled || t->fills)
        assert_int_equal(v->distance[i], DJ_ABSENT);
    else
        assert_int_equal(v->distance[i], scaled);
    if (t->sampled && t->fills)
        assert_int_equal(v->filled[i], scaled);
    if (t->sampled && distance != DJ_COLD && v->byte_distance)
        assert_int_equal(v->byte_distance[i] + size, WEIGHT * (t->bytes[lane] + size));
    t->slice = (unsigned)(dj_sample_hash(view->lanes[BLOCKS - 1].key[i], 0x51ce) % SLICES);
    seen++;
    seen_sampled += t->sampled;
}

static bool needs_all(void *state, const dj_batch *batch)
{
    (void)state;
    (void)batch;
    return demanding;
}

static int see(void *state, dj_context *where, const dj_view *view)
{
    (void)state;
    (void)where;
    for (uint32_t lane = 0; lane < BLOCKS; lane++)
        for (uint32_t i = 0; i < view->batch->count; i++)
            check_access(view, lane, i);
    return DJ_OK;
}

static int create(dj_context *where, const dj_setup *setup, void **state)
{
    (void)where;
    (void)setup;
    *state = NULL;
    return DJ_OK;
}

static void destroy(void *state)
{
    (void)state;
}

static int finish(void *state, dj_context *where, dj_profile *profile)
{
    (void)state;
    (void)where;
    (void)profile;
    return DJ_OK;
}

static dj_observer_ops checker = {.name = "checker",
                                  .summary = "compares",
                                  .create = create,
                                  .destroy = destroy,
                                  .see = see,
                                  .needs_all = needs_all,
                                  .finish = finish};

// Misses of the sampled accesses, each as itself, by slice.
static uint64_t count_misses(int lane, uint64_t size, uint64_t by_slice[SLICES])
{
    uint64_t all = 0;
    memset(by_slice, 0, SLICES * sizeof *by_slice);
    for (uint32_t i = 0; i < trace.count; i++) {
        const truth *t = &truths[i];
        if (!t->sampled || t->fills)
            continue;
        bool miss = t->distance[lane] == DJ_COLD || WEIGHT * (t->distance[lane] + 1) > size;
        by_slice[t->slice] += miss;
        all += miss;
    }
    return all;
}

static double error_at(int lane, uint64_t size, uint64_t accesses)
{
    uint64_t misses[SLICES];
    double mean = (double)count_misses(lane, size, misses) / SLICES, squares = 0;
    for (int i = 0; i < SLICES; i++)
        squares += pow((double)misses[i] - mean, 2);
    return accesses ? WEIGHT * sqrt(SLICES * squares / (SLICES - 1)) / (double)accesses : 0;
}

// What the band allows for frequent blocks that are not in the sample, in standard errors of the band.
static double error_of_absent(int lane, uint64_t size, uint64_t accesses)
{
    uint64_t unused[SLICES];
    const double sampled = WEIGHT * (double)count_misses(lane, 0, unused);
    const double missing = accesses ? 1 - sampled / (double)accesses : 0;
    return missing > 0 && (double)(size + 1) <= 3 * WEIGHT / missing ? missing / 3.6 : 0;
}

// Each row has the largest error at the ends of its range: sizes that are their own up to 32, and then 16 for
// each doubling.
static void check_errors(const dj_lane_profile *lane, int number)
{
    const dj_sample *s = dj_lane_sample(lane);
    size_t row = 0;
    assert_non_null(s);
    assert_int_equal(s->weight_log2, LOG2);
    for (uint64_t size = 0, next; size < 4 * SAMPLE_MOST; size = next) {
        next = size + (size < 32 ? 1 : UINT64_C(1) << (63 - __builtin_clzll(size) - 4));
        while (row + 1 < s->error_count && s->errors[row + 1].size <= size)
            row++;
        double here = error_at(number, size, lane->accesses), there = error_at(number, next, lane->accesses);
        const double absent = error_of_absent(number, size, lane->accesses);
        assert_true(fabs(s->errors[row].error - fmax(here, there) - absent) <= 1e-9);
    }
}

static void check_profile(const dj_profile *profile, uint64_t warm_up)
{
    for (int lane = 0; lane < BLOCKS; lane++) {
        const dj_lane_profile *p = &profile->lanes[lane];
        uint64_t accesses = trace.count > warm_up ? trace.count - warm_up : 0, ignored[SLICES];
        assert_int_equal(p->accesses, accesses);
        check_errors(p, lane);
        assert_int_equal(p->cold + dj_histogram_sum(p->distance, 0, UINT64_MAX), accesses);
        for (uint64_t size = 1; size < 4 * SAMPLE_MOST; size += 1 + size / 7) {
            uint64_t misses = WEIGHT * count_misses(lane, size, ignored);
            assert_int_equal(p->cold + dj_histogram_sum(p->distance, size, UINT64_MAX),
                             misses < accesses ? misses : accesses);
        }
    }
}

static dj_pipeline *make_pipeline(const char *engine, uint64_t warm_up)
{
    const warming warm = {warm_up};
    const dj_filter_choice filters[] = {{dj_filter_find("warm-up"), &warm},
                                        {dj_filter_find("sample"), &sampling}};
    const dj_lane_group group = {
        .blocks = blocks, .block_count = BLOCKS, .filters = filters, .filter_count = 2};
    const dj_observer_choice observers[] = {
        {dj_observer_find("histogram"), NULL}, {dj_observer_find("sample"), NULL}, {&checker, NULL}};
    const dj_pipeline_config config = {.groups = &group,
                                       .group_count = 1,
                                       .engine = dj_engine_find(engine),
                                       .observers = observers,
                                       .observer_count = 3};
    dj_pipeline *pipeline = NULL;
    checker.needs = DJ_NEED_PER_ACCESS | (config.engine->can & DJ_NEED_WEIGHTS);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    return pipeline;
}

static void run(const char *engine, uint64_t seed, uint64_t warm_up)
{
    dj_pipeline *pipeline = make_pipeline(engine, warm_up);
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    make_truth(seed, warm_up);
    seen = seen_sampled = 0;
    demanding = seed % 4 == 0;
    assert_int_equal(sample_open(context, &trace, 0, trace.count, &source), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    uint64_t sampled = 0;
    for (uint32_t i = 0; i < trace.count; i++)
        sampled += truths[i].sampled;
    assert_int_equal(seen_sampled, BLOCKS * sampled);
    if (demanding)
        assert_int_equal(seen, BLOCKS * (uint64_t)trace.count);
    check_profile(profile, warm_up);
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
}

static void test_lanes(void **state)
{
    (void)state;
    checker.weighs = true;
    for (uint64_t seed = 0; seed < 40; seed++) {
        run("stack", seed, 0);
        run("fast", seed, 0);
        run("tree", seed, seed % 3 * 50);
    }
}

static dj_pipeline *run_part(uint32_t from, uint32_t to, bool summarize)
{
    const dj_filter_choice filter = {dj_filter_find("sample"), &sampling};
    const dj_lane_group group = {
        .blocks = blocks, .block_count = BLOCKS, .filters = &filter, .filter_count = 1};
    const dj_observer_choice observers[] = {{dj_observer_find("histogram"), NULL},
                                            {dj_observer_find("sample"), NULL},
                                            {dj_observer_find("bytes"), NULL}};
    const dj_pipeline_config config = {.groups = &group,
                                       .group_count = 1,
                                       .engine = dj_engine_find("tree"),
                                       .observers = observers,
                                       .observer_count = 3,
                                       .split = true,
                                       .summarize = summarize};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(sample_open(context, &trace, from, to, &source), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    dj_source_close(source);
    return pipeline;
}

static void check_histograms(const dj_histogram *x, const dj_histogram *y)
{
    for (uint64_t v = 0, w = 0, n = 1; n != 0; v++, w++) {
        n = dj_histogram_next(x, &v);
        assert_int_equal(dj_histogram_next(y, &w), n);
        assert_int_equal(n ? v : 0, n ? w : 0);
    }
}

static void check_same_errors(const dj_sample_error *x, size_t x_count, const dj_sample_error *y,
                              size_t y_count)
{
    assert_int_equal(x_count, y_count);
    for (size_t k = 0; k < x_count; k++) {
        assert_int_equal(x[k].size, y[k].size);
        assert_true(x[k].error == y[k].error);
    }
}

static void check_same_bytes(const dj_byte_profile *x, const dj_byte_profile *y)
{
    check_histograms(x->distance, y->distance);
    check_histograms(x->weight, y->weight);
    check_same_errors(x->errors, x->error_count, y->errors, y->error_count);
    check_same_errors(x->byte_errors, x->byte_error_count, y->byte_errors, y->byte_error_count);
    assert_int_equal(x->cold_bytes, y->cold_bytes);
    assert_int_equal(x->sampled_bytes, y->sampled_bytes);
    assert_int_equal(x->mean_count, y->mean_count);
    for (size_t k = 0; k < x->mean_count; k++)
        assert_true(x->means[k].size == y->means[k].size && x->means[k].mean == y->means[k].mean);
}

static void check_same(const dj_profile *a, const dj_profile *b)
{
    for (int i = 0; i < BLOCKS; i++) {
        const dj_lane_profile *x = &a->lanes[i], *y = &b->lanes[i];
        const dj_sample *s = dj_lane_sample(x), *t = dj_lane_sample(y);
        assert_int_equal(x->accesses, y->accesses);
        assert_int_equal(x->cold, y->cold);
        assert_int_equal(x->distinct, y->distinct);
        check_histograms(x->distance, y->distance);
        assert_int_equal(s->blocks, t->blocks);
        assert_int_equal(s->accesses, t->accesses);
        check_same_errors(s->errors, s->error_count, t->errors, t->error_count);
        check_same_bytes(dj_lane_bytes(x), dj_lane_bytes(y));
    }
}

// Parts join to the sample of the whole, to the last bit.
static void test_parts(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 1);
    for (uint64_t seed = 0; seed < 60; seed++) {
        sample_make(&trace, seed);
        dj_profile *whole = NULL, *joined = NULL;
        dj_pipeline *all = run_part(0, trace.count, false), *first = NULL;
        assert_int_equal(dj_pipeline_finish(all, context, &whole), DJ_OK);
        for (uint32_t from = 0, to = 0; !first || to < trace.count; from = to) {
            to += 1 + (uint32_t)(dj_random_next(&random) % (1 + trace.count / 2));
            to = to < trace.count ? to : trace.count;
            dj_pipeline *part = run_part(from, to, true);
            if (first)
                assert_int_equal(dj_pipeline_join(first, context, part), DJ_OK);
            if (first)
                dj_pipeline_destroy(part);
            first = first ? first : part;
        }
        assert_int_equal(dj_pipeline_finish(first, context, &joined), DJ_OK);
        check_same(whole, joined);
        dj_profile_destroy(whole);
        dj_profile_destroy(joined);
        dj_pipeline_destroy(all);
        dj_pipeline_destroy(first);
    }
}

static dj_profile *measure(enum dj_partition partition)
{
    const dj_filter_choice filter = {dj_filter_find("sample"), &sampling};
    const dj_lane_group group = {.blocks = blocks,
                                 .block_count = BLOCKS,
                                 .filters = &filter,
                                 .filter_count = 1,
                                 .partition = partition};
    const dj_observer_choice observers[] = {{dj_observer_find("histogram"), NULL},
                                            {dj_observer_find("sample"), NULL},
                                            {dj_observer_find("partitions"), NULL}};
    const dj_pipeline_config config = {.groups = &group,
                                       .group_count = 1,
                                       .engine = dj_engine_find("tree"),
                                       .observers = observers,
                                       .observer_count = partition ? 3 : 2};
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

// The estimate of each partition is that of a trace with nothing else.
static void test_partitions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        static sample all;
        sample_make(&trace, seed);
        all = trace;
        dj_profile *parted = measure(DJ_PARTITION_DEVICE);
        for (size_t k = 0; k < dj_lane_partitions(&parted->lanes[0])->count; k++) {
            trace.count = 0;
            for (uint32_t i = 0; i < all.count; i++)
                if (all.accesses[i].device == dj_lane_partitions(&parted->lanes[0])->rows[k].id)
                    trace.accesses[trace.count++] = all.accesses[i];
            dj_profile *alone = measure(DJ_PARTITION_NONE);
            for (int lane = 0; lane < BLOCKS; lane++) {
                const dj_lane_profile *x = &alone->lanes[lane],
                                      *y = &dj_lane_partitions(&parted->lanes[lane])->rows[k].lane;
                const dj_sample *s = dj_lane_sample(x), *t = dj_lane_sample(y);
                assert_int_equal(x->accesses, y->accesses);
                assert_int_equal(x->cold, y->cold);
                check_histograms(x->distance, y->distance);
                assert_int_equal(s->blocks, t->blocks);
                check_same_errors(s->errors, s->error_count, t->errors, t->error_count);
            }
            dj_profile_destroy(alone);
        }
        dj_profile_destroy(parted);
    }
}

static void test_refused(void **state)
{
    (void)state;
    const dj_filter_choice filter = {dj_filter_find("sample"), &sampling};
    const dj_lane_group group = {.blocks = blocks, .block_count = 1, .filters = &filter, .filter_count = 1};
    const dj_observer_choice observer = {&checker, NULL};
    const dj_pipeline_config config = {
        .groups = &group, .group_count = 1, .observers = &observer, .observer_count = 1};
    dj_pipeline *pipeline = NULL;
    checker.weighs = false;
    checker.needs = DJ_NEED_PER_ACCESS;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_UNSUPPORTED);
    assert_non_null(
        strstr(dj_context_message(context), "checker (compares) cannot be estimated from a sample"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_partitions), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
