// SPDX-License-Identifier: MIT
// Requests that interleave the threads of a trace: places are known in every order.
#include "unit/access_list.h"

#include <deja/deja.h>

#include "support/context.h"

enum { COUNT = 3000, SITES = 5, THREADS = 3 };

static const dj_source_info memory = {
    .format = "list", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};

// Site s of thread t touches data of its own, and sometimes data of all.
static access_list make_list(void)
{
    dj_random random;
    dj_random_seed(&random, 5);
    access_list l = {.count = COUNT,
                     .name = "trace",
                     .columns = DJ_COLUMN_SIZE | DJ_COLUMN_SITE | DJ_COLUMN_KIND,
                     .threads = 1};
    l.items = calloc(COUNT, sizeof *l.items);
    assert_non_null(l.items);
    uint32_t thread = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (dj_random_below(&random, 20) == 0)
            thread = (uint32_t)dj_random_below(&random, THREADS);
        uint64_t area = dj_random_below(&random, 4) ? 1 + thread : 0;
        l.items[i] = (listed){.address = area * 100000 + dj_random_below(&random, 3000),
                              .size = 4,
                              .site = (uint32_t)dj_random_below(&random, SITES),
                              .kind = (uint8_t)dj_random_below(&random, 2),
                              .thread = 10 + thread};
    }
    return l;
}

static dj_profile *measure(access_list *l, const dj_sharing_request *sharing, bool places)
{
    const dj_request request = {.sharing = sharing, .places = places};
    dj_source *source = open_list(context, l, &memory);
    dj_profile *profile = NULL;
    assert_int_equal(dj_measure_source(context, source, &request, &profile), DJ_OK);
    assert_false(l->closed);
    dj_source_close(source);
    return profile;
}

static void places_in_every_order(void **state)
{
    (void)state;
    static const enum dj_interleaving orders[] = {DJ_INTERLEAVE_RECORDED, DJ_INTERLEAVE_SPEEDS,
                                                  DJ_INTERLEAVE_RANDOM};
    access_list l = make_list();
    uint64_t accesses[SITES] = {0};
    for (size_t i = 0; i < l.count; i++)
        accesses[l.items[i].site]++;
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        const dj_sharing_request sharing = {.by_thread = true, .interleave = {.order = orders[k], .seed = 4}};
        dj_profile *with = measure(&l, &sharing, true), *without = measure(&l, &sharing, false);
        const dj_attribution *attribution = dj_profile_attribution(with);
        uint64_t found[SITES] = {0};
        assert_non_null(attribution);
        assert_null(dj_profile_attribution(without));
        for (size_t i = 0; i < attribution->place_count; i++)
            found[attribution->places[i].site] += attribution->places[i].tally.accesses;
        assert_memory_equal(found, accesses, sizeof found);
        const dj_sharing *a = dj_profile_sharing(with), *b = dj_profile_sharing(without);
        assert_int_equal(a->count, THREADS);
        assert_string_equal(a->order, b->order);
        for (size_t i = 0; i < THREADS; i++) {
            dj_moments x = dj_lane_moments(&a->sharers[i].concurrent.lane);
            dj_moments y = dj_lane_moments(&b->sharers[i].concurrent.lane);
            assert_int_equal(a->sharers[i].thread, b->sharers[i].thread);
            assert_true(x.mean == y.mean && x.count == y.count);
        }
        dj_profile_destroy(with);
        dj_profile_destroy(without);
    }
    free(l.items);
}

static void orders_that_cannot_be(void **state)
{
    (void)state;
    static const double speeds[] = {1, 2};
    const dj_interleave_options cases[] = {
        {.order = DJ_INTERLEAVE_RECORDED, .speeds = speeds, .speed_count = 2},
        {.order = DJ_INTERLEAVE_SPEEDS, .speeds = speeds, .speed_count = 2},
        {.order = DJ_INTERLEAVE_SPEEDS, .separate = true}};
    access_list l = make_list();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dj_sharing_request sharing = {.by_thread = true, .interleave = cases[i]};
        const dj_request request = {.sharing = &sharing};
        dj_profile *profile = NULL;
        dj_source *source = open_list(context, &l, &memory);
        assert_true(dj_measure_source(context, source, &request, &profile) < 0);
        assert_null(profile);
        dj_source_close(source);
    }
    free(l.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_in_every_order),
        cmocka_unit_test(orders_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
