// SPDX-License-Identifier: MIT
// A program that calls, allocates and frees, divided anywhere and joined in any order, has the same
// profile as the complete run, down to the last byte of its file.
#include "contract/profiles.h"
#include "locate/saved.h"
#include "pipeline/parts/summary.h"
#include "unit/made_up_program.h"
#include <deja/deja.h>
#include <deja/observer_options.h>

enum { SEEDS = 6, PIECES_MOST = 9, LANES = 3 };

static const dj_located *located; // what the current program has used

// What the locator recorded for each access.
typedef struct stream {
    uint64_t address[ACCESSES + DEPTH_MOST];
    uint64_t offset[ACCESSES + DEPTH_MOST];
    uint32_t site[ACCESSES + DEPTH_MOST], place[ACCESSES + DEPTH_MOST];
    uint32_t count;
    uint32_t at, end; // what is read next
    dj_random random;
} stream;

static const uint64_t blocks[LANES] = {16, 32, 64}, cuts[] = {4, 40, 300};
static const dj_spatial_cache_size caches[] = {{(char *)"L1", 1024}, {(char *)"L2", 20000}};

static int stream_next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    stream *s = state;
    *out = NULL;
    if (s->at == s->end)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_SITE | DJ_COLUMN_PLACE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND |
                                   DJ_COLUMN_OFFSET);
    for (uint64_t n = 1 + dj_random_next(&s->random) % 3000; n > 0 && s->at < s->end; n--, s->at++) {
        uint32_t i = (*out)->count++;
        to.address[i] = s->address[s->at];
        to.size[i] = s->address[s->at] % 40;
        to.kind[i] = s->address[s->at] % 3 == 0 ? DJ_KIND_WRITE : DJ_KIND_READ;
        to.site[i] = s->site[s->at];
        to.place[i] = s->place[s->at];
        to.offset[i] = s->offset[s->at];
    }
    return DJ_OK;
}

static void locate(stream *s, dj_locator *locator, program *p)
{
    dj_source *inner = open_program(p), *outer;
    dj_batch *batch;
    assert_int_equal(dj_locator_source(context, locator, inner, &outer), DJ_OK);
    while (assert_int_equal(dj_source_next(outer, context, &batch), DJ_OK), batch) {
        for (uint32_t i = 0; i < batch->count; i++, s->count++) {
            assert_true(s->count < ACCESSES + DEPTH_MOST);
            s->address[s->count] = batch->column.address[i];
            s->site[s->count] = batch->column.site[i];
            s->place[s->count] = batch->column.place[i];
            s->offset[s->count] = batch->column.offset[i];
        }
        dj_batch_release(batch);
    }
    dj_source_close(outer);
    dj_source_close(inner);
}

static int identify(void *user, dj_context *ctx, dj_place_identities *out)
{
    (void)user;
    return dj_located_identify(ctx, located, out);
}

static dj_pipeline *measure(stream *s, const char *engine, uint32_t from, uint32_t to, bool summarize)
{
    static const dj_source_ops ops = {.next = stream_next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE};
    static dj_places_options placing = {.cuts = cuts, .cut_count = 3, .identify = identify};
    static const dj_spatial_options spatial = {caches, 2};
    placing.places = &located->places;
    const dj_observer_choice observers[] = {
        {dj_observer_find("places"), &placing},  {dj_observer_find("elements"), &placing},
        {dj_observer_find("histogram"), NULL},   {dj_observer_find("digest"), NULL},
        {dj_observer_find("spatial"), &spatial}, {dj_observer_find("spatial-places"), &spatial}};
    const dj_pipeline_config config = {.engine = dj_engine_find(engine),
                                       .blocks = blocks,
                                       .block_count = LANES,
                                       .split = true,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = sizeof observers / sizeof observers[0],
                                       .summarize = summarize};
    dj_pipeline *pipeline;
    dj_source *source;
    s->at = from;
    s->end = to;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_source_create(context, &ops, s, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    dj_source_close(source);
    return pipeline;
}

// As another process would load it, with different place numbers.
static dj_summary *through_file(dj_summary *summary)
{
    dj_summary *loaded;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(dj_summary_save(context, summary, file), DJ_OK);
    dj_summary_destroy(summary);
    rewind(file);
    if (dj_summary_load(context, file, "part", &loaded) != DJ_OK)
        fail_msg("%s", dj_context_message(context));
    fclose(file);
    return loaded;
}

// Some joined parts also go through files.
static dj_profile *cut_and_join(stream *s, const char *engine, bool files)
{
    dj_summary *parts[PIECES_MOST];
    uint32_t count = 2 + (uint32_t)(dj_random_next(&s->random) % (PIECES_MOST - 1)), from = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rest = s->count - from;
        uint32_t to = i + 1 == count ? s->count : from + (uint32_t)(dj_random_next(&s->random) % (rest + 1));
        const dj_part part = {i + 1, i + 1, count};
        assert_int_equal(dj_summary_create(context, measure(s, engine, from, to, true), part, &parts[i]),
                         DJ_OK);
        parts[i] = files ? through_file(parts[i]) : parts[i];
        from = to;
    }
    while (count > 1) {
        uint32_t at = (uint32_t)(dj_random_next(&s->random) % (count - 1));
        if (dj_summary_join(context, parts[at], parts[at + 1]) != DJ_OK)
            fail_msg("%s", dj_context_message(context));
        dj_summary_destroy(parts[at + 1]);
        if (files && count % 3 == 0)
            parts[at] = through_file(parts[at]);
        count--;
        for (uint32_t i = at + 1; i < count; i++)
            parts[i] = parts[i + 1];
    }
    dj_profile *profile;
    if (dj_summary_finish(context, parts[0], "", &profile) != DJ_OK)
        fail_msg("%s", dj_context_message(context));
    dj_summary_destroy(parts[0]);
    return profile;
}

static dj_profile *finish(dj_pipeline *pipeline)
{
    dj_profile *profile;
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    return profile;
}

// The profile file with its names; destroys the profile.
static char *save(dj_profile *profile)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    free(profile->provenance.engine);
    profile->provenance.engine = strdup("");
    assert_int_equal(
        dj_resolve(context, located, NULL, dj_profile_attribution(profile), dj_profile_elements(profile)),
        DJ_OK);
    assert_int_equal(dj_attribution_check(context, dj_profile_attribution(profile)), DJ_OK);
    assert_int_equal(dj_profile_save(context, profile, DJ_BINS_EXACT, 0, file), DJ_OK);
    fclose(file);
    dj_profile_destroy(profile);
    return text;
}

static void check_program(uint64_t seed, bool fresh_heap)
{
    program *p = calloc(1, sizeof *p);
    stream *s = calloc(1, sizeof *s);
    assert_true(p && s);
    run_program(p, seed);
    dj_random_seed(&s->random, seed);
    // Variables would need names.
    dj_locator_options options = {.lookup = fake, .fresh_heap = fresh_heap, .offsets = true};
    options.lookup.global = NULL;
    options.lookup.local = NULL;
    dj_locator *locator;
    assert_int_equal(dj_locator_create(context, &options, &locator), DJ_OK);
    locate(s, locator, p);
    located = dj_locator_get(locator);
    dj_profile *whole = finish(measure(s, "tree", 0, s->count, false));
    assert_true(dj_profile_attribution(whole)->pair_count > 100);
    assert_true(dj_profile_elements(whole)->count > 10);
    static const char *const engines[] = {"tree", "fast", "parallel"};
    dj_profile *joined[3];
    for (int i = 0; i < 3; i++) {
        joined[i] = cut_and_join(s, engines[i], i > 0);
        if (!same_profile(whole, joined[i]))
            fail_msg("seed %llu, engine %s: another profile", (unsigned long long)seed, engines[i]);
    }
    char *want = save(whole);
    for (int i = 0; i < 3; i++) {
        char *got = save(joined[i]);
        assert_string_equal(want, got);
        free(got);
    }
    free(want);
    dj_locator_destroy(locator);
    drop_program(p);
    free(s);
}

static void pieces_tell_what_the_whole_tells(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        check_program(seed, seed % 2 == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_tell_what_the_whole_tells)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
