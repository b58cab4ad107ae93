// SPDX-License-Identifier: MIT
#include <deja/breakdown.h>
#include <math.h>

#include "support/hand_made.h"

#include "support/context.h"

// main (main.c:1) has a loop 10-20 that calls fill (line 12) and sweep (line
// 15); sweep has a nest of two loops; main also calls sweep at line 30, outside
// of loops; helper is inlined into sweep. libc has no debug information.
typedef struct program {
    dj_attribution *a;
    uint32_t file, module, libc;
    uint32_t main, fill, sweep, helper, memset;
    uint32_t main_loop, outer, inner;
    uint32_t call_fill, call_sweep, call_late, store, load, load_inlined, in_libc;
    uint32_t root, in_main, in_fill, in_sweep, in_late, in_memset;
    uint32_t grid, table;
} program;

static void add_code(program *p)
{
    dj_attribution *a = p->a;
    p->file = hand_file(a, "/home/me/src/main.c");
    p->module = hand_module(a, "/home/me/prog");
    p->libc = hand_module(a, "/lib/libc.so.6");
    p->main = hand_function(a, "main", p->file, 1);
    p->fill = hand_function(a, "fill", p->file, 40);
    p->sweep = hand_function(a, "sweep", p->file, 60);
    p->helper = hand_function(a, "helper", p->file, 90);
    p->memset = hand_function(a, "memset", DJ_NOWHERE, 0);
    a->functions[p->memset].module = p->libc;
    p->main_loop = hand_loop(a, p->main, DJ_NOWHERE, 10, 20);
    p->outer = hand_loop(a, p->sweep, DJ_NOWHERE, 62, 70);
    p->inner = hand_loop(a, p->sweep, p->outer, 63, 69);
    p->call_fill = hand_site(a, p->main, 12, p->main_loop);
    p->call_sweep = hand_site(a, p->main, 15, p->main_loop);
    p->call_late = hand_site(a, p->main, 30, DJ_NOWHERE);
    p->store = hand_site(a, p->fill, 42, DJ_NOWHERE);
    p->load = hand_site(a, p->sweep, 64, p->inner);
    p->load_inlined = hand_site(a, p->helper, 91, p->outer);
    a->sites[p->load_inlined].inlined = hand_inlined(a, p->sweep, 66, DJ_NOWHERE);
    p->in_libc = hand_site(a, p->memset, 0, DJ_NOWHERE);
    a->sites[p->in_libc].module = p->libc;
}

static void add_data(program *p)
{
    dj_attribution *a = p->a;
    uint32_t thread = hand_thread(a, 1, "");
    a->threads[thread].distinct = 500;
    p->root = hand_root(a, thread);
    p->in_main = hand_cct_node(a, p->root, p->main, DJ_NOWHERE);
    p->in_fill = hand_cct_node(a, p->in_main, p->fill, p->call_fill);
    p->in_sweep = hand_cct_node(a, p->in_main, p->sweep, p->call_sweep);
    p->in_late = hand_cct_node(a, p->in_main, p->sweep, p->call_late);
    p->in_memset = hand_cct_node(a, p->in_fill, p->memset, p->store);
    p->grid = hand_object(a, "grid", DJ_OBJECT_GLOBAL, 50);
    p->table = hand_object(a, "table", DJ_OBJECT_GLOBAL, 7);
}

static program make_program(void)
{
    program p = {.a = NULL};
    assert_int_equal(dj_attribution_create(context, &p.a), DJ_OK);
    hand_edges(p.a, 20);
    hand_cut(p.a, "L1", 16);
    hand_cut(p.a, "L2", 256);
    hand_cut(p.a, "L3", 4096);
    add_code(&p);
    add_data(&p);
    return p;
}

static dj_tally *at_place(program *p, uint32_t site, uint32_t row, uint32_t object)
{
    uint32_t place = hand_place(p->a, site, row, object);
    return &p->a->places[place].tally;
}

// Accesses: fill stores 100 to grid, 50 cold and 50 at distance 300; memset 30
// at distance 3; sweep from the loop 200 at 5000 (grid) and 20 at 16 (table);
// inlined helper 10 at 15; the late sweep 40 at 255 and 2 at 4096.
static void add_accesses(program *p)
{
    dj_tally *t = at_place(p, p->store, p->in_fill, p->grid);
    hand_cold(t, 50, 50);
    hand_reuses(t, p->a, 300, 50, 50);
    hand_reuses(at_place(p, p->in_libc, p->in_memset, p->grid), p->a, 3, 30, 0);
    hand_reuses(at_place(p, p->load, p->in_sweep, p->grid), p->a, 5000, 200, 0);
    hand_reuses(at_place(p, p->load, p->in_sweep, p->table), p->a, 16, 20, 0);
    hand_reuses(at_place(p, p->load_inlined, p->in_sweep, p->grid), p->a, 15, 10, 0);
    t = at_place(p, p->load, p->in_late, p->grid);
    hand_reuses(t, p->a, 255, 40, 0);
    hand_reuses(t, p->a, 4096, 2, 0);
}

static dj_breakdown *break_down(const program *p, enum dj_by by)
{
    dj_breakdown *b = NULL;
    assert_int_equal(dj_breakdown_create(context, p->a, by, &b), DJ_OK);
    assert_int_equal(b->by, by);
    assert_int_equal(b->total.accesses, 402);
    return b;
}

static const dj_entity *find(const dj_breakdown *b, const char *name)
{
    for (size_t i = 0; i < b->count; i++)
        if (strcmp(b->entities[i].name, name) == 0)
            return &b->entities[i];
    fail_msg("no entity %s", name);
    return NULL;
}

static void assert_misses(const uint64_t *misses, uint64_t l1, uint64_t l2, uint64_t l3)
{
    assert_int_equal(misses[0], l1);
    assert_int_equal(misses[1], l2);
    assert_int_equal(misses[2], l3);
}

static void objects(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = break_down(&p, DJ_BY_OBJECT);
    assert_int_equal(b->count, 2);
    assert_false(b->has_inclusive);
    assert_int_equal(b->sort_cut, 2);
    // Cold 50; at distance 16 and more 50 + 200 + 20 + 42; at 256 and more 50 + 200 + 2; 4096: 200 + 2.
    assert_misses(b->total_misses, 362, 302, 252);
    const dj_entity *grid = &b->entities[0], *table = &b->entities[1];
    assert_string_equal(grid->name, "grid");
    assert_int_equal(grid->row, p.grid);
    assert_int_equal(grid->exclusive.accesses, 382);
    assert_int_equal(grid->exclusive.writes, 100);
    assert_int_equal(grid->exclusive.max, 5000);
    assert_misses(grid->misses, 342, 302, 252);
    assert_true(grid->distinct.known && grid->distinct.exact);
    assert_int_equal(grid->distinct.blocks, 50);
    assert_string_equal(table->name, "table");
    assert_misses(table->misses, 20, 0, 0); // a distance of 16 misses in 16 blocks
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void functions(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = break_down(&p, DJ_BY_FUNCTION);
    assert_int_equal(b->count, 5);
    assert_true(b->has_inclusive);
    const dj_entity *sweep = &b->entities[0];
    assert_string_equal(sweep->name, "sweep");
    assert_int_equal(sweep->function, p.sweep);
    assert_int_equal(sweep->line, 60);
    assert_int_equal(sweep->exclusive.accesses, 262);
    assert_int_equal(sweep->inclusive.accesses, 272); // helper is inlined into it
    const dj_entity *main = find(b, "main");
    assert_int_equal(main->exclusive.accesses, 0);
    assert_int_equal(main->inclusive.accesses, 402);
    assert_misses(main->inclusive_misses, 362, 302, 252);
    const dj_entity *fill = find(b, "fill");
    assert_int_equal(fill->exclusive.accesses, 100);
    assert_int_equal(fill->inclusive.accesses, 130);
    assert_misses(fill->inclusive_misses, 100, 100, 50);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void loops(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = break_down(&p, DJ_BY_LOOP);
    assert_int_equal(b->count, 4);
    const dj_entity *inner = &b->entities[0], *outer = find(b, "main.c:62-70 in sweep"),
                    *around = find(b, "main.c:10-20 in main"), *rest = find(b, "(outside of loops)");
    assert_string_equal(inner->name, "main.c:63-69 in sweep");
    assert_int_equal(inner->exclusive.accesses, 262);
    assert_int_equal(inner->inclusive.accesses, 262);
    assert_int_equal(inner->depth, 2);
    assert_ptr_equal(&b->entities[inner->parent], outer);
    assert_int_equal(inner->line, 63);
    assert_int_equal(inner->last_line, 69);
    assert_int_equal(outer->exclusive.accesses, 10);
    assert_int_equal(outer->inclusive.accesses, 272);
    assert_int_equal(outer->parent, DJ_NOWHERE);
    // The loop of main runs all but the late sweep, through its calls.
    assert_int_equal(around->exclusive.accesses, 0);
    assert_int_equal(around->inclusive.accesses, 360);
    assert_misses(around->inclusive_misses, 320, 300, 250);
    assert_int_equal(rest->row, DJ_NOWHERE);
    assert_int_equal(rest->exclusive.accesses, 130);
    assert_int_equal(rest->inclusive.accesses, 130);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void lines(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = break_down(&p, DJ_BY_LINE);
    assert_int_equal(b->count, 4);
    const dj_entity *worst = &b->entities[0];
    assert_string_equal(worst->name, "main.c:64");
    assert_int_equal(worst->exclusive.accesses, 262);
    assert_int_equal(worst->row, p.load);
    assert_int_equal(worst->function, p.sweep);
    assert_int_equal(worst->file, p.file);
    assert_int_equal(worst->line, 64);
    assert_misses(worst->misses, 262, 202, 202);
    assert_int_equal(find(b, "main.c:91")->exclusive.accesses, 10);
    const dj_entity *libc = find(b, "libc.so.6 (no line numbers)");
    assert_int_equal(libc->module, p.libc);
    assert_int_equal(libc->row, DJ_NOWHERE);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void contexts(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = break_down(&p, DJ_BY_CALLING_CONTEXT);
    static const struct {
        const char *name;
        uint32_t depth, parent;
        uint64_t exclusive, inclusive;
    } expected[] = {{"thread 1", 0, DJ_NOWHERE, 0, 402},
                    {"main", 1, 0, 0, 402},
                    {"sweep", 2, 1, 230, 230},
                    {"fill", 2, 1, 100, 130},
                    {"memset", 3, 3, 30, 30},
                    {"sweep", 2, 1, 42, 42}};
    assert_int_equal(b->count, 6);
    for (size_t i = 0; i < b->count; i++) {
        assert_string_equal(b->entities[i].name, expected[i].name);
        assert_int_equal(b->entities[i].depth, expected[i].depth);
        assert_int_equal(b->entities[i].parent, expected[i].parent);
        assert_int_equal(b->entities[i].exclusive.accesses, expected[i].exclusive);
        assert_int_equal(b->entities[i].inclusive.accesses, expected[i].inclusive);
    }
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void threads(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    uint32_t second = hand_thread(p.a, 2, "worker");
    p.a->threads[second].distinct = 3;
    uint32_t root = hand_root(p.a, second), worker = hand_cct_node(p.a, root, p.fill, DJ_NOWHERE);
    hand_cold(at_place(&p, p.store, worker, p.table), 5, 0);
    dj_breakdown *b = NULL;
    assert_int_equal(dj_breakdown_create(context, p.a, DJ_BY_THREAD, &b), DJ_OK);
    assert_int_equal(b->count, 2);
    assert_string_equal(b->entities[0].name, "thread 1");
    assert_int_equal(b->entities[0].distinct.blocks, 500);
    assert_string_equal(b->entities[1].name, "worker");
    assert_int_equal(b->entities[1].exclusive.accesses, 5);
    assert_true(b->entities[1].distinct.exact);
    assert_int_equal(b->entities[1].distinct.blocks, 3);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static dj_sketch *sketch_of(uint64_t first, uint64_t count)
{
    dj_sketch *sketch = calloc(1, sizeof *sketch);
    assert_non_null(sketch);
    for (uint64_t i = 0; i < count; i++)
        dj_sketch_add(sketch, first + i);
    return sketch;
}

static void assert_near(const dj_distinct *distinct, double blocks)
{
    assert_true(distinct->known);
    assert_false(distinct->exact);
    // Three standard errors of the sketch.
    assert_true(fabs((double)distinct->blocks - blocks) <= 0.2 * blocks);
}

// Two sites touch 0-999 and 500-1499: 1500 together, not 2000.
static void estimates_are_unions(void **state)
{
    (void)state;
    program p = make_program();
    p.a->sites[p.load].sketch = sketch_of(0, 1000);
    p.a->sites[p.load_inlined].sketch = sketch_of(500, 1000);
    p.a->cct[p.in_sweep].sketch = sketch_of(0, 1500);
    hand_reuses(at_place(&p, p.load, p.in_sweep, p.grid), p.a, 20, 2000, 0);
    hand_reuses(at_place(&p, p.load_inlined, p.in_sweep, p.grid), p.a, 20, 1200, 0);
    dj_breakdown *b = NULL;
    assert_int_equal(dj_breakdown_create(context, p.a, DJ_BY_LOOP, &b), DJ_OK);
    assert_near(&find(b, "main.c:63-69 in sweep")->distinct, 1000);
    assert_near(&find(b, "main.c:62-70 in sweep")->distinct, 1000);
    assert_near(&find(b, "main.c:62-70 in sweep")->inclusive_distinct, 1500);
    assert_near(&find(b, "main.c:10-20 in main")->inclusive_distinct, 1500);
    assert_false(find(b, "main.c:10-20 in main")->distinct.known);
    dj_breakdown_destroy(b);
    assert_int_equal(dj_breakdown_create(context, p.a, DJ_BY_CALLING_CONTEXT, &b), DJ_OK);
    assert_near(&find(b, "main")->inclusive_distinct, 1500);
    assert_near(&find(b, "sweep")->distinct, 1500);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

// An estimate is never below the cold misses nor above the accesses.
static void estimates_keep_their_bounds(void **state)
{
    (void)state;
    program p = make_program();
    p.a->sites[p.load].sketch = sketch_of(0, 1000);
    hand_reuses(at_place(&p, p.load, p.in_sweep, p.grid), p.a, 20, 10, 0);
    p.a->sites[p.store].sketch = sketch_of(0, 10);
    hand_cold(at_place(&p, p.store, p.in_fill, p.grid), 5000, 0);
    dj_breakdown *b = NULL;
    assert_int_equal(dj_breakdown_create(context, p.a, DJ_BY_LINE, &b), DJ_OK);
    assert_int_equal(find(b, "main.c:64")->distinct.blocks, 10);
    assert_int_equal(find(b, "main.c:42")->distinct.blocks, 5000);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void files_of_one_name_are_distinguished(void **state)
{
    (void)state;
    program p = make_program();
    uint32_t other = hand_function(p.a, "other", hand_file(p.a, "/home/me/lib/main.c"), 3),
             third = hand_function(p.a, "third", hand_file(p.a, "/home/me/lib/domain.c"), 3);
    hand_cold(at_place(&p, hand_site(p.a, third, 5, DJ_NOWHERE), p.in_main, p.grid), 3, 0);
    hand_cold(at_place(&p, hand_site(p.a, other, 4, DJ_NOWHERE), p.in_main, p.grid), 1, 0);
    hand_cold(at_place(&p, p.load, p.in_sweep, p.grid), 2, 0);
    dj_breakdown *b = NULL;
    assert_int_equal(dj_breakdown_create(context, p.a, DJ_BY_LINE, &b), DJ_OK);
    assert_string_equal(b->entities[0].name, "domain.c:5");
    assert_string_equal(b->entities[1].name, "src/main.c:64");
    assert_string_equal(b->entities[2].name, "lib/main.c:4");
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

// With distances below the larger caches, only the first cut is informative.
static void sorted_by_the_most_informative_cache(void **state)
{
    (void)state;
    program p = make_program();
    assert_int_equal(dj_attribution_sort_cut(p.a), 3);
    dj_tally *t = at_place(&p, p.load, p.in_sweep, p.grid);
    hand_cold(t, 90, 0);
    assert_int_equal(dj_attribution_sort_cut(p.a), 0); // cold misses only
    hand_reuses(&p.a->places[0].tally, p.a, 4096, 9, 0);
    assert_int_equal(dj_attribution_sort_cut(p.a), 0); // 9 of 99
    hand_reuses(&p.a->places[0].tally, p.a, 256, 1, 0);
    assert_int_equal(dj_attribution_sort_cut(p.a), 1); // 10 of 100
    dj_attribution_destroy(p.a);
}

static void nothing_at_all(void **state)
{
    (void)state;
    dj_attribution *a = NULL;
    assert_int_equal(dj_attribution_create(context, &a), DJ_OK);
    for (unsigned by = 0; by < DJ_BY_COUNT; by++) {
        dj_breakdown *b = NULL;
        assert_int_equal(dj_breakdown_create(context, a, (enum dj_by)by, &b), DJ_OK);
        assert_int_equal(b->count, 0);
        dj_breakdown_destroy(b);
    }
    dj_attribution_destroy(a);
}

static void lists_are_read(void **state)
{
    (void)state;
    enum dj_by by[DJ_BY_COUNT];
    size_t count;
    assert_int_equal(dj_by_parse(context, "line,object,lines", by, &count), DJ_OK);
    assert_int_equal(count, 2);
    assert_int_equal(by[0], DJ_BY_LINE);
    assert_int_equal(by[1], DJ_BY_OBJECT);
    assert_int_equal(dj_by_parse(context, "thread,all", by, &count), DJ_OK);
    assert_int_equal(count, DJ_BY_COUNT);
    assert_int_equal(by[0], DJ_BY_THREAD);
    assert_int_equal(dj_by_parse(context, "objct", by, &count), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "did you mean 'object'?"));
    assert_int_equal(dj_by_parse(context, "", by, &count), DJ_ERR_USAGE);
    assert_int_equal(dj_by_parse(context, "line,", by, &count), DJ_ERR_USAGE);
    assert_int_equal(dj_by_parse(context, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", by, &count),
                     DJ_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects),
        cmocka_unit_test(functions),
        cmocka_unit_test(loops),
        cmocka_unit_test(lines),
        cmocka_unit_test(contexts),
        cmocka_unit_test(threads),
        cmocka_unit_test(estimates_are_unions),
        cmocka_unit_test(estimates_keep_their_bounds),
        cmocka_unit_test(files_of_one_name_are_distinguished),
        cmocka_unit_test(sorted_by_the_most_informative_cache),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(lists_are_read),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
