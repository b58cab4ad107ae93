// SPDX-License-Identifier: MIT
// Observer `elements` against brute force: random accesses to objects that grow, to more objects than are
// counted, and to heap blocks that a made-up program allocates, frees and allocates again.
#include "unit/made_up_program.h"
#include <deja/deja.h>
#include <deja/observer_options.h>

enum { BLOCK = 64, STREAM_MOST = 60000, PLACES_MOST = 4096, LONG_FROM = 20 };

typedef struct stream {
    dj_place_table table;
    dj_place rows[PLACES_MOST];
    uint64_t address[STREAM_MOST], offset[STREAM_MOST], distance[STREAM_MOST];
    uint32_t place[STREAM_MOST];
    uint8_t kind[STREAM_MOST];
    uint32_t count, at;
} stream;

static stream *new_stream(uint32_t places, uint32_t objects)
{
    stream *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->table.chunks[0] = s->rows;
    s->table.count = places;
    for (uint32_t i = 0; i < places; i++)
        s->rows[i] = (dj_place){i, 0, i % objects, 0};
    return s;
}

static void add(stream *s, uint32_t place, uint64_t address, uint64_t offset, uint8_t kind)
{
    assert_true(s->count < STREAM_MOST);
    s->place[s->count] = place;
    s->address[s->count] = address;
    s->offset[s->count] = offset;
    s->kind[s->count++] = kind;
}

static void find_distances(stream *s)
{
    enum { KEYS = 4096 };
    for (uint32_t i = 0; i < s->count; i++) {
        static uint32_t seen[KEYS];
        uint64_t distance = 0, key = s->address[i] / BLOCK;
        uint32_t j = i;
        assert_true(key < KEYS);
        if (i == 0)
            memset(seen, 0xff, sizeof seen);
        for (; j > 0 && s->address[j - 1] / BLOCK != key; j--) {
            distance += seen[s->address[j - 1] / BLOCK] != i;
            seen[s->address[j - 1] / BLOCK] = i;
        }
        s->distance[i] = j > 0 ? distance : DJ_COLD;
    }
}

static int stream_next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    stream *s = state;
    *out = NULL;
    if (s->at == s->count)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE | DJ_COLUMN_KIND | DJ_COLUMN_OFFSET);
    for (; (*out)->count < 999 && s->at < s->count; s->at++) {
        const uint32_t i = (*out)->count++;
        to.address[i] = s->address[s->at];
        to.place[i] = s->place[s->at];
        to.kind[i] = s->kind[s->at];
        to.offset[i] = s->offset[s->at];
    }
    return DJ_OK;
}

static dj_profile *measure(dj_source *source, const dj_place_table *table, bool threaded)
{
    static const uint64_t block_bytes = BLOCK;
    const dj_places_options options = {.places = table, .pair_from = LONG_FROM};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &options},
                                            {dj_observer_find("elements"), &options}};
    const dj_pipeline_config config = {.blocks = &block_bytes,
                                       .block_count = 1,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = 2,
                                       .observer_threads = threaded};
    dj_pipeline *pipeline;
    dj_profile *profile;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    return profile;
}

static dj_profile *measure_stream(stream *s, bool threaded)
{
    static const dj_source_ops ops = {.next = stream_next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = BLOCK,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE | DJ_COLUMN_KIND | DJ_COLUMN_OFFSET};
    dj_source *source;
    s->at = 0;
    assert_int_equal(dj_source_create(context, &ops, s, &info, &source), DJ_OK);
    dj_profile *profile = measure(source, &s->table, threaded);
    dj_source_close(source);
    return profile;
}

static bool is_of(const stream *s, uint32_t i, uint32_t object)
{
    return s->rows[s->place[i]].object == object && s->offset[i] != DJ_NO_OFFSET;
}

// Small enough for 1,024 of them, then doubled as long as no two accessed ones become one.
static uint64_t expected_segment(const stream *s, uint32_t object, uint64_t *offsets)
{
    uint64_t last = 0, segment = 1, set = 0, first = DJ_NO_OFFSET;
    *offsets = 0;
    for (uint32_t i = 0; i < s->count; i++)
        last = is_of(s, i, object) && s->offset[i] > last ? s->offset[i] : last;
    while (last / segment >= DJ_SEGMENTS_MOST)
        segment *= 2;
    for (uint32_t i = 0; i < s->count; i++)
        if (is_of(s, i, object)) {
            set |= s->offset[i] / segment;
            *offsets += first != DJ_NO_OFFSET && s->offset[i] / segment != first;
            first = s->offset[i] / segment;
        }
    while (set && set % 2 == 0) {
        set /= 2;
        segment *= 2;
    }
    return segment;
}

static void check_map(const stream *s, const dj_element_map *map)
{
    uint64_t different;
    assert_int_equal(map->segment_bytes, expected_segment(s, map->object, &different));
    assert_true(different > 0);
    assert_true(map->count <= DJ_SEGMENTS_MOST && map->list[map->count - 1].accesses > 0);
    for (size_t k = 0; k < map->count; k++) {
        dj_element_segment want = {0};
        for (uint32_t i = 0; i < s->count; i++) {
            if (!is_of(s, i, map->object) || s->offset[i] / map->segment_bytes != k)
                continue;
            want.accesses++;
            want.cold += s->distance[i] == DJ_COLD;
            want.longer += s->distance[i] != DJ_COLD && s->distance[i] >= LONG_FROM;
            want.writes += s->kind[i] != DJ_KIND_READ;
        }
        assert_memory_equal(&want, &map->list[k], sizeof want);
    }
}

static uint64_t accesses_of(const stream *s, uint32_t object)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        count += is_of(s, i, object);
    return count;
}

static void objects_that_grow(void **state)
{
    (void)state;
    enum { OBJECTS = 12, PLACES = 40 };
    // Sizes of elements, and how far the object grows.
    static const uint64_t grain[OBJECTS] = {1, 2, 4, 8, 8, 16, 24, 40, 64, 128, 4096, 1};
    static const uint64_t most[OBJECTS] = {10,   100,  1000,  1023,    1024,    1025,
                                           2000, 9000, 30000, 1 << 20, 1 << 26, 1};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        stream *s = new_stream(PLACES, OBJECTS);
        dj_random random;
        dj_random_seed(&random, seed);
        for (uint32_t i = 0; i < 5000; i++) {
            const uint32_t place = (uint32_t)dj_random_below(&random, PLACES), object = place % OBJECTS;
            const uint64_t reach = 1 + most[object] * (i + 1) / 5000;
            const uint64_t offset = dj_random_below(&random, reach) * grain[object];
            const uint64_t address = dj_random_below(&random, seed % 2 ? 50 : 4000) * BLOCK;
            add(s, place, address, object == 1 ? DJ_NO_OFFSET : offset, (uint8_t)dj_random_below(&random, 3));
        }
        find_distances(s);
        dj_profile *profile = measure_stream(s, seed % 3 == 0);
        const dj_element_maps *e = dj_profile_elements(profile);
        assert_non_null(e);
        assert_int_equal(e->long_from, LONG_FROM);
        assert_int_equal(e->left_out, 0);
        // Object 1 has no offsets, and almost all of object 11 is one byte.
        assert_true(e->count == OBJECTS - 1 || e->count == OBJECTS - 2);
        for (size_t i = 0; i < e->count; i++) {
            assert_int_not_equal(e->maps[i].object, 1);
            check_map(s, &e->maps[i]);
            assert_true(i == 0 || accesses_of(s, e->maps[i].object) <= accesses_of(s, e->maps[i - 1].object));
        }
        dj_profile_destroy(profile);
        free(s);
    }
}

// Objects come in turn, so the first ones are dropped unless they have more accesses.
static void more_objects_than_are_counted(void **state)
{
    (void)state;
    enum { OBJECTS = 3000, OFTEN = 7 };
    stream *s = new_stream(OBJECTS, OBJECTS);
    for (uint32_t object = 0; object < OBJECTS; object++)
        for (uint32_t i = 0; i < (object % OFTEN == 0 ? 40 : 10); i++)
            add(s, object, i % 2 * BLOCK, i * 8, DJ_KIND_READ);
    find_distances(s);
    dj_profile *profile = measure_stream(s, false);
    const dj_element_maps *e = dj_profile_elements(profile);
    assert_int_equal(e->count, DJ_ELEMENT_MAPS_MOST);
    assert_int_equal(e->left_out, OBJECTS - DJ_ELEMENT_MAPS_MOST);
    for (size_t i = 0; i < e->count; i++) {
        assert_int_equal(e->maps[i].object % OFTEN, 0);
        assert_int_equal(e->maps[i].count, 40);
        check_map(s, &e->maps[i]);
    }
    dj_profile_destroy(profile);
    free(s);
}

typedef struct tally {
    uint64_t counts[32768]; // by offset; no object is larger
} tally;

// What the program knows of each access is counted by hand; then segments are sums of that.
static void blocks_that_are_freed_and_reused(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        program *p = calloc(1, sizeof *p);
        assert_non_null(p);
        run_program(p, seed);
        dj_locator *locator;
        const dj_locator_options options = {.lookup = fake, .offsets = true, .fresh_heap = seed % 2};
        dj_source *inner = open_program(p), *outer;
        assert_int_equal(dj_locator_create(context, &options, &locator), DJ_OK);
        assert_int_equal(dj_locator_source(context, locator, inner, &outer), DJ_OK);
        dj_profile *profile = measure(outer, &dj_locator_get(locator)->places, false);
        const dj_element_maps *e = dj_profile_elements(profile);
        size_t heaps = 0;
        for (size_t i = 0; i < e->count; i++) {
            const dj_element_map *map = &e->maps[i];
            const dj_object_id *id = &dj_locator_get(locator)->objects[map->object];
            tally *want = calloc(1, sizeof *want);
            char name[40];
            assert_non_null(want);
            if (id->kind != DJ_OBJECT_HEAP) {
                free(want);
                continue;
            }
            snprintf(name, sizeof name, "heap %u", id->site);
            for (size_t k = 0; k < p->expected_count; k++)
                if (strcmp(p->expected[k].object, name) == 0)
                    want->counts[p->expected[k].offset / map->segment_bytes]++;
            for (size_t k = 0; k < map->count; k++)
                assert_int_equal(map->list[k].accesses, want->counts[k]);
            for (size_t k = map->count; k < DJ_SEGMENTS_MOST; k++)
                assert_int_equal(0, want->counts[k]);
            heaps += id->blocks > 1;
            free(want);
        }
        assert_true(heaps > 5);
        dj_profile_destroy(profile);
        dj_source_close(outer);
        dj_source_close(inner);
        dj_locator_destroy(locator);
        drop_program(p);
    }
}

static void accesses_without_offsets_are_refused(void **state)
{
    (void)state;
    static const dj_source_ops ops = {.next = program_next};
    static const dj_source_info info = {.format = "test", .kind = DJ_CLASS_MEMORY, .default_block = BLOCK};
    static const uint64_t block_bytes = BLOCK;
    const dj_observer_choice observers[] = {{dj_observer_find("elements"), NULL}};
    const dj_pipeline_config config = {
        .blocks = &block_bytes, .block_count = 1, .observers = observers, .observer_count = 1};
    program *p = calloc(1, sizeof *p);
    dj_source *source;
    dj_pipeline *pipeline;
    run_program(p, 3);
    assert_int_equal(dj_source_create(context, &ops, p, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_ERR_USAGE);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    drop_program(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_that_grow),
        cmocka_unit_test(more_objects_than_are_counted),
        cmocka_unit_test(blocks_that_are_freed_and_reused),
        cmocka_unit_test(accesses_without_offsets_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
