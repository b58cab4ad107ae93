// SPDX-License-Identifier: MIT
// Random attributions, with names that several rows share. Needs cmocka.
#ifndef DEJA_TESTS_RANDOM_MADE_H
#define DEJA_TESTS_RANDOM_MADE_H

#include "base/random.h"
#include "support/hand_made.h"

static dj_random dice;

static inline uint32_t random_below(size_t count)
{
    return (uint32_t)dj_random_below(&dice, count);
}

// One of `count` rows, or none now and then.
static inline uint32_t random_any_or_none(size_t count)
{
    return count == 0 || random_below(4) == 0 ? DJ_NOWHERE : random_below(count);
}

static inline uint32_t random_loop_of(const dj_attribution *a, uint32_t function)
{
    uint32_t loop = random_any_or_none(a->loop_count);
    return loop != DJ_NOWHERE && a->loops[loop].function == function ? loop : DJ_NOWHERE;
}

static inline void random_add_code(dj_attribution *a)
{
    for (unsigned i = 0; i < 3; i++)
        hand_module(a, "/bin/module");
    for (unsigned i = 0; i < 2; i++)
        hand_file(a, i ? "/src/b.c" : "/src/a.c");
    for (unsigned i = 0; i < 6; i++)
        hand_function(a, "f", random_any_or_none(2), random_below(50));
    for (unsigned i = 0; i < 15; i++) {
        uint32_t function = random_below(6);
        hand_loop(a, function, random_loop_of(a, function), random_below(40), random_below(40));
    }
    for (unsigned i = 0; i < 8; i++)
        hand_inlined(a, random_below(6), random_below(50), random_any_or_none(i));
    for (unsigned i = 0; i < 60; i++) {
        uint32_t function = random_below(6),
                 site = hand_site(a, function, random_below(20), random_loop_of(a, function));
        a->sites[site].inlined = random_any_or_none(8);
        a->sites[site].module = random_below(3);
        if (random_below(8) == 0)
            a->sites[site].function = DJ_NOWHERE;
    }
}

static inline void random_add_places(dj_attribution *a)
{
    for (unsigned i = 0; i < 3; i++)
        hand_root(a, hand_thread(a, i, ""));
    for (unsigned i = 0; i < 40; i++)
        hand_cct_node(a, random_below(a->cct_count), random_below(6), random_any_or_none(60));
    for (unsigned i = 0; i < 5; i++)
        hand_object(a, "object", DJ_OBJECT_GLOBAL, 10);
    for (unsigned i = 0; i < 300; i++) {
        uint32_t place = hand_place(a, random_below(60), random_below(a->cct_count), random_below(5));
        hand_cold(&a->places[place].tally, random_below(3), 0);
        for (unsigned k = random_below(4); k > 0; k--)
            hand_reuses(&a->places[place].tally, a, UINT64_C(1) << random_below(16), 1 + random_below(9),
                        random_below(2));
    }
    for (unsigned i = 0; i < 200; i++)
        hand_pair(a, random_below(300), random_below(300), 16u << random_below(8), 1 + random_below(50));
}

static inline dj_attribution *random_made(dj_context *with, uint64_t seed)
{
    dj_attribution *a = NULL;
    dj_random_seed(&dice, seed);
    assert_int_equal(dj_attribution_create(with, &a), DJ_OK);
    hand_edges(a, 18);
    hand_cut(a, "L1", 8);
    hand_cut(a, "L2", 1024);
    a->pair_from = 16;
    random_add_code(a);
    random_add_places(a);
    assert_int_equal(dj_attribution_check(with, a), DJ_OK);
    return a;
}

#endif
