// SPDX-License-Identifier: MIT
// Attributions made by hand. Rows are referred to by the number that the
// function which added them returned; pointers hold until the next is added.
#ifndef DEJA_TESTS_ATTRIBUTION_H
#define DEJA_TESTS_ATTRIBUTION_H

#include <deja/attribution.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ADD_ROW(list, count, ...)                                                                            \
    do {                                                                                                     \
        (list) = realloc((list), ((count) + 1) * sizeof *(list));                                            \
        assert_non_null(list);                                                                               \
        (list)[(count)] = __VA_ARGS__;                                                                       \
        (count)++;                                                                                           \
    } while (0)

static inline void add_cut(dj_attribution *a, const char *name, uint64_t blocks)
{
    ADD_ROW(a->cuts, a->cut_count, (dj_cut){.name = strdup(name), .blocks = blocks});
}

// Edges 0, 1, 2, 4, …, 2^20; caches of 16, 256 and 4096 blocks; long is from 16 on.
static inline dj_attribution *make_attribution(dj_context *context)
{
    dj_attribution *a = NULL;
    assert_int_equal(dj_attribution_create(context, &a), DJ_OK);
    ADD_ROW(a->edges, a->edge_count, 0);
    for (unsigned i = 0; i <= 20; i++)
        ADD_ROW(a->edges, a->edge_count, UINT64_C(1) << i);
    add_cut(a, "L1", 16);
    add_cut(a, "L2", 256);
    add_cut(a, "L3", 4096);
    a->pair_from = 16;
    return a;
}

static inline uint32_t add_file(dj_attribution *a, const char *path)
{
    ADD_ROW(a->files, a->file_count, strdup(path));
    return (uint32_t)a->file_count - 1;
}

static inline uint32_t add_module(dj_attribution *a, const char *path, bool debug)
{
    ADD_ROW(a->modules, a->module_count,
            (dj_module_row){.path = strdup(path), .has_lines = debug, .has_types = debug});
    return (uint32_t)a->module_count - 1;
}

static inline uint32_t add_function(dj_attribution *a, const char *name, uint32_t module, uint32_t file,
                                    uint32_t line)
{
    ADD_ROW(a->functions, a->function_count,
            (dj_function_row){.name = strdup(name), .module = module, .file = file, .line = line});
    return (uint32_t)a->function_count - 1;
}

// In the file of its function.
static inline uint32_t add_loop(dj_attribution *a, uint32_t function, uint32_t parent, uint32_t first,
                                uint32_t last)
{
    ADD_ROW(a->loops, a->loop_count,
            (dj_loop_row){.function = function,
                          .parent = parent,
                          .depth = parent == DJ_NOWHERE ? 1 : a->loops[parent].depth + 1,
                          .file = a->functions[function].file,
                          .first_line = first,
                          .last_line = last});
    return (uint32_t)a->loop_count - 1;
}

// Not inlined, in the file and module of its function.
static inline uint32_t add_site(dj_attribution *a, uint32_t function, uint32_t line, uint32_t loop)
{
    ADD_ROW(a->sites, a->site_count,
            (dj_site_row){.module = a->functions[function].module,
                          .offset = 0x1000 + 4 * a->site_count,
                          .function = function,
                          .file = a->functions[function].file,
                          .line = line,
                          .loop = loop,
                          .inlined = DJ_NOWHERE});
    return (uint32_t)a->site_count - 1;
}

// A call of what is inlined, at `line` of `function`; `around` is the frame around it.
static inline uint32_t add_inlined(dj_attribution *a, uint32_t function, uint32_t line, uint32_t around)
{
    ADD_ROW(a->inlined, a->inlined_count,
            (dj_inlined_row){
                .function = function, .file = a->functions[function].file, .line = line, .inlined = around});
    return (uint32_t)a->inlined_count - 1;
}

static inline uint32_t add_thread(dj_attribution *a, uint64_t id, const char *name)
{
    ADD_ROW(a->threads, a->thread_count, (dj_thread_row){.id = id, .name = strdup(name)});
    return (uint32_t)a->thread_count - 1;
}

static inline uint32_t add_root(dj_attribution *a, uint32_t thread)
{
    ADD_ROW(a->contexts, a->context_count,
            (dj_context_row){
                .parent = DJ_NOWHERE, .thread = thread, .function = DJ_NOWHERE, .call_site = DJ_NOWHERE});
    return (uint32_t)a->context_count - 1;
}

static inline uint32_t add_context(dj_attribution *a, uint32_t parent, uint32_t function, uint32_t call_site)
{
    ADD_ROW(a->contexts, a->context_count,
            (dj_context_row){.parent = parent,
                             .thread = a->contexts[parent].thread,
                             .function = function,
                             .call_site = call_site});
    return (uint32_t)a->context_count - 1;
}

static inline uint32_t add_object(dj_attribution *a, const char *name, const char *type,
                                  enum dj_object_kind kind, uint64_t distinct)
{
    ADD_ROW(a->objects, a->object_count,
            (dj_object_row){.name = strdup(name),
                            .type = strdup(type),
                            .kind = kind,
                            .file = DJ_NOWHERE,
                            .context = DJ_NOWHERE,
                            .bytes = 64 * distinct,
                            .blocks = 1,
                            .distinct = distinct});
    return (uint32_t)a->object_count - 1;
}

static inline uint32_t add_place(dj_attribution *a, uint32_t site, uint32_t row, uint32_t object,
                                 const char *element)
{
    ADD_ROW(a->places, a->place_count,
            (dj_place_row){.site = site,
                           .context = row,
                           .object = object,
                           .element = strdup(element),
                           .example = strdup(element)});
    return (uint32_t)a->place_count - 1;
}

static inline uint32_t add_pair(dj_attribution *a, uint32_t from, uint32_t to)
{
    ADD_ROW(a->pairs, a->pair_count, (dj_pair_row){.from = from, .to = to});
    return (uint32_t)a->pair_count - 1;
}

static inline void tally_cold(dj_tally *tally, uint64_t count)
{
    tally->accesses += count;
    tally->cold += count;
}

static inline void tally_write(dj_tally *tally, uint64_t count) // of those that are counted already
{
    tally->writes += count;
}

// `count` reuses at one distance. Sums of squares stay below 2^64 here.
static inline void tally_reuse(const dj_attribution *a, dj_context *context, dj_tally *tally,
                               uint64_t distance, uint64_t count)
{
    uint32_t bin = 0;
    while (bin + 1 < a->edge_count && a->edges[bin + 1] <= distance)
        bin++;
    dj_tally one = {.accesses = count,
                    .sum = distance * count,
                    .square_low = distance * distance * count,
                    .min = distance,
                    .max = distance,
                    .bin_first = bin,
                    .bin_count = 1,
                    .bins = &count};
    assert_int_equal(dj_tally_add(tally, context, &one), DJ_OK);
}

#endif
