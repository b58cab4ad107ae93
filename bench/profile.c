// SPDX-License-Identifier: MIT
// deja-bench profile: the size of a profile with many places, and the time to save and load it, as JSON and
// in columns.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/bench.h"
#include "bench/profile_names.h"

typedef struct settings {
    bench_common common; // accesses are places
    bool named;
    const char *keep;
} settings;

static int add_rows(dj_context *context, void *rows, size_t count, size_t bytes)
{
    void *made = calloc(count, bytes);
    memcpy(rows, &made, sizeof made);
    // cppcheck-suppress memleak ; rows has it
    return made ? DJ_OK : dj_fail_memory(context, "a profile", count * bytes);
}

// As in programs: the instructions of a loop run equally often, and their data is reused at one of a few
// distances, occasionally at another.
static void fill_tally(dj_tally *tally, dj_random *random, uint64_t loop, uint64_t *bins)
{
    uint64_t reuses = 1 + dj_random_mix(loop) % 100000,
             distance = dj_random_mix(loop + dj_random_below(random, 3)) % 4000;
    if (dj_random_below(random, 16) == 0)
        distance = dj_random_below(random, 4000);
    *tally = (dj_tally){.cold = dj_random_below(random, 2),
                        .writes = dj_random_below(random, 4) ? 0 : reuses,
                        .sum = reuses * distance,
                        .square_low = reuses * distance * distance,
                        .min = distance,
                        .max = distance,
                        .bin_first = dj_log2_bin(distance),
                        .bin_count = 1,
                        .bins = bins};
    tally->accesses = reuses + tally->cold;
    bins[0] = reuses;
}

// A program of `places` places: each instruction touches some objects in some contexts.
static int fill(dj_context *context, dj_attribution *a, size_t places)
{
    enum { EDGES = 24, PER_SITE = 8, CONTEXTS = 64, OBJECTS = 256 };
    dj_random random;
    dj_random_seed(&random, 1);
    a->edge_count = EDGES;
    a->site_count = places / PER_SITE + 1;
    a->cct_count = CONTEXTS;
    a->object_count = OBJECTS;
    a->thread_count = 1;
    a->place_count = places;
    int err = add_rows(context, &a->edges, a->edge_count, sizeof *a->edges);
    err = err ? err : add_rows(context, &a->sites, a->site_count, sizeof *a->sites);
    err = err ? err : add_rows(context, &a->cct, a->cct_count, sizeof *a->cct);
    err = err ? err : add_rows(context, &a->objects, a->object_count, sizeof *a->objects);
    err = err ? err : add_rows(context, &a->threads, a->thread_count, sizeof *a->threads);
    err = err ? err : add_rows(context, &a->places, a->place_count, sizeof *a->places);
    for (size_t i = 1; !err && i < a->edge_count; i++)
        a->edges[i] = UINT64_C(1) << (i - 1);
    for (size_t i = 0; !err && i < a->site_count; i++)
        a->sites[i] = (dj_site_row){.module = DJ_NOWHERE,
                                    .offset = 16 * i,
                                    .function = DJ_NOWHERE,
                                    .file = DJ_NOWHERE,
                                    .loop = DJ_NOWHERE,
                                    .inlined = DJ_NOWHERE};
    for (size_t i = 0; !err && i < a->cct_count; i++)
        a->cct[i] =
            (dj_cct_node){.parent = i ? 0 : DJ_NOWHERE, .function = DJ_NOWHERE, .call_site = DJ_NOWHERE};
    for (size_t i = 0; !err && i < a->object_count; i++)
        a->objects[i] = (dj_object_row){.file = DJ_NOWHERE, .cct_node = DJ_NOWHERE};
    for (size_t i = 0; !err && i < places; i++) {
        dj_place_row *place = &a->places[i];
        uint64_t *bins = malloc(sizeof *bins);
        if (!bins)
            return dj_fail_memory(context, "a profile", 0);
        place->site = (uint32_t)(i / PER_SITE);
        place->cct_node = (uint32_t)dj_random_below(&random, CONTEXTS);
        place->object = (uint32_t)(i % PER_SITE * 32 + dj_random_below(&random, 4));
        fill_tally(&place->tally, &random, i / 40, bins);
    }
    return err;
}

// The lane has the distances of all places.
static int fill_lane(dj_context *context, dj_profile *profile, const dj_attribution *a)
{
    dj_lane_profile *lane = &profile->lanes[0];
    int err = DJ_OK;
    for (size_t i = 0; !err && i < a->place_count; i++) {
        const dj_tally *tally = &a->places[i].tally;
        lane->accesses += tally->accesses;
        lane->cold += tally->cold;
        err = dj_histogram_add(lane->distance, context, tally->max, tally->accesses - tally->cold);
    }
    lane->distinct = lane->cold;
    profile->accesses = profile->requests = lane->accesses;
    return err;
}

static int make(dj_context *context, size_t places, bool named, dj_profile **out)
{
    dj_attribution *a = NULL;
    int err = dj_profile_create(context, 1, out);
    if (!err)
        err = dj_histogram_create(context, &(*out)->lanes[0].distance);
    if (!err)
        err = dj_profile_add_section(context, *out, &dj_section_attribution, &a);
    (*out)->provenance.exact = true;
    (*out)->lanes[0].id.block_bytes = 64;
    if (!err)
        err = fill(context, a, places);
    if (!err && named)
        err = bench_name_places(context, a);
    if (!err && named)
        err = fill_lane(context, *out, a);
    return err;
}

static int keep(dj_context *context, const dj_profile *profile, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return dj_fail(context, DJ_ERR_IO, "%s: cannot be written", path);
    int err = dj_profile_save_columns(context, profile, file);
    return fclose(file) == 0 || err ? err : dj_fail(context, DJ_ERR_IO, "%s: cannot be written", path);
}

// Saves and loads once; the best round counts.
static int time_form(dj_context *context, const dj_profile *profile, bool columns, double *save, double *load,
                     size_t *bytes)
{
    char *data = NULL;
    dj_profile *again = NULL;
    FILE *file = open_memstream(&data, bytes);
    if (!file)
        return dj_fail_memory(context, "a profile", 0);
    double start = bench_seconds();
    int err = columns ? dj_profile_save_columns(context, profile, file)
                      : dj_profile_save(context, profile, DJ_BINS_EXACT, 0, file);
    fclose(file);
    double saved = bench_seconds();
    file = err ? NULL : fmemopen(data, *bytes, "r");
    if (file)
        err = dj_profile_load(context, file, "profile", &again);
    double loaded = bench_seconds();
    if (file)
        fclose(file);
    if (!err) {
        *save = saved - start < *save ? saved - start : *save;
        *load = loaded - saved < *load ? loaded - saved : *load;
    }
    dj_profile_destroy(again);
    free(data);
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const settings *s = call->settings;
    dj_profile *profile = NULL;
    int err = make(context, (size_t)s->common.accesses, s->named, &profile);
    if (!err && s->keep)
        err = keep(context, profile, s->keep);
    for (int columns = 0; !err && columns < 2; columns++) {
        double save = 1e9, load = 1e9;
        size_t bytes = 0;
        for (uint64_t i = 0; !err && i < s->common.repeat; i++)
            err = time_form(context, profile, columns, &save, &load, &bytes);
        if (err)
            break;
        dj_json_writer *json = bench_begin_row(call);
        const char *form = columns ? "columns" : "JSON";
        if (!json) {
            printf("%-8s %12zu bytes, saved in %.3f s, loaded in %.3f s\n", form, bytes, save, load);
            continue;
        }
        dj_json_text(json, "form", form);
        dj_json_uint(json, "places", s->common.accesses);
        dj_json_uint(json, "bytes", bytes);
        dj_json_real(json, "save_s", save);
        dj_json_real(json, "load_s", load);
        dj_json_end_object(json);
    }
    dj_profile_destroy(profile);
    return err;
}

static const dj_option options[] = {
    BENCH_OPTION("places", 'n', UINT, accesses, "N", "places of the profile (default 1000000)"),
    {"named", 0, DJ_OPTION_FLAG, offsetof(settings, named), NULL,
     "with functions, loops, lines, contexts, fields and long reuses, as programs have", NULL},
    {"keep", 0, DJ_OPTION_TEXT, offsetof(settings, keep), "FILE", "also save the profile, in columns", NULL},
    BENCH_ROUNDS,
    BENCH_WHEN_BUSY,
    BENCH_JSON_LIST,
    BENCH_HELP,
};

static const settings defaults = {.common = {.accesses = 1000000, .repeat = 3}};

const bench_subject bench_profile = {.name = "profile",
                                     .summary = "size and speed of saved profiles, as JSON and in columns",
                                     .options = options,
                                     .defaults = &defaults,
                                     .settings_bytes = sizeof(settings),
                                     .run = run};
