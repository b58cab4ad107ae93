// SPDX-License-Identifier: MIT
// A program with calls and loops for the tests of long reuses. Needs the
// context of support/context.h.
#ifndef DEJA_TESTS_REUSE_PROGRAM_H
#define DEJA_TESTS_REUSE_PROGRAM_H

#include <deja/reuse.h>

#include "support/hand_made.h"

#include "support/context.h"

// main calls work at line 12, in a loop (10-20), and again at line 15; work contains a
// loop nest (32-40, 33-39) and a separate loop after it (50-55).
typedef struct program {
    dj_attribution *a;
    uint32_t main, work, other;
    uint32_t steps, rows, columns, after;
    uint32_t call_work, call_other, call_late;
    uint32_t root, in_main, in_work, in_other, in_late;
    uint32_t grid, list;
} program;

static inline program make_program(void)
{
    program p = {.a = NULL};
    assert_int_equal(dj_attribution_create(context, &p.a), DJ_OK);
    dj_attribution *a = p.a;
    hand_edges(a, 20);
    hand_cut(a, "L1", 16);
    hand_cut(a, "L2", 256);
    hand_cut(a, "L3", 4096);
    a->pair_from = 16;
    hand_module(a, "/home/me/prog");
    uint32_t file = hand_file(a, "/home/me/a.c");
    p.main = hand_function(a, "main", file, 1);
    p.work = hand_function(a, "work", file, 30);
    p.other = hand_function(a, "other", file, 60);
    p.steps = hand_loop(a, p.main, DJ_NOWHERE, 10, 20);
    p.rows = hand_loop(a, p.work, DJ_NOWHERE, 32, 40);
    p.columns = hand_loop(a, p.work, p.rows, 33, 39);
    p.after = hand_loop(a, p.work, DJ_NOWHERE, 50, 55);
    p.call_work = hand_site(a, p.main, 12, p.steps);
    p.call_other = hand_site(a, p.main, 15, p.steps);
    p.call_late = hand_site(a, p.main, 25, DJ_NOWHERE);
    p.root = hand_root(a, hand_thread(a, 1, ""));
    p.in_main = hand_cct_node(a, p.root, p.main, DJ_NOWHERE);
    p.in_work = hand_cct_node(a, p.in_main, p.work, p.call_work);
    p.in_other = hand_cct_node(a, p.in_main, p.other, p.call_other);
    p.in_late = hand_cct_node(a, p.in_main, p.other, p.call_late);
    p.grid = hand_object(a, "grid", DJ_OBJECT_GLOBAL, 1000);
    p.list = hand_object(a, "heap list (a.c:5)", DJ_OBJECT_HEAP, 1000);
    return p;
}

// A place with 10,000 reads that are immediate reuses.
static inline uint32_t use(program *p, uint32_t function, uint32_t line, uint32_t loop, uint32_t row)
{
    uint32_t place = hand_place(p->a, hand_site(p->a, function, line, loop), row, p->grid);
    free(p->a->places[place].element);
    p->a->places[place].element = strdup("[*][*]");
    hand_reuses(&p->a->places[place].tally, p->a, 0, 10000, 0);
    return place;
}

static inline dj_reuses *find(const program *p)
{
    dj_reuses *found = NULL;
    assert_int_equal(dj_attribution_check(context, p->a), DJ_OK);
    assert_int_equal(dj_reuses_create(context, p->a, &found), DJ_OK);
    return found;
}

#endif
