// SPDX-License-Identifier: MIT
#include "bench/profile_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum {
    FILES = 200,
    PER_FUNCTION = 25, // sites
    PER_LOOP = 10,
    PER_LINE = 2,
    FIELDS = 12,
    CONTEXTS = 20000,
    OBJECTS = 4096,
    PER_PAIR = 8, // places
};

typedef struct maker {
    dj_context *context;
    dj_attribution *a;
    dj_random random;
    bool failed;
} maker;

static char *name(maker *m, const char *format, size_t number)
{
    char *text = NULL;
    char buffer[64];
    // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral) ; all formats are below
    snprintf(buffer, sizeof buffer, format, number);
    text = strdup(buffer);
    m->failed |= !text;
    return text;
}

// Replaces a list of rows.
static void *rows(maker *m, void *list, size_t *count, size_t wanted, size_t bytes)
{
    void *larger = calloc(wanted + 1, bytes);
    m->failed |= !larger;
    if (!larger)
        return list;
    if (list)
        memcpy(larger, list, (*count < wanted ? *count : wanted) * bytes);
    free(list);
    *count = wanted;
    return larger;
}

#define ROWS(m, list, count, wanted) ((list) = rows((m), (list), &(count), (wanted), sizeof *(list)))

static void name_code(maker *m)
{
    dj_attribution *a = m->a;
    const size_t functions = a->site_count / PER_FUNCTION + 1, loops = a->site_count / PER_LOOP + 1;
    ROWS(m, a->files, a->file_count, FILES);
    ROWS(m, a->modules, a->module_count, 1);
    ROWS(m, a->functions, a->function_count, functions);
    ROWS(m, a->loops, a->loop_count, loops);
    if (m->failed)
        return;
    a->modules[0] = (dj_module_row){.path = name(m, "/opt/large/bin/program%zu", 1), .has_lines = true};
    for (size_t i = 0; i < FILES; i++)
        a->files[i] = name(m, "/home/user/large/src/module%03zu.c", i);
    for (size_t i = 0; i < functions; i++)
        a->functions[i] = (dj_function_row){.name = name(m, "function_%zu", i),
                                            .file = (uint32_t)(i % FILES),
                                            .line = (uint32_t)(20 * (i / FILES) + 1)};
    for (size_t i = 0; i < loops; i++) {
        const uint32_t function = (uint32_t)(i * PER_LOOP / PER_FUNCTION);
        const bool inner = i % 2 && i * PER_LOOP / PER_FUNCTION == (i - 1) * PER_LOOP / PER_FUNCTION;
        const uint32_t line = a->functions[function].line + (uint32_t)(i % 2);
        a->loops[i] = (dj_loop_row){.function = function,
                                    .parent = inner ? (uint32_t)i - 1 : DJ_NOWHERE,
                                    .depth = inner ? 2 : 1,
                                    .file = a->functions[function].file,
                                    .first_line = line,
                                    .last_line = line + 10};
    }
    for (size_t i = 0; i < a->site_count; i++) {
        const uint32_t function = (uint32_t)(i / PER_FUNCTION);
        a->sites[i] =
            (dj_site_row){.module = 0,
                          .offset = 16 * i,
                          .function = function,
                          .file = a->functions[function].file,
                          .line = a->functions[function].line + (uint32_t)(i % PER_FUNCTION) / PER_LINE,
                          .loop = (uint32_t)(i / PER_LOOP),
                          .inlined = DJ_NOWHERE};
    }
}

static void name_contexts(maker *m)
{
    dj_attribution *a = m->a;
    ROWS(m, a->cct, a->cct_count, CONTEXTS);
    for (size_t i = 1; !m->failed && i < CONTEXTS; i++)
        a->cct[i] = (dj_cct_node){.parent = (uint32_t)(i / 4),
                                  .function = (uint32_t)dj_random_below(&m->random, a->function_count),
                                  .call_site = (uint32_t)dj_random_below(&m->random, a->site_count),
                                  .calls = i};
}

static void name_data(maker *m)
{
    dj_attribution *a = m->a;
    char element[32];
    ROWS(m, a->objects, a->object_count, OBJECTS);
    for (size_t i = 0; !m->failed && i < OBJECTS; i++)
        a->objects[i] = (dj_object_row){.name = name(m, "table_%zu", i),
                                        .kind = DJ_OBJECT_GLOBAL,
                                        .file = (uint32_t)(i % FILES),
                                        .line = 1,
                                        .cct_node = DJ_NOWHERE,
                                        .bytes = 4096 * (i + 1),
                                        .blocks = 1,
                                        .distinct = 64 * (i + 1)};
    for (size_t i = 0; !m->failed && i < a->place_count; i++) {
        dj_place_row *place = &a->places[i];
        place->cct_node = (uint32_t)(place->site * UINT64_C(7919) % (CONTEXTS - 1)) + 1;
        place->object = (uint32_t)(dj_random_mix(place->site) % OBJECTS);
        snprintf(element, sizeof element, "[*].field_%u", (unsigned)dj_random_below(&m->random, FIELDS));
        place->element = strdup(element);
        m->failed |= !place->element;
    }
}

static void add_pairs(maker *m)
{
    dj_attribution *a = m->a;
    const size_t wanted = a->place_count / PER_PAIR;
    ROWS(m, a->pairs, a->pair_count, wanted);
    for (size_t i = 0; !m->failed && i < wanted; i++) {
        const uint32_t to = (uint32_t)(i * PER_PAIR),
                       from = to + (uint32_t)dj_random_below(&m->random, PER_PAIR);
        dj_pair_row *pair = &a->pairs[i];
        const dj_tally *tally = &a->places[to].tally;
        uint64_t *bins = malloc(sizeof *bins);
        m->failed |= !bins;
        if (!bins)
            return;
        *pair = (dj_pair_row){.from = from, .to = to, .tally = *tally};
        pair->tally.bins = bins;
        pair->tally.accesses = bins[0] = tally->bins[0];
        pair->tally.cold = pair->tally.writes = 0;
    }
}

static void add_cuts(maker *m)
{
    dj_attribution *a = m->a;
    ROWS(m, a->cuts, a->cut_count, 2);
    if (m->failed)
        return;
    a->cuts[0] = (dj_cut){name(m, "L%zu", 1), 512};
    a->cuts[1] = (dj_cut){name(m, "L%zu", 2), 2048};
}

int bench_name_places(dj_context *context, dj_attribution *a)
{
    maker m = {.context = context, .a = a};
    dj_random_seed(&m.random, 2);
    name_code(&m);
    name_contexts(&m);
    name_data(&m);
    add_pairs(&m);
    add_cuts(&m);
    return m.failed ? dj_fail_memory(context, "a profile", 0) : DJ_OK;
}
