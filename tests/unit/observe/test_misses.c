// SPDX-License-Identifier: MIT
// The classes of misses of sequences that are known in closed form.
#include <deja/deja.h>
#include <deja/observer_options.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { MOST = 1 << 16, PLACES = 3, BLOCK = 64, FAR = 1 << 24 };

typedef struct stream {
    dj_place_table table;
    dj_place rows[PLACES];
    uint64_t address[MOST];
    uint32_t place[MOST];
    uint8_t kind[MOST];
    size_t count, at;
} stream;

static stream trace;

static void begin_trace(void)
{
    trace.table = (dj_place_table){.chunks = {trace.rows}, .count = PLACES};
    for (uint32_t i = 0; i < PLACES; i++)
        trace.rows[i] = (dj_place){i, 0, 0, 0};
    trace.count = 0;
}

static void touch(uint32_t place, uint64_t block, enum dj_kind kind)
{
    assert_true(trace.count < MOST);
    trace.address[trace.count] = block * BLOCK;
    trace.kind[trace.count] = (uint8_t)kind;
    trace.place[trace.count++] = place;
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    stream *s = state;
    *out = NULL;
    if (s->at == s->count)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE | DJ_COLUMN_KIND);
    for (; (*out)->count < 777 && s->at < s->count; s->at++) {
        to.address[(*out)->count] = s->address[s->at];
        to.kind[(*out)->count] = s->kind[s->at];
        to.place[(*out)->count++] = s->place[s->at];
    }
    return DJ_OK;
}

static dj_profile *measure(uint64_t block)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = BLOCK,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE | DJ_COLUMN_KIND};
    const dj_places_options places = {.places = &trace.table};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &places},
                                            {dj_observer_find("histogram"), NULL}};
    const dj_pipeline_config config = {
        .blocks = &block, .block_count = 1, .tag = DJ_TAG_PLACE, .observers = observers, .observer_count = 2};
    dj_source *source;
    dj_pipeline *pipeline;
    dj_profile *profile, *between;
    trace.at = 0;
    assert_int_equal(dj_source_create(context, &ops, &trace, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    // Creating a profile in between changes nothing.
    assert_int_equal(dj_pipeline_finish(pipeline, context, &between), DJ_OK);
    dj_profile_destroy(between);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    return profile;
}

static uint64_t counted(const dj_profile *profile, uint32_t place, unsigned bin, enum dj_miss_class of,
                        bool writes)
{
    const dj_miss_counts *m = dj_profile_attribution(profile)->places[place].tally.missed;
    const size_t at = dj_miss_count_at(bin, of, writes);
    return m && at < m->count ? m->counts[at] : 0;
}

static uint64_t counted_at_all(const dj_profile *profile, uint32_t place)
{
    const dj_miss_counts *m = dj_profile_attribution(profile)->places[place].tally.missed;
    uint64_t sum = 0;
    for (size_t i = 0; m && i < m->count; i++)
        sum += m->counts[i];
    return sum;
}

// `count` first accesses with a constant stride: the first two train.
static void assert_stride(int64_t stride, enum dj_miss_class expected)
{
    enum { COUNT = 1000 };
    begin_trace();
    for (int64_t i = 0; i < COUNT; i++)
        touch(0, (uint64_t)(FAR + i * stride), DJ_KIND_READ);
    dj_profile *profile = measure(BLOCK);
    assert_int_equal(counted(profile, 0, 0, expected, false), COUNT - 2);
    assert_int_equal(counted(profile, 0, 0, DJ_MISS_IRREGULAR, false), 2);
    assert_int_equal(counted_at_all(profile, 0), COUNT);
    dj_profile_destroy(profile);
}

static void strides(void **state)
{
    (void)state;
    assert_stride(1, DJ_MISS_STREAMING);
    assert_stride(-1, DJ_MISS_STREAMING);
    assert_stride(2, DJ_MISS_STREAMING);
    assert_stride(3, DJ_MISS_STRIDED);
    assert_stride(-63, DJ_MISS_STRIDED);
    assert_stride(64, DJ_MISS_PAGED);
    assert_stride(-5000, DJ_MISS_PAGED);
}

// Differences of squares all differ, and are odd for neighbours.
static void without_a_pattern(void **state)
{
    (void)state;
    begin_trace();
    for (uint64_t i = 2; i < 1002; i++)
        touch(0, i * i, DJ_KIND_READ);
    dj_profile *profile = measure(BLOCK);
    assert_int_equal(counted(profile, 0, 0, DJ_MISS_IRREGULAR, false), 1000);
    assert_int_equal(counted_at_all(profile, 0), 1000);
    dj_profile_destroy(profile);
}

// Three sequences at one place, one of them downwards; reads, writes and places are counted separately.
static void several_sequences(void **state)
{
    (void)state;
    begin_trace();
    for (uint64_t i = 0; i < 500; i++) {
        touch(0, FAR + i, DJ_KIND_READ);
        touch(0, 2 * FAR + i, DJ_KIND_WRITE);
        touch(0, 5 * FAR - i, DJ_KIND_MODIFY);
        touch(1, 7 * FAR + i, DJ_KIND_WRITE);
    }
    dj_profile *profile = measure(BLOCK);
    assert_int_equal(counted(profile, 0, 0, DJ_MISS_STREAMING, false), 498);
    assert_int_equal(counted(profile, 0, 0, DJ_MISS_STREAMING, true), 2 * 498);
    assert_int_equal(counted(profile, 0, 0, DJ_MISS_IRREGULAR, false), 2);
    assert_int_equal(counted(profile, 0, 0, DJ_MISS_IRREGULAR, true), 4);
    assert_int_equal(counted(profile, 1, 0, DJ_MISS_STREAMING, true), 498);
    assert_int_equal(counted_at_all(profile, 2), 0);
    dj_profile_destroy(profile);
}

// N blocks over and over: all reuses have distance N - 1.
static void distances(void **state)
{
    (void)state;
    static const struct {
        uint64_t blocks;
        unsigned bin; // 512 to 767: 2, 768 to 1023: 3, 1024 to 1535: 4, 1536 to 2047: 5, …
    } cases[] = {{512, 0}, {513, 2}, {768, 2}, {769, 3}, {1024, 3}, {1025, 4}, {2048, 5}, {4097, 8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint64_t n = cases[k].blocks;
        begin_trace();
        for (uint64_t i = 0; i < 4 * n; i++)
            touch(0, FAR + i % n, DJ_KIND_READ);
        dj_profile *profile = measure(BLOCK);
        assert_int_equal(counted(profile, 0, 0, DJ_MISS_STREAMING, false), n - 2);
        assert_int_equal(counted_at_all(profile, 0), cases[k].bin ? 4 * n : n);
        // Each return to the first block begins a sequence, unless it is still followed where it began.
        if (cases[k].bin)
            assert_true(counted(profile, 0, cases[k].bin, DJ_MISS_STREAMING, false) >= 3 * (n - 2));
        dj_profile_destroy(profile);
    }
}

static void other_blocks(void **state)
{
    (void)state;
    begin_trace();
    for (uint64_t i = 0; i < 1000; i++)
        touch(0, FAR + i, DJ_KIND_READ);
    dj_profile *profile = measure(128);
    assert_false(dj_attribution_has_classes(dj_profile_attribution(profile)));
    dj_profile_destroy(profile);
    profile = measure(BLOCK);
    assert_true(dj_attribution_has_classes(dj_profile_attribution(profile)));
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides),   cmocka_unit_test(without_a_pattern), cmocka_unit_test(several_sequences),
        cmocka_unit_test(distances), cmocka_unit_test(other_blocks),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
