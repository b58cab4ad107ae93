// SPDX-License-Identifier: MIT
// What the models in C say about random tallies, as JSON for the unit tests of the page. The distances of
// each tally are printed too, so that what is exact can be counted again.   viewer_models SEED COUNT
#include <deja/attribution.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/writer.h"
#include "base/random.h"

enum { EDGES_MOST = 40, DISTANCES_MOST = 60, SIZES = 40, TALLIES = 3 };

static void fail(dj_context *context)
{
    fprintf(stderr, "%s\n", dj_context_message(context));
    exit(1);
}

// Edges of bins: 0, then increasing by factors between 1 and 3.
static void make_edges(dj_random *random, dj_attribution *a)
{
    a->edges = calloc(EDGES_MOST, sizeof *a->edges);
    if (!a->edges)
        exit(1);
    const size_t count = 2 + (size_t)dj_random_below(random, EDGES_MOST - 2);
    a->edge_count = 1;
    for (uint64_t at = 1; a->edge_count < count; at += 1 + dj_random_below(random, 2 * at))
        a->edges[a->edge_count++] = at;
}

static uint32_t bin_of(const dj_attribution *a, uint64_t distance)
{
    uint32_t bin = 0;
    while (bin + 1 < a->edge_count && a->edges[bin + 1] <= distance)
        bin++;
    return bin;
}

// Fills a tally from distances, and lists them.
static void fill(dj_context *context, dj_random *random, const dj_attribution *a, dj_tally *t,
                 dj_json_writer *json)
{
    const uint64_t count = dj_random_below(random, DISTANCES_MOST),
                   reach = 1 + dj_random_below(random, 20000);
    t->cold = dj_random_below(random, 5);
    t->writes = dj_random_below(random, 5);
    t->accesses = t->cold + count;
    dj_json_begin_flat_list(json, "distances");
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t distance = dj_random_below(random, dj_random_below(random, 3) ? reach : 4);
        const uint32_t bin = bin_of(a, distance);
        if (dj_tally_widen(t, context, bin, bin + 1) != DJ_OK)
            fail(context);
        t->bins[bin - t->bin_first]++;
        t->sum += distance;
        const unsigned __int128 square = (unsigned __int128)distance * distance + t->square_low;
        t->square_low = (uint64_t)square;
        t->square_high += (uint64_t)(square >> 64);
        t->min = i == 0 || distance < t->min ? distance : t->min;
        t->max = distance > t->max ? distance : t->max;
        dj_json_uint(json, NULL, distance);
    }
    dj_json_end_list(json);
}

static void write_tally(dj_context *context, dj_random *random, const dj_attribution *a, const dj_tally *t,
                        dj_json_writer *json)
{
    (void)context;
    const dj_moments moments = dj_tally_moments(t, a);
    const uint64_t numbers[] = {t->accesses, t->cold, t->writes, t->sum, t->min, t->max, t->bin_first};
    static const char *const names[] = {"accesses", "cold", "writes", "sum", "min", "max", "first"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dj_json_uint(json, names[i], numbers[i]);
    dj_json_begin_flat_list(json, "bins");
    for (uint32_t i = 0; i < t->bin_count; i++)
        dj_json_uint(json, NULL, t->bins[i]);
    dj_json_end_list(json);
    dj_json_real(json, "mean", moments.mean);
    dj_json_real(json, "median", moments.median);
    dj_json_begin_list(json, "misses");
    for (uint32_t i = 0; i < SIZES; i++) {
        const uint64_t size = i < a->edge_count ? a->edges[i] : dj_random_below(random, 30000);
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "size", size);
        dj_json_real(json, "misses", dj_tally_misses(t, a, size));
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_case(dj_context *context, uint64_t seed, dj_json_writer *json)
{
    dj_random random;
    dj_attribution *a = NULL;
    dj_tally sum = {0};
    dj_random_seed(&random, seed);
    if (dj_attribution_create(context, &a) != DJ_OK)
        fail(context);
    make_edges(&random, a);
    dj_json_begin_object(json, NULL);
    dj_json_begin_flat_list(json, "edges");
    for (size_t i = 0; i < a->edge_count; i++)
        dj_json_uint(json, NULL, a->edges[i]);
    dj_json_end_list(json);
    dj_json_begin_list(json, "tallies");
    for (int i = 0; i < TALLIES; i++) {
        dj_tally t = {0};
        dj_json_begin_object(json, NULL);
        fill(context, &random, a, &t, json);
        write_tally(context, &random, a, &t, json);
        dj_json_end_object(json);
        if (dj_tally_add(&sum, context, &t) != DJ_OK)
            fail(context);
        dj_tally_free(&t);
    }
    dj_json_end_list(json);
    dj_json_begin_object(json, "sum");
    write_tally(context, &random, a, &sum, json);
    dj_json_end_object(json);
    dj_json_end_object(json);
    dj_tally_free(&sum);
    dj_attribution_destroy(a);
}

int main(int argc, char **argv)
{
    dj_context *context = NULL;
    if (argc != 3 || dj_context_create(&context) != DJ_OK)
        return 2;
    const uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    dj_json_writer json = {.out = stdout};
    dj_json_begin_list(&json, NULL);
    for (uint64_t i = 0; i < count; i++)
        write_case(context, seed + i, &json);
    dj_json_end_list(&json);
    dj_context_destroy(context);
    return 0;
}
