// SPDX-License-Identifier: MIT
// The ranges of places of a run that was traced in bursts. The whole run is a list of accesses whose misses
// are found by searching an LRU stack. Many random choices of bursts of it go through the pipeline; the
// ranges must contain the misses of the whole, and be narrow where the bursts are many.
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
    ACCESSES = 240000,
    FIRST = 2000, // accesses of the first burst
    STEP = 3400,  // of an interval
    SHARE = 10,   // one in so many is traced
    PLACES = 9,
    CUTS = 2,
    KEYS = 600,
    BLOCK = 64,
    TRIALS = 200,
    RARE_FROM = 100000, // a place that is accessed only in a short part of the run
    RARE_END = 100900,
};

enum { LOOP, RANDOM, SMALL, HALF_LOOP, HALF_RANDOM, STARTS, RARE, SELDOM, NEVER };

static const uint64_t cuts[CUTS] = {16, 100};

typedef struct run {
    uint16_t key[ACCESSES];
    uint8_t place[ACCESSES];
    uint64_t exact[PLACES + 1][CUTS + 1]; // misses and accesses; the last row is of all
} run;

static run whole;

static uint8_t choose_place(uint64_t r, uint32_t i)
{
    if (i < FIRST / 2)
        return STARTS;
    if (i >= RARE_FROM && i < RARE_END)
        return RARE;
    if (r % 1024 < 8)
        return SELDOM;
    if (r % 7 < 2)
        return LOOP;
    if (r % 7 < 4)
        return RANDOM;
    if (r % 7 < 5)
        return SMALL;
    return i / 20000 % 2 ? HALF_LOOP : HALF_RANDOM; // in phases
}

static uint16_t choose_key(uint64_t r, uint32_t i, uint8_t place)
{
    switch (place) {
    case LOOP:
        return (uint16_t)(i / 4 % 60);
    case SMALL:
        return (uint16_t)(60 + r % 5);
    case HALF_LOOP:
        return (uint16_t)(100 + i / 4 % 90);
    case HALF_RANDOM:
        return (uint16_t)(100 + r % 300);
    default:
        return (uint16_t)(65 + r % (KEYS - 65));
    }
}

static void make_run(run *r)
{
    static uint16_t stack[KEYS];
    dj_random random;
    uint32_t depth = 0;
    dj_random_seed(&random, 7);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const uint8_t place = choose_place(dj_random_next(&random) >> 7, i);
        const uint16_t key = choose_key(dj_random_next(&random) >> 7, i, place);
        uint32_t at = 0;
        while (at < depth && stack[at] != key)
            at++;
        for (uint32_t c = 0; c <= CUTS; c++) {
            const bool counts = c == CUTS || at == depth || at >= cuts[c];
            r->exact[place][c] += counts;
            r->exact[PLACES][c] += counts;
        }
        depth += at == depth;
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = key;
        r->key[i] = key;
        r->place[i] = place;
    }
}

// Hands out one burst per batch.
typedef struct sampler {
    const run *run;
    dj_random random;
    dj_place_table table;
    dj_place rows[PLACES];
    uint32_t at, next, number; // the current position, the end of its interval, and the number of gaps
} sampler;

static uint32_t pick(sampler *s, uint32_t *count)
{
    if (s->at == 0) {
        s->next = *count = FIRST;
        return 0;
    }
    const uint32_t begin = s->next, usual = begin / STEP % 8 == 7 ? 4 * STEP : STEP;
    const uint32_t length = begin + usual < ACCESSES ? usual : ACCESSES - begin;
    *count = length / SHARE;
    s->next = begin + length;
    return begin + (uint32_t)(dj_random_next(&s->random) % (length - *count + 1));
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    sampler *s = state;
    *out = NULL;
    if (s->next == ACCESSES)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    uint32_t count = 0;
    const uint32_t from = pick(s, &count);
    const dj_event begin = {0, DJ_EVENT_GAP, 0, from - s->at, 0, ""};
    const dj_event end = {count, DJ_EVENT_GAP, 0, 0, count, ""};
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE | DJ_COLUMN_DEVICE);
    if (from > 0) {
        err = dj_batch_add_event(ctx, *out, &begin);
        s->number++;
    }
    for (uint32_t i = 0; i < count; i++) {
        to.address[i] = (uint64_t)s->run->key[from + i] * BLOCK;
        to.place[i] = s->run->place[from + i];
        to.device[i] = s->number;
    }
    (*out)->count = count;
    s->at = from + count;
    s->number++;
    if (!err)
        err = dj_batch_add_event(ctx, *out, &end);
    if (!err && s->next == ACCESSES) {
        const dj_event rest = {count, DJ_EVENT_GAP, 0, ACCESSES - s->at, 0, ""};
        err = dj_batch_add_event(ctx, *out, &rest);
    }
    return err;
}

// What a measurement adds, so that the profile can be saved.
static void name(dj_attribution *a)
{
    assert_int_equal(a->cut_count, CUTS);
    for (uint32_t c = 0; c < CUTS; c++) {
        free(a->cuts[c].name);
        a->cuts[c].name = strdup(c ? "L2" : "L1");
    }
    for (size_t i = 0; i < a->site_count; i++) {
        dj_site_row *site = &a->sites[i];
        site->module = site->function = site->file = site->loop = site->inlined = DJ_NOWHERE;
    }
    for (size_t i = 0; i < a->object_count; i++)
        a->objects[i].file = a->objects[i].cct_node = DJ_NOWHERE;
    a->cct[0].parent = a->cct[0].function = a->cct[0].call_site = DJ_NOWHERE;
}

static dj_profile *sample(const run *r, uint64_t seed)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = BLOCK,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE | DJ_COLUMN_DEVICE};
    static const uint64_t block = BLOCK;
    sampler s = {.run = r};
    const dj_places_options options = {.places = &s.table, .cuts = cuts, .cut_count = CUTS};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &options},
                                            {dj_observer_find("histogram"), NULL},
                                            {dj_observer_find("traffic"), NULL},
                                            {dj_observer_find("tracing"), NULL},
                                            {dj_observer_find("spread"), &options}};
    const dj_pipeline_config config = {.blocks = &block,
                                       .block_count = 1,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = sizeof observers / sizeof *observers};
    dj_source *source;
    dj_pipeline *pipeline;
    dj_profile *profile;
    dj_random_seed(&s.random, seed);
    for (uint32_t i = 0; i < PLACES; i++)
        s.rows[i] = (dj_place){i % NEVER, 0, 0, 0};
    s.table.chunks[0] = s.rows;
    s.table.count = PLACES;
    assert_int_equal(dj_source_create(context, &ops, &s, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    name(dj_profile_attribution(profile));
    return profile;
}

typedef struct score {
    uint32_t inside;
    double width; // relative to the exact number
} score;

static void judge(const run *r, const dj_profile *profile, const dj_tally *tally, size_t row, score *scores)
{
    for (size_t c = 0; c <= CUTS; c++) {
        dj_row_range range;
        const double exact = (double)r->exact[row][c];
        assert_true(dj_tally_range(profile, tally, c, &range));
        assert_true(range.low <= range.high && range.low >= 0);
        scores[c].inside += range.low <= exact && exact <= range.high;
        scores[c].width += (range.high - range.low) / fmax(exact, 1) / TRIALS;
    }
}

// A tenth of the run is traced, in about 60 bursts: what happens all the time is known well, what happens in
// phases less so. What happens once is at least not everything.
static void check_widths(score scores[][CUTS + 1])
{
    assert_true(scores[LOOP][0].width < 0.2 && scores[RANDOM][0].width < 0.2 && scores[SMALL][0].width < 0.3);
    assert_true(scores[LOOP][1].width < 0.6 && scores[RANDOM][1].width < 0.6);
    assert_true(scores[SELDOM][0].width < 1);
    assert_true(scores[HALF_LOOP][0].width < 2 && scores[HALF_RANDOM][0].width < 2);
    assert_true(scores[PLACES][0].width < 0.2);
    assert_true(scores[NEVER][0].width < ACCESSES / 10.0);
}

static void ranges_contain_the_truth(void **state)
{
    (void)state;
    score scores[PLACES + 1][CUTS + 1] = {0};
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        dj_profile *profile = sample(&whole, seed);
        const dj_attribution *a = dj_profile_attribution(profile);
        dj_tally all = {0}, none = {0};
        for (size_t i = 0; i < PLACES; i++) {
            const dj_tally *tally = i < a->place_count ? &a->places[i].tally : &none;
            judge(&whole, profile, tally, i, scores[i]);
            assert_int_equal(dj_tally_add(&all, context, tally), DJ_OK);
        }
        judge(&whole, profile, &all, PLACES, scores[PLACES]);
        dj_tally_free(&all);
        dj_profile_destroy(profile);
    }
    for (size_t i = 0; i <= PLACES; i++)
        for (size_t c = 0; c <= CUTS; c++)
            assert_true(scores[i][c].inside >= TRIALS * 95 / 100);
    check_widths(scores);
}

static dj_profile *save_and_load(const dj_profile *profile, bool columns, int expected)
{
    dj_profile *again = NULL;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(columns ? dj_profile_save_columns(context, profile, out)
                             : dj_profile_save(context, profile, DJ_BINS_EXACT, 0, out),
                     DJ_OK);
    fclose(out);
    FILE *in = fmemopen(text, bytes, "r");
    assert_non_null(in);
    assert_int_equal(dj_profile_load(context, in, "p", &again), expected);
    fclose(in);
    free(text);
    return again;
}

static void saved_ranges_stay(void **state)
{
    (void)state;
    dj_profile *profile = sample(&whole, 3);
    const dj_attribution *a = dj_profile_attribution(profile);
    for (int columns = 0; columns < 2; columns++) {
        dj_profile *again = save_and_load(profile, columns, DJ_OK);
        const dj_attribution *b = dj_profile_attribution(again);
        assert_int_equal(b->place_count, a->place_count);
        for (size_t i = 0; i < a->place_count; i++)
            for (size_t c = 0; c <= CUTS; c++) {
                dj_row_range one, other;
                assert_true(dj_tally_range(profile, &a->places[i].tally, c, &one));
                assert_true(dj_tally_range(again, &b->places[i].tally, c, &other));
                assert_true(one.low == other.low && one.high == other.high);
            }
        dj_profile_destroy(again);
    }
    dj_profile_destroy(profile);
}

static void impossible_bursts_are_refused(void **state)
{
    (void)state;
    dj_profile *profile = sample(&whole, 4);
    dj_tracing *tracing = dj_lane_section(&profile->lanes[0], &dj_section_tracing);
    dj_spread *spread = dj_profile_attribution(profile)->places[LOOP].tally.spread;
    for (int columns = 0; columns < 2; columns++) {
        spread->counts[1] += tracing->accesses; // more than there are
        save_and_load(profile, columns, DJ_ERR_INPUT);
        spread->counts[1] -= tracing->accesses;
        tracing->group_count--;
        save_and_load(profile, columns, DJ_ERR_INPUT);
        tracing->group_count++;
        tracing->weight = 0.5;
        save_and_load(profile, columns, DJ_ERR_INPUT);
        tracing->weight = 10;
        dj_profile_destroy(save_and_load(profile, columns, DJ_OK));
    }
    dj_profile_destroy(profile);
}

static void wide_ranges_are_weak(void **state)
{
    (void)state;
    // Of 100: wider than the estimate and than 10.
    assert_true(dj_range_is_weak(&(dj_row_range){1, 98}, 69, 100));
    assert_true(dj_range_is_weak(&(dj_row_range){2, 23}, 16, 100));
    assert_false(dj_range_is_weak(&(dj_row_range){47, 69}, 58, 100));
    assert_false(dj_range_is_weak(&(dj_row_range){0, 7}, 1, 100)); // at least it is small
}

static int prepare(void **state)
{
    make_run(&whole);
    return make_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_contain_the_truth),
        cmocka_unit_test(saved_ranges_stay),
        cmocka_unit_test(impossible_bursts_are_refused),
        cmocka_unit_test(wide_ranges_are_weak),
    };
    return cmocka_run_group_tests(tests, prepare, drop_context);
}
