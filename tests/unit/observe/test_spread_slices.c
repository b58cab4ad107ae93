// SPDX-License-Identifier: MIT
// The ranges of places of a run of which a sample of the blocks was analyzed. Distances in the whole run are
// counted with a tree of last accesses. Many samples of it go through the pipeline; the ranges must contain
// the misses and accesses of the whole, and be narrow where many blocks miss. Environment: SEEDS, for more
// samples.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "base/sample.h"
#include "filter/sample_options.h"
#include "support/context.h"
#include "support/sanitized.h"

enum {
    ACCESSES = 300000,
    KEYS = 40000,
    BLOCK = 64,
    PLACES = 10,
    CUTS = 3,
    TRIALS = 200 / SANITIZED_SHARE,
    WEIGHT_LOG2 = 4,
};

// SWEEP: an array that does not fit. ANY: random. TABLE: a few blocks, between others. HOT: one block. MIXED:
// one block and an array. PHASE: an array in every other phase. FIRST: cold accesses. RARE: in one part of
// the run. SELDOM: random, one in 300. NEVER: none.
enum { SWEEP, ANY, TABLE, HOT, MIXED, PHASE, FIRST, RARE, SELDOM, NEVER };

static const uint64_t cuts[CUTS] = {64, 1024, 8192};

typedef struct run {
    uint32_t key[ACCESSES];
    uint8_t place[ACCESSES];
    uint64_t exact[PLACES + 1][CUTS + 1]; // misses and accesses; the last row is of all
    uint64_t cold[PLACES];
} run;

static run whole;

static uint8_t choose_place(uint64_t r, uint32_t i)
{
    if (i >= 100000 && i < 103000)
        return RARE;
    if (r % 300 == 0)
        return SELDOM;
    if (r % 32 == 1)
        return FIRST;
    if (r % 8 < 2)
        return SWEEP;
    if (r % 8 < 3)
        return ANY;
    if (r % 8 < 4)
        return TABLE;
    if (r % 8 < 5)
        return MIXED;
    return r % 8 < 6 && i / 30000 % 2 ? PHASE : HOT;
}

static uint32_t choose_key(uint64_t r, uint8_t place, uint32_t nth)
{
    switch (place) {
    case SWEEP:
        return 100 + nth % 9000;
    case TABLE:
        return (uint32_t)(r % 60);
    case HOT:
        return 60;
    case MIXED:
        return r % 2 ? 61 : 10000 + nth % 5000;
    case PHASE:
        return 15000 + nth % 3000;
    case FIRST:
        return 28000 + nth % 12000;
    case RARE:
        return (uint32_t)(18000 + r % 500);
    default:
        return (uint32_t)(20000 + r % 8000);
    }
}

// Of last accesses, by time.
static uint32_t tree[ACCESSES + 1];

static void mark(uint32_t at, uint32_t by)
{
    for (at++; at <= ACCESSES; at += at & -at)
        tree[at] += by;
}

static uint32_t marked_before(uint32_t at)
{
    uint32_t sum = 0;
    for (; at > 0; at -= at & -at)
        sum += tree[at];
    return sum;
}

static void make_run(run *r)
{
    static uint32_t last[KEYS], nth[PLACES]; // last: + 1
    dj_random random;
    dj_random_seed(&random, 11);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const uint8_t place = choose_place(dj_random_next(&random) >> 7, i);
        const uint32_t key = choose_key(dj_random_next(&random) >> 7, place, nth[place]++);
        const bool cold = last[key] == 0;
        const uint64_t distance = cold ? 0 : marked_before(i) - marked_before(last[key]);
        for (uint32_t c = 0; c <= CUTS; c++) {
            const bool counts = c == CUTS || cold || distance >= cuts[c];
            r->exact[place][c] += counts;
            r->exact[PLACES][c] += counts;
        }
        r->cold[place] += cold;
        if (!cold)
            mark(last[key] - 1, UINT32_MAX);
        mark(i, 1);
        last[key] = i + 1;
        r->key[i] = key;
        r->place[i] = place;
    }
}

typedef struct player {
    const run *run;
    uint32_t at;
    dj_place_table table;
    dj_place rows[PLACES];
} player;

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    player *s = state;
    *out = NULL;
    if (s->at == ACCESSES)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE);
    for (; (*out)->count < DJ_BATCH_CAPACITY && s->at < ACCESSES; s->at++, (*out)->count++) {
        to.address[(*out)->count] = (uint64_t)s->run->key[s->at] * BLOCK;
        to.place[(*out)->count] = s->run->place[s->at];
    }
    return DJ_OK;
}

// What a measurement adds, so that the profile can be saved.
static void name(dj_attribution *a)
{
    for (uint32_t c = 0; c < CUTS; c++) {
        free(a->cuts[c].name);
        a->cuts[c].name = strdup(c == 0 ? "L1" : c == 1 ? "L2" : "L3");
    }
    for (size_t i = 0; i < a->site_count; i++) {
        dj_site_row *site = &a->sites[i];
        site->module = site->function = site->file = site->loop = site->inlined = DJ_NOWHERE;
    }
    for (size_t i = 0; i < a->object_count; i++)
        a->objects[i].file = a->objects[i].cct_node = DJ_NOWHERE;
    if (a->cct_count)
        a->cct[0].parent = a->cct[0].function = a->cct[0].call_site = DJ_NOWHERE;
}

static dj_profile *measure(const run *r, const char *rate, uint64_t seed)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {.format = "test",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = BLOCK,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_PLACE};
    static const uint64_t block = BLOCK;
    player s = {.run = r};
    const dj_sample_options values = {rate, seed, NULL};
    const dj_filter_choice filter = {dj_filter_find("sample"), &values};
    const dj_lane_group group = {
        .blocks = &block, .block_count = 1, .filters = &filter, .filter_count = rate ? 1 : 0};
    const dj_places_options options = {.places = &s.table, .cuts = cuts, .cut_count = CUTS};
    const dj_observer_choice observers[] = {
        {dj_observer_find("places"), &options}, {dj_observer_find("histogram"), NULL},
        {dj_observer_find("traffic"), NULL},    {dj_observer_find("sample"), NULL},
        {dj_observer_find("bursts"), NULL},     {dj_observer_find("slices"), &options}};
    const dj_pipeline_config config = {.blocks = &block,
                                       .block_count = 1,
                                       .groups = &group,
                                       .group_count = 1,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = sizeof observers / sizeof *observers};
    dj_source *source;
    dj_pipeline *pipeline;
    dj_profile *profile;
    for (uint32_t i = 0; i < PLACES; i++)
        s.rows[i] = (dj_place){i % NEVER, 0, 0, 0}; // sites and objects have numbers in use
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
    double mean;  // of the estimates
} score;

static void judge(const run *r, const dj_profile *profile, const dj_tally *tally, size_t row, uint32_t trials,
                  score *scores)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    for (size_t c = 0; c <= CUTS; c++) {
        dj_row_range range;
        const double exact = (double)r->exact[row][c];
        assert_true(dj_tally_range(profile, tally, c, &range));
        assert_true(range.low <= range.high && range.low >= 0);
        scores[c].inside += range.low <= exact && exact <= range.high;
        scores[c].width += (range.high - range.low) / fmax(exact, 1) / trials;
        scores[c].mean += (c < CUTS ? dj_tally_misses(tally, a, cuts[c]) : (double)tally->accesses) /
                          fmax(exact, 1) / trials;
    }
}

static uint32_t count_trials(void)
{
    const char *seeds = getenv("SEEDS");
    return seeds ? (uint32_t)strtoul(seeds, NULL, 10) : TRIALS;
}

static void print_scores(score scores[][CUTS + 1], uint32_t trials)
{
    for (size_t i = 0; getenv("SEEDS") && i <= PLACES; i++)
        for (size_t c = 0; c <= CUTS; c++)
            printf("place %zu, %s %zu: %u of %u inside, width %.2f, mean %.3f\n", i, c < CUTS ? "cut" : "all",
                   c, scores[i][c].inside, trials, scores[i][c].width, scores[i][c].mean);
}

// Misses of many blocks are known well, and estimates are right on average. Cuts are far enough apart from
// what is swept that the mean is not that of a cliff.
static void check_widths(score scores[][CUTS + 1])
{
    assert_true(scores[SWEEP][1].width < 0.6 && scores[ANY][1].width < 0.8 && scores[MIXED][1].width < 0.8);
    assert_true(scores[PLACES][1].width < 0.4 && scores[SELDOM][1].width < 4);
    for (size_t i = 0; i <= PLACES; i++)
        if (i == SWEEP || i == ANY || i == MIXED || i == PHASE || i == FIRST || i == PLACES)
            assert_true(fabs(scores[i][1].mean - 1) < 0.05);
}

static void ranges_contain_the_truth(void **state)
{
    (void)state;
    static score scores[PLACES + 1][CUTS + 1];
    const uint32_t trials = count_trials();
    for (uint64_t seed = 0; seed < trials; seed++) {
        dj_profile *profile = measure(&whole, "6.25%", seed);
        const dj_attribution *a = dj_profile_attribution(profile);
        dj_tally all = {0}, none = {0};
        assert_int_equal(dj_lane_sample(&profile->lanes[0])->weight_log2, WEIGHT_LOG2);
        for (size_t i = 0; i < PLACES; i++) {
            const dj_tally *tally = i < a->place_count ? &a->places[i].tally : &none;
            judge(&whole, profile, tally, i, trials, scores[i]);
            assert_int_equal(dj_tally_add(&all, context, tally), DJ_OK);
        }
        judge(&whole, profile, &all, PLACES, trials, scores[PLACES]);
        dj_tally_free(&all);
        dj_profile_destroy(profile);
    }
    print_scores(scores, trials);
    for (size_t i = 0; i <= PLACES; i++)
        for (size_t c = 0; c <= CUTS; c++)
            assert_true(scores[i][c].inside * 100 >= trials * 95);
    if (trials >= TRIALS)
        check_widths(scores);
}

// Tallies are those of the sampled blocks, each access counted as often as its block.
static void counts_are_weighed(void **state)
{
    (void)state;
    dj_profile *profile = measure(&whole, "6.25%", 5);
    const dj_attribution *a = dj_profile_attribution(profile);
    for (uint32_t place = 0; place < NEVER; place++) {
        uint64_t accesses = 0, writes = 0;
        for (uint32_t i = 0; i < ACCESSES; i++)
            accesses +=
                whole.place[i] == place && dj_sample_has(dj_sample_hash(whole.key[i], 5), WEIGHT_LOG2);
        assert_int_equal(a->places[place].tally.accesses, accesses << WEIGHT_LOG2);
        assert_int_equal(a->places[place].tally.writes, writes);
    }
    assert_int_equal(profile->accesses, ACCESSES);
    dj_profile_destroy(profile);
}

static void all_blocks_are_exact(void **state)
{
    (void)state;
    dj_profile *profile = measure(&whole, "100%", 1);
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_row_range range;
    assert_true(profile->provenance.exact);
    for (size_t i = 0; i < NEVER; i++) {
        const dj_tally *tally = &a->places[i].tally;
        assert_int_equal(tally->cold, whole.cold[i]);
        assert_int_equal(tally->accesses, whole.exact[i][CUTS]);
        for (size_t c = 0; c < CUTS; c++)
            assert_true(dj_tally_misses(tally, a, cuts[c]) == (double)whole.exact[i][c]);
        assert_false(dj_tally_range(profile, tally, 0, &range));
    }
    dj_profile_destroy(profile);
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
    if (dj_profile_load(context, in, "p", &again) != expected)
        fail_msg("%s", dj_context_message(context));
    fclose(in);
    free(text);
    return again;
}

static void saved_ranges_stay(void **state)
{
    (void)state;
    dj_profile *profile = measure(&whole, "6.25%", 3);
    const dj_attribution *a = dj_profile_attribution(profile);
    for (int columns = 0; columns < 2; columns++) {
        dj_profile *again = save_and_load(profile, columns, DJ_OK);
        const dj_attribution *b = dj_profile_attribution(again);
        for (size_t i = 0; i < a->place_count; i++)
            for (size_t c = 0; c <= CUTS; c++) {
                dj_row_range one, other;
                assert_true(dj_tally_range(profile, &a->places[i].tally, c, &one));
                assert_true(dj_tally_range(again, &b->places[i].tally, c, &other));
                assert_true(one.low == other.low && one.high == other.high);
            }
        dj_profile_destroy(again);
        // More than the sample has.
        dj_spread *spread = dj_profile_attribution(profile)->places[SWEEP].tally.spread;
        spread->counts[spread->count - 1] += ACCESSES;
        save_and_load(profile, columns, DJ_ERR_INPUT);
        spread->counts[spread->count - 1] -= ACCESSES;
    }
    dj_profile_destroy(profile);
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
        cmocka_unit_test(counts_are_weighed),
        cmocka_unit_test(all_blocks_are_exact),
        cmocka_unit_test(saved_ranges_stay),
    };
    return cmocka_run_group_tests(tests, prepare, drop_context);
}
