// SPDX-License-Identifier: MIT
// Pruned contexts: nothing is lost, everything is counted with a caller, and the most important contexts
// stay.
#include "locate/prune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { CONTEXTS = 600, PLACES = 4000, PAIRS = 2000, SITES = 9, OBJECTS = 5, KEPT = 50 };

typedef struct made_up {
    dj_located located;
    dj_cct_id cct[CONTEXTS];
    dj_attribution *a;
    uint32_t was[PLACES]; // the context of each place before
    uint64_t by_site[SITES], by_object[OBJECTS], by_sites_of_pair[SITES][SITES];
} made_up;

static dj_tally one_bin(uint64_t distance, uint64_t count)
{
    dj_tally t = {
        .accesses = count, .sum = count * distance, .min = distance, .max = distance, .bin_count = 1};
    t.bin_first = (uint32_t)distance;
    t.square_low = count * distance * distance;
    t.bins = calloc(1, sizeof *t.bins);
    assert_non_null(t.bins);
    t.bins[0] = count;
    return t;
}

static made_up *make(uint64_t seed)
{
    dj_random random;
    dj_random_seed(&random, seed);
    made_up *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_int_equal(dj_attribution_create(context, &m->a), DJ_OK);
    dj_attribution *a = m->a;
    m->located.cct = m->cct;
    m->located.cct_count = CONTEXTS;
    for (uint32_t i = 0; i < CONTEXTS; i++)
        m->cct[i] = (dj_cct_id){.parent = i == 0 ? DJ_NOWHERE : (uint32_t)(dj_random_next(&random) % i)};
    a->edges = calloc(20, sizeof *a->edges);
    a->places = calloc(PLACES, sizeof *a->places);
    a->pairs = calloc(PAIRS, sizeof *a->pairs);
    a->cct = calloc(1024, sizeof *a->cct);
    assert_true(a->edges && a->places && a->pairs && a->cct);
    for (a->edge_count = 0; a->edge_count < 20; a->edge_count++)
        a->edges[a->edge_count] = a->edge_count;
    // The observer has rows for the contexts it saw, rounded up.
    a->cct_count = seed % 2 ? 1024 : CONTEXTS / 2;
    for (size_t i = 0; i < a->cct_count && i < CONTEXTS; i++)
        if (dj_random_next(&random) % 2) {
            a->cct[i].sketch = calloc(1, sizeof(dj_sketch));
            assert_non_null(a->cct[i].sketch);
            dj_sketch_add(a->cct[i].sketch, i);
        }
    for (; a->place_count < PLACES; a->place_count++) {
        dj_place_row *p = &a->places[a->place_count];
        uint64_t count = dj_random_next(&random) % 100;
        p->site = (uint32_t)(dj_random_next(&random) % SITES);
        p->object = (uint32_t)(dj_random_next(&random) % OBJECTS);
        p->cct_node = m->was[a->place_count] = (uint32_t)(dj_random_next(&random) % CONTEXTS);
        p->tally = one_bin(dj_random_next(&random) % 20, count);
        m->by_site[p->site] += count;
        m->by_object[p->object] += count;
    }
    for (; a->pair_count < PAIRS; a->pair_count++) {
        dj_pair_row *pair = &a->pairs[a->pair_count];
        pair->from = (uint32_t)(dj_random_next(&random) % PLACES);
        pair->to = (uint32_t)(dj_random_next(&random) % PLACES);
        pair->tally = one_bin(7, 3);
        m->by_sites_of_pair[a->places[pair->from].site][a->places[pair->to].site] += 3;
    }
    return m;
}

static void drop(made_up *m)
{
    dj_attribution_destroy(m->a);
    free(m);
}

static bool is_caller(const made_up *m, uint32_t caller, uint32_t node)
{
    while (node != caller && node != DJ_NOWHERE)
        node = m->cct[node].parent;
    return node == caller;
}

static void check_sums(const made_up *m)
{
    uint64_t by_site[SITES] = {0}, by_object[OBJECTS] = {0}, pairs[SITES][SITES] = {{0}};
    const dj_attribution *a = m->a;
    for (size_t i = 0; i < a->place_count; i++) {
        by_site[a->places[i].site] += a->places[i].tally.accesses;
        by_object[a->places[i].object] += a->places[i].tally.accesses;
    }
    for (size_t i = 0; i < a->pair_count; i++)
        pairs[a->places[a->pairs[i].from].site][a->places[a->pairs[i].to].site] += a->pairs[i].tally.accesses;
    assert_memory_equal(by_site, m->by_site, sizeof by_site);
    assert_memory_equal(by_object, m->by_object, sizeof by_object);
    assert_memory_equal(pairs, m->by_sites_of_pair, sizeof pairs);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        made_up *m = make(seed);
        dj_attribution *a = m->a;
        assert_int_equal(dj_prune_cct(context, &m->located, KEPT, a), DJ_OK);
        bool used[CONTEXTS] = {false};
        unsigned count = 0;
        for (size_t i = 0; i < a->place_count; i++) {
            assert_true(is_caller(m, a->places[i].cct_node, m->was[i]));
            if (a->places[i].tally.accesses)
                used[a->places[i].cct_node] = true;
        }
        for (uint32_t n = 0; n < CONTEXTS; n++)
            count += used[n];
        assert_in_range(count, 1, KEPT);
        assert_int_equal(a->cct_folded, CONTEXTS - KEPT);
        for (size_t i = 0; i < a->place_count; i++)
            for (size_t k = 0; a->places[i].tally.accesses && k < i; k++)
                assert_false(a->places[k].tally.accesses && a->places[i].site == a->places[k].site &&
                             a->places[i].cct_node == a->places[k].cct_node &&
                             a->places[i].object == a->places[k].object);
        for (size_t i = 0; i < a->pair_count; i++)
            for (size_t k = 0; k < i; k++)
                assert_false(a->pairs[i].from == a->pairs[k].from && a->pairs[i].to == a->pairs[k].to);
        check_sums(m);
        drop(m);
    }
}

static void what_matters_most_stays(void **state)
{
    (void)state;
    made_up *m = make(3);
    uint32_t deep = CONTEXTS - 1; // whatever its depth, its callers must stay with it
    m->a->places[0].cct_node = m->was[0] = deep;
    m->by_site[m->a->places[0].site] += 1000000 - m->a->places[0].tally.accesses;
    m->by_object[m->a->places[0].object] += 1000000 - m->a->places[0].tally.accesses;
    m->a->places[0].tally.accesses = m->a->places[0].tally.bins[0] = 1000000;
    assert_int_equal(dj_prune_cct(context, &m->located, KEPT, m->a), DJ_OK);
    assert_int_equal(m->a->places[0].cct_node, deep);
    check_sums(m);
    drop(m);
}

static void few_contexts_are_left_alone(void **state)
{
    (void)state;
    made_up *m = make(4);
    assert_int_equal(dj_prune_cct(context, &m->located, CONTEXTS, m->a), DJ_OK);
    for (size_t i = 0; i < PLACES; i++)
        assert_int_equal(m->a->places[i].cct_node, m->was[i]);
    drop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(what_matters_most_stays),
        cmocka_unit_test(few_contexts_are_left_alone),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
