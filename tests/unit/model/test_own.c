// SPDX-License-Identifier: MIT
// Library and header code, charged to lines of the user.
#include <deja/breakdown.h>

#include "model/breakdown/own.h"
#include "support/context.h"
#include "support/hand_made.h"

// main (work/main.c) calls qsort of libc at line 10, which calls back compare (line 40); at line 20 a header
// is inlined, whose line 7 calls memcpy of libc. libc also runs before main. Line 30 of main is in no
// library. libc's own sources have relative names.
typedef struct program {
    dj_attribution *a;
    uint32_t in_qsort, in_compare, in_header, in_memcpy, in_start, in_main; // sites
    uint32_t root, main, qsort, compare, memcpy;                            // contexts
} program;

static uint32_t in_libc(dj_attribution *a, uint32_t function, uint32_t libc)
{
    const uint32_t site = hand_site(a, function, 5, DJ_NOWHERE);
    a->functions[function].module = a->sites[site].module = libc;
    return site;
}

static program make_program(void)
{
    program p = {.a = NULL};
    assert_int_equal(dj_attribution_create(context, &p.a), DJ_OK);
    dj_attribution *a = p.a;
    hand_edges(a, 20);
    hand_cut(a, "L1", 16);
    const uint32_t user = hand_file(a, "/home/me/src/main.c"),
                   header = hand_file(a, "/usr/include/c++/12/map"), c = hand_file(a, "./stdlib/msort.c");
    hand_module(a, "/home/me/prog");
    const uint32_t libc = hand_module(a, "/lib/libc.so.6");
    const uint32_t main = hand_function(a, "main", user, 1), compare = hand_function(a, "compare", user, 39),
                   map = hand_function(a, "map::get", header, 3), sort = hand_function(a, "qsort", c, 1),
                   copy = hand_function(a, "memcpy", c, 100), start = hand_function(a, "start", c, 200);
    const uint32_t calls_qsort = hand_site(a, main, 10, DJ_NOWHERE);
    p.in_main = hand_site(a, main, 30, DJ_NOWHERE);
    p.in_header = hand_site(a, map, 7, DJ_NOWHERE);
    a->sites[p.in_header].inlined = hand_inlined(a, main, 20, DJ_NOWHERE);
    p.in_compare = hand_site(a, compare, 40, DJ_NOWHERE);
    p.in_qsort = in_libc(a, sort, libc);
    p.in_memcpy = in_libc(a, copy, libc);
    p.in_start = in_libc(a, start, libc);
    p.root = hand_root(a, hand_thread(a, 1, ""));
    p.main = hand_cct_node(a, p.root, main, DJ_NOWHERE);
    p.qsort = hand_cct_node(a, p.main, sort, calls_qsort);
    p.compare = hand_cct_node(a, p.qsort, compare, p.in_qsort);
    p.memcpy = hand_cct_node(a, p.main, copy, p.in_header);
    return p;
}

static void reuse(const program *p, uint32_t site, uint32_t row, uint64_t distance, uint64_t count)
{
    const uint32_t place = hand_place(p->a, site, row, hand_object(p->a, "x", DJ_OBJECT_GLOBAL, 1));
    hand_reuses(&p->a->places[place].tally, p->a, distance, count, 0);
}

// At distance 20 they miss in L1, at 3 they hit.
static void add_accesses(const program *p)
{
    reuse(p, p->in_qsort, p->qsort, 20, 1000);
    reuse(p, p->in_qsort, p->qsort, 3, 500);
    reuse(p, p->in_compare, p->compare, 20, 70);
    reuse(p, p->in_header, p->main, 20, 300);
    reuse(p, p->in_memcpy, p->memcpy, 20, 200);
    reuse(p, p->in_main, p->main, 20, 40);
    reuse(p, p->in_start, p->root, 20, 9);
}

static const dj_entity *find(const dj_breakdown *b, const char *name)
{
    for (size_t i = 0; i < b->count; i++)
        if (strcmp(b->entities[i].name, name) == 0)
            return &b->entities[i];
    return NULL;
}

static void assert_line(const dj_breakdown *b, const char *name, uint64_t accesses, uint64_t misses)
{
    const dj_entity *entity = find(b, name);
    assert_non_null(entity);
    assert_int_equal(entity->exclusive.accesses, accesses);
    assert_int_equal(entity->misses[0], misses);
}

static void libraries_and_headers_count_at_the_call(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = NULL;
    assert_int_equal(dj_own_create(context, p.a, NULL, &b), DJ_OK);
    assert_int_equal(b->count, 5);
    assert_int_equal(b->total.accesses, 2119);
    assert_line(b, "main.c:10", 1500, 1000);
    assert_line(b, "main.c:40", 70, 70); // the user's own, though qsort calls it
    assert_line(b, "main.c:20", 500, 500);
    assert_line(b, "main.c:30", 40, 40);
    assert_int_equal(b->entities[4].line, 0);
    assert_int_equal(b->entities[4].exclusive.accesses, 9);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void a_folder_defines_what_is_own(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = NULL;
    assert_int_equal(dj_own_create(context, p.a, "/usr/include/", &b), DJ_OK);
    assert_int_equal(b->count, 2);
    assert_line(b, "map:7", 500, 500);
    assert_int_equal(b->entities[1].exclusive.accesses, 1619);
    dj_breakdown_destroy(b);
    assert_int_equal(dj_own_create(context, p.a, "/home/me/sr", &b), DJ_ERR_USAGE); // not a whole name
    dj_attribution_destroy(p.a);
}

static void lines_that_only_call_are_added(void **state)
{
    (void)state;
    program p = make_program();
    add_accesses(&p);
    dj_breakdown *b = NULL;
    dj_own_lines lines;
    assert_int_equal(dj_breakdown_create(context, p.a, DJ_BY_LINE, &b), DJ_OK);
    const size_t before = b->count;
    assert_int_equal(dj_own_lines_create(context, p.a, NULL, b, true, &lines), DJ_OK);
    assert_true(lines.differs);
    assert_int_equal(lines.lines.count, before + 2);
    assert_line(&lines.lines, "main.c:10", 0, 0);
    assert_line(&lines.lines, "main.c:20", 0, 0);
    assert_line(&lines.lines, "main.c:30", 40, 40);
    // msort.c:5 has 1209 misses: qsort 1000, memcpy 200, start 9. Then lines that cause 1000, 500.
    assert_string_equal(lines.lines.entities[0].name, "msort.c:5");
    assert_string_equal(lines.lines.entities[1].name, "main.c:10");
    assert_string_equal(lines.lines.entities[2].name, "main.c:20");
    dj_own_lines_free(&lines);
    assert_int_equal(dj_own_lines_create(context, p.a, NULL, b, false, &lines), DJ_OK);
    for (size_t i = 0; i < before; i++)
        assert_string_equal(lines.lines.entities[i].name, b->entities[i].name);
    dj_own_lines_free(&lines);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

static void nothing_changes_without_libraries(void **state)
{
    (void)state;
    program p = make_program();
    reuse(&p, p.in_main, p.main, 20, 10000);
    reuse(&p, p.in_qsort, p.qsort, 20, 99); // less than 1%
    dj_breakdown *b = NULL;
    dj_own_lines lines;
    assert_int_equal(dj_breakdown_create(context, p.a, DJ_BY_LINE, &b), DJ_OK);
    assert_int_equal(dj_own_lines_create(context, p.a, NULL, b, true, &lines), DJ_OK);
    assert_false(lines.differs);
    assert_int_equal(lines.lines.count, b->count);
    dj_own_lines_free(&lines);
    dj_breakdown_destroy(b);
    dj_attribution_destroy(p.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_and_headers_count_at_the_call),
        cmocka_unit_test(a_folder_defines_what_is_own),
        cmocka_unit_test(lines_that_only_call_are_added),
        cmocka_unit_test(nothing_changes_without_libraries),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
