// SPDX-License-Identifier: MIT
// The ranges of rows in estimates of spatial locality from bursts: they contain what observers `places` and
// `spatial-places` find in the whole trace, and are narrow where the bursts are many.
#include "unit/spatial_streams.h"

#include <math.h>
#include <stdio.h>

#include "trace/source/bursts.h"

// Places of accesses. Rows are places, or two of them together, or all.
enum { EVEN, ODD, LATE_EVEN, LATE_ODD, SELDOM, ONCE, PLACES, BOTH = PLACES, ALL, ROWS };

enum {
    PHASE = 20000, // accesses; half of them are late
    RARE = 64,     // one access in so many is seldom
    ONCE_FROM = 150000,
    ONCE_END = 150800,
    ENOUGH = 95, // percent
    REACHES = 4,
    CUTS = 2,
};

static const uint64_t cuts[CUTS] = {4096 / BLOCK, 65536 / BLOCK};
// Which reuses are counted: all, those from a bin on, misses.
static const struct {
    unsigned bin;
    size_t cache;
} reaches[REACHES] = {{0, SIZE_MAX}, {4, SIZE_MAX}, {0, 0}, {0, 1}};

static size_t trials(void)
{
    const char *seeds = getenv("SEEDS");
    return seeds ? strtoul(seeds, NULL, 10) : 40;
}

static uint32_t place_of(uint64_t i, uint64_t block)
{
    if (i >= ONCE_FROM && i < ONCE_END)
        return ONCE;
    if (i % RARE == 5)
        return SELDOM;
    return (uint32_t)(block % 2 + (i / PHASE % 2 ? LATE_EVEN : EVEN));
}

static void add_places(spatial_trace *t)
{
    t->place = calloc(t->count, sizeof *t->place);
    assert_non_null(t->place);
    for (size_t i = 0; i < t->count; i++)
        t->place[i] = place_of(i, t->address[i] / BLOCK);
}

// Places of the first burst differ from those of later ones, as in a program.
static int separate(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    int err = dj_source_next(state, ctx, out);
    if (!err && *out)
        dj_batch_set_columns(*out, dj_batch_columns(*out) | DJ_COLUMN_PLACE);
    for (uint32_t i = 0; !err && *out && i < (*out)->count; i++)
        dj_batch_writable(*out).place[i] += (*out)->column.device[i] > 0 ? PLACES : 0;
    return err;
}

// `observers` begin with those that need no bursts.
static dj_profile *measure(dj_source *source, bool in_bursts)
{
    static dj_place rows[2 * PLACES];
    dj_place_table table = {.count = 2 * PLACES};
    const dj_places_options places = {.places = &table, .cuts = cuts, .cut_count = CUTS};
    const dj_spatial_options spatial = {caches, CUTS};
    const dj_observer_choice observers[] = {{dj_observer_find("places"), &places},
                                            {dj_observer_find("histogram"), NULL},
                                            {dj_observer_find("traffic"), NULL},
                                            {dj_observer_find("spatial"), &spatial},
                                            {dj_observer_find("spatial-places"), &spatial},
                                            {dj_observer_find("tracing"), NULL},
                                            {dj_observer_find("spatial-bursts"), &spatial},
                                            {dj_observer_find("spread"), &places}};
    const dj_pipeline_config config = {.blocks = blocks.blocks,
                                       .block_count = blocks.block_count,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = in_bursts ? 8 : 5};
    dj_pipeline *pipeline;
    dj_profile *profile;
    for (uint32_t i = 0; i < 2 * PLACES; i++)
        rows[i] = (dj_place){i % ONCE, 0, 0, 0}; // no burst may see the last place
    table.chunks[0] = rows;
    check(dj_pipeline_create(context, &config, &pipeline));
    check(dj_pipeline_run(pipeline, context, source));
    check(dj_pipeline_finish(pipeline, context, &profile));
    dj_pipeline_destroy(pipeline);
    return profile;
}

static dj_profile *measure_all(spatial_trace *t)
{
    dj_source *source = spatial_source(t);
    dj_profile *profile = measure(source, false);
    dj_source_close(source);
    return profile;
}

// What a measurement adds, so that the profile can be saved.
static void name(dj_attribution *a)
{
    assert_int_equal(a->cut_count, CUTS);
    for (uint32_t c = 0; c < CUTS; c++) {
        free(a->cuts[c].name);
        a->cuts[c].name = strdup(caches[c].name);
    }
    for (size_t i = 0; i < a->site_count; i++) {
        dj_site_row *site = &a->sites[i];
        site->module = site->function = site->file = site->loop = site->inlined = DJ_NOWHERE;
    }
    for (size_t i = 0; i < a->object_count; i++)
        a->objects[i].file = a->objects[i].cct_node = DJ_NOWHERE;
    a->cct[0].parent = a->cct[0].function = a->cct[0].call_site = DJ_NOWHERE;
}

static dj_profile *measure_bursts(spatial_trace *t, double rate, uint64_t seed)
{
    static const dj_source_ops ops = {.next = separate};
    dj_source *whole = spatial_source(t), *bursts, *separated;
    check(dj_burst_source(context, whole, rate, seed, &bursts));
    check(dj_source_create(context, &ops, bursts, dj_source_get_info(bursts), &separated));
    dj_profile *profile = measure(separated, true);
    dj_source_close(separated);
    dj_source_close(bursts);
    dj_source_close(whole);
    name(dj_profile_attribution(profile));
    return profile;
}

static bool is_in_row(size_t place, size_t row)
{
    return row == ALL || place % PLACES == row || (row == BOTH && place % PLACES <= ODD);
}

static dj_tally sum_row(const dj_profile *profile, size_t row)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_tally sum = {0};
    for (size_t i = 0; i < a->place_count; i++)
        if (is_in_row(i, row))
            check(dj_tally_add(&sum, context, &a->places[i].tally));
    return sum;
}

static dj_spatial_count count_of(const dj_tally *tally, size_t pair, size_t reach)
{
    const dj_spatial_counts *counts = tally->spatial ? &tally->spatial->pairs[pair] : NULL;
    dj_spatial_count sum = {0, 0};
    if (counts && reaches[reach].cache != SIZE_MAX)
        return counts->caches[reaches[reach].cache].all;
    for (uint32_t i = 0; counts && i < counts->bin_count; i++)
        if (counts->bin_first + i >= reaches[reach].bin) {
            sum.reuses += counts->bins[i].reuses;
            sum.effective += counts->bins[i].effective;
        }
    return sum;
}

static bool contains(dj_spatial_range range, double value)
{
    const double rounding = 1e-9;
    return range.low <= value + rounding && value <= range.high + rounding;
}

typedef struct result {
    size_t inside; // trials in which all ranges of a row contain the exact values
    // Means over the trials, of all reuses and of reaches: relative to the exact number, and of the score.
    double reuses[REACHES], score[REACHES], accesses;
} result;

static bool judge_row(const dj_profile *found, const dj_tally *tally, const dj_tally *exact, result *to)
{
    dj_row_range accesses;
    assert_true(dj_tally_range(found, tally, CUTS, &accesses));
    bool inside = accesses.low <= (double)exact->accesses && (double)exact->accesses <= accesses.high;
    to->accesses += (accesses.high - accesses.low) / fmax((double)exact->accesses, 1);
    for (size_t pair = 0; pair < 2; pair++)
        for (size_t r = 0; r < REACHES; r++) {
            const dj_spatial_count count = count_of(exact, pair, r), guess = count_of(tally, pair, r);
            const double reuses = (double)count.reuses, poor = reuses - 2 * (double)count.effective;
            dj_spatial_tally_range range;
            assert_true(dj_tally_spatial_range(found, tally, pair, reaches[r].bin, reaches[r].cache, &range));
            assert_true(contains(range.reuses, (double)guess.reuses));
            assert_true(contains(range.poor, (double)guess.reuses - 2 * (double)guess.effective));
            inside =
                inside && contains(range.reuses, reuses) && contains(range.poor, poor) &&
                (count.reuses == 0 || contains(range.score, dj_spatial_score(count.reuses, count.effective)));
            to->reuses[r] += pair == 0 ? (range.reuses.high - range.reuses.low) / fmax(reuses, 1) : 0;
            to->score[r] += pair == 0 ? range.score.high - range.score.low : 0;
        }
    return inside;
}

static void judge(const dj_profile *found, const dj_tally *exact, result *to)
{
    for (size_t row = 0; row < ROWS; row++) {
        dj_tally tally = sum_row(found, row);
        to[row].inside += judge_row(found, &tally, &exact[row], &to[row]);
        dj_tally_free(&tally);
    }
}

// With SEEDS in the environment, prints what docs/sampling.md states.
static void print_results(size_t number, const result *results, const dj_tally *exact)
{
    if (!getenv("SEEDS"))
        return;
    for (size_t row = 0; row < ROWS; row++) {
        const result *r = &results[row];
        const double n = (double)trials();
        printf("stream %zu row %zu: %zu inside; accesses %.2f;", number, row, r->inside, r->accesses / n);
        for (size_t k = 0; k < REACHES; k++)
            printf(" %.2f (%.2f of %llu)", r->score[k] / n, r->reuses[k] / n,
                   (unsigned long long)count_of(&exact[row], 0, k).reuses);
        puts("");
    }
}

static void ranges_of_rows_contain_the_exact_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        spatial_trace t = {0};
        result results[ROWS] = {0};
        dj_tally exact[ROWS];
        make_trace(streams[i], &t);
        add_places(&t);
        dj_profile *whole = measure_all(&t);
        for (size_t row = 0; row < ROWS; row++)
            exact[row] = sum_row(whole, row);
        for (uint64_t seed = 0; seed < trials(); seed++) {
            dj_profile *found = measure_bursts(&t, 0.1, seed);
            judge(found, exact, results);
            dj_profile_destroy(found);
        }
        print_results(i, results, exact);
        for (size_t row = 0; row < ROWS; row++) {
            if (100 * results[row].inside < ENOUGH * trials())
                fail_msg("stream %zu, row %zu: only %zu of %zu", i, row, results[row].inside, trials());
            dj_tally_free(&exact[row]);
        }
        dj_profile_destroy(whole);
        spatial_trace_free(&t);
    }
}

// All places together have counted what the whole trace has.
static void all_rows_have_the_range_of_the_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        spatial_trace t = {0};
        make_trace(streams[i], &t);
        add_places(&t);
        dj_profile *found = measure_bursts(&t, 0.1, i);
        const dj_spatial *spatial = dj_profile_spatial(found);
        dj_tally all = sum_row(found, ALL);
        for (size_t pair = 0; pair < 2; pair++)
            for (size_t r = 0; r < REACHES; r++) {
                const size_t cache = reaches[r].cache;
                const dj_spatial_range whole =
                    cache != SIZE_MAX
                        ? dj_spatial_cache_score_range(spatial, pair, cache, false)
                        : dj_spatial_score_range(spatial, pair, reaches[r].bin, DJ_SPATIAL_BINS);
                dj_spatial_tally_range range;
                assert_true(dj_tally_spatial_range(found, &all, pair, reaches[r].bin, cache, &range));
                // The estimates, which ranges contain, are rounded differently.
                assert_true(fabs(range.score.low - whole.low) < 1e-3);
                assert_true(fabs(range.score.high - whole.high) < 1e-3);
            }
        dj_tally_free(&all);
        dj_profile_destroy(found);
        spatial_trace_free(&t);
    }
}

// What happens all the time is known well, even if it is seldom.
static void ranges_of_steady_rows_are_narrow(void **state)
{
    (void)state;
    spatial_trace t = {0};
    make_trace(sweep, &t);
    add_places(&t);
    dj_profile *found = measure_bursts(&t, 0.1, 3);
    dj_tally seldom = sum_row(found, SELDOM), once = sum_row(found, ONCE);
    dj_spatial_tally_range range;
    assert_true(dj_tally_spatial_range(found, &seldom, 0, 4, SIZE_MAX, &range));
    assert_true(range.reuses.high - range.reuses.low < 0.1 * ACCESSES / RARE);
    assert_true(range.score.high - range.score.low < 0.3);
    // What happens once is not, and says so.
    assert_true(dj_tally_spatial_range(found, &once, 0, 4, SIZE_MAX, &range));
    assert_true(range.score.low == 0 && range.score.high == 2);
    assert_true(range.reuses.high >= ONCE_END - ONCE_FROM);
    dj_tally_free(&seldom);
    dj_tally_free(&once);
    dj_profile_destroy(found);
    spatial_trace_free(&t);
}

static dj_profile *save_and_load(const dj_profile *profile, bool columns, int expected)
{
    dj_profile *again = NULL;
    FILE *file = tmpfile();
    assert_non_null(file);
    check(columns ? dj_profile_save_columns(context, profile, file)
                  : dj_profile_save(context, profile, DJ_BINS_EXACT, 0, file));
    rewind(file);
    const int err = dj_profile_load(context, file, "p", &again);
    if (err != expected)
        fail_msg("%s", err ? dj_context_message(context) : "impossible values are accepted");
    fclose(file);
    return again;
}

static void saved_ranges_stay(void **state)
{
    (void)state;
    spatial_trace t = {0};
    make_trace(walk, &t);
    add_places(&t);
    dj_profile *found = measure_bursts(&t, 0.1, 4);
    for (int columns = 0; columns < 2; columns++) {
        dj_profile *again = save_and_load(found, columns, DJ_OK);
        for (size_t row = 0; row < ROWS; row++) {
            dj_tally one = sum_row(found, row), other = sum_row(again, row);
            for (size_t r = 0; r < REACHES; r++) {
                dj_spatial_tally_range x, y;
                assert_true(dj_tally_spatial_range(found, &one, 1, reaches[r].bin, reaches[r].cache, &x));
                assert_true(dj_tally_spatial_range(again, &other, 1, reaches[r].bin, reaches[r].cache, &y));
                assert_memory_equal(&x, &y, sizeof x);
            }
            dj_tally_free(&one);
            dj_tally_free(&other);
        }
        dj_profile_destroy(again);
    }
    dj_profile_destroy(found);
    spatial_trace_free(&t);
}

// Files are untrusted.
static void impossible_parts_are_refused(void **state)
{
    (void)state;
    spatial_trace t = {0};
    make_trace(sweep, &t);
    add_places(&t);
    dj_profile *found = measure_bursts(&t, 0.1, 4);
    dj_spatial *spatial = dj_profile_section(found, &dj_section_spatial);
    dj_spatial_parts *parts = dj_profile_attribution(found)->places[PLACES + ODD].tally.spatial->parts;
    dj_spatial_tally_part *part = &parts->list[0], *last = &parts->list[parts->count - 1];
    for (int columns = 0; columns < 2; columns++) {
        const dj_spatial_tally_part was = *part, last_was = *last;
        part->count = UINT32_MAX; // more than there are
        save_and_load(found, columns, DJ_ERR_INPUT);
        *part = was;
        part->key = last->key; // not in order
        save_and_load(found, columns, DJ_ERR_INPUT);
        *part = was;
        last->key += 1u << 22; // another pair
        save_and_load(found, columns, DJ_ERR_INPUT);
        *last = last_was;
        last->key |= 31; // another group
        save_and_load(found, columns, DJ_ERR_INPUT);
        *last = last_was;
        dj_profile_destroy(save_and_load(found, columns, DJ_OK));
    }
    // Without parts, as in files of earlier versions, ranges are not known.
    spatial->by_place = false;
    dj_profile *old = save_and_load(found, true, DJ_OK);
    dj_tally all = sum_row(old, ALL);
    dj_spatial_tally_range range;
    assert_false(dj_tally_spatial_range(old, &all, 0, 0, SIZE_MAX, &range));
    dj_tally_free(&all);
    dj_profile_destroy(old);
    dj_profile_destroy(found);
    spatial_trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_rows_contain_the_exact_counts),
        cmocka_unit_test(all_rows_have_the_range_of_the_whole),
        cmocka_unit_test(ranges_of_steady_rows_are_narrow),
        cmocka_unit_test(saved_ranges_stay),
        cmocka_unit_test(impossible_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
