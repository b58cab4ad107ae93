// SPDX-License-Identifier: MIT
// Observer `spatial-places` against brute force: random accesses at random
// places, and for each its distance at every block size by looking back.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { ACCESSES = 5000, LANES = 4, PAIRS = LANES - 1, PLACES = 9, CACHES = 3, BLOCK = 16, BLOCKS = 1500 };

static const uint64_t blocks[LANES] = {BLOCK, 2 * BLOCK, 4 * BLOCK, 8 * BLOCK};
// Not at boundaries of bins; the first is one block to the larger lanes.
static const dj_spatial_cache_size caches[CACHES] = {
    {(char *)"tiny", 50}, {(char *)"L1", 1000}, {(char *)"L2", 5000}};

typedef struct stream {
    dj_place_table table;
    dj_place rows[PLACES + 1]; // the last is never used
    uint64_t address[ACCESSES];
    uint32_t place[ACCESSES];
    uint64_t distance[LANES][ACCESSES];
    uint32_t at;
} stream;

// Runs along memory, random and repeated, as in programs.
static stream *make_stream(uint64_t seed)
{
    stream *s = calloc(1, sizeof *s);
    assert_non_null(s);
    dj_random random;
    dj_random_seed(&random, seed);
    s->table.chunks[0] = s->rows;
    s->table.count = PLACES + 1;
    for (uint32_t i = 0, runs = 0; i < ACCESSES; runs++) {
        uint64_t start = dj_random_next(&random) % (BLOCKS * BLOCK), step = dj_random_next(&random) % 40;
        uint64_t run = 1 + dj_random_next(&random) % 200, again = 1 + dj_random_next(&random) % 3;
        uint32_t place = runs < PLACES ? runs : (uint32_t)(dj_random_next(&random) % PLACES);
        for (uint64_t k = 0; k < run * again && i < ACCESSES; k++, i++) {
            s->address[i] = (start + k % run * step) % (BLOCKS * BLOCK);
            s->place[i] = place;
        }
    }
    return s;
}

static void answer(stream *s)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < ACCESSES; i++) {
            bool seen[BLOCKS] = {false};
            uint64_t own = s->address[i] / blocks[lane], between = 0;
            uint32_t j = i;
            while (j > 0 && s->address[j - 1] / blocks[lane] != own) {
                j--;
                between += !seen[s->address[j] / blocks[lane]];
                seen[s->address[j] / blocks[lane]] = true;
            }
            s->distance[lane][i] = j > 0 ? between : DJ_COLD;
        }
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    stream *s = state;
    *out = NULL;
    if (s->at == ACCESSES)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE);
    for (; (*out)->count < 777 && s->at < ACCESSES; s->at++) {
        to.address[(*out)->count] = s->address[s->at];
        to.place[(*out)->count++] = s->place[s->at];
    }
    return DJ_OK;
}

static dj_profile *measure(stream *s)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = BLOCK,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE};
    const dj_places_options places = {.places = &s->table};
    const dj_spatial_options spatial = {caches, CACHES};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &places},
                                            {dj_observer_find("spatial"), &spatial},
                                            {dj_observer_find("spatial-places"), &spatial}};
    const dj_pipeline_config config = {.blocks = blocks,
                                       .block_count = LANES,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = 3};
    dj_source *source;
    dj_pipeline *pipeline;
    dj_profile *profile;
    s->at = 0;
    assert_int_equal(dj_source_create(context, &ops, s, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    return profile;
}

static unsigned bin_of(uint64_t distance)
{
    unsigned bin = 0;
    for (; distance > 0; distance /= 2)
        bin++;
    return bin;
}

static uint64_t limit(size_t cache, unsigned lane)
{
    uint64_t whole = caches[cache].bytes / blocks[lane];
    return whole > 0 ? whole : 1;
}

static void check_bins(const stream *s, uint32_t place, unsigned pair, const dj_spatial_counts *counts)
{
    dj_spatial_count want[DJ_SPATIAL_BINS] = {{0, 0}};
    for (uint32_t i = 0; i < ACCESSES; i++) {
        if (s->place[i] != place || s->distance[pair][i] == DJ_COLD)
            continue;
        unsigned here = bin_of(s->distance[pair][i]), there = bin_of(s->distance[pair + 1][i]);
        want[here].reuses++;
        want[here].effective += here >= 3 && there <= here - 3;
    }
    for (uint32_t bin = 0; bin < DJ_SPATIAL_BINS; bin++) {
        bool held = bin >= counts->bin_first && bin - counts->bin_first < counts->bin_count;
        dj_spatial_count none = {0, 0}, have = held ? counts->bins[bin - counts->bin_first] : none;
        assert_int_equal(have.reuses, want[bin].reuses);
        assert_int_equal(have.effective, want[bin].effective);
    }
}

static void check_caches(const stream *s, uint32_t place, unsigned pair, const dj_spatial_counts *counts)
{
    for (size_t k = 0; k < CACHES; k++) {
        dj_spatial_cache want = {{0, 0}, {0, 0}};
        for (uint32_t i = 0; i < ACCESSES; i++) {
            uint64_t distance = s->distance[pair][i];
            if (s->place[i] != place || distance == DJ_COLD || distance < limit(k, pair))
                continue;
            bool effective = s->distance[pair + 1][i] < limit(k, pair + 1);
            bool own = k + 1 == CACHES || distance < limit(k + 1, pair);
            want.all.reuses++;
            want.all.effective += effective;
            want.own.reuses += own;
            want.own.effective += own && effective;
        }
        assert_memory_equal(&counts->caches[k], &want, sizeof want);
    }
}

static void every_count_is_that_of_brute_force(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        stream *s = make_stream(seed);
        answer(s);
        dj_profile *profile = measure(s);
        const dj_attribution *a = dj_profile_attribution(profile);
        for (uint32_t place = 0; place < PLACES; place++)
            for (unsigned pair = 0; pair < PAIRS; pair++) {
                check_bins(s, place, pair, &a->places[place].tally.spatial->pairs[pair]);
                check_caches(s, place, pair, &a->places[place].tally.spatial->pairs[pair]);
            }
        assert_null(a->places[PLACES].tally.spatial);
        dj_profile_destroy(profile);
        free(s);
    }
}

static void places_add_up_to_the_map(void **state)
{
    (void)state;
    stream *s = make_stream(7);
    dj_profile *profile = measure(s);
    dj_tally sum = {0};
    for (uint32_t place = 0; place < PLACES; place++)
        assert_int_equal(dj_tally_add(&sum, context, &dj_profile_attribution(profile)->places[place].tally),
                         DJ_OK);
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        const dj_spatial_counts *counts = &sum.spatial->pairs[pair];
        const dj_spatial_pair *whole = &dj_profile_spatial(profile)->pairs[pair];
        for (uint32_t i = 0; i < counts->bin_count; i++) {
            dj_spatial_count row = dj_spatial_row(whole, counts->bin_first + i);
            assert_memory_equal(&counts->bins[i], &row, sizeof row);
        }
        dj_spatial_count all = dj_spatial_whole(whole), own = dj_spatial_all(counts);
        assert_memory_equal(&own, &all, sizeof all);
        assert_memory_equal(counts->caches, whole->caches, CACHES * sizeof *whole->caches);
    }
    dj_tally_free(&sum);
    dj_profile_destroy(profile);
    free(s);
}

static void it_needs_places_before_it_and_blocks_that_double(void **state)
{
    (void)state;
    const uint64_t bad[] = {16, 48};
    static const dj_place_table none = {0};
    const dj_places_options places = {.places = &none};
    const dj_observer_choice observers[] = {{dj_observer_find("spatial-places"), NULL},
                                            {dj_observer_find("places"), &places}};
    dj_pipeline_config config = {
        .blocks = bad, .block_count = 2, .observers = observers, .observer_count = 2, .tag = DJ_TAG_PLACE};
    dj_pipeline *pipeline = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "48 after 16"));
    config.blocks = blocks;
    config.observer_count = 1;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "needs section 'attribution'"));
    assert_non_null(strstr(dj_context_message(context), "add places"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_is_that_of_brute_force),
        cmocka_unit_test(places_add_up_to_the_map),
        cmocka_unit_test(it_needs_places_before_it_and_blocks_that_double),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
