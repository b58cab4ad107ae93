// SPDX-License-Identifier: MIT
// Observer `places` against brute force: random accesses at random places, and
// for each the distance by looking back through all of them.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum {
    ACCESSES = 6000,
    BLOCK = 64,
    SITES = 5,
    CONTEXTS = 4,
    OBJECTS = 6,
    THREADS = 3,
    PLACES = SITES * CONTEXTS * OBJECTS,
    CUT_COUNT = 4,
};

static const uint64_t cuts[CUT_COUNT] = {5, 70, 333, 340}; // the last two within one eighth of an octave

typedef struct stream {
    dj_place_table table;
    dj_place rows[PLACES];
    uint64_t address[ACCESSES];
    uint32_t place[ACCESSES];
    uint8_t kind[ACCESSES];
    uint64_t distance[ACCESSES];
    uint32_t previous[ACCESSES]; // access, ACCESSES: none
    uint32_t at;
} stream;

static void make_stream(stream *s, uint64_t seed)
{
    dj_random random;
    dj_random_seed(&random, seed);
    for (uint32_t i = 0; i < PLACES; i++)
        s->rows[i] =
            (dj_place){i % SITES, i / SITES % CONTEXTS, i / SITES / CONTEXTS, i / SITES % CONTEXTS % THREADS};
    s->table.chunks[0] = s->rows;
    s->table.count = PLACES;
    for (uint32_t i = 0; i < ACCESSES; i++) {
        uint64_t r = dj_random_next(&random);
        uint64_t range = r % 3 == 0 ? 4 : r % 3 == 1 ? 100 : 900;
        s->address[i] = dj_random_next(&random) % (range * BLOCK);
        s->place[i] = (uint32_t)(dj_random_next(&random) % PLACES);
        s->kind[i] = (uint8_t)(dj_random_next(&random) % 3);
    }
}

static uint64_t block_of(const stream *s, uint32_t i)
{
    return s->address[i] / BLOCK;
}

static void answer(stream *s)
{
    for (uint32_t i = 0; i < ACCESSES; i++) {
        bool seen[901] = {false};
        uint64_t distance = 0;
        uint32_t j = i;
        while (j > 0 && block_of(s, j - 1) != block_of(s, i)) {
            j--;
            distance += !seen[block_of(s, j)];
            seen[block_of(s, j)] = true;
        }
        s->previous[i] = j > 0 ? j - 1 : ACCESSES;
        s->distance[i] = j > 0 ? distance : DJ_COLD;
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
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE | DJ_COLUMN_KIND);
    for (; (*out)->count < 777 && s->at < ACCESSES; s->at++) {
        to.address[(*out)->count] = s->address[s->at];
        to.place[(*out)->count] = s->place[s->at];
        to.kind[(*out)->count++] = s->kind[s->at];
    }
    return DJ_OK;
}

static dj_profile *measure(stream *s, bool threaded)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = BLOCK,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE | DJ_COLUMN_KIND};
    static const uint64_t block = BLOCK;
    const dj_places_options options = {.places = &s->table, .cuts = cuts, .cut_count = CUT_COUNT};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &options}};
    const dj_pipeline_config config = {.blocks = &block,
                                       .block_count = 1,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = 1,
                                       .observer_threads = threaded};
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

// The accesses that a tally should contain: those at `to`, and for a pair the long reuses whose previous
// use was at `from`.
static bool belongs(const stream *s, uint32_t i, uint32_t from, uint32_t to)
{
    if (s->place[i] != to)
        return false;
    return from == DJ_NOWHERE ||
           (s->distance[i] != DJ_COLD && s->distance[i] >= cuts[0] && s->place[s->previous[i]] == from);
}

static void check_bins(const stream *s, const dj_attribution *a, const dj_tally *t, uint32_t from,
                       uint32_t to)
{
    for (uint32_t bin = 0; bin < a->edge_count; bin++) {
        uint64_t expected = 0;
        uint64_t end = bin + 1 < a->edge_count ? a->edges[bin + 1] : UINT64_MAX;
        for (uint32_t i = 0; i < ACCESSES; i++)
            expected += belongs(s, i, from, to) && s->distance[i] >= a->edges[bin] && s->distance[i] < end;
        bool held = bin >= t->bin_first && bin - t->bin_first < t->bin_count;
        assert_int_equal(held ? t->bins[bin - t->bin_first] : 0, expected);
    }
}

static void check_tally(const stream *s, const dj_attribution *a, const dj_tally *t, uint32_t from,
                        uint32_t to)
{
    uint64_t n = 0, cold = 0, writes = 0, sum = 0, squares = 0, least = UINT64_MAX, most = 0;
    uint64_t misses[CUT_COUNT] = {0};
    for (uint32_t i = 0; i < ACCESSES; i++) {
        if (!belongs(s, i, from, to))
            continue;
        uint64_t d = s->distance[i];
        n++;
        writes += s->kind[i] != DJ_KIND_READ;
        cold += d == DJ_COLD;
        for (unsigned c = 0; c < CUT_COUNT; c++)
            misses[c] += d >= cuts[c];
        if (d == DJ_COLD)
            continue;
        sum += d;
        squares += d * d;
        least = d < least ? d : least;
        most = d > most ? d : most;
    }
    assert_int_equal(t->accesses, n);
    assert_int_equal(t->cold, cold);
    assert_int_equal(t->writes, writes);
    assert_int_equal(t->sum, sum);
    assert_int_equal(t->square_low, squares);
    assert_int_equal(t->square_high, 0);
    assert_int_equal(t->min, least == UINT64_MAX ? 0 : least);
    assert_int_equal(t->max, most);
    for (unsigned c = 0; c < CUT_COUNT; c++)
        assert_true(dj_tally_misses(t, a, cuts[c]) == (double)misses[c]);
    check_bins(s, a, t, from, to);
}

static void check_distinct(const stream *s, const dj_attribution *a)
{
    uint64_t objects[OBJECTS] = {0}, threads[THREADS] = {0};
    for (uint32_t block = 0; block <= 900; block++) {
        bool object[OBJECTS] = {false}, thread[THREADS] = {false};
        for (uint32_t i = 0; i < ACCESSES; i++)
            if (block_of(s, i) == block)
                object[s->rows[s->place[i]].object] = thread[s->rows[s->place[i]].thread] = true;
        for (unsigned k = 0; k < OBJECTS; k++)
            objects[k] += object[k];
        for (unsigned k = 0; k < THREADS; k++)
            threads[k] += thread[k];
    }
    for (unsigned k = 0; k < OBJECTS; k++)
        assert_int_equal(a->objects[k].distinct, objects[k]);
    for (unsigned k = 0; k < THREADS; k++)
        assert_int_equal(a->threads[k].distinct, threads[k]);
}

static void check_sketches(const stream *s, const dj_attribution *a)
{
    for (uint32_t site = 0; site < SITES; site++) {
        bool seen[901] = {false};
        double blocks = 0;
        for (uint32_t i = 0; i < ACCESSES; i++)
            if (s->rows[s->place[i]].site == site && !seen[block_of(s, i)]) {
                seen[block_of(s, i)] = true;
                blocks++;
            }
        // Four standard errors.
        assert_true(fabs(dj_sketch_count(a->sites[site].sketch) / blocks - 1) < 0.26);
    }
}

static void every_number_is_that_of_brute_force(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        stream *s = calloc(1, sizeof *s);
        assert_non_null(s);
        make_stream(s, seed);
        answer(s);
        dj_profile *profile = measure(s, seed % 2);
        const dj_attribution *a = dj_profile_attribution(profile);
        assert_int_equal(a->place_count, PLACES);
        uint64_t in_pairs = 0, long_reuses = 0;
        for (uint32_t i = 0; i < PLACES; i++)
            check_tally(s, a, &a->places[i].tally, DJ_NOWHERE, i);
        for (size_t i = 0; i < a->pair_count; i += 97)
            check_tally(s, a, &a->pairs[i].tally, a->pairs[i].from, a->pairs[i].to);
        for (size_t i = 0; i < a->pair_count; i++)
            in_pairs += a->pairs[i].tally.accesses;
        for (uint32_t i = 0; i < ACCESSES; i++)
            long_reuses += s->distance[i] != DJ_COLD && s->distance[i] >= cuts[0];
        assert_int_equal(in_pairs, long_reuses);
        for (uint32_t i = 0; i < PLACES; i++) {
            uint64_t longest = 0;
            for (uint32_t k = 0; k < ACCESSES; k++)
                if (s->place[k] == i && s->address[k] == a->places[i].address && s->distance[k] != DJ_COLD &&
                    s->distance[k] > longest)
                    longest = s->distance[k];
            assert_int_equal(longest, a->places[i].tally.max);
        }
        check_distinct(s, a);
        check_sketches(s, a);
        dj_profile_destroy(profile);
        free(s);
    }
}

// Values around all edges of the bins, cuts among them.
static void bins_hold_what_their_edges_say(void **state)
{
    (void)state;
    stream *s = calloc(1, sizeof *s);
    assert_non_null(s);
    make_stream(s, 9);
    dj_profile *profile = measure(s, false);
    const dj_attribution *a = dj_profile_attribution(profile);
    for (unsigned c = 0; c < CUT_COUNT; c++) {
        bool found = false;
        for (size_t i = 0; i < a->edge_count; i++)
            found = found || a->edges[i] == cuts[c];
        assert_true(found);
    }
    for (size_t i = 1; i < a->edge_count; i++) {
        assert_true(a->edges[i] > a->edges[i - 1]);
        // An eighth of an octave, or one value.
        if (a->edges[i - 1] >= 16)
            assert_true((double)a->edges[i] / (double)a->edges[i - 1] <= 1.126);
        else
            assert_int_equal(a->edges[i], a->edges[i - 1] + 1);
    }
    dj_profile_destroy(profile);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_that_of_brute_force),
        cmocka_unit_test(bins_hold_what_their_edges_say),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
