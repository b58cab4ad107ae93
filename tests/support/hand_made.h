// SPDX-License-Identifier: MIT
// Attributions built by hand, row by row. Every `hand_NAME` appends a row and returns its index. Needs
// cmocka and <deja/attribution.h>.
#ifndef DEJA_TESTS_HAND_MADE_H
#define DEJA_TESTS_HAND_MADE_H

#include <deja/attribution.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HAND_APPEND(list, count, ...)                                                                        \
    do {                                                                                                     \
        (list) = realloc((list), ((count) + 1) * sizeof *(list));                                            \
        assert_non_null(list);                                                                               \
        (list)[(count)] = __VA_ARGS__;                                                                       \
        (count)++;                                                                                           \
    } while (0)

static inline uint32_t hand_file(dj_attribution *a, const char *name)
{
    HAND_APPEND(a->files, a->file_count, strdup(name));
    return (uint32_t)a->file_count - 1;
}

static inline uint32_t hand_module(dj_attribution *a, const char *path)
{
    HAND_APPEND(a->modules, a->module_count,
                ((dj_module_row){
                    .path = strdup(path), .has_lines = true, .has_types = true, .identity = strdup("")}));
    return (uint32_t)a->module_count - 1;
}

static inline uint32_t hand_function(dj_attribution *a, const char *name, uint32_t file, uint32_t line)
{
    HAND_APPEND(
        a->functions, a->function_count,
        (dj_function_row){
            .name = strdup(name), .module = a->module_count ? 0 : DJ_NOWHERE, .file = file, .line = line});
    return (uint32_t)a->function_count - 1;
}

static inline uint32_t hand_loop(dj_attribution *a, uint32_t function, uint32_t parent, uint32_t first_line,
                                 uint32_t last_line)
{
    HAND_APPEND(a->loops, a->loop_count,
                (dj_loop_row){.function = function,
                              .parent = parent,
                              .depth = parent == DJ_NOWHERE ? 1 : a->loops[parent].depth + 1,
                              .file = a->functions[function].file,
                              .first_line = first_line,
                              .last_line = last_line});
    return (uint32_t)a->loop_count - 1;
}

// `function` calls inlined code at `line`; `inlined` is the frame around it.
static inline uint32_t hand_inlined(dj_attribution *a, uint32_t function, uint32_t line, uint32_t inlined)
{
    HAND_APPEND(a->inlined, a->inlined_count,
                (dj_inlined_row){function, a->functions[function].file, line, inlined});
    return (uint32_t)a->inlined_count - 1;
}

// In the file of the function. Every site has a different offset.
static inline uint32_t hand_site(dj_attribution *a, uint32_t function, uint32_t line, uint32_t loop)
{
    HAND_APPEND(a->sites, a->site_count,
                (dj_site_row){.module = a->module_count ? 0 : DJ_NOWHERE,
                              .offset = 0x1000 + 4 * a->site_count,
                              .function = function,
                              .file = a->functions[function].file,
                              .line = line,
                              .loop = loop,
                              .inlined = DJ_NOWHERE});
    return (uint32_t)a->site_count - 1;
}

static inline uint32_t hand_thread(dj_attribution *a, uint64_t id, const char *name)
{
    HAND_APPEND(a->threads, a->thread_count, (dj_thread_row){.id = id, .name = strdup(name)});
    return (uint32_t)a->thread_count - 1;
}

static inline uint32_t hand_root(dj_attribution *a, uint32_t thread)
{
    HAND_APPEND(a->cct, a->cct_count,
                (dj_cct_node){
                    .parent = DJ_NOWHERE, .thread = thread, .function = DJ_NOWHERE, .call_site = DJ_NOWHERE});
    return (uint32_t)a->cct_count - 1;
}

static inline uint32_t hand_cct_node(dj_attribution *a, uint32_t parent, uint32_t function,
                                     uint32_t call_site)
{
    HAND_APPEND(a->cct, a->cct_count,
                (dj_cct_node){.parent = parent,
                              .thread = a->cct[parent].thread,
                              .function = function,
                              .call_site = call_site,
                              .calls = 1});
    return (uint32_t)a->cct_count - 1;
}

static inline uint32_t hand_object(dj_attribution *a, const char *name, enum dj_object_kind kind,
                                   uint64_t distinct)
{
    HAND_APPEND(a->objects, a->object_count,
                (dj_object_row){.name = strdup(name),
                                .type = strdup(""),
                                .kind = kind,
                                .file = DJ_NOWHERE,
                                .cct_node = DJ_NOWHERE,
                                .bytes = 64 * distinct,
                                .blocks = 1,
                                .distinct = distinct});
    return (uint32_t)a->object_count - 1;
}

static inline uint32_t hand_place(dj_attribution *a, uint32_t site, uint32_t node, uint32_t object)
{
    HAND_APPEND(
        a->places, a->place_count,
        (dj_place_row){
            .site = site, .cct_node = node, .object = object, .element = strdup(""), .example = strdup("")});
    return (uint32_t)a->place_count - 1;
}

static inline void hand_cut(dj_attribution *a, const char *name, uint64_t blocks)
{
    HAND_APPEND(a->cuts, a->cut_count, (dj_cut){strdup(name), blocks});
}

// 0, 1, 2, 4, 8, … below 2^`bits`: cuts that are powers of two are edges.
static inline void hand_edges(dj_attribution *a, unsigned bits)
{
    HAND_APPEND(a->edges, a->edge_count, 0);
    for (unsigned i = 0; i < bits; i++)
        HAND_APPEND(a->edges, a->edge_count, UINT64_C(1) << i);
}

static inline void hand_cold(dj_tally *tally, uint64_t count, uint64_t writes)
{
    tally->accesses += count;
    tally->cold += count;
    tally->writes += writes;
}

// `count` reuses at `distance`; the edges must exist.
static inline void hand_reuses(dj_tally *tally, const dj_attribution *a, uint64_t distance, uint64_t count,
                               uint64_t writes)
{
    bool first = tally->accesses == tally->cold;
    if (!tally->bins) {
        tally->bins = calloc(a->edge_count, sizeof *tally->bins);
        assert_non_null(tally->bins);
        tally->bin_count = (uint32_t)a->edge_count;
    }
    size_t bin = 0;
    while (bin + 1 < a->edge_count && a->edges[bin + 1] <= distance)
        bin++;
    tally->bins[bin] += count;
    tally->accesses += count;
    tally->writes += writes;
    tally->sum += count * distance;
    tally->square_low += count * distance * distance;
    tally->min = first || distance < tally->min ? distance : tally->min;
    tally->max = first || distance > tally->max ? distance : tally->max;
}

// Long reuses of data that `from` used last.
static inline void hand_pair(dj_attribution *a, uint32_t from, uint32_t to, uint64_t distance, uint64_t count)
{
    HAND_APPEND(a->pairs, a->pair_count, (dj_pair_row){.from = from, .to = to, .carrier = DJ_NOWHERE});
    hand_reuses(&a->pairs[a->pair_count - 1].tally, a, distance, count, 0);
}

// A program by hand, blocks of 64 bytes, caches L1 of 16 and L2 of 64 blocks:
//
//     grid.c                                   places, as (cold; reuses at distance)
//      5  static double get(i) { return grid[i]; }   inlined into sweep at line 10
//      8  void sweep(void) {
//      9      for (step …)
//     10          for (i …) total += get(i);   0: grid, from main   (100; 900 at 99); 1: stack (1; 999 at 1)
//     13  void sum(double *p) {
//     14      for (i …) s += p[i];             2: heap, from main   (20; 0);  3: heap, from helper (0; 20 at
//     19) 18  void helper(void) { sum(heap); } 22  int main(void) { 23      heap[i] = 0; 4: heap, 20 writes
//     (0; 20 at 40) 24      sweep(); 25      sum(heap); helper();
//
// 2,060 accesses, 121 cold. Misses in L1: 121 + 900 + 20 + 20 = 1,061, in L2 121 + 900 = 1,021.
enum {
    HAND_GET,
    HAND_SWEEP,
    HAND_SUM,
    HAND_HELPER,
    HAND_MAIN,
};

static inline void hand_made_code(dj_attribution *a)
{
    hand_edges(a, 10);
    hand_cut(a, "L1", 16);
    hand_cut(a, "L2", 64);
    a->pair_from = 16;
    hand_module(a, "/opt/grid");
    uint32_t file = hand_file(a, "/src/grid.c");
    hand_function(a, "get", file, 5);
    hand_function(a, "sweep", file, 8);
    hand_function(a, "sum", file, 13);
    hand_function(a, "helper", file, 18);
    hand_function(a, "main", file, 22);
    hand_loop(a, HAND_SWEEP, DJ_NOWHERE, 9, 10);
    hand_loop(a, HAND_SWEEP, 0, 10, 10);
    hand_loop(a, HAND_SUM, DJ_NOWHERE, 14, 14);
}

static inline void hand_made_places(dj_attribution *a)
{
    uint32_t load = hand_site(a, HAND_GET, 5, 1), total = hand_site(a, HAND_SWEEP, 10, 1);
    uint32_t add = hand_site(a, HAND_SUM, 14, 2), fill = hand_site(a, HAND_MAIN, 23, DJ_NOWHERE);
    uint32_t call_sweep = hand_site(a, HAND_MAIN, 24, DJ_NOWHERE);
    uint32_t call_sum = hand_site(a, HAND_MAIN, 25, DJ_NOWHERE),
             call_helper = hand_site(a, HAND_MAIN, 25, DJ_NOWHERE);
    uint32_t helper_calls = hand_site(a, HAND_HELPER, 18, DJ_NOWHERE);
    a->sites[load].inlined = hand_inlined(a, HAND_SWEEP, 10, DJ_NOWHERE);
    uint32_t in_main = hand_cct_node(a, hand_root(a, hand_thread(a, 1, "")), HAND_MAIN, DJ_NOWHERE);
    uint32_t in_sweep = hand_cct_node(a, in_main, HAND_SWEEP, call_sweep);
    uint32_t in_sum = hand_cct_node(a, in_main, HAND_SUM, call_sum);
    uint32_t in_helper = hand_cct_node(a, in_main, HAND_HELPER, call_helper);
    uint32_t in_sum_2 = hand_cct_node(a, in_helper, HAND_SUM, helper_calls);
    uint32_t grid = hand_object(a, "grid", DJ_OBJECT_GLOBAL, 100);
    uint32_t heap = hand_object(a, "heap p (grid.c:22)", DJ_OBJECT_HEAP, 20);
    uint32_t stack = hand_object(a, "stack of sweep", DJ_OBJECT_FRAME, 1);
    a->objects[grid].file = a->objects[heap].file = 0;
    a->objects[grid].line = 3;
    a->objects[heap].line = 22;
    a->objects[heap].cct_node = in_main;
    a->threads[0].distinct = 121;
    hand_place(a, load, in_sweep, grid);
    hand_place(a, total, in_sweep, stack);
    hand_place(a, add, in_sum, heap);
    hand_place(a, add, in_sum_2, heap);
    hand_place(a, fill, in_main, heap);
}

// Fails only through cmocka.
static inline dj_attribution *hand_made(dj_context *with)
{
    dj_attribution *a = NULL;
    assert_int_equal(dj_attribution_create(with, &a), DJ_OK);
    hand_made_code(a);
    hand_made_places(a);
    free(a->places[0].element);
    free(a->places[0].example);
    a->places[0].element = strdup("[*]");
    a->places[0].example = strdup("[7]");
    hand_cold(&a->places[0].tally, 100, 0);
    hand_reuses(&a->places[0].tally, a, 99, 900, 0);
    hand_cold(&a->places[1].tally, 1, 1);
    hand_reuses(&a->places[1].tally, a, 1, 999, 500);
    hand_cold(&a->places[2].tally, 20, 0);
    hand_reuses(&a->places[3].tally, a, 19, 20, 0);
    hand_reuses(&a->places[4].tally, a, 40, 20, 20);
    hand_pair(a, 0, 0, 99, 900);
    hand_pair(a, 2, 3, 19, 20);
    hand_pair(a, 3, 4, 40, 20);
    assert_int_equal(dj_attribution_check(with, a), DJ_OK);
    return a;
}

#endif
