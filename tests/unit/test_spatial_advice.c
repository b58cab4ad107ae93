// SPDX-License-Identifier: MIT
// Small programs whose accesses are made here one by one, so that what is wrong
// with each, and what would help, is known; measured as any other.
#include <deja/deja.h>

#include "support/hand_made.h"

#include "base/random.h"
#include "support/context.h"

enum { MOST = 1 << 18, PLACES = 16, CACHE = 8192 };

static dj_place rows[PLACES];
static dj_place_table table = {.chunks = {rows}};
static dj_attribution *code; // with the places of the program
static uint64_t address[MOST], size[MOST];
static uint32_t place[MOST];
static uint8_t kind[MOST];
static size_t count, at;
static dj_random random_state;
static dj_profile *profile;
static dj_ranking *ranking;

// main has a loop (3-9) with another in it (4-8): `inner` is what most need.
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
    in_main = hand_context(code, hand_root(code, hand_thread(code, 1, "")), top, DJ_NOWHERE);
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

static uint32_t *make_order(uint32_t n)
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

// The counts move to the attribution that has names.
static void take_names(void)
{
    dj_attribution *measured = profile->attribution;
    for (size_t i = 0; i < code->place_count; i++) {
        code->places[i].tally = measured->places[i].tally;
        measured->places[i].tally = (dj_tally){0};
    }
    code->edges = measured->edges;
    code->edge_count = measured->edge_count;
    measured->edges = NULL;
    dj_attribution_destroy(measured);
    profile->attribution = code;
    profile->provenance.unit_bytes = 1;
    assert_int_equal(dj_attribution_check(context, code), DJ_OK);
}

static void measure(enum dj_rank_by by)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {
        "test", DJ_CLASS_MEMORY, 64, 1, DJ_COLUMN_PLACE | DJ_COLUMN_KIND | DJ_COLUMN_SIZE, false};
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
        rows[i] = (dj_place){code->places[i].site, code->places[i].context, code->places[i].object, 0};
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

// The worst row, which must be one of `where`, says so.
static void expect(uint32_t where, enum dj_spatial_advice advice, const char *const *words)
{
    const dj_rank_row *row = &ranking->rows[0];
    assert_int_equal(row->place, where);
    if (row->advice != advice)
        fail_msg("%s: %s", dj_spatial_advice_name(row->advice), row->text);
    for (; *words; words++)
        if (!strstr(row->text, *words))
            fail_msg("'%s' is not in '%s'", *words, row->text);
}
#define EXPECT(where, advice, ...) expect(where, advice, (const char *const[]){__VA_ARGS__, NULL})

// 300 columns of 300 doubles; 2400 bytes from one row to the next.
static uint32_t make_columns(const char *element)
{
    uint32_t grid = add_object("grid", DJ_OBJECT_GLOBAL, 720000, 1);
    uint32_t load = add_place(5, inner, grid, element);
    for (uint64_t column = 0; column < 300; column++)
        for (uint64_t row = 0; row < 300; row++)
            touch(load, 4096 + 2400 * row + 8 * column, 8);
    return load;
}

static void columns_want_other_loops(void **state)
{
    (void)state;
    uint32_t load = make_columns("[*][*]");
    measure(DJ_RANK_LINE);
    EXPECT(load, DJ_SPATIAL_INTERCHANGE, "steps of 2,400 bytes", "64 bytes that comes in 8 are used",
           "cache of 8K", "loop a.c:4-8 in main goes across memory", "loop a.c:3-9 in main, along");
}

// Where nothing is known of the data, the steps from one column to the next tell.
static void columns_without_types(void **state)
{
    (void)state;
    uint32_t load = make_columns("");
    measure(DJ_RANK_LOOP);
    EXPECT(load, DJ_SPATIAL_INTERCHANGE, "2,400");
}

// A loop around that only begins anew is not one to interchange. 2000 blocks
// come again three times, half of which a neighbour could have brought.
static void one_field_is_split_off(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*].x");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 2000; i++)
            touch(load, 4096 + 64 * i + 8, 8);
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].poor, 6000);
    EXPECT(load, DJ_SPATIAL_SPLIT, "steps of 64 bytes", "8 are used", "Splitting the structure",
           "A score of 1 would save 3,000 misses in L1.");
}

static void every_eighth_element(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*]");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 2000; i > 0; i--)
            touch(load, 4096 + 64 * i, 8);
    measure(DJ_RANK_LINE);
    EXPECT(load, DJ_SPATIAL_SPLIT, "64 bytes, backwards", "array of their own");
}

// Two fields of 8 bytes, `apart` from each other in structures of `bytes`, in no order.
static uint32_t make_fields(uint64_t bytes, uint64_t apart)
{
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 1000 * bytes, 1);
    uint32_t first = add_place(5, inner, all, "[*].first");
    uint32_t second = add_place(5, inner, all, "[*].second");
    uint32_t *order = make_order(1000);
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 1000; i++) {
            touch(first, 4096 + bytes * order[i], 8);
            touch(second, 4096 + bytes * order[i] + apart, 8);
        }
    free(order);
    return first;
}

static void fields_far_apart_become_neighbours(void **state)
{
    (void)state;
    uint32_t first = make_fields(192, 128);
    measure(DJ_RANK_LOOP);
    assert_string_equal(ranking->rows[0].object_name, "all[*]");
    EXPECT(first, DJ_SPATIAL_REORDER_FIELDS, "no regular order", "all[*].first", "all[*].second");
}

static void structures_across_blocks_are_padded(void **state)
{
    (void)state;
    make_fields(48, 40);
    measure(DJ_RANK_LOOP);
    EXPECT(ranking->rows[0].place, DJ_SPATIAL_PAD, "Elements of 48 bytes", "Padding each to 64 bytes");
}

// The same structures, but with both fields in the first half: there is nothing to pad.
static void fields_together_are_split_off(void **state)
{
    (void)state;
    uint32_t first = make_fields(64, 8);
    measure(DJ_RANK_LOOP);
    EXPECT(first, DJ_SPATIAL_SPLIT, "16 are used");
}

// The elements of one are half as large as those of the other.
static void arrays_at_one_index_are_regrouped(void **state)
{
    (void)state;
    uint32_t wide = add_object("wide", DJ_OBJECT_GLOBAL, 32000, 1);
    uint32_t narrow = add_object("narrow", DJ_OBJECT_GLOBAL, 16000, 1);
    uint32_t in_wide = add_place(5, inner, wide, "[*]"), in_narrow = add_place(6, inner, narrow, "[*]");
    uint32_t *order = make_order(4000);
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 4000; i++) {
            touch(in_wide, 65536 + 8 * order[i], 8);
            touch(in_narrow, 262144 + 4 * order[i], 4);
        }
    free(order);
    measure(DJ_RANK_LINE);
    EXPECT(in_wide, DJ_SPATIAL_REGROUP, "narrow[*] is used in the same loop", "Regrouping");
}

// The same arrays, each in its own order: there is no common index.
static void arrays_at_two_indexes_are_not(void **state)
{
    (void)state;
    uint32_t wide = add_object("wide", DJ_OBJECT_GLOBAL, 64000, 1);
    uint32_t other = add_object("other", DJ_OBJECT_GLOBAL, 64000, 1);
    uint32_t in_wide = add_place(5, inner, wide, "[*]"), in_other = add_place(6, inner, other, "[*]");
    for (uint64_t i = 0; i < 24000; i++) {
        touch(in_wide, 65536 + dj_random_next(&random_state) % 8000 * 8, 8);
        touch(in_other, 262144 + dj_random_next(&random_state) % 8000 * 8, 8);
    }
    measure(DJ_RANK_LINE);
    EXPECT(ranking->rows[0].place, DJ_SPATIAL_SHRINK, "64,000 bytes");
}

static uint32_t make_scattered(bool from_list, uint8_t as)
{
    uint32_t data = add_object("data", DJ_OBJECT_GLOBAL, 256000, 1);
    uint32_t list = add_object("list", DJ_OBJECT_GLOBAL, 128000, 1);
    uint32_t use = add_place(6, inner, data, "[*]"), item = add_place(5, inner, list, "[*]");
    for (uint64_t i = 0; i < 32000; i++) {
        if (from_list)
            touch(item, 1048576 + 4 * i, 4);
        touch(use, 65536 + dj_random_next(&random_state) % 32000 * 8, 8);
        kind[count - 1] = as;
    }
    return use;
}

static void tables_are_made_smaller(void **state)
{
    (void)state;
    uint32_t use = make_scattered(false, DJ_KIND_READ);
    measure(DJ_RANK_LINE);
    EXPECT(use, DJ_SPATIAL_SHRINK, "no regular order", "256,000 bytes", "smaller");
}

static void lists_of_work_are_sorted(void **state)
{
    (void)state;
    uint32_t use = make_scattered(true, DJ_KIND_READ);
    measure(DJ_RANK_LINE);
    EXPECT(use, DJ_SPATIAL_SORT, "Sorting or bucketing");
}

static void scattered_results_are_sorted(void **state)
{
    (void)state;
    uint32_t use = make_scattered(false, DJ_KIND_WRITE);
    measure(DJ_RANK_LINE);
    EXPECT(use, DJ_SPATIAL_SORT, "Sorting or bucketing");
}

static void nodes_are_put_in_the_order_of_use(void **state)
{
    (void)state;
    uint32_t nodes = add_object("heap node (a.c:2)", DJ_OBJECT_HEAP, 64000, 2000);
    uint32_t load = add_place(5, inner, nodes, ".next");
    uint32_t *order = make_order(2000);
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 2000; i++)
            touch(load, 65536 + 48 * order[i], 8);
    free(order);
    measure(DJ_RANK_LINE);
    EXPECT(load, DJ_SPATIAL_SORT, "2,000 pieces were allocated one by one");
}

// Along memory all is well: every second block of 32 bytes comes with its neighbour.
static void walks_get_no_advice(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*]");
    for (unsigned round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 16000; i++)
            touch(load, 65536 + 8 * i, 8);
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].far.reuses, 3 * 4000); // blocks of 32 bytes
    assert_int_equal(ranking->rows[0].poor, 0);
    assert_int_equal(ranking->rows[0].advice, DJ_SPATIAL_NONE);
    assert_string_equal(ranking->rows[0].text, "");
}

// Whole blocks in no order use all that they bring in.
static void whole_blocks_get_no_advice(void **state)
{
    (void)state;
    uint32_t all = add_object("all", DJ_OBJECT_GLOBAL, 128000, 1), load = add_place(5, inner, all, "[*]");
    uint32_t *order = make_order(2000);
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 16000; i++)
            touch(load, 65536 + 64 * order[i / 8] + 8 * (i % 8), 8);
    free(order);
    measure(DJ_RANK_LINE);
    assert_int_equal(ranking->rows[0].poor, 0);
}

static void what_is_no_data_gets_no_advice(void **state)
{
    (void)state;
    uint32_t rest = add_object("data of libc.so.6", DJ_OBJECT_MODULE, 0, 1);
    uint32_t load = add_place(5, inner, rest, "");
    for (uint64_t i = 0; i < 16000; i++)
        touch(load, 65536 + dj_random_next(&random_state) % 16000 * 8, 8);
    measure(DJ_RANK_LINE);
    assert_true(ranking->rows[0].poor > 0);
    assert_int_equal(ranking->rows[0].advice, DJ_SPATIAL_NONE);
    assert_string_equal(ranking->rows[0].text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(columns_want_other_loops),
        TEST(columns_without_types),
        TEST(one_field_is_split_off),
        TEST(every_eighth_element),
        TEST(fields_far_apart_become_neighbours),
        TEST(structures_across_blocks_are_padded),
        TEST(fields_together_are_split_off),
        TEST(arrays_at_one_index_are_regrouped),
        TEST(arrays_at_two_indexes_are_not),
        TEST(tables_are_made_smaller),
        TEST(lists_of_work_are_sorted),
        TEST(scattered_results_are_sorted),
        TEST(nodes_are_put_in_the_order_of_use),
        TEST(walks_get_no_advice),
        TEST(whole_blocks_get_no_advice),
        TEST(what_is_no_data_gets_no_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
