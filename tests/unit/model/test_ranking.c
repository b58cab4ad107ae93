// SPDX-License-Identifier: MIT
// Rankings of spatial locality: hand-made programs, and random ones against straightforward sums.
#include <deja/deja.h>

#include "support/hand_made.h"

#include "base/random.h"
#include "support/context.h"

enum { PAIRS = 2, CACHES = 2, FAR = 9 }; // bin 9 begins at 256 blocks

static dj_profile *make_profile(dj_attribution *a)
{
    dj_profile *profile = NULL;
    assert_int_equal(dj_profile_create(context, 1, &profile), DJ_OK);
    dj_spatial *spatial = NULL;
    assert_int_equal(dj_spatial_create(context, PAIRS, CACHES, &spatial), DJ_OK);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_spatial, spatial), DJ_OK);
    dj_profile_spatial(profile)->caches[0] = (dj_spatial_cache_size){strdup("L1"), 32768};
    dj_profile_spatial(profile)->caches[1] = (dj_spatial_cache_size){strdup("L2"), 1048576};
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, a), DJ_OK);
    return profile;
}

// `count` reuses in `bin` of pair `pair`, `effective` of them effective.
static void add_reuses(dj_tally *tally, size_t pair, uint32_t bin, uint64_t count, uint64_t effective)
{
    if (!tally->spatial)
        assert_int_equal(dj_spatial_tally_create(context, PAIRS, CACHES, &tally->spatial), DJ_OK);
    dj_spatial_counts *counts = &tally->spatial->pairs[pair];
    assert_int_equal(dj_spatial_counts_widen(counts, context, bin, bin + 1), DJ_OK);
    counts->bins[bin - counts->bin_first].reuses += count;
    counts->bins[bin - counts->bin_first].effective += effective;
    tally->accesses += pair == 0 ? count : 0;
}

static dj_ranking *rank(const dj_profile *profile, enum dj_rank_by by, size_t pair, size_t cache)
{
    const dj_ranking_options options = {.pair = pair, .by = by, .cache = cache, .limits = DJ_SPATIAL_LIMITS};
    dj_ranking *ranking = NULL;
    assert_int_equal(dj_ranking_create(context, profile, &options, &ranking), DJ_OK);
    return ranking;
}

// f reads a[2i] (line 10) and then a[2i+1] (line 11): the second has all the
// effective reuses. g (line 30) reads b at random, and so does h, which has no
// loop and is called from the loop of main.
typedef struct program {
    dj_profile *profile;
    uint32_t even, odd, random, called;
} program;

static program make_program(void)
{
    dj_attribution *a = NULL;
    assert_int_equal(dj_attribution_create(context, &a), DJ_OK);
    hand_module(a, "/home/me/prog");
    uint32_t file = hand_file(a, "/home/me/a.c");
    uint32_t in_main = hand_function(a, "main", file, 1), f = hand_function(a, "f", file, 8);
    uint32_t g = hand_function(a, "g", file, 28), h = hand_function(a, "h", file, 40);
    uint32_t steps = hand_loop(a, in_main, DJ_NOWHERE, 3, 6), loop = hand_loop(a, f, DJ_NOWHERE, 9, 12);
    uint32_t call_f = hand_site(a, in_main, 4, steps), call_g = hand_site(a, in_main, 20, DJ_NOWHERE);
    uint32_t call_h = hand_site(a, in_main, 5, steps);
    uint32_t top = hand_cct_node(a, hand_root(a, hand_thread(a, 1, "")), in_main, DJ_NOWHERE);
    uint32_t from_f = hand_cct_node(a, top, f, call_f), from_g = hand_cct_node(a, top, g, call_g);
    uint32_t from_h = hand_cct_node(a, top, h, call_h);
    uint32_t data = hand_object(a, "a", DJ_OBJECT_GLOBAL, 1000);
    uint32_t table = hand_object(a, "heap b (a.c:2)", DJ_OBJECT_HEAP, 1000);
    program p = {.profile = make_profile(a)};
    p.even = hand_place(a, hand_site(a, f, 10, loop), from_f, data);
    p.odd = hand_place(a, hand_site(a, f, 11, loop), from_f, data);
    p.random = hand_place(a, hand_site(a, g, 30, DJ_NOWHERE), from_g, table);
    p.called = hand_place(a, hand_site(a, h, 41, DJ_NOWHERE), from_h, table);
    add_reuses(&a->places[p.even].tally, 0, FAR, 1000, 0);
    add_reuses(&a->places[p.odd].tally, 0, FAR, 1000, 1000);
    add_reuses(&a->places[p.odd].tally, 0, FAR - 1, 50, 50); // too near to count
    add_reuses(&a->places[p.random].tally, 0, FAR + 2, 600, 30);
    add_reuses(&a->places[p.called].tally, 0, FAR + 2, 200, 0);
    return p;
}

static void set_element(const program *p, uint32_t place, const char *element)
{
    dj_place_row *row = &dj_profile_attribution(p->profile)->places[place];
    free(row->element);
    row->element = strdup(element);
}

static void lines_that_others_prepare_for_stand_last(void **state)
{
    (void)state;
    program p = make_program();
    dj_ranking *r = rank(p.profile, DJ_RANK_LINE, 0, SIZE_MAX);
    assert_int_equal(r->count, 4);
    static const int64_t poor[] = {1000, 540, 200, -1000};
    const uint32_t places[] = {p.even, p.random, p.called, p.odd};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(r->rows[i].poor, poor[i]);
        assert_int_equal(r->rows[i].place, places[i]);
    }
    assert_string_equal(r->rows[0].name, "a.c:10 in f");
    assert_string_equal(r->rows[0].object_name, "a");
    assert_string_equal(r->rows[0].path, "");
    assert_string_equal(r->rows[1].object_name, "heap b (a.c:2)");
    assert_int_equal(r->rows[0].line, 10);
    assert_true(r->rows[3].share == 0);
    assert_true(r->rows[0].share == 1000.0 / 1740);
    assert_int_equal(r->rows[3].all.reuses, 1050); // all bins
    assert_int_equal(r->rows[3].far.reuses, 1000);
    assert_int_equal(r->poor, 1000 + 540 + 200 - 1000);
    assert_int_equal(r->poor_above, 1740);
    assert_int_equal(r->far.reuses, 2800);
    assert_int_equal(r->all.effective, 1080);
    dj_ranking_destroy(r);
    dj_profile_destroy(p.profile);
}

// The two lines of the loop are perfect together; h belongs to the loop that calls it.
static void a_loop_is_judged_as_a_whole(void **state)
{
    (void)state;
    program p = make_program();
    set_element(&p, p.even, "[*].left");
    set_element(&p, p.odd, "[*].leaf");
    dj_ranking *r = rank(p.profile, DJ_RANK_LOOP, 0, SIZE_MAX);
    assert_int_equal(r->count, 3);
    assert_int_equal(r->rows[0].poor, 540);
    assert_string_equal(r->rows[0].name, "outside of loops in g");
    assert_int_equal(r->rows[0].loop, DJ_NOWHERE);
    assert_int_equal(r->rows[1].poor, 200);
    assert_string_equal(r->rows[1].name, "loop a.c:3-6 in main");
    assert_int_equal(r->rows[2].poor, 0);
    assert_string_equal(r->rows[2].name, "loop a.c:9-12 in f");
    assert_string_equal(r->rows[2].object_name, "a[*]");
    assert_int_equal(r->rows[2].line, 9);
    assert_int_equal(r->rows[2].accesses, 2050);
    dj_ranking_destroy(r);
    dj_profile_destroy(p.profile);
}

static void contexts_stay_separate_on_request(void **state)
{
    (void)state;
    program p = make_program();
    dj_attribution *a = dj_profile_attribution(p.profile);
    uint32_t again = hand_cct_node(a, 1, a->cct[a->places[p.even].cct_node].function, DJ_NOWHERE);
    uint32_t place = hand_place(a, a->places[p.even].site, again, a->places[p.even].object);
    add_reuses(&a->places[place].tally, 0, FAR, 70, 5);
    dj_ranking *r = rank(p.profile, DJ_RANK_LINE, 0, SIZE_MAX);
    assert_int_equal(r->count, 4);
    assert_int_equal(r->rows[0].poor, 1060);
    dj_ranking_destroy(r);
    r = rank(p.profile, DJ_RANK_LINE_CALLING_CONTEXT, 0, SIZE_MAX);
    assert_int_equal(r->count, 5);
    assert_int_equal(r->rows[0].poor, 1000);
    assert_string_equal(r->rows[0].path, "main > f");
    assert_int_equal(r->rows[3].poor, 60);
    assert_int_equal(r->rows[3].cct_node, again);
    dj_ranking_destroy(r);
    dj_profile_destroy(p.profile);
}

// With a cache, the misses at b count, and those of them that hit at 2b.
static void a_cache_decides_what_is_far(void **state)
{
    (void)state;
    program p = make_program();
    dj_attribution *a = dj_profile_attribution(p.profile);
    a->places[p.random].tally.spatial->pairs[0].caches[1].all = (dj_spatial_count){500, 100};
    a->places[p.called].tally.spatial->pairs[0].caches[0].all = (dj_spatial_count){31, 3};
    dj_ranking *r = rank(p.profile, DJ_RANK_LINE, 0, 1);
    assert_int_equal(r->rows[0].place, p.random);
    assert_int_equal(r->rows[0].poor, 300);
    assert_int_equal(r->rows[0].saved, 150); // 250 of 500 would be hits, and 100 are
    assert_int_equal(r->rows[0].all.reuses, 600);
    assert_int_equal(r->far.reuses, 500);
    dj_ranking_destroy(r);
    r = rank(p.profile, DJ_RANK_LINE, 0, SIZE_MAX);
    assert_int_equal(r->rows[1].saved, 0);
    assert_int_equal(r->rows[2].saved, 12); // of the first cache; 25 lack a partner
    dj_ranking_destroy(r);
    dj_profile_destroy(p.profile);
}

// Every spatial number of a breakdown, from the root on.
static void exclusive_counts_add_up_to_the_root(void **state)
{
    (void)state;
    program p = make_program();
    static const enum dj_by kinds[] = {DJ_BY_CALLING_CONTEXT, DJ_BY_FUNCTION, DJ_BY_LOOP, DJ_BY_LINE,
                                       DJ_BY_OBJECT};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        dj_breakdown *b = NULL;
        assert_int_equal(dj_breakdown_create(context, dj_profile_attribution(p.profile), kinds[k], &b),
                         DJ_OK);
        dj_spatial_count sum = {0, 0};
        for (size_t i = 0; i < b->count; i++)
            if (b->entities[i].exclusive.spatial) {
                dj_spatial_count own = dj_spatial_all(&b->entities[i].exclusive.spatial->pairs[0]);
                sum.reuses += own.reuses;
                sum.effective += own.effective;
            }
        assert_int_equal(sum.reuses, 2850);
        assert_int_equal(sum.effective, 1080);
        if (kinds[k] == DJ_BY_CALLING_CONTEXT) {
            dj_spatial_count root = dj_spatial_all(&b->entities[0].inclusive.spatial->pairs[0]);
            assert_memory_equal(&root, &sum, sizeof sum);
        }
        dj_breakdown_destroy(b);
    }
    dj_profile_destroy(p.profile);
}

enum { FILES = 2, LINES = 5, OBJECTS = 4, ROWS = 300 };

static dj_profile *make_random(dj_random *random)
{
    dj_attribution *a = NULL;
    assert_int_equal(dj_attribution_create(context, &a), DJ_OK);
    hand_module(a, "/prog");
    for (uint32_t i = 0; i < FILES; i++)
        hand_function(a, i ? "f" : "main", hand_file(a, i ? "/f.c" : "/main.c"), 1);
    uint32_t top = hand_cct_node(a, hand_root(a, hand_thread(a, 1, "")), 0, DJ_NOWHERE);
    uint32_t inner = hand_cct_node(a, top, 1, DJ_NOWHERE);
    for (uint32_t i = 0; i < OBJECTS; i++)
        hand_object(a, i % 2 ? "x" : "y", DJ_OBJECT_GLOBAL, 10);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t r = dj_random_next(random);
        uint32_t site = hand_site(a, (uint32_t)(r % FILES), (uint32_t)(1 + r / 8 % LINES), DJ_NOWHERE);
        uint32_t place = hand_place(a, site, r / 64 % 2 ? top : inner, (uint32_t)(r / 128 % OBJECTS));
        for (uint64_t k = r / 1024 % 4; k > 0; k--) {
            uint64_t n = dj_random_next(random) % 1000, bin = dj_random_next(random) % 20;
            add_reuses(&a->places[place].tally, dj_random_next(random) % PAIRS, (uint32_t)bin, n,
                       bin < 3 ? 0 : dj_random_next(random) % (n + 1));
        }
    }
    return make_profile(a);
}

static bool belongs(const dj_attribution *a, size_t place, const dj_rank_row *row, bool in_context)
{
    const dj_place_row *p = &a->places[place];
    return a->sites[p->site].file == row->file && a->sites[p->site].line == row->line &&
           p->object == row->object && (!in_context || p->cct_node == row->cct_node);
}

static void check_row(const dj_attribution *a, const dj_rank_row *row, size_t pair, bool in_context)
{
    uint64_t accesses = 0;
    int64_t poor = 0;
    dj_spatial_count all = {0, 0};
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_tally *tally = &a->places[i].tally;
        if (!belongs(a, i, row, in_context))
            continue;
        accesses += tally->accesses;
        const dj_spatial_counts *counts = tally->spatial ? &tally->spatial->pairs[pair] : NULL;
        for (uint32_t bin = 0; counts && bin < counts->bin_count; bin++) {
            all.reuses += counts->bins[bin].reuses;
            all.effective += counts->bins[bin].effective;
            if (counts->bin_first + bin >= FAR)
                poor += (int64_t)counts->bins[bin].reuses - 2 * (int64_t)counts->bins[bin].effective;
        }
    }
    assert_int_equal(row->accesses, accesses);
    assert_int_equal(row->poor, poor);
    assert_memory_equal(&row->all, &all, sizeof all);
}

static void random_programs_are_summed_up_right(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 5);
    for (unsigned round = 0; round < 20; round++) {
        dj_profile *profile = make_random(&random);
        const dj_attribution *a = dj_profile_attribution(profile);
        bool in_context = round % 2;
        size_t pair = round / 2 % PAIRS;
        dj_ranking *r =
            rank(profile, in_context ? DJ_RANK_LINE_CALLING_CONTEXT : DJ_RANK_LINE, pair, SIZE_MAX);
        uint64_t accesses = 0, all = 0;
        int64_t poor = 0;
        for (size_t i = 0; i < r->count; i++) {
            check_row(a, &r->rows[i], pair, in_context);
            assert_true(i == 0 || r->rows[i].poor <= r->rows[i - 1].poor);
            accesses += r->rows[i].accesses;
            poor += r->rows[i].poor;
        }
        for (size_t i = 0; i < a->place_count; i++)
            all += a->places[i].tally.accesses;
        assert_int_equal(accesses, all);
        assert_int_equal(poor, r->poor);
        dj_ranking_destroy(r);
        dj_profile_destroy(profile);
    }
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    program p = make_program();
    dj_ranking *r = NULL;
    dj_ranking_options options = {.pair = PAIRS, .cache = SIZE_MAX, .limits = DJ_SPATIAL_LIMITS};
    assert_int_equal(dj_ranking_create(context, p.profile, &options, &r), DJ_ERR_USAGE);
    options = (dj_ranking_options){.cache = CACHES, .limits = DJ_SPATIAL_LIMITS};
    assert_int_equal(dj_ranking_create(context, p.profile, &options, &r), DJ_ERR_USAGE);
    dj_profile_destroy(p.profile);
    dj_attribution *bare = hand_made(context);
    dj_profile *profile = make_profile(bare);
    options.cache = SIZE_MAX;
    assert_int_equal(dj_ranking_create(context, profile, &options, &r), DJ_ERR_USAGE);
    assert_null(r);
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_others_prepare_for_stand_last),
        cmocka_unit_test(a_loop_is_judged_as_a_whole),
        cmocka_unit_test(contexts_stay_separate_on_request),
        cmocka_unit_test(a_cache_decides_what_is_far),
        cmocka_unit_test(exclusive_counts_add_up_to_the_root),
        cmocka_unit_test(random_programs_are_summed_up_right),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
