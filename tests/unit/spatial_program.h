// SPDX-License-Identifier: MIT
// Small programs whose accesses are listed one by one, so that the problem of each is
// known; they are measured and ranked like any other.
#ifndef DEJA_TESTS_SPATIAL_PROGRAM_H
#define DEJA_TESTS_SPATIAL_PROGRAM_H

#include "support/hand_made.h"
#include <deja/deja.h>

#include "base/random.h"
#include "support/context.h"

enum { MOST = 1 << 18, PLACES = 16, CACHE = 8192 };

static dj_place rows[PLACES];
static dj_place_table table = {.chunks = {rows}};
static dj_attribution *code; // contains the places of the program
static uint64_t address[MOST], size[MOST];
static uint32_t place[MOST];
static uint8_t kind[MOST];
static size_t count, at;
static dj_random random_state;
static dj_profile *profile;
static dj_ranking *ranking;

// main contains a loop (3-9) with a nested one (4-8), `inner`, which most tests use.
static uint32_t outer, inner, in_main;

static int set_up(void **state)
{
    make_context(state);
    count = at = 0;
    dj_random_seed(&random_state, 1);
    assert_int_equal(dj_attribution_create(context, &code), DJ_OK);
    hand_module(code, "/prog");
    uint32_t top = hand_function(code, "main", hand_file(code, "/a.c"), 1);
    outer = hand_loop(code, top, DJ_NOWHERE, 3, 9);
    inner = hand_loop(code, top, outer, 4, 8);
    in_main = hand_cct_node(code, hand_root(code, hand_thread(code, 1, "")), top, DJ_NOWHERE);
    return 0;
}

static int tear_down(void **state)
{
    dj_ranking_destroy(ranking);
    dj_profile_destroy(profile);
    ranking = NULL;
    profile = NULL;
    return drop_context(state);
}

static uint32_t add_object(const char *name, enum dj_object_kind of, uint64_t bytes, uint64_t blocks)
{
    uint32_t object = hand_object(code, name, of, 1);
    code->objects[object].bytes = bytes;
    code->objects[object].blocks = blocks;
    return object;
}

static uint32_t add_place(uint32_t line, uint32_t loop, uint32_t object, const char *element)
{
    uint32_t added = hand_place(code, hand_site(code, 0, line, loop), in_main, object);
    free(code->places[added].element);
    code->places[added].element = strdup(element);
    return added;
}

static void touch(uint32_t where, uint64_t to, uint64_t bytes)
{
    assert_true(count < MOST);
    place[count] = where;
    size[count] = bytes;
    kind[count] = DJ_KIND_READ;
    address[count++] = to;
}

static inline uint32_t *make_order(uint32_t n)
{
    uint32_t *order = malloc(n * sizeof *order);
    assert_non_null(order);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)(dj_random_next(&random_state) % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    (void)state;
    *out = NULL;
    if (at == count)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE | DJ_COLUMN_KIND | DJ_COLUMN_SIZE);
    for (; (*out)->count < DJ_BATCH_CAPACITY && at < count; at++) {
        to.address[(*out)->count] = address[at];
        to.size[(*out)->count] = size[at];
        to.kind[(*out)->count] = kind[at];
        to.place[(*out)->count++] = place[at];
    }
    return DJ_OK;
}

// Moves the counts to the attribution with the names.
static void take_names(void)
{
    dj_attribution *measured = dj_profile_attribution(profile);
    for (size_t i = 0; i < code->place_count; i++) {
        code->places[i].tally = measured->places[i].tally;
        measured->places[i].tally = (dj_tally){0};
    }
    code->edges = measured->edges;
    code->edge_count = measured->edge_count;
    measured->edges = NULL;
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, code), DJ_OK);
    profile->provenance.unit_bytes = 1;
    assert_int_equal(dj_attribution_check(context, code), DJ_OK);
}

static void measure(enum dj_rank_by by)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE | DJ_COLUMN_KIND | DJ_COLUMN_SIZE};
    static const uint64_t blocks[] = {32, 64};
    static const dj_spatial_cache_size caches[] = {{(char *)"L1", CACHE}};
    static const dj_spatial_options spatial = {caches, 1};
    static const dj_usage_options usage = {.block = 64, .cache_bytes = CACHE};
    static const dj_places_options places = {.places = &table};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &places},
                                            {dj_observer_find("spatial"), &spatial},
                                            {dj_observer_find("spatial-places"), &spatial},
                                            {dj_observer_find("usage"), &usage}};
    const dj_pipeline_config config = {.blocks = blocks,
                                       .block_count = 2,
                                       .split = true,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = 4};
    table.count = (uint32_t)code->place_count;
    for (uint32_t i = 0; i < table.count; i++)
        rows[i] = (dj_place){code->places[i].site, code->places[i].cct_node, code->places[i].object, 0};
    dj_source *source;
    dj_pipeline *pipeline;
    assert_int_equal(dj_source_create(context, &ops, NULL, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    take_names();
    const dj_ranking_options options = {.by = by, .cache = SIZE_MAX, .limits = DJ_SPATIAL_LIMITS};
    assert_int_equal(dj_ranking_create(context, profile, &options, &ranking), DJ_OK);
}

// The worst row must be at `where`, with this advice and a text that contains all words.
static void expect(uint32_t where, const char *advice, const char *const *words)
{
    const dj_rank_row *row = &ranking->rows[0];
    assert_int_equal(row->place, where);
    if (strcmp(dj_spatial_advice_name(row->advice), advice) != 0)
        fail_msg("%s: %s", dj_spatial_advice_name(row->advice), row->text);
    for (; *words; words++)
        if (!strstr(row->text, *words))
            fail_msg("'%s' is not in '%s'", *words, row->text);
}
#define EXPECT(where, advice, ...) expect(where, advice, (const char *const[]){__VA_ARGS__, NULL})

#endif
