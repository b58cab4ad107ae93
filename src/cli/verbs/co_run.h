// SPDX-License-Identifier: MIT
// The steps of `deja co-run`: load profiles, predict groups or threads, print.
#ifndef DEJA_CLI_VERBS_CO_RUN_H
#define DEJA_CLI_VERBS_CO_RUN_H

#include <deja/deja.h>

#include "base/json/writer.h"
#include "cli/options/caches.h"
#include "cli/options/export.h"
#include "cli/options/output.h"

typedef struct dj_co_run_options {
    const char *speeds, *cycles, *penalty; // as typed; NULL: not stated
    uint64_t most, size, threads, cores;
    double shared;
    bool separate, random;
    int model, by, scaling; // indexes into the choices
    dj_cache_options caches;
    dj_export_options export;
    dj_output_options output;
} dj_co_run_options;

// Everything that is freed at the end.
typedef struct dj_co_run {
    const dj_arguments *names;
    char *labels[DJ_CORUN_MOST]; // the names, numbered where several are the same
    dj_profile *profiles[DJ_CORUN_MOST];
    dj_corun_sharer sharers[DJ_CORUN_MOST];
    dj_corun_core cores[DJ_CORUN_MOST];
    dj_sharing_class *classes;
    dj_corun_group *groups;
    size_t partner[DJ_CORUN_PAIRED];
    dj_corun corun;
    const dj_corun_model *model;
    dj_caches caches;
    dj_corun_view view;
} dj_co_run;

// Predicts 1, 2, … threads of the one profile, and prints them.
int dj_co_run_threads(dj_context *context, const dj_co_run_options *options, const dj_co_run *run);

// Writes a document, or JSON by the function.
typedef void dj_co_run_json(FILE *out, const void *values);
int dj_co_run_print(dj_context *context, const dj_co_run_options *options, dj_document *document,
                    dj_co_run_json *json, const void *values);

// What every prediction assumes.
void dj_co_run_write_assumptions(dj_json_writer *json, const dj_corun *corun, uint64_t blocks);

// The groups and pairs.
int dj_co_run_print_groups(dj_context *context, const dj_co_run_options *options, const dj_co_run *run);

#endif
